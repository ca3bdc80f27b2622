// Package jsonsrc parses JSON and JSON Lines without ever failing: it keeps the byte
// span of every value, recovers from every fault, and re-parses only what an edit
// touched.
//
// Terms: a node is one value or one object key. A chunk is a run of nodes parsed on its
// own, with offsets relative to its start, so that it stays valid when text before it
// changes: every element of the arrays that a [Layout] names is a chunk (for Toolpath:
// every step), and so is every line of a JSON Lines text. What is left of a JSON text
// is its skeleton. A [Tree] is one skeleton and its chunks; chunks are shared between
// the trees of successive versions. A [Value] is a cursor on one node of a tree.
//
// All offsets are bytes. Offsets in the exported API are absolute unless they say
// otherwise.
package jsonsrc

import (
	"bytes"
	"iter"
	"slices"
	"sort"
	"sync/atomic"

	"github.com/toolpath-ls/toolpath-ls/analysis/text"
)

// Kind is the kind of a value.
type Kind uint8

// Invalid stands for a value that is missing or no JSON.
const (
	Invalid Kind = iota
	Null
	False
	True
	Number
	String
	Array
	Object
)

var kindNames = [...]string{"nothing", "null", "a boolean", "a boolean", "a number", "a string", "an array", "an object"}

// String names the kind with its article, for messages.
func (k Kind) String() string { return kindNames[k] }

const (
	flagKey      = 1 << iota // an object key
	flagEscaped              // a string with escapes or line breaks
	flagChildren             // the first child is the next node
	flagChunked              // an array whose elements are chunks, or what stands for an object that is one
	flagUnclosed             // a string, array or object without its end
	flagBroken               // a string that goes on behind a line break
)

// node spans [start, end) relative to its chunk. Children follow their parent: the
// first one directly, each further one at next of the one before. The children of an
// object are key, value, key, value, …
type node struct {
	start, end uint32
	next       uint32 // 0 = last child
	kind       Kind
	flags      uint8
}

// shortNode is a node of a chunk that is shorter than 1<<16 bytes, as nearly all are: they
// take more memory than the text.
type shortNode struct {
	start, end, next uint16
	kind             Kind
	flags            uint8
}

// Chunk is an immutable run of nodes; the first is its value. It has no nodes if it is a
// blank line.
type Chunk struct {
	short   []shortNode
	rare    *rareParts // nil for nearly all
	size    uint32
	faulty  int32 // where its last fault ended, relative
	plain   bool  // see Plain
	closed  bool  // its bytes alone decide what is in it and where it ends, which is its own bracket
	derived atomic.Value
}

// rareParts are what few chunks have.
type rareParts struct {
	long []node // in place of short
	errs []Error
	text []byte // of a chunk that was edited: what it spans
	// What follows upon line breaks in its strings decided how they were parsed: relative, see parser.
	from, looked int
}

// node returns node n.
func (c *Chunk) node(n uint32) node {
	if uint(n) < uint(len(c.short)) {
		s := &c.short[n]
		return node{uint32(s.start), uint32(s.end), uint32(s.next), s.kind, s.flags}
	}
	return c.rare.long[n]
}

// isBlank says whether the chunk has no nodes.
func (c *Chunk) isBlank() bool { return len(c.short) == 0 && (c.rare == nil || len(c.rare.long) == 0) }

// Derived returns what SetDerived stored, or nil. It is a memo for facts that depend on
// the chunk's bytes alone, such as a model of it with relative offsets.
func (c *Chunk) Derived() any { return c.derived.Load() }

// SetDerived stores a memo, unless there is one, and returns the one that is there. All values
// stored must be of one type; racing writers must store equal facts.
func (c *Chunk) SetDerived(v any) any {
	if c.derived.CompareAndSwap(nil, v) {
		return v
	}
	return c.derived.Load()
}

// Plain says that the chunk has no number, and no key with an escape or beyond ASCII.
func (c *Chunk) Plain() bool { return c.plain }

// Size returns the chunk's length in bytes.
func (c *Chunk) Size() int { return int(c.size) }

