package jsonsrc

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"unicode/utf8"

	"github.com/toolpath-ls/toolpath-ls/analysis/text"
)

// Layout names the arrays whose elements become chunks: the path of object keys from the
// root, with "*" for the elements of an array. {"paths", "*", "steps", "*"} makes a chunk of
// every step of every path. An empty layout makes no chunks.
type Layout []string

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
	t = &Tree{src: src}
	p := parser{src: src, end: len(src), layout: l, tree: t, stop: stop}
	if prev != nil && !prev.IsLines() {
		p.old = reuse{tree: prev, chunks: prev.chunks, edit: e}
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
	p := parser{src: src, tree: t, stop: stop}
	if prev != nil && prev.IsLines() {
		p.old = reuse{tree: prev, chunks: prev.chunks, edit: e, lines: true}
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
		size = c.Size()
		t.add(c, off)
		off += size + 1
	}
	return t, true
}

// line parses the line of the given size at off. What follows on the last line that may be
// read belongs to it.
func (p *parser) line(off, size int) *Chunk {
	c := p.newChunk()
	p.pos, p.end = off, off+size
	p.begin(off)
	if len(p.tree.chunks) == MaxChunks {
		p.end, size = len(p.src), len(p.src)-off
		p.fail(TooMany, off, off+1, fmt.Sprintf("more than %d lines in one document; from here on they were not read", MaxChunks))
	} else {
		p.document()
	}
	p.finish(c)
	c.size, c.closed = uint32(size), true
	return c
}

func (t *Tree) add(c *Chunk, off int) {
	if len(c.Errors()) > 0 || !c.closed {
		t.odd = append(t.odd, int32(len(t.chunks)))
	}
	t.chunks = append(t.chunks, ChunkAt{c, off})
}

// reuse finds the chunks of an older tree that an edit left whole.
type reuse struct {
	tree   *Tree
	chunks []ChunkAt
	edit   text.Edit
	lines  bool
	next   int
}

// at returns the old chunk that the chunk starting at off in the new text would equal.
// Calls must come with ascending offsets.
func (r *reuse) at(off int) *Chunk {
	old := off
	if off >= r.edit.NewEnd {
		old = off - r.edit.NewEnd + r.edit.OldEnd
	} else if off >= r.edit.Start {
		return nil
	}
	for r.next < len(r.chunks) && r.chunks[r.next].Off < old {
		r.next++
	}
	if r.next == len(r.chunks) || r.chunks[r.next].Off != old {
		return nil
	}
	c := r.chunks[r.next]
	if off >= r.edit.NewEnd && (!r.lines || off > r.edit.NewEnd || old == 0) {
		return c.Chunk
	}
	end := old + int(c.size)
	if r.lines {
		end++ // the line end belongs to what must be whole
	}
	if c.closed && end <= r.edit.Start {
		return c.Chunk
	}
	return nil
}

// run returns how many chunks follow upon the one that at returned for off which the new
// text has at the same distances: they are whole and without faults, and nothing but a comma
// each stands between them.
func (r *reuse) run(off int) int {
	first, end := r.next, len(r.chunks)
	if off < r.edit.Start {
		end = sort.Search(len(r.chunks), func(i int) bool {
			stop := r.chunks[i].Off + int(r.chunks[i].size)
			return stop > r.edit.Start || r.lines && stop == r.edit.Start
		})
	}
	if i, _ := slices.BinarySearch(r.tree.odd, int32(first)); i < len(r.tree.odd) {
		end = min(end, int(r.tree.odd[i]))
	}
	if !r.lines {
		end = min(end, r.tree.evenUntil(first))
	}
	return max(0, min(end, MaxChunks)-first-1)
}

