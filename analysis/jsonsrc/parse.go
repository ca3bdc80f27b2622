package jsonsrc

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/toolpath-ls/toolpath-ls/analysis/text"
)

// Layout names the arrays whose elements become chunks: the path of object keys from the
// root, with "*" for the elements of an array. {"paths", "*", "steps", "*"} makes a chunk of
// every step of every path. One that does not end in "*" names a single object that is a
// chunk; [Whole] is the text's own value. An empty layout makes no chunks.
type Layout []string

// Whole makes one chunk of all of a text that is an object.
var Whole = Layout{"$"}

func (l Layout) isWhole() bool { return len(l) == 1 && l[0] == Whole[0] }

// depth returns how many objects and arrays hold a chunk.
func (l Layout) depth() int {
	if l.isWhole() {
		return 0
	}
	return len(l)
}

// Parse parses a JSON text.
func Parse(src []byte, l Layout) *Tree { return Reparse(nil, src, text.Edit{}, l) }

// Reparse parses a JSON text that came from prev's by the edit; it takes over the chunks
// that the edit did not touch. A nil prev parses anew. The result equals that of Parse.
func Reparse(prev *Tree, src []byte, e text.Edit, l Layout) *Tree {
	t, _ := ReparseUnless(nil, prev, src, e, l)
	return t
}

// ReparseUnless is Reparse that is given up, which is not ok, once stop says so. It asks
// every few thousand values; a nil stop never says so.
func ReparseUnless(stop func() bool, prev *Tree, src []byte, e text.Edit, l Layout) (t *Tree, ok bool) {
	t = &Tree{src: src, layout: l}
	p := parser{src: src, end: len(src), layout: l, tree: t, stop: stop}
	if prev != nil && !prev.IsLines() {
		p.old = reuse{tree: prev, chunks: prev.allChunks(), edit: e}
		t.chunks = make([]ChunkAt, 0, len(prev.chunks)+1)
	}
	p.inner = &parser{src: src, end: len(src), tree: t, stop: stop}
	sk := &Chunk{}
	p.begin(0)
	p.document()
	if p.stopped {
		return nil, false
	}
	p.finish(sk)
	t.skeleton = sk
	return t, true
}

// ParseLines parses a JSON Lines text: every line, without its "\n", is a chunk.
func ParseLines(src []byte) *Tree { return ReparseLines(nil, src, text.Edit{}) }

// ReparseLines is to ParseLines what Reparse is to Parse: lines that the edit did not
// touch are taken over.
func ReparseLines(prev *Tree, src []byte, e text.Edit) *Tree {
	t, _ := ReparseLinesUnless(nil, prev, src, e)
	return t
}

// ReparseLinesUnless is to ReparseLines what ReparseUnless is to Reparse.
func ReparseLinesUnless(stop func() bool, prev *Tree, src []byte, e text.Edit) (t *Tree, ok bool) {
	t = &Tree{src: src}
	p := parser{src: src, tree: t, stop: stop, lines: true}
	if prev != nil && prev.IsLines() {
		p.old = reuse{tree: prev, chunks: prev.allChunks(), edit: e, lines: true}
		t.chunks = make([]ChunkAt, 0, len(prev.chunks)+1)
	}
	for off := 0; off < len(src); {
		if c := p.old.at(off); c != nil {
			off = p.takeOver(c, off) + 1
			continue
		}
		size := bytes.IndexByte(src[off:], '\n')
		if size < 0 {
			size = len(src) - off
		}
		c := p.line(off, size)
		if p.stopped {
			return nil, false
		}
		t.add(c, off)
		off += c.Size() + 1
	}
	return t, true
}

// line parses the line of the given size at off. What follows on the last line that may be
// read belongs to it, and so do the lines in which a string of it goes on.
func (p *parser) line(off, size int) *Chunk {
	c := p.newChunk()
	p.pos, p.end = off, off+size
	p.begin(off)
	if len(p.tree.chunks) == MaxChunks {
		p.end = len(p.src)
		p.fail(TooMany, off, off+1, fmt.Sprintf("more than %d lines in one document; from here on they were not read", MaxChunks))
	} else {
		p.document()
	}
	p.finish(c)
	c.size, c.closed = uint32(p.end-off), p.looked <= p.end
	return c
}

