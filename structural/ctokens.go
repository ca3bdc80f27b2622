package structural

import "strings"

// cTokens cuts C or C++ into the tokens that a compiler sees before it knows what macros
// mean: texts with equal ones differ in layout and comments alone. Grammars cannot read what
// macros make of a source, so this is what is left to prove it by.
//
// Line ends count where a directive ends, and so does whether a macro's name is directly
// followed by its parameters.
func cTokens(source string) []token {
	l := cLexer{source: source, tokens: make([]token, 0, len(source)/4)}
	for l.at < len(source) {
		l.next()
	}
	return l.tokens
}

// Kinds of tokens that cTokens makes besides those of the generic lexer.
const (
	tokenDirectiveEnd = tokenComment + 1 + iota // empty, behind the last token of a directive
	tokenParameters                             // the bracket directly behind a macro's name
)

type cLexer struct {
	source string
	tokens []token
	at     int

	directive bool   // in a line that starts with "#"
	words     int    // tokens of it so far, "#" included
	name      string // of the directive
	lineStart bool   // false: a token stands before on the line
	started   bool
}

func (l *cLexer) next() {
	if !l.started {
		l.started, l.lineStart = true, true
	}
	s, at := l.source, l.at
	rest := s[at:]
	c := s[at]
	switch {
	case strings.HasPrefix(rest, "\\\n"):
		l.at += 2
	case strings.HasPrefix(rest, "\\\r\n"):
		l.at += 3
	case c == '\n':
		l.endDirective()
		l.lineStart = true
		l.at++
	case isBlank(c):
		l.at++
	case strings.HasPrefix(rest, "//"):
		l.at = l.logicalEnd(at)
	case strings.HasPrefix(rest, "/*"):
		end := strings.Index(rest[2:], "*/")
		if end < 0 {
			l.at = len(s)
		} else {
			l.at += 2 + end + 2
		}
	default:
		l.token(c, rest)
		if l.at == len(s) {
			l.endDirective()
		}
	}
}

// endDirective ends a directive, if there is one.
func (l *cLexer) endDirective() {
	if l.directive {
		l.directive = false
		end := l.tokens[len(l.tokens)-1].end
		l.tokens = append(l.tokens, token{end, end, tokenDirectiveEnd})
	}
}

// logicalEnd is where the line ends, lines that go on included.
func (l *cLexer) logicalEnd(at int) int {
	for {
		i := strings.IndexByte(l.source[at:], '\n')
		if i < 0 {
			return len(l.source)
		}
		at += i
		if line := strings.TrimSuffix(l.source[:at], "\r"); !strings.HasSuffix(line, `\`) {
			return at
		}
		at++
	}
}

func (l *cLexer) token(c byte, rest string) {
	first := l.lineStart
	l.lineStart = false
	kind, size := tokenPunct, punctuator(rest)
	switch {
	case first && c == '#':
		l.directive, l.words, l.name, size = true, 0, "", 1
	case l.directive && l.words == 2 && c == '<' && strings.HasPrefix(l.name, "include"):
		if end := strings.IndexAny(rest, ">\n"); end > 0 && rest[end] == '>' {
			kind, size = tokenString, end+1 // a file, and not tokens
		}
	case l.directive && l.words == 3 && c == '(' && l.name == "define" && int(l.tokens[len(l.tokens)-1].end) == l.at:
		kind = tokenParameters
	case c >= '0' && c <= '9', c == '.' && len(rest) > 1 && rest[1] >= '0' && rest[1] <= '9':
		kind, size = tokenWord, numberSize(rest)
	case isWordByte(c):
		kind, size = tokenWord, 1
		for size < len(rest) && isWordByte(rest[size]) {
			size++
		}
		if size < len(rest) && (rest[size] == '"' || rest[size] == '\'') && isPrefix(rest[:size]) {
			kind, size = tokenString, size+quotedSize(rest[size:], strings.HasSuffix(rest[:size], "R"))
		}
	case c == '"' || c == '\'':
		kind, size = tokenString, quotedSize(rest, false)
	}
	if l.directive {
		if l.words == 1 {
			l.name = rest[:size]
		}
		l.words++
	}
	l.tokens = append(l.tokens, token{uint32(l.at), uint32(l.at + size), kind})
	l.at += size
}

// isPrefix says whether letters before a quote belong to the literal.
func isPrefix(word string) bool {
	switch word {
	case "L", "u", "U", "u8", "R", "LR", "uR", "UR", "u8R":
		return true
	}
	return false
}

// numberSize is the length of a number as the preprocessor reads it.
func numberSize(s string) int {
	n := 1
	for n < len(s) {
		switch c := s[n]; {
		case isWordByte(c) || c == '.':
		case c == '\'' && n+1 < len(s) && isWordByte(s[n+1]):
		case (c == '+' || c == '-') && strings.IndexByte("eEpP", s[n-1]) >= 0:
		default:
			return n
		}
		n++
	}
	return n
}

// quotedSize is the length of a literal from its quote on; of one that does not end on its
// line, the quote alone.
func quotedSize(s string, raw bool) int {
	if raw && s[0] == '"' {
		if open := strings.IndexByte(s, '('); open > 0 && open <= 17 {
			if end := strings.Index(s, ")"+s[1:open]+`"`); end > 0 {
				return end + open + 1
			}
		}
		return 1
	}
	for n := 1; n < len(s); n++ {
		switch s[n] {
		case '\\':
			n++
		case s[0]:
			return n + 1
		case '\n':
			return 1
		}
	}
	return 1
}

// punctuators of more than one character, the longest first. The two of ">>" are apart:
// between brackets of templates blanks may stand, and elsewhere "> >" does not compile.
var punctuators = []string{
	"<=>", "<<=", ">>=", "...", "->*", "%:%:",
	"::", "->", "++", "--", "<<", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##", ".*",
	"<:", ":>", "<%", "%>", "%:",
}

func punctuator(s string) int {
	for _, p := range punctuators {
		if strings.HasPrefix(s, p) {
			return len(p)
		}
	}
	return 1
}
