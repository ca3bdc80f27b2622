package structural

import (
	"errors"
	"math/bits"
	"slices"
	"strings"
)

// itemKind says what an item of a form is.
type itemKind uint8

const (
	leafItem  itemKind = iota // a token that carries meaning
	openItem                  // the start of a node
	closeItem                 // its end
	looseItem                 // a token that may carry meaning: nothing follows from it
)

// item is a piece of a form.
type item struct {
	hash       uint64
	start, end uint32 // bytes
	node       uint32 // of the tree
	kind       itemKind
}

// softToken is a bracket, comma or semicolon that the form leaves out.
type softToken struct {
	at    uint32 // byte
	item  uint32 // how many items stand before it
	owner uint32 // the open item of the node that it belongs to, plus 1; 0: none
}

// form is a text without what is layout.
type form struct {
	source   string
	tree     *Tree // nil: made by the generic lexer
	items    []item
	comments []token
	soft     []softToken
	faults   []span // what the parser could not read
	lines    []uint32
	content  bool // white space is content, so that equal forms prove nothing
}

// span is a range of bytes.
type span struct{ start, end uint32 }

// former makes a form of a tree.
type former struct {
	*form
	l        *Language
	rules    []kindRule
	declared bool   // the step says that it formats
	depth    uint64 // of blocks that indentation makes
	nesting  int
	opaque   int
	open     uint32 // the open item of the node at hand, plus 1
	tooDeep  bool
}

// maxNesting bounds how deep a tree may be for its form to be made.
const maxNesting = 5000

var errTooDeep = errors.New("nested too deep")

// newForm makes the form of a text in the language, which may be nil. If it cannot be
// parsed the generic lexer takes its place, and why says so.
func newForm(name, source string, l *Language, declared bool) (f *form, why error) {
	f = &form{source: source, lines: lineStarts(source)}
	tree, err := Parse(source, l, Options{})
	if err == nil {
		m := former{form: f, l: l, rules: l.loaded.rules, declared: declared}
		f.tree, f.content = tree, l.Rules.Lines
		f.items = make([]item, 0, len(tree.Nodes))
		if tree.Nodes[0].Flags&Error != 0 {
			f.faults = append(f.faults, span{0, uint32(len(source))})
		}
		m.children(0)
		if !m.tooDeep {
			return f, nil
		}
		err = errTooDeep
	}
	f = &form{source: source, lines: f.lines}
	f.lexed(rulesFor(name))
	return f, err
}

// lexed fills the form by the generic lexer.
func (f *form) lexed(r *lexRules) {
	tokens, open := r.read(f.source)
	f.content = r.content || r.lines || open && r.tokens == nil
	for _, token := range tokens {
		if token.kind == tokenComment {
			f.comments = append(f.comments, token)
		} else if r.tokens == nil {
			f.items = append(f.items, item{hash(1, unCR(f.source[token.start:token.end])), token.start, token.end, 0, leafItem})
		}
	}
	if r.tokens != nil {
		f.strict(r.tokens(f.source))
	}
}

// strict adds tokens of which nothing can be left out.
func (f *form) strict(tokens []token) {
	for _, t := range tokens {
		f.items = append(f.items, item{hash(uint64(t.kind)+1, unCR(f.source[t.start:t.end])), t.start, t.end, 0, leafItem})
	}
}

// line is the line, counted from 0, that holds the byte.
func (f *form) line(at uint32) int {
	n, found := slices.BinarySearch(f.lines, at)
	if !found {
		n--
	}
	return n
}

// liner finds lines of bytes that mostly ascend.
type liner struct {
	starts []uint32
	last   int
}

func (l *liner) line(at uint32) int {
	for n := l.last; n < len(l.starts) && n < l.last+4; n++ {
		if l.starts[n] <= at && (n+1 == len(l.starts) || at < l.starts[n+1]) {
			l.last = n
			return n
		}
	}
	n, found := slices.BinarySearch(l.starts, at)
	if !found {
		n--
	}
	l.last = n
	return n
}

// lineStarts are the bytes at which lines start.
func lineStarts(source string) []uint32 {
	starts := make([]uint32, 1, strings.Count(source, "\n")+1)
	for at := 0; ; {
		i := strings.IndexByte(source[at:], '\n')
		if i < 0 {
			return starts
		}
		at += i + 1
		starts = append(starts, uint32(at))
	}
}