func (t *Tree) add(c *Chunk, off int) {
	if len(c.Errors()) > 0 || !c.closed {
		t.odd = append(t.odd, int32(len(t.chunks)))
	}
	t.chunks = append(t.chunks, ChunkAt{c, off})
}

// parser is a recursive descent parser that recovers at the next delimiter. A fault is
// reported once: what only follows from it is not.
type parser struct {
	src      []byte
	pos, end int
	lines    bool // end is that of a line
	layout   Layout
	tree     *Tree
	old      reuse

	room  []Chunk     // for chunks to come
	slab  []shortNode // for their nodes
	made  int         // chunks
	inner *parser     // parses the chunks

	values  int         // parsed since stop was asked
	stop    func() bool // nil never says so
	stopped bool        // the text was made to end here
	ahead   ahead
	// of the chunk that is being parsed
	nodes   []node
	off     int // offset of its start
	errs    []Error
	objects int // open objects, those around the chunk included
	arrays  int
	deep    bool // DeepNesting was reported
	simple  bool // see Chunk.Plain
	faulty  int  // a fault was reported here, or at what ends here
	// What follows upon line breaks in strings was looked at: from the first such break on to
	// looked, which may be beyond the end. len(src)+1 is that the text ends; 0 that nothing was.
	from, looked int
}

// begin starts a chunk.
func (p *parser) begin(off int) {
	p.nodes, p.off, p.errs, p.faulty, p.looked, p.deep, p.simple = p.nodes[:0], off, nil, off-1, 0, false, true
}

// finish ends the chunk that was parsed.
func (p *parser) finish(c *Chunk) {
	size := p.pos - p.off
	c.size, c.plain = uint32(size), p.simple
	if p.tree.faults > maxTreeErrors && len(p.errs) > 1 {
		p.errs = p.errs[:1:1]
	}
	p.tree.faults += len(p.errs)
	isLong := size >= 1<<16 || len(p.nodes) >= 1<<16
	if isLong || len(p.errs) > 0 {
		c.rare = &rareParts{errs: p.errs}
		if p.looked > 0 {
			c.rare.from, c.rare.looked = p.from-p.off, p.looked-p.off
		}
	}
	if isLong {
		c.rare.long = slices.Clone(p.nodes)
		return
	}
	c.short = p.keep(p.nodes)
}

// keep copies the nodes of a short chunk to where they stay.
func (p *parser) keep(nodes []node) []shortNode {
	const most = 1 << 13 // nodes that are allocated at once
	if cap(p.slab)-len(p.slab) < len(nodes) {
		p.slab = make([]shortNode, 0, max(len(nodes), min(2*cap(p.slab), most)))
	}
	start := len(p.slab)
	p.slab = p.slab[:start+len(nodes)]
	kept := p.slab[start:len(p.slab):len(p.slab)]
	for i := range nodes {
		n := &nodes[i]
		kept[i] = shortNode{uint16(n.start), uint16(n.end), uint16(n.next), n.kind, n.flags}
	}
	return kept
}

// fail reports a fault in the absolute span.
func (p *parser) fail(code Code, start, end int, message string) *Error {
	if code == Unexpected || code == Missing || code == BadNumber {
		p.faulty = end
	}
	if n := len(p.errs); n >= maxChunkErrors || n > 0 && p.errs[n-1].Start == start-p.off && p.errs[n-1].Code == code {
		if n == maxChunkErrors {
			p.errs = append(p.errs, Error{Code: TooManyErrors, Start: start - p.off, End: end - p.off,
				Message: "there are more syntax errors from here on; they are not listed"})
		}
		return &Error{}
	}
	p.errs = append(p.errs, Error{Code: code, Start: start - p.off, End: end - p.off, Message: message})
	return &p.errs[len(p.errs)-1]
}