// Errors returns the chunk's syntax errors with offsets relative to the chunk.
func (c *Chunk) Errors() []Error {
	if c.rare == nil {
		return nil
	}
	return c.rare.errs
}

// ChunkAt is a chunk at its place in a text.
type ChunkAt struct {
	*Chunk
	Off int // absolute
}

// editedChunk is a chunk in place of one of an earlier version, of which the rest is taken
// over as it is.
type editedChunk struct {
	*Chunk
	index int
	moved int // by so much the chunks behind it stand further on
}

// chunkedArray says which chunks are the elements of a skeleton's array node.
type chunkedArray struct {
	node        uint32
	first, last int // chunks[first:last]
}

// Tree is the immutable parse of one text.
type Tree struct {
	src      []byte
	text     *text.Text // in place of src, if that is in parts
	skeleton *Chunk     // nil for JSON Lines
	chunks   []ChunkAt
	edited   []editedChunk // what is otherwise than in chunks, ascending
	arrays   []chunkedArray
	odd      []int32 // chunks that have faults or no end, ascending
	layout   Layout
	standIns bool // the skeleton has objects that stand for chunks
	reused   int
	faults   int
}

// Source returns the text that was parsed.
func (t *Tree) Source() []byte {
	if t.text != nil {
		return t.text.Bytes()
	}
	return t.src
}

// EndsWith says whether the text does, without asking for all of it.
func (t *Tree) EndsWith(s string) bool {
	if t.text == nil {
		return bytes.HasSuffix(t.src, []byte(s))
	}
	return t.text.EndsWith(t.text.Len(), s)
}

// Layout returns what was parsed as chunks; nil of JSON Lines.
func (t *Tree) Layout() Layout { return t.layout }

// IsLines says whether the text was parsed as JSON Lines.
func (t *Tree) IsLines() bool { return t.skeleton == nil }

// NumChunks returns how many chunks there are: the elements of the layout's arrays, or the
// lines.
func (t *Tree) NumChunks() int { return len(t.chunks) }

// ChunkAt returns chunk i, in the order of the text.
func (t *Tree) ChunkAt(i int) ChunkAt {
	if len(t.edited) > 0 {
		return t.editedAt(i)
	}
	return t.chunks[i]
}

// Reused returns how many chunks were taken over from the previous tree.
func (t *Tree) Reused() int { return t.reused }

// Root returns the document's value; it is not valid for JSON Lines or an empty text.
func (t *Tree) Root() Value {
	if t.skeleton == nil || t.skeleton.isBlank() {
		return Value{}
	}
	return Value{t: t, c: t.skeleton, chunk: -1}.at(0)
}

// Chunk returns the value of chunk i, not valid if that is a blank line.
func (t *Tree) Chunk(i int) Value {
	c := t.ChunkAt(i)
	if c.isBlank() {
		return Value{}
	}
	return Value{t: t, c: c.Chunk, off: c.Off, chunk: int32(i)}
}

// ChunkIndex returns the index of the last chunk that starts at or before off, -1 if
// there is none.
func (t *Tree) ChunkIndex(off int) int {
	return sort.Search(len(t.chunks), func(i int) bool { return t.ChunkAt(i).Off > off }) - 1
}

// Errors yields every syntax error with absolute offsets: the skeleton's, then those of
// the chunks in order.
func (t *Tree) Errors() iter.Seq[Error] {
	return func(yield func(Error) bool) {
		if t.skeleton != nil {
			for _, e := range t.skeleton.Errors() {
				if !yield(e) {
					return
				}
			}
		}
		for _, i := range t.odd {
			c := t.ChunkAt(int(i))
			for _, e := range c.Errors() {
				if !yield(e.shift(c.Off)) {
					return
				}
			}
		}
	}
}

// Value is a cursor on a node. The zero Value is not valid: it has kind Invalid, no
// children and an empty span.
type Value struct {
	t     *Tree
	c     *Chunk
	off   int
	n     uint32
	chunk int32 // index in t.chunks, -1 in the skeleton
}

func (v Value) node() node { return v.c.node(v.n) }