// hash mixes a class into the hash of a text.
func hash(class uint64, text string) uint64 {
	h := class*0x9e3779b97f4a7c15 ^ uint64(len(text))
	for len(text) >= 8 {
		word := uint64(text[0]) | uint64(text[1])<<8 | uint64(text[2])<<16 | uint64(text[3])<<24 |
			uint64(text[4])<<32 | uint64(text[5])<<40 | uint64(text[6])<<48 | uint64(text[7])<<56
		h = mix(h ^ word)
		text = text[8:]
	}
	word := uint64(0)
	for i := range len(text) {
		word |= uint64(text[i]) << (8 * i)
	}
	return mix(h ^ word ^ 1<<63)
}

func mix(h uint64) uint64 {
	high, low := bits.Mul64(h^0xa0761d6478bd642f, 0xe7037ed1a0b428db)
	return high ^ low
}

// Classes of items, for hash.
const (
	classToken = 1 + iota
	classString
	classOpen
	classClose
)

// kind is the name of a node's kind.
func (f *former) kind(n int) string { return f.tree.Kind(n) }

// rule is what the language's rules say of a node.
func (f *former) rule(n int) kindRule {
	if k := int(f.tree.Nodes[n].Kind); k < len(f.rules) {
		return f.rules[k]
	}
	return 0
}

// field is the number of the field that the node's parent has it under.
func (f *former) field(n int) uint16 { return f.tree.Nodes[n].Field }

// emit adds the items of a node and all below it. field is under what the form has it.
func (f *former) emit(n int, field uint16) {
	if f.nesting++; f.nesting > maxNesting {
		f.tooDeep = true
	}
	if !f.tooDeep {
		f.node(n, field)
	}
	f.nesting--
}

func (f *former) node(n int, field uint16) {
	node := &f.tree.Nodes[n]
	rule := f.rule(n)
	if node.Flags&Error != 0 || node.Flags&Missing != 0 {
		f.faults = append(f.faults, span{node.Start, max(node.End, node.Start+1)})
	}
	switch {
	case rule&isComment != 0:
		f.comment(n)
	case f.opaque == 0 && f.l.Rules.Form != nil && f.l.Rules.Form(f, n, field):
	case rule&isString != 0:
		f.str(n, field)
	case int(node.Next) == n+1:
		f.token(n, field, rule)
	case f.opaque > 0:
		f.children(n)
	case rule&isTransparent != 0:
		f.transparent(n, field)
	case rule&isOpaque != 0:
		f.opaque++
		f.marked(n, field, f.kind(n), func() { f.children(n) })
		f.opaque--
	case rule&isBlock != 0:
		f.depth++
		f.marked(n, field, f.kind(n), func() { f.children(n) })
		f.depth--
	default:
		f.marked(n, field, f.kind(n), func() { f.children(n) })
	}
}

// marked adds the marks of a node around what inside adds.
func (f *former) marked(n int, field uint16, kind string, inside func()) {
	node := &f.tree.Nodes[n]
	was := f.open
	f.items = append(f.items, item{hash(classOpen+uint64(field)<<8, kind), node.Start, node.End, uint32(n), openItem})
	f.open = uint32(len(f.items))
	inside()
	f.items = append(f.items, item{hash(classClose, kind), node.Start, node.End, uint32(n), closeItem})
	f.open = was
}

// children adds the items of what is below a node. Runs of imports are put in one order.
func (f *former) children(n int) {
	end := int(f.tree.Nodes[n].Next)
	at := f.tree.Nodes[n].Start
	for c := n + 1; c < end; c = int(f.tree.Nodes[c].Next) {
		f.gap(n, at, f.tree.Nodes[c].Start)
		at = f.tree.Nodes[c].End
		if f.isImport(c) {
			c, at = f.imports(c, end)
			if c >= end {
				break
			}
			f.gap(n, at, f.tree.Nodes[c].Start)
			at = f.tree.Nodes[c].End
		}
		f.emit(c, f.field(c))
	}
	f.gap(n, at, f.tree.Nodes[n].End)
}

// isImport says whether a node may change places with its neighbours.
func (f *former) isImport(n int) bool {
	if f.opaque > 0 {
		return false
	}
	return f.rule(n)&isImport != 0 || f.declared && f.rule(n)&isDeclaredImport != 0
}