// repair says how an error is mended; the span is absolute.
func (p *parser) repair(e *Error, start, end int, with string) {
	e.Repair = []Replacement{{start - p.off, end - p.off, with}}
}

func (p *parser) related(e *Error, start, end int) {
	e.RelatedStart, e.RelatedEnd = start-p.off, end-p.off
}

// open appends a node that starts at the absolute offset and returns its index in the chunk.
func (p *parser) open(k Kind, start int, flags uint8) uint32 {
	i := len(p.nodes)
	p.nodes = append(p.nodes, node{start: uint32(start - p.off), end: uint32(start - p.off), kind: k, flags: flags})
	return uint32(i)
}

func (p *parser) node(i uint32) *node { return &p.nodes[i] }

func (p *parser) close(i uint32, end int) { p.node(i).end = uint32(end - p.off) }

// space passes over white space and comments.
func (p *parser) space() {
	if p.pos < p.end && p.src[p.pos] > '/' {
		return
	}
	p.spaces()
}

func (p *parser) spaces() {
	const eight = 0x2020202020202020 // spaces: JSON is indented by many
	for p.pos < p.end {
		switch p.src[p.pos] {
		case ' ':
			for p.pos++; p.pos+8 <= p.end && binary.LittleEndian.Uint64(p.src[p.pos:]) == eight; {
				p.pos += 8
			}
		case '\n', '\t', '\r':
			p.pos++
		case '/':
			if !p.comment() {
				return
			}
		default:
			return
		}
	}
}

func (p *parser) startsComment() bool {
	return p.pos+1 < p.end && (p.src[p.pos+1] == '/' || p.src[p.pos+1] == '*')
}

// comment skips a comment, which JSON has not.
func (p *parser) comment() bool {
	start := p.pos
	if start+1 >= p.end {
		return false
	}
	stop := p.end
	switch p.src[start+1] {
	case '/':
		if i := bytes.IndexByte(p.src[start:p.end], '\n'); i >= 0 {
			stop = start + i
		}
	case '*':
		if i := bytes.Index(p.src[start+2:p.end], []byte("*/")); i >= 0 {
			stop = start + 2 + i + 2
		}
	default:
		return false
	}
	faulty := p.faulty
	p.repair(p.fail(Unexpected, start, stop, "JSON has no comments"), start, stop, "")
	p.faulty, p.pos = faulty, stop
	return true
}

// document parses one value and reports what stands around it.
func (p *parser) document() {
	if bytes.HasPrefix(p.src[p.pos:p.end], []byte("\ufeff")) {
		e := p.fail(ByteOrderMark, p.pos, p.pos+3, "the text starts with a byte order mark (U+FEFF), which JSON does not allow; save it as UTF-8 without BOM")
		p.repair(e, p.pos, p.pos+3, "")
		p.pos += 3
	}
	p.space()
	if p.pos == p.end {
		return
	}
	at := 0
	if p.layout.isWhole() {
		at = 1
	}
	p.value(0, at)
	p.space()
	if p.pos < p.end {
		p.fail(Unexpected, p.pos, p.end, "text after the end of the JSON value: a document is one value")
		p.pos = p.end
	}
}

// value parses a value at a byte that is no white space. at is how many parts of the
// layout the way to here has matched, -1 for none.
func (p *parser) value(depth, at int) {
	start := p.pos
	switch c := p.src[p.pos]; {
	case c == '{' && at == len(p.layout) && at > 0 && len(p.tree.chunks) < MaxChunks:
		p.alone(depth)
	case c == '{' || c == '[':
		if depth >= MaxDepth {
			p.skip(TooDeep, fmt.Sprintf("nested deeper than %d levels; what is in here was not read", MaxDepth))
			return
		}
		if depth == DeepDepth && !p.deep {
			p.deep = true
			p.fail(DeepNesting, start, start+1, fmt.Sprintf("nested deeper than %d levels, which other readers of the format refuse", DeepDepth))
		}
		if c == '{' {
			p.object(depth, at)
		} else {
			p.array(depth, at)
		}
	case c == '"':
		p.str(0)
	case c == '-' || c >= '0' && c <= '9':
		p.number()
	default:
		p.word(start)
	}
	const askEvery = 4096
	if p.values++; p.values == askEvery {
		p.values = 0
		if p.stop != nil && p.stop() {
			p.giveUp()
		}
	}
}