// evenUntil returns the first chunk behind the given one that is of another array or has
// something else before it than a comma.
func (t *Tree) evenUntil(chunk int) int {
	end := chunk + 1
	if i := sort.Search(len(t.arrays), func(i int) bool { return t.arrays[i].last > chunk }); i < len(t.arrays) {
		end = max(end, t.arrays[i].last)
	}
	if len(t.skeleton.Errors()) >= maxChunkErrors {
		return chunk + 1
	}
	from := t.chunks[chunk].Off
	for _, e := range t.skeleton.Errors() {
		if e.Start > from {
			end = min(end, max(chunk+1, t.ChunkIndex(e.Start)))
		}
	}
	return end
}

// takeOver adds the old chunk that at found for off, and those that follow as they did. It
// returns where the last of them ends.
func (p *parser) takeOver(c *Chunk, off int) int {
	t, first := p.tree, p.old.next
	n := p.old.run(off)
	t.add(c, off)
	from := len(t.chunks)
	t.chunks = append(t.chunks, p.old.chunks[first+1:first+1+n]...)
	if moved := off - p.old.chunks[first].Off; moved != 0 {
		for i := from; i < len(t.chunks); i++ {
			t.chunks[i].Off += moved
		}
	}
	t.reused += n + 1
	t.faults += len(c.Errors()) // the others have none
	last := t.chunks[len(t.chunks)-1]
	p.faulty = last.Off + int(last.faulty)
	return last.Off + int(last.size)
}

// parser is a recursive descent parser that recovers at the next delimiter. A fault is
// reported once: what only follows from it is not.
type parser struct {
	src      []byte
	pos, end int
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
	// of the chunk that is being parsed
	nodes   []node
	off     int // offset of its start
	errs    []Error
	objects int // open objects, those around the chunk included
	arrays  int
	deep    bool // DeepNesting was reported
	simple  bool // see Chunk.Plain
	faulty  int  // a fault was reported here, or at what ends here
}

