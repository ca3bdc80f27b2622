// Package format lays Toolpath documents out in one canonical way.
//
// Terms: the layout of a text is its white space and the order of its keys; nothing else
// is changed. Strings and numbers stay byte for byte as they are spelled, since reviews and
// signatures depend on them, and the decoded value is the same.
//
// A ".path.json" has one member or element on each line, indented by two blanks, but for
// what reads better as one line: an array of scalars, and an object without arrays and
// objects that is the element of an array (a reference, an identity, a signature), as long
// as the line stays within [Width]. A ".path.jsonl" has one value on each line, without
// white space. Both end with a line feed, and have no other line ends.
//
// Known keys come in the order of the RFC's examples ("Format Specification"), unknown ones
// after them in the order that they have. Maps (change, actors), what a structural change
// says beside its type, and everything of kinds keep their order.
//
// Layouts are idempotent: a text that has its layout gets no edit.
package format

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
)

// Width is how many characters a line may have that holds more than one value. Single
// strings may be longer.
const Width = 100

// Edit replaces the bytes [Start, End) of a text with New.
type Edit struct {
	Start, End int
	New        string
}

// SyntaxError is the first fault that keeps a text from being JSON, or JSON Lines.
type SyntaxError struct {
	Start, End int // bytes
	Message    string
}

func (e *SyntaxError) Error() string { return e.Message }

// Edits returns the edits that lay the text out, ascending and disjoint, each as small as
// it can be. The tree must be parsed with toolpath.Layout, or as lines. The error is a
// [*SyntaxError].
func Edits(t *jsonsrc.Tree) ([]Edit, error) {
	return EditsUnless(t, func() bool { return false })
}

// EditsUnless is [Edits] that ends early, with any result, once done says so; it asks every
// few hundred elements.
func EditsUnless(t *jsonsrc.Tree, done func() bool) ([]Edit, error) {
	p, err := print(t, false, done)
	return p.edits, err
}

// Text returns the text as it is laid out: what [Edits] make of it.
func Text(t *jsonsrc.Tree) ([]byte, error) {
	return TextUnless(t, func() bool { return false })
}

// TextUnless is [Text] that ends early, as [EditsUnless] does.
func TextUnless(t *jsonsrc.Tree, done func() bool) ([]byte, error) {
	p, err := print(t, true, done)
	return p.text, err
}

func print(t *jsonsrc.Tree, whole bool, done func() bool) (printer, error) {
	if err := Syntax(t); err != nil {
		return printer{}, err
	}
	p := printer{src: t.Source(), whole: whole, compact: t.IsLines(), done: done}
	if whole {
		p.text = make([]byte, 0, len(p.src)+len(p.src)/4)
	}
	if t.IsLines() {
		p.lines(t)
	} else {
		p.value(t.Root(), root, place{})
		p.gap = "\n"
	}
	p.token(len(p.src), len(p.src))
	return p, nil
}

// lines prints every line that is not blank.
func (p *printer) lines(t *jsonsrc.Tree) {
	for i := range t.NumChunks() {
		if p.stop(i) {
			return
		}
		if v := t.Chunk(i); v.Valid() {
			p.value(v, line, place{})
			p.gap = "\n"
		}
	}
}

// stepDepth is how deep the steps of a document are: below the root, paths, a path, steps.
const stepDepth = 4

// Step returns the edits that lay out the step at the offset, or the line of a stream: those
// of [Steps].
func Step(t *jsonsrc.Tree, off int) ([]Edit, error) { return Steps(t, off, off) }

// Steps returns the edits that lay out the steps of a document, or the lines of a stream,
// that the bytes [start, end] touch, as [Edits] would in place. Faults elsewhere in the
// text do not matter; there is no edit where no step is. The error is a [*SyntaxError].
func Steps(t *jsonsrc.Tree, start, end int) ([]Edit, error) {
	return StepsUnless(t, start, end, func() bool { return false })
}