// giveUp makes the text end here, so that every open value ends too.
func (p *parser) giveUp() { p.stopped, p.end = true, p.pos }

// skip reports and passes over a value, or over the text up to the end of what holds it,
// without recursion.
func (p *parser) skip(code Code, message string) {
	start, level := p.pos, 0
	p.fail(code, start, start+1, message)
	n := p.open(Invalid, start, 0)
	for p.pos < p.end {
		c := p.src[p.pos]
		p.pos++
		switch c {
		case '{', '[':
			level++
		case '}', ']':
			if level--; level < 0 {
				p.pos--
			}
			if level < 0 || level == 0 && code == TooDeep {
				p.close(n, p.pos)
				return
			}
		case '"':
			p.pos = p.stringEnd(p.pos)
		}
	}
	p.close(n, p.pos)
}

// stringEnd returns the offset behind the quote that ends the string whose content starts
// at i, or the end of the line.
func (p *parser) stringEnd(i int) int {
	for ; i < p.end; i++ {
		switch p.src[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		case '\n':
			return i
		}
	}
	return p.end
}

// under returns how many parts of the layout match below a container that matched at.
func (p *parser) under(at int, key string) int {
	if at < 0 || at >= len(p.layout) || p.layout[at] != key {
		return -1
	}
	return at + 1
}

func (p *parser) object(depth, at int) {
	start := p.pos
	n := p.open(Object, start, 0)
	p.pos++
	p.objects++
	var last uint32 // the last member's value
	comma := start  // the last comma, or the bracket
	for {
		end := p.pos
		p.space()
		if p.pos == p.end {
			p.unclosed(n, start, "}")
			break
		}
		c := p.src[p.pos]
		if c == '}' {
			if comma > start {
				p.repair(p.fail(Unexpected, comma, comma+1, `the comma before "}" must go`), comma, comma+1, "")
			}
			p.pos++
			break
		}
		if c == ',' {
			if comma >= 0 {
				p.repair(p.fail(Unexpected, p.pos, p.pos+1, "a comma without a member before it"), p.pos, p.pos+1, "")
			}
			comma = p.pos
			p.pos++
			continue
		}
		if c == ']' && p.arrays > 0 || c == '{' && p.arrays > 0 && last != 0 {
			p.node(n).flags |= flagUnclosed
			e := p.fail(Missing, p.pos, p.pos+1, `"}" is missing before this: the object is not closed`)
			p.related(e, start, start+1)
			p.faulty = p.pos
			break
		}
		if c == ']' || c == ':' || c == '{' || c == '[' {
			p.stray()
			continue
		}
		if comma < 0 && p.faulty != end {
			p.repair(p.fail(Missing, p.pos, p.pos+1, "a comma is missing before this"), end, end, ",")
		}
		comma = -1
		last = p.member(n, last, depth, at)
	}
	p.objects--
	p.close(n, p.pos)
	p.duplicates(n)
}

// stray reports and skips one byte, or a run of equal ones, that has no place here.
func (p *parser) stray() {
	start, c := p.pos, p.src[p.pos]
	for p.pos < p.end && p.src[p.pos] == c {
		p.pos++
	}
	p.fail(Unexpected, start, p.pos, fmt.Sprintf("%q has no place here", string(rune(c))))
}

func (p *parser) unclosed(n uint32, start int, bracket string) {
	p.node(n).flags |= flagUnclosed
	// Of brackets that the end of the text leaves open, the innermost is reported.
	if p.faulty == p.end {
		return
	}
	at := p.end
	for at > p.off && (p.src[at-1] == '\n' || p.src[at-1] == '\r' || p.src[at-1] == ' ' || p.src[at-1] == '\t') {
		at--
	}
	e := p.fail(Missing, at, p.end, fmt.Sprintf("the text ends here, but %q is missing", bracket))
	p.related(e, start, start+1)
	p.faulty = p.end
}