// imports adds a run of imports from n on, sorted, and returns where it ends. Mere
// tokens and comments do not end it.
func (f *former) imports(n, end int) (next int, at uint32) {
	var run sorting
	for c := n; c < end; c = int(f.tree.Nodes[c].Next) {
		switch node := &f.tree.Nodes[c]; {
		case f.isImport(c):
			run.start(f.form)
			f.emit(c, f.field(c))
			run.stop(f.form)
		case f.rule(c)&isComment != 0, node.Flags&Named == 0 && f.isSoft(c):
			f.emit(c, 0)
		default:
			run.sort(f.form)
			return c, f.tree.Nodes[c].Start
		}
		at = f.tree.Nodes[c].End
	}
	run.sort(f.form)
	return end, at
}

// sorting puts parts of a form in one order.
type sorting struct {
	parts []part
	from  int
}

// part is a range of items with what orders it.
type part struct {
	key      uint64
	from, to int
}

func (s *sorting) start(f *form) { s.from = len(f.items) }

func (s *sorting) stop(f *form) {
	key := uint64(0)
	for _, i := range f.items[s.from:] {
		key = mix(key ^ i.hash)
	}
	s.parts = append(s.parts, part{key, s.from, len(f.items)})
}

// sort orders the parts, which stand one behind the other.
func (s *sorting) sort(f *form) {
	if len(s.parts) < 2 {
		return
	}
	first := s.parts[0].from
	was := slices.Clone(f.items[first:s.parts[len(s.parts)-1].to])
	slices.SortStableFunc(s.parts, func(a, b part) int {
		switch {
		case a.key < b.key:
			return -1
		case a.key > b.key:
			return 1
		}
		return 0
	})
	at := first
	moved := make(map[uint32]uint32, len(was)) // from an open item, plus 1, to where it is now
	for _, p := range s.parts {
		for i := p.from; i < p.to; i++ {
			moved[uint32(i+1)] = uint32(at + i - p.from + 1)
		}
		at += copy(f.items[at:], was[p.from-first:p.to-first])
	}
	for i := len(f.soft) - 1; i >= 0 && int(f.soft[i].item) >= first; i-- {
		if to, ok := moved[f.soft[i].owner]; ok {
			f.soft[i].owner = to
		}
	}
}