// begin starts a chunk.
func (p *parser) begin(off int) {
	p.nodes, p.off, p.errs, p.faulty, p.deep, p.simple = p.nodes[:0], off, nil, off-1, false, true
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
	e.Repair = &Repair{start - p.off, end - p.off, with}
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
	p.value(0, 0)
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
	const most = 64
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

// scan parses an element; closed says whether it ends with its own bracket.
func (p *parser) scan(off, depth int) (closed bool) {
	p.pos = off
	p.begin(off)
	p.value(depth, -1)
	return p.closed()
}

func (p *parser) closed() bool { return p.nodes[0].kind >= Array && p.nodes[0].flags&flagUnclosed == 0 }

// scanned makes a chunk of the element that was scanned last.
func (p *parser) scanned() *Chunk {
	c := p.newChunk()
	p.finish(c)
	c.closed = p.closed()
	c.faulty = int32(p.faulty - p.off)
	return c
}

// duplicates reports keys that stand twice in the object.
func (p *parser) duplicates(object uint32) {
	if p.node(object).flags&flagChildren == 0 {
		return
	}
	const small = 8
	var keys [small]uint32
	n := 0
	for k := object + 1; k != 0; k = p.node(p.node(k).next).next {
		if n == small {
			p.duplicatesOfMany(object)
			return
		}
		for _, other := range keys[:n] {
			if p.sameKey(other, k) {
				p.duplicate(other, k)
				break
			}
		}
		keys[n] = k
		n++
	}
}

func (p *parser) duplicatesOfMany(object uint32) {
	seen := make(map[string]uint32)
	for k := object + 1; k != 0; k = p.node(p.node(k).next).next {
		name := p.keyText(k)
		if first, ok := seen[name]; ok {
			p.duplicate(first, k)
			continue
		}
		seen[name] = k
	}
}

func (p *parser) duplicate(first, k uint32) {
	a, b := p.node(first), p.node(k)
	start, end := p.off+int(b.start), p.off+int(b.end)
	e := p.fail(DuplicateKey, start, end, fmt.Sprintf("the key %s stands twice in this object; readers keep only one of the values", short(p.src[start:end])))
	p.related(e, p.off+int(a.start), p.off+int(a.end))
}

func short(b []byte) string {
	const most = 60
	if len(b) <= most {
		return string(b)
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(b[cut]) {
		cut--
	}
	return string(b[:cut]) + "…"
}

func (p *parser) sameKey(a, b uint32) bool {
	na, nb := p.node(a), p.node(b)
	if (na.flags|nb.flags)&flagEscaped == 0 {
		return na.end-na.start == nb.end-nb.start &&
			bytes.Equal(p.src[p.off+int(na.start):p.off+int(na.end)], p.src[p.off+int(nb.start):p.off+int(nb.end)])
	}
	return p.keyText(a) == p.keyText(b)
}

func (p *parser) keyText(k uint32) string {
	n := p.node(k)
	if n.kind != String {
		return string(p.src[p.off+int(n.start) : p.off+int(n.end)])
	}
	t := Tree{src: p.src}
	c := Chunk{rare: &rareParts{long: p.nodes}}
	return Value{t: &t, c: &c, off: p.off, n: k}.Text()
}

// word parses true, false, null, or reports what stands in place of a value.
func (p *parser) word(start int) {
	p.token()
	w := p.src[start:p.pos]
	kind := Invalid
	switch string(w) {
	case "true":
		kind = True
	case "false":
		kind = False
	case "null":
		kind = Null
	default:
		e := p.fail(Unexpected, start, p.pos, wordMessage(w))
		if word := rightWord(w); word != "" {
			p.repair(e, start, p.pos, word)
		}
	}
	n := p.open(kind, start, 0)
	p.close(n, p.pos)
}

// rightWord returns the literal that a word of another language means, "" for none.
func rightWord(w []byte) string {
	switch word := string(bytes.ToLower(w)); word {
	case "true", "false", "null":
		return word
	case "none", "nil", "undefined":
		return "null"
	}
	return ""
}

func wordMessage(w []byte) string {
	switch string(bytes.ToLower(w)) {
	case "true", "false", "null":
		return fmt.Sprintf("%s is written in lower case in JSON", bytes.ToLower(w))
	case "none", "nil", "undefined":
		return fmt.Sprintf("%s is no JSON value; write null", w)
	case "nan", "inf", "infinity", "+inf":
		return fmt.Sprintf("JSON has no number %s", w)
	}
	if w[0] == '\'' {
		return "a string must stand in double quotes"
	}
	if !utf8.Valid(w) {
		return "bytes that are no UTF-8"
	}
	return fmt.Sprintf("%q is no JSON value", short(w))
}

func (p *parser) number() {
	start := p.pos
	p.simple = false
	p.token()
	w := p.src[start:p.pos]
	kind := Number
	if !isNumber(w) {
		kind = Invalid
		p.fail(BadNumber, start, p.pos, fmt.Sprintf("%q is no JSON number", short(w)))
	} else if len(w) > 300 || bytes.ContainsAny(w, "eE") {
		if _, err := strconv.ParseFloat(string(w), 64); err != nil {
			p.fail(NumberRange, start, p.pos, fmt.Sprintf("the number %s is out of range: readers hold numbers as 64-bit floating point", short(w)))
		}
	}
	n := p.open(kind, start, 0)
	p.close(n, p.pos)
}

// isNumber is the number grammar of RFC 8259, section 6.
func isNumber(w []byte) bool {
	digits := func() bool {
		n := 0
		for n < len(w) && w[n] >= '0' && w[n] <= '9' {
			n++
		}
		w = w[n:]
		return n > 0
	}
	if w[0] == '-' {
		w = w[1:]
	}
	if len(w) > 0 && w[0] == '0' {
		w = w[1:]
	} else if !digits() {
		return false
	}
	if len(w) > 0 && w[0] == '.' {
		w = w[1:]
		if !digits() {
			return false
		}
	}
	if len(w) > 0 && (w[0] == 'e' || w[0] == 'E') {
		w = w[1:]
		if len(w) > 0 && (w[0] == '+' || w[0] == '-') {
			w = w[1:]
		}
		if !digits() {
			return false
		}
	}
	return len(w) == 0
}