// Valid says whether the cursor stands on a node at all.
func (v Value) Valid() bool { return v.c != nil }

// Kind returns the kind of the value.
func (v Value) Kind() Kind {
	if v.c == nil {
		return Invalid
	}
	return v.node().kind
}

// Start returns the offset of the first byte.
func (v Value) Start() int {
	if v.c == nil {
		return 0
	}
	return v.off + int(v.node().start)
}

// End returns the offset behind the last byte.
func (v Value) End() int {
	if v.c == nil {
		return 0
	}
	return v.off + int(v.node().end)
}

// Node returns the value's place within its chunk, for [Tree.Value]. It stays valid as
// long as the chunk is taken over from tree to tree.
func (v Value) Node() uint32 { return v.n }

// Value returns the node of chunk i that [Value.Node] named.
func (t *Tree) Value(i int, node uint32) Value {
	c := t.ChunkAt(i)
	return Value{t: t, c: c.Chunk, off: c.Off, n: node, chunk: int32(i)}
}

// ChunkIndex returns which of the tree's chunks holds the value, -1 for the skeleton.
func (v Value) ChunkIndex() int { return int(v.chunk) }

// Closed says whether a string, array or object has its end.
func (v Value) Closed() bool { return v.c != nil && v.node().flags&flagUnclosed == 0 }

// Fault returns the first syntax error of the chunk, or of the skeleton, that holds the
// value, with absolute offsets. Not all faults of a text are listed, so that one that is
// elsewhere in the chunk counts as well.
func (v Value) Fault() (Error, bool) {
	if v.c == nil || len(v.c.Errors()) == 0 {
		return Error{}, false
	}
	return v.c.Errors()[0].shift(v.off), true
}

// Bytes returns the value's source text, quotes and all.
func (v Value) Bytes() []byte {
	if v.c == nil {
		return nil
	}
	return v.slice(v.Start(), v.End())
}

func (v Value) at(n uint32) Value {
	v.n = n
	if v.t.standIns && v.chunk < 0 {
		if d := v.node(); d.kind == Object && d.flags&flagChunked != 0 {
			first, _ := v.chunks()
			return v.t.Chunk(first)
		}
	}
	return v
}

// Members yields the keys and values of an object, in order, duplicates included. A
// value that is missing is Invalid.
func (v Value) Members() iter.Seq2[Value, Value] {
	return func(yield func(Value, Value) bool) {
		if v.Kind() != Object || v.node().flags&flagChildren == 0 {
			return
		}
		for k := v.n + 1; k != 0; {
			val := v.c.node(k).next
			if !yield(v.at(k), v.at(val)) {
				return
			}
			k = v.c.node(val).next
		}
	}
}

// Elements yields the elements of an array, in order.
func (v Value) Elements() iter.Seq2[int, Value] {
	return func(yield func(int, Value) bool) {
		if v.Kind() != Array {
			return
		}
		if v.node().flags&flagChunked != 0 {
			first, last := v.chunks()
			for i := first; i < last; i++ {
				if !yield(i-first, v.t.Chunk(i)) {
					return
				}
			}
			return
		}
		if v.node().flags&flagChildren == 0 {
			return
		}
		for i, k := 0, v.n+1; k != 0; i++ {
			if !yield(i, v.at(k)) {
				return
			}
			k = v.c.node(k).next
		}
	}
}

// Chunked says whether the value is an array whose elements are chunks, and which.
func (v Value) Chunked() (first, last int, ok bool) {
	if v.Kind() != Array || v.node().flags&flagChunked == 0 {
		return 0, 0, false
	}
	first, last = v.chunks()
	return first, last, true
}

func (v Value) chunks() (first, last int) {
	i, _ := slices.BinarySearchFunc(v.t.arrays, v.n, func(a chunkedArray, n uint32) int { return int(a.node) - int(n) })
	return v.t.arrays[i].first, v.t.arrays[i].last
}

// Get returns the value of the last member with that key; not valid if there is none.
func (v Value) Get(key string) Value {
	_, val := v.Member(key)
	return val
}