// gap adds what the grammar does not show of a node, as one token a word.
func (f *former) gap(n int, from, to uint32) {
	for from < to {
		if isBlank(f.source[from]) {
			from++
			continue
		}
		end := from
		for end < to && !isBlank(f.source[end]) {
			end++
		}
		text := f.source[from:end]
		if text != `\` { // the end of a line that goes on
			f.leaf(classToken, text, from, end, n)
		}
		from = end
	}
}

// leaf adds a token.
func (f *former) leaf(class uint64, text string, start, end uint32, n int) {
	kind := leafItem
	f.items = append(f.items, item{hash(class+f.depth<<32, text), start, end, uint32(n), kind})
}

// token adds a node that has nothing below it.
func (f *former) token(n int, field uint16, rule kindRule) {
	node := &f.tree.Nodes[n]
	text := f.tree.Text(n)
	switch {
	case rule&isTransparent != 0, strings.TrimSpace(text) == "":
	case f.isSoft(n):
		if f.opaque > 0 {
			// What a macro makes of its brackets and commas is not known; that a comma
			// before a closing bracket counts is unlikely.
			kind := leafItem
			if text == "," && f.isLast(n) {
				kind = looseItem
			}
			f.items = append(f.items, item{hash(classToken, text), node.Start, node.End, uint32(n), kind})
			return
		}
		f.soft = append(f.soft, softToken{node.Start, uint32(len(f.items)), f.open})
	case rule&isNumber != 0:
		f.leaf(classToken+uint64(field)<<8, number(text), node.Start, node.End, n)
	case node.Flags&Named == 0:
		f.leaf(classToken, text, node.Start, node.End, n)
	default:
		f.leaf(classToken+uint64(field)<<8, unCR(text), node.Start, node.End, n)
	}
}

func (f *former) isSoft(n int) bool {
	return f.tree.Nodes[n].Flags&Named == 0 && f.rule(n)&isSoft != 0
}

// isLast says whether nothing but a closing bracket follows the node in its parent.
func (f *former) isLast(n int) bool {
	parent := int(f.tree.Nodes[n].Parent)
	next := int(f.tree.Nodes[n].Next)
	for next < int(f.tree.Nodes[parent].Next) && f.rule(next)&isComment != 0 {
		next = int(f.tree.Nodes[next].Next)
	}
	return next < int(f.tree.Nodes[parent].Next) && strings.Contains(")]}", f.tree.Text(next))
}

// transparent adds what is in a node, without marks.
func (f *former) transparent(n int, field uint16) {
	if only := f.only(n); only >= 0 {
		for c := range f.tree.Children(n) {
			if c == only {
				f.emit(c, field)
			} else {
				f.emit(c, f.field(c))
			}
		}
		return
	}
	if f.named(n) == 0 {
		return
	}
	f.marked(n, field, f.kind(n), func() { f.children(n) })
}

// inside adds the one child of a node that counts, and the comments beside it.
func (f *former) inside(n, only int, field uint16) {
	for c := range f.tree.Children(n) {
		switch {
		case c == only && int(f.tree.Nodes[only].Parent) == n:
			f.emit(c, field)
		case only > c && only < int(f.tree.Nodes[c].Next):
			f.inside(c, only, field)
		case f.rule(c)&isComment != 0 || f.tree.Nodes[c].Flags&Named == 0:
			f.emit(c, f.field(c))
		}
	}
}

// sorted adds the children of a node in one order.
func (f *former) sorted(n int) {
	var s sorting
	var rest []int
	for c := range f.tree.Children(n) {
		if f.rule(c)&isComment != 0 || f.isSoft(c) {
			rest = append(rest, c)
			continue
		}
		s.start(f.form)
		f.emit(c, f.field(c))
		s.stop(f.form)
	}
	s.sort(f.form)
	for _, c := range rest {
		f.emit(c, 0)
	}
}

// before is the node before n in its parent; -1 if it is the first.
func (f *former) before(n int) int {
	before := -1
	for c := range f.tree.Children(int(f.tree.Nodes[n].Parent)) {
		if c == n {
			return before
		}
		if f.rule(c)&isComment == 0 {
			before = c
		}
	}
	return -1
}

// only is the one named child that is no comment; -1 if there are none or several.
func (f *former) only(n int) int {
	only := -1
	for c := range f.tree.Children(n) {
		if f.tree.Nodes[c].Flags&Named == 0 || f.rule(c)&isComment != 0 {
			continue
		}
		if only >= 0 {
			return -1
		}
		only = c
	}
	return only
}

// named counts the named children that are no comments.
func (f *former) named(n int) int {
	count := 0
	for c := range f.tree.Children(n) {
		if f.tree.Nodes[c].Flags&Named != 0 && f.rule(c)&isComment == 0 {
			count++
		}
	}
	return count
}

// parent is the kind of the node's parent, past transparent ones.
func (f *former) parent(n int) (int, string) {
	p := int(f.tree.Nodes[n].Parent)
	for p > 0 && f.rule(p)&isTransparent != 0 {
		p = int(f.tree.Nodes[p].Parent)
	}
	return p, f.kind(p)
}

// comment adds the words of a comment, or the whole of one that is for a program.
func (f *former) comment(n int) {
	node := &f.tree.Nodes[n]
	text := strings.TrimRight(f.tree.Text(n), " \t\r\n")
	if isDirective(text) {
		f.leaf(classToken, text, node.Start, node.Start+uint32(len(text)), n)
		return
	}
	f.form.comments = commentWords(f.form.comments, f.source, int(node.Start), int(node.Start)+len(text))
}

// isDirective says whether a comment tells a compiler what to do: "//go:build", "// +build".
func isDirective(text string) bool {
	rest, ok := strings.CutPrefix(text, "//")
	if !ok {
		return false
	}
	if strings.HasPrefix(rest, " +build ") || strings.HasPrefix(rest, "line ") || strings.HasPrefix(rest, "export ") {
		return true
	}
	word, rest, ok := strings.Cut(rest, ":")
	return ok && word != "" && rest != "" && !isBlank(rest[0]) && rest[0] != '/' && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

// str adds a string: its content byte for byte, and the code inside of it.
func (f *former) str(n int, field uint16) {
	node := &f.tree.Nodes[n]
	text := f.tree.Text(n)
	var code []int
	f.interpolations(n, &code)
	if len(code) == 0 {
		f.leaf(classString+uint64(field)<<8, f.literal(text), node.Start, node.End, n)
		return
	}
	f.marked(n, field, "string", func() {
		at := node.Start
		first := f.source[node.Start:f.tree.Nodes[code[0]].Start]
		prefix, quote := "", ""
		if f.l.Rules.Quotes {
			prefix, quote = opening(first)
		}
		for i, c := range append(code, -1) {
			end := node.End
			if c >= 0 {
				end = f.tree.Nodes[c].Start
			}
			piece := f.source[at:end]
			if quote != "" {
				if i == 0 {
					piece = piece[len(prefix)+len(quote):]
				}
				if c < 0 {
					piece = strings.TrimSuffix(piece, quote)
				}
				piece = unescape(piece, prefix)
				if i == 0 {
					piece = strings.ToLower(prefix) + quoteClass(quote) + piece
				}
			}
			if piece != "" {
				f.leaf(classString, unCR(piece), at, end, n)
			}
			if c >= 0 {
				f.marked(c, 0, "code", func() { f.children(c) })
				at = f.tree.Nodes[c].End
			}
		}
	})
}

// interpolations lists the code in a string, in order.
func (f *former) interpolations(n int, code *[]int) {
	for c := range f.tree.Children(n) {
		if f.rule(c)&isInterpolation != 0 {
			*code = append(*code, c)
		} else if int(f.tree.Nodes[c].Next) > c+1 {
			f.interpolations(c, code)
		}
	}
}

// literal is a string literal up to the spelling of its quotes.
func (f *former) literal(text string) string {
	text = unCR(text)
	if !f.l.Rules.Quotes {
		return text
	}
	prefix, quote := opening(text)
	if quote == "" || len(text) < len(prefix)+2*len(quote) {
		return text
	}
	inner := text[len(prefix)+len(quote) : len(text)-len(quote)]
	return strings.ToLower(prefix) + quoteClass(quote) + unescape(inner, prefix)
}

// quoteClass is what stands for the quotes of a string.
func quoteClass(quote string) string {
	if quote == "`" {
		return "`"
	}
	return `"`
}