// member parses a key, a colon and a value, links them behind the value last, and
// returns the value.
func (p *parser) member(object, last uint32, depth, at int) uint32 {
	key := uint32(len(p.nodes))
	if p.src[p.pos] == '"' {
		p.str(flagKey)
	} else {
		p.bareKey()
	}
	if last == 0 {
		p.node(object).flags |= flagChildren
	} else {
		p.node(last).next = key
	}
	keyEnd := p.pos
	p.space()
	colon := p.pos < p.end && p.src[p.pos] == ':'
	if !colon && p.node(key).flags&flagUnclosed != 0 { // what follows may be the next member
		p.pos = keyEnd
		val := p.open(Invalid, keyEnd, 0)
		p.node(key).next = val
		return val
	}
	if colon {
		p.pos++
		p.space()
	}
	val := uint32(len(p.nodes))
	p.node(key).next = val
	switch {
	case p.pos == p.end || p.src[p.pos] == ',' || p.src[p.pos] == '}' || p.src[p.pos] == ']':
		if p.faulty != keyEnd {
			what := "a value is missing after the colon"
			if !colon {
				what = "a colon and a value are missing after this key"
			}
			start := int(p.node(key).start) + p.off
			p.fail(Missing, start, max(keyEnd, min(p.pos, p.end)), what)
			if p.pos == p.end {
				p.faulty = p.end
			}
		}
		p.open(Invalid, p.pos, 0)
		return val
	case !colon:
		p.repair(p.fail(Missing, p.pos, p.pos+1, "a colon is missing before this"), keyEnd, keyEnd, ":")
	}
	next := -1
	if at >= 0 && at < len(p.layout) && string(p.quoted(key)) == p.layout[at] {
		next = at + 1
	}
	p.value(depth+1, next)
	return val
}

func (p *parser) quoted(i uint32) []byte {
	n := p.node(i)
	a, b := p.off+int(n.start), p.off+int(n.end)
	if b-a < 2 {
		return nil
	}
	return p.src[a+1 : b-1]
}

// bareKey reads a key without quotes.
func (p *parser) bareKey() {
	start := p.pos
	p.token()
	e := p.fail(Unexpected, start, p.pos, "a key must stand in double quotes")
	if w := string(p.src[start:p.pos]); identifier(w) {
		p.repair(e, start, p.pos, `"`+w+`"`)
	}
	n := p.open(Invalid, start, flagKey)
	p.close(n, p.pos)
}

func identifier(s string) bool {
	for _, c := range []byte(s) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '$') {
			return false
		}
	}
	return true
}

// token passes over a run of bytes up to the next delimiter, at least one character.
func (p *parser) token() {
	start := p.pos
	for p.pos < p.end && !delimiter[p.src[p.pos]] && !(p.src[p.pos] == '/' && p.startsComment()) {
		p.pos++
	}
	if p.pos == start {
		_, size := utf8.DecodeRune(p.src[p.pos:p.end])
		p.pos += size
	}
}

var delimiter = func() (d [256]bool) {
	for _, c := range []byte(" \t\r\n,:{}[]\"") {
		d[c] = true
	}
	return d
}()