// Member is Get that also returns the key.
func (v Value) Member(want string) (k, val Value) {
	if v.Kind() != Object || v.node().flags&flagChildren == 0 {
		return k, val
	}
	found := node{}
	if v.t.text != nil && v.chunk < 0 {
		return v.skeletonMember(want)
	}
	in := v.text()
	for n := v.n + 1; n != 0; {
		key := v.c.node(n)
		switch {
		case key.kind != String:
		case key.flags&(flagEscaped|flagUnclosed) != 0:
			if v.at(n).Is(want) {
				k, found = v.at(n), key
			}
		case int(key.end-key.start) == len(want)+2 && string(in[key.start+1:key.end-1]) == want:
			k, found = v.at(n), key
		}
		n = v.c.node(key.next).next
	}
	if !k.Valid() {
		return k, val
	}
	return k, v.at(found.next)
}

// skeletonMember is Member of an object of the skeleton of a text in parts.
func (v Value) skeletonMember(want string) (k, val Value) {
	for key, value := range v.Members() {
		if key.Is(want) {
			k, val = key, value
		}
	}
	return k, val
}

// Is says whether the value is the string s.
func (v Value) Is(s string) bool {
	if v.Kind() != String {
		return false
	}
	if v.node().flags&flagEscaped != 0 {
		return v.Text() == s
	}
	return string(v.inner()) == s
}

// Frame is one step on the way from the root to a value.
type Frame struct {
	Key   Value // of an object member; not valid elsewhere
	Index int   // of an array element; -1 elsewhere
	Value Value
}

// Path returns the frames from the root (or the line) down to the innermost value whose
// span, or whose key's span, holds off. A position right behind a token belongs to it.
// It is empty where off lies in no value.
func (t *Tree) Path(off int) []Frame {
	v := t.Root()
	if t.IsLines() {
		i := t.ChunkIndex(off)
		if i < 0 {
			return nil
		}
		v = t.Chunk(i)
	}
	if !v.Valid() || off < v.Start() || off > v.End() {
		return nil
	}
	path := []Frame{{Index: -1, Value: v}}
	for {
		f, ok := v.childAt(off)
		if !ok {
			return path
		}
		path = append(path, f)
		if f.Key.Valid() && off <= f.Key.End() && off < f.Value.Start() {
			return path
		}
		v = f.Value
	}
}

func (v Value) childAt(off int) (Frame, bool) {
	if first, last, ok := v.Chunked(); ok {
		i := v.t.ChunkIndex(off)
		if i < first || i >= last {
			return Frame{}, false
		}
		if c := v.t.ChunkAt(i); off > c.Off+c.Size() {
			return Frame{}, false
		}
		return Frame{Index: i - first, Value: v.t.Chunk(i)}, true
	}
	for k, val := range v.Members() {
		if off >= k.Start() && off <= max(k.End(), val.End()) {
			return Frame{Key: k, Index: -1, Value: val}, true
		}
	}
	for i, e := range v.Elements() {
		if off >= e.Start() && off <= e.End() {
			return Frame{Index: i, Value: e}, true
		}
	}
	return Frame{}, false
}

// Resolve follows a JSON pointer, given as its unescaped parts, from v. For an object
// member it also returns the key.
func (v Value) Resolve(pointer []string) (key, val Value, ok bool) {
	val = v
	for _, part := range pointer {
		switch val.Kind() {
		case Object:
			key, val = val.Member(part)
		case Array:
			key, val = Value{}, val.element(part)
		default:
			return Value{}, Value{}, false
		}
		if !val.Valid() {
			return Value{}, Value{}, false
		}
	}
	return key, val, true
}

func (v Value) element(part string) Value {
	want := 0
	for _, c := range []byte(part) {
		if c < '0' || c > '9' || want > 1<<30 {
			return Value{}
		}
		want = want*10 + int(c-'0')
	}
	if first, last, ok := v.Chunked(); ok {
		if first+want >= last {
			return Value{}
		}
		return v.t.Chunk(first + want)
	}
	for i, e := range v.Elements() {
		if i == want {
			return e
		}
	}
	return Value{}
}