// StepsUnless is [Steps] that ends early, as [EditsUnless] does.
func StepsUnless(t *jsonsrc.Tree, start, end int, done func() bool) ([]Edit, error) {
	p := printer{src: t.Source(), compact: t.IsLines(), done: done}
	for i := max(t.ChunkIndex(start), 0); i < t.NumChunks() && t.ChunkAt(i).Off <= end && !p.stop(i); i++ {
		c := t.ChunkAt(i)
		if c.Off+c.Size() < start || !t.Chunk(i).Valid() {
			continue
		}
		if err := syntax(p.src[c.Off:c.Off+c.Size()], c.Off, c.Errors()); err != nil {
			return nil, err
		}
		p.pos = c.Off
		if t.IsLines() {
			p.value(t.Chunk(i), line, place{})
			p.token(c.Off+c.Size(), c.Off+c.Size())
			continue
		}
		p.beforeStep(c.Off)
		p.value(t.Chunk(i), stepObject, place{depth: stepDepth, width: stepDepth * len(indent), element: true})
	}
	return p.edits, nil
}

// beforeStep sets the gap between a step and what stands before it in its array.
func (p *printer) beforeStep(off int) {
	comma, i := false, off
	for ; i > 0; i-- {
		switch c := p.src[i-1]; {
		case c == ',' && !comma:
			comma = true
		case c != ' ' && c != '\t' && c != '\n' && c != '\r':
			if comma == (c != '[') {
				p.pos, p.gap = i, lineBreak(comma, stepDepth)
			}
			return
		}
	}
}

// Syntax returns the first fault that keeps the text from being JSON, as a [*SyntaxError].
// What some readers refuse but the grammar of RFC 8259 allows is none: keys that stand
// twice, halves of surrogate pairs, numbers out of range, deep nesting.
func Syntax(t *jsonsrc.Tree) error {
	src := t.Source()
	if t.IsLines() {
		for i := range t.NumChunks() {
			c := t.ChunkAt(i)
			if err := syntax(src[c.Off:c.Off+c.Size()], c.Off, c.Errors()); err != nil {
				return err
			}
		}
		return nil
	}
	var all []jsonsrc.Error
	for e := range t.Errors() {
		all = append(all, e)
	}
	if err := syntax(src, 0, all); err != nil {
		return err
	}
	if !t.Root().Valid() {
		return &SyntaxError{0, len(src), "the text is empty: a document is one JSON object"}
	}
	return nil
}

// grammatical are the faults that the grammar of JSON allows.
var grammatical = map[jsonsrc.Code]bool{
	jsonsrc.DuplicateKey:  true,
	jsonsrc.LoneSurrogate: true,
	jsonsrc.NumberRange:   true,
	jsonsrc.DeepNesting:   true,
	jsonsrc.TooManyErrors: true, // of these kinds, perhaps
}

// syntax judges a text by its listed faults, whose offsets count from its start at off.
func syntax(src []byte, off int, errs []jsonsrc.Error) error {
	var first *jsonsrc.Error
	for i, e := range errs {
		if !grammatical[e.Code] && (first == nil || e.Start < first.Start) {
			first = &errs[i]
		}
	}
	// Not all faults of a text that has many are listed.
	if first == nil && len(errs) > 0 && !json.Valid(src) {
		first = &errs[0]
	}
	if first == nil {
		return nil
	}
	return &SyntaxError{off + first.Start, off + first.End, first.Message}
}

// Apply returns the text with the edits, which must be ascending and disjoint.
func Apply(src []byte, edits []Edit) []byte {
	size := len(src)
	for _, e := range edits {
		size += len(e.New) - (e.End - e.Start)
	}
	out, pos := make([]byte, 0, size), 0
	for _, e := range edits {
		out = append(append(out, src[pos:e.Start]...), e.New...)
		pos = e.End
	}
	return append(out, src[pos:]...)
}

// printer emits the tokens of a text in their new order, with what stands between them.
// Tokens that stay are compared with their old surroundings; tokens that move become part
// of what is new there.
type printer struct {
	src     []byte
	done    func() bool
	stopped bool // done has said so
	whole   bool // nothing stays: text is the result
	compact bool // no white space

	edits  []Edit
	pos    int    // behind the last token that stayed
	text   []byte // the tokens that moved since then, or all
	gap    string // what comes before the next token
	moving int    // open members that move

	open []member // the members of the objects that are being printed
}

// stop says whether to end before element i.
func (p *printer) stop(i int) bool {
	p.stopped = p.stopped || i%512 == 511 && p.done()
	return p.stopped
}

func (p *printer) token(start, end int) {
	if p.whole || p.moving > 0 {
		p.text = append(append(p.text, p.gap...), p.src[start:end]...)
		p.gap = ""
		return
	}
	if len(p.text) > 0 {
		p.gap = string(p.text) + p.gap
		p.text = p.text[:0]
	}
	p.replace(p.pos, start, p.gap)
	p.pos, p.gap = end, ""
}