func (p *parser) array(depth, at int) {
	start := p.pos
	n := p.open(Array, start, 0)
	p.pos++
	p.arrays++
	at = p.under(at, "*")
	chunked := p.chunked(at, n)
	var last uint32
	comma := start
	for {
		end := p.pos
		p.space()
		if p.pos == p.end {
			p.unclosed(n, start, "]")
			break
		}
		c := p.src[p.pos]
		if c == ']' {
			if comma > start {
				p.repair(p.fail(Unexpected, comma, comma+1, `the comma before "]" must go`), comma, comma+1, "")
			}
			p.pos++
			break
		}
		if c == ',' {
			if comma >= 0 {
				p.repair(p.fail(Unexpected, p.pos, p.pos+1, "a comma without an element before it"), p.pos, p.pos+1, "")
			}
			comma = p.pos
			p.pos++
			continue
		}
		if c == '}' && p.objects > 0 {
			p.node(n).flags |= flagUnclosed
			e := p.fail(Missing, p.pos, p.pos+1, `"]" is missing before this: the array is not closed`)
			p.related(e, start, start+1)
			p.faulty = p.pos
			break
		}
		if c == '}' || c == ':' {
			p.stray()
			continue
		}
		if comma < 0 && p.faulty != end {
			p.repair(p.fail(Missing, p.pos, p.pos+1, "a comma is missing before this"), end, end, ",")
		}
		comma = -1
		if chunked {
			p.chunk(depth + 1)
			continue
		}
		elem := uint32(len(p.nodes))
		if last == 0 {
			p.node(n).flags |= flagChildren
		} else {
			p.node(last).next = elem
		}
		last = elem
		p.value(depth+1, at)
	}
	p.arrays--
	p.close(n, p.pos)
	if chunked {
		p.tree.arrays[p.arrayOf(n)].last = len(p.tree.chunks)
	}
}

// chunked says whether the elements of the array are chunks, and if so notes where they begin.
func (p *parser) chunked(at int, n uint32) bool {
	if len(p.layout) == 0 || at != len(p.layout) {
		return false
	}
	p.node(n).flags |= flagChunked
	p.tree.arrays = append(p.tree.arrays, chunkedArray{node: n, first: len(p.tree.chunks)})
	return true
}

// alone parses an object that is a chunk but no element: in the skeleton an object without
// members stands for it.
func (p *parser) alone(depth int) {
	n := p.open(Object, p.pos, flagChunked)
	p.tree.arrays = append(p.tree.arrays, chunkedArray{node: n, first: len(p.tree.chunks)})
	p.tree.standIns = true
	p.chunk(depth)
	p.close(n, p.pos)
	p.tree.arrays[p.arrayOf(n)].last = len(p.tree.chunks)
}

func (p *parser) arrayOf(n uint32) int {
	i := len(p.tree.arrays) - 1
	for p.tree.arrays[i].node != n {
		i--
	}
	return i
}

// chunk parses, or takes over, one element of a chunked array.
func (p *parser) chunk(depth int) {
	if len(p.tree.chunks) >= MaxChunks {
		p.skip(TooMany, fmt.Sprintf("more than %d steps in one document; from here on they were not read", MaxChunks))
		return
	}
	if c := p.old.at(p.pos); c != nil {
		p.pos = p.takeOver(c, p.pos)
		return
	}
	q := p.inner
	q.objects, q.arrays = p.objects, p.arrays
	c := q.element(p.pos, depth)
	if q.stopped {
		p.pos = q.pos
		p.giveUp()
		return
	}
	p.tree.add(c, p.pos)
	p.faulty = q.faulty
	p.pos = q.pos
}

// newChunk makes one of many chunks.
func (p *parser) newChunk() *Chunk {
	const most = 63 // with the header of the allocation 4 KiB, which is a size that there is
	if len(p.room) == 0 {
		p.room = make([]Chunk, min(1+p.made, most)) // an edit makes few
	}
	c := &p.room[0]
	p.room = p.room[1:]
	p.made++
	return c
}

// element parses one element of a chunked array.
func (p *parser) element(off, depth int) *Chunk {
	p.scan(off, depth)
	return p.scanned()
}

// scan parses an element; closed says whether its bytes alone decide where it ends.
func (p *parser) scan(off, depth int) (closed bool) {
	p.pos = off
	p.begin(off)
	p.value(depth, -1)
	return p.closed()
}

func (p *parser) closed() bool {
	return p.nodes[0].kind >= Array && p.nodes[0].flags&flagUnclosed == 0 && p.looked <= p.pos
}

// scanned makes a chunk of the element that was scanned last.
func (p *parser) scanned() *Chunk {
	c := p.newChunk()
	p.finish(c)
	c.closed = p.closed()
	c.faulty = int32(p.faulty - p.off)
	return c
}