// opening is what a string literal begins with: letters, then one or three quotes.
func opening(text string) (prefix, quote string) {
	i := 0
	for i < len(text) && isWordByte(text[i]) {
		i++
	}
	if i >= len(text) || strings.IndexByte("\"'`", text[i]) < 0 {
		return "", ""
	}
	q := text[i : i+1]
	if strings.HasPrefix(text[i:], q+q+q) && len(text) >= i+6 {
		return text[:i], q + q + q
	}
	return text[:i], q
}

// unescape drops the backslash before quotes: which ones need it follows from what is
// around the string.
func unescape(text, prefix string) string {
	if !strings.Contains(text, `\`) || strings.ContainsAny(prefix, "rR") {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			if text[i+1] != '"' && text[i+1] != '\'' {
				b.WriteByte('\\')
			}
			i++
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// unCR makes all line ends "\n".
func unCR(text string) string {
	if strings.IndexByte(text, '\r') < 0 {
		return text
	}
	return strings.ReplaceAll(text, "\r\n", "\n")
}

// number is a number in one spelling: small letters, and of decimals no zeros at the end.
func number(text string) string {
	text = strings.ToLower(text)
	if digits, ok := strings.CutPrefix(text, "0o"); ok {
		return "0" + digits
	}
	if strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0b") {
		return text
	}
	mantissa, exponent, scientific := strings.Cut(text, "e")
	if whole, fraction, ok := strings.Cut(mantissa, "."); ok && !strings.ContainsAny(fraction, "_jifdlmn") {
		if whole == "" {
			whole = "0"
		}
		mantissa = whole + "." + strings.TrimRight(fraction, "0")
	}
	if scientific {
		exponent = "e" + strings.TrimPrefix(exponent, "+")
	}
	return mantissa + exponent
}

// equal says whether two forms are the same, comments left out.
func (f *form) equal(g *form) bool {
	return slices.EqualFunc(f.items, g.items, func(a, b item) bool { return a.hash == b.hash })
}

// sameComments says whether the words of all comments are the same.
func (f *form) sameComments(g *form) bool {
	return slices.EqualFunc(f.comments, g.comments, func(a, b token) bool {
		return f.source[a.start:a.end] == g.source[b.start:b.end]
	})
}