// replace adds an edit for what differs of the bytes and their replacement.
func (p *printer) replace(start, end int, s string) {
	old := p.src[start:end]
	n := 0
	for n < len(old) && n < len(s) && old[n] == s[n] {
		n++
	}
	for n > 0 && (n < len(old) && !utf8.RuneStart(old[n]) || n < len(s) && !utf8.RuneStart(s[n])) {
		n--
	}
	old, s, start = old[n:], s[n:], start+n
	n = 0
	for n < len(old) && n < len(s) && old[len(old)-1-n] == s[len(s)-1-n] {
		n++
	}
	for n > 0 && !utf8.RuneStart(old[len(old)-n]) {
		n--
	}
	old, s = old[:len(old)-n], s[:len(s)-n]
	if len(old) > 0 || len(s) > 0 {
		p.edits = append(p.edits, Edit{start, start + len(old), s})
	}
}

// place is where a value stands.
type place struct {
	depth   int  // arrays and objects around it
	width   int  // characters before it on its line
	element bool // of an array
}

func (p *printer) value(v jsonsrc.Value, s *shape, at place) {
	if v.Kind() != jsonsrc.Object && v.Kind() != jsonsrc.Array {
		p.token(v.Start(), v.End())
		return
	}
	flat := p.compact || p.fits(v, at)
	p.token(v.Start(), v.Start()+1)
	n := 0
	if v.Kind() == jsonsrc.Object {
		n = p.members(v, s, flat, at.depth+1)
	} else {
		n = p.elements(v, s.elements(), flat, at.depth+1)
	}
	if n > 0 && !flat {
		p.gap = lineBreak(false, at.depth)
	}
	p.token(v.End()-1, v.End())
}

func (p *printer) members(v jsonsrc.Value, s *shape, flat bool, depth int) int {
	outer := p.open
	p.open = s.order(v, outer)
	ms := p.open[len(outer):]
	for i, m := range ms {
		p.between(i, flat, depth)
		if m.moves {
			p.moving++
		}
		p.token(m.key.Start(), m.key.End())
		p.gap = ": "
		if p.compact {
			p.gap = ":"
		}
		width := 0
		if !flat {
			width = depth*len(indent) + p.characters(m.key) + len(": ")
		}
		p.value(m.value, m.shape, place{depth: depth, width: width})
		if m.moves {
			p.moving--
		}
	}
	p.open = p.open[:len(outer)]
	return len(ms)
}

func (p *printer) elements(v jsonsrc.Value, s *shape, flat bool, depth int) (n int) {
	for i, e := range v.Elements() {
		if p.stop(i) {
			return n
		}
		p.between(i, flat, depth)
		p.value(e, s, place{depth: depth, width: depth * len(indent), element: true})
		n++
	}
	return n
}

// between sets the gap before member or element i.
func (p *printer) between(i int, flat bool, depth int) {
	switch {
	case !flat:
		p.gap = lineBreak(i > 0, depth)
	case i == 0:
		p.gap = ""
	case p.compact:
		p.gap = ","
	default:
		p.gap = ", "
	}
}

// fits says whether an array or object stands on one line, a comma behind it included.
func (p *printer) fits(v jsonsrc.Value, at place) bool {
	room := Width - at.width - len("{},")
	first := true
	take := func(v jsonsrc.Value, separator int) bool {
		if v.Kind() == jsonsrc.Object || v.Kind() == jsonsrc.Array || v.End()-v.Start() > 4*Width {
			return false
		}
		room -= p.characters(v)
		if !first {
			room -= separator
		}
		first = false
		return room >= 0
	}
	for k, val := range v.Members() {
		if !at.element || !take(k, len(", ")) || !take(val, len(": ")) {
			return false
		}
	}
	for _, e := range v.Elements() {
		if !take(e, len(", ")) {
			return false
		}
	}
	return true
}

func (p *printer) characters(v jsonsrc.Value) int { return utf8.RuneCount(v.Bytes()) }

const indent = "  "

// breaks is a comma, a line feed and the deepest indentation.
var breaks = fmt.Sprintf(",\n%*s", (jsonsrc.MaxDepth+stepDepth+1)*len(indent), "")

func lineBreak(comma bool, depth int) string {
	if comma {
		return breaks[:2+depth*len(indent)]
	}
	return breaks[1 : 2+depth*len(indent)]
}
