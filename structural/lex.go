package structural

import (
	"path"
	"strings"
	"unicode/utf8"
)

// tokenKind says what a token is.
type tokenKind uint8

const (
	tokenWord    tokenKind = iota // names, keywords, numbers
	tokenPunct                    // an operator, a bracket, a comma
	tokenString                   // a literal with its quotes
	tokenComment                  // a word of a comment
)

// token is a piece of a text that is not white space.
type token struct {
	start, end uint32 // bytes
	kind       tokenKind
}

// lexRules are what the generic lexer knows of a family of languages.
type lexRules struct {
	line    []string    // what starts a comment that ends with the line
	block   [][2]string // what starts and ends other comments
	quotes  string      // what starts and ends a string
	content bool        // white space is content
	lines   bool        // so are line ends
	// tokens, if set, cuts what is not comments better than the generic lexer does.
	tokens func(source string) []token
}

var (
	slashes  = lexRules{line: []string{"//"}, block: [][2]string{{"/*", "*/"}}, quotes: "\"'`"}
	cFamily  = lexRules{line: slashes.line, block: slashes.block, quotes: slashes.quotes, tokens: cTokens}
	styles   = lexRules{line: slashes.line, block: slashes.block, quotes: `"'`, content: true} // "a .b" is not "a.b"
	dashes   = lexRules{line: []string{"--"}, block: [][2]string{{"/*", "*/"}}, quotes: `"'`}
	prose    = lexRules{content: true, lines: true}
	indented = lexRules{line: []string{"#", "//", "--"}, block: [][2]string{{"/*", "*/"}}, quotes: `"'`, content: true, lines: true}
)

// families are languages without a grammar in which white space between tokens is layout,
// and line ends are too. Of every other file, white space counts as content.
var families = map[string]*lexRules{
	".c": &cFamily, ".h": &cFamily, ".cc": &cFamily, ".cpp": &cFamily, ".cxx": &cFamily, ".hpp": &cFamily, ".hh": &cFamily, ".hxx": &cFamily,
	".m": &cFamily, ".mm": &cFamily, ".glsl": &cFamily,
	".java": &slashes, ".json": &slashes, ".dart": &slashes, ".proto": &slashes, ".thrift": &slashes, ".wgsl": &slashes,
	".d": &slashes, ".v": &slashes, ".sv": &slashes,
	".css": &styles, ".scss": &styles, ".less": &styles,
	".go": withLines(slashes), ".rs": withLines(slashes), ".cs": withLines(slashes), ".php": withLines(slashes), ".zig": withLines(slashes),
	".kt": withLines(slashes), ".kts": withLines(slashes), ".swift": withLines(slashes), ".groovy": withLines(slashes), ".gradle": withLines(slashes),
	".js": withLines(slashes), ".mjs": withLines(slashes), ".cjs": withLines(slashes), ".jsx": withLines(slashes),
	".ts": withLines(slashes), ".tsx": withLines(slashes), ".scala": withLines(slashes),
	".sql": &dashes, ".lua": withLines(dashes),
}

// withLines are rules of a language in which a line end may end a statement, or white space
// counts in texts that the generic lexer does not know: raw strings, text around code.
func withLines(r lexRules) *lexRules {
	r.lines = true
	return &r
}

// rulesFor are what the generic lexer knows of a file without a grammar.
func rulesFor(name string) *lexRules {
	ext := strings.ToLower(path.Ext(strings.ReplaceAll(name, `\`, "/")))
	if r := families[ext]; r != nil {
		return r
	}
	switch ext {
	case "", ".txt", ".md", ".rst", ".adoc", ".tex", ".csv", ".tsv", ".html", ".htm", ".xml", ".svg":
		return &prose
	}
	return &indented
}

// lexer cuts a text into tokens.
type lexer struct {
	*lexRules
	source string
	tokens []token
	open   bool // a quote does not close: nobody knows what is a string
}

// lex returns the tokens of a text, in order. It reads every text: what it does not know
// are words and single characters.
func (r *lexRules) lex(source string) []token {
	tokens, _ := r.read(source)
	return tokens
}

// read is lex that says whether there is a quote that does not close.
func (r *lexRules) read(source string) (tokens []token, open bool) {
	l := lexer{lexRules: r, source: source, tokens: make([]token, 0, len(source)/4)}
	for at := 0; at < len(source); {
		at = l.next(at)
	}
	return l.tokens, l.open
}

// next reads what starts at at and returns where that ends.
func (l *lexer) next(at int) int {
	c := l.source[at]
	switch {
	case isBlank(c):
		return at + 1
	case isWordByte(c):
		end := at + 1
		for end < len(l.source) && isWordByte(l.source[end]) {
			end++
		}
		return l.add(at, end, tokenWord)
	}
	rest := l.source[at:]
	for _, start := range l.line {
		if strings.HasPrefix(rest, start) {
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			return l.comment(at, at+len(start), at+end, at+end)
		}
	}
	for _, b := range l.block {
		if strings.HasPrefix(rest, b[0]) {
			end := strings.Index(rest[len(b[0]):], b[1])
			if end < 0 {
				return l.comment(at, at+len(b[0]), len(l.source), len(l.source))
			}
			inner := at + len(b[0]) + end
			return l.comment(at, at+len(b[0]), inner, inner+len(b[1]))
		}
	}
	if strings.IndexByte(l.quotes, c) >= 0 {
		if end := l.closing(at); end > 0 {
			return l.add(at, end, tokenString)
		}
		l.open = true
	}
	end := at + 1
	if isOperator(c) {
		for end < len(l.source) && isOperator(l.source[end]) && !l.startsComment(end) {
			end++
		}
	}
	return l.add(at, end, tokenPunct)
}

func (l *lexer) add(start, end int, kind tokenKind) int {
	l.tokens = append(l.tokens, token{uint32(start), uint32(end), kind})
	return end
}

func (l *lexer) startsComment(at int) bool {
	for _, start := range l.line {
		if strings.HasPrefix(l.source[at:], start) {
			return true
		}
	}
	for _, b := range l.block {
		if strings.HasPrefix(l.source[at:], b[0]) {
			return true
		}
	}
	return false
}

// comment adds the words of a comment whose text is between from and to.
func (l *lexer) comment(_, from, to, end int) int {
	l.tokens = commentWords(l.tokens, l.source, from, to)
	return end
}

// closing is where the string that starts at at ends, 0 if it does not: a backquote may
// close on another line, three quotes too.
func (l *lexer) closing(at int) int {
	quote := l.source[at]
	rest := l.source[at+1:]
	if triple := string([]byte{quote, quote, quote}); strings.HasPrefix(l.source[at:], triple) {
		if end := strings.Index(l.source[at+3:], triple); end >= 0 {
			return at + 3 + end + 3
		}
	}
	for i := 0; i < len(rest); i++ {
		switch {
		case rest[i] == '\\' && quote != '`':
			i++
		case rest[i] == quote:
			return at + 1 + i + 1
		case rest[i] == '\n' && quote != '`':
			return 0
		}
	}
	return 0
}

// leaders are what begins and ends comments and leads their lines.
const leaders = "/*#!"

// commentWords adds the words of source[from:to] to tokens, without what leads the lines
// of a comment.
func commentWords(tokens []token, source string, from, to int) []token {
	for at := from; at < to; {
		for at < to && isBlank(source[at]) {
			at++
		}
		end := at
		for end < to && !isBlank(source[end]) {
			end++
		}
		inner := strings.TrimLeft(source[at:end], leaders)
		if word := strings.TrimRight(inner, leaders); len(word) > 2 || strings.Trim(word, "-") != "" {
			start := end - len(inner)
			tokens = append(tokens, token{uint32(start), uint32(start + len(word)), tokenComment})
		}
		at = end
	}
	return tokens
}

func isBlank(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'
}

func isWordByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '_' || c == '$' || c >= utf8.RuneSelf
}

func isOperator(c byte) bool { return strings.IndexByte("+-*/%=<>!&|^~?:.@#", c) >= 0 }
