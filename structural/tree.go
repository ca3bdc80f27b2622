package structural

import (
	"errors"
	"fmt"
	"iter"
	"time"
)

// Flags of a node.
type Flags uint32

const (
	Named   Flags = 1 << iota // not a mere token of the grammar
	Extra                     // may stand anywhere, as comments do
	Missing                   // the parser made it up to go on
	Error                     // what the parser could not read
	Faulty                    // it or a node below it is missing or an error
)

// Node is a node of a syntax tree. It holds no pointers.
type Node struct {
	Start, End uint32 // bytes
	Parent     uint32 // index; the root is its own
	Next       uint32 // index of the first node that is not below it
	Kind       uint16 // of the grammar: [Tree.Kind]
	Field      uint16 // of the grammar: [Tree.Field]; 0 is none
	Flags      Flags
}

// Capture is a node that the language's query named.
type Capture struct {
	Match uint32 // captures of one match of a pattern share it
	name  uint32
	Node  uint32
}

// Tree is a parsed text: its nodes in pre-order. It does not change and is safe for
// concurrent use.
type Tree struct {
	Language *Language
	Source   string
	Nodes    []Node
	// Captures are in the order in which tree-sitter found the matches; empty without
	// [Options].Query.
	Captures []Capture
}

// Kind is the name of the node's kind in the grammar, such as "function_declaration", or
// of a token its text.
func (t *Tree) Kind(n int) string { return t.Language.loaded.kind(t.Nodes[n].Kind) }

// Field is the name under which the node's parent has it, such as "name"; "" is none.
func (t *Tree) Field(n int) string { return t.Language.loaded.field(t.Nodes[n].Field) }

// Text is the source of the node.
func (t *Tree) Text(n int) string { return t.Source[t.Nodes[n].Start:t.Nodes[n].End] }

// CaptureName is the name of the capture in the query, without "@".
func (t *Tree) CaptureName(c Capture) string { return t.Language.loaded.captures[c.name] }

// Children goes through the nodes right below n.
func (t *Tree) Children(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		end := int(t.Nodes[n].Next)
		for c := n + 1; c < end; c = int(t.Nodes[c].Next) {
			if !yield(c) {
				return
			}
		}
	}
}

// Child is the first child that n has under the field; -1 if there is none.
func (t *Tree) Child(n int, field string) int {
	for c := range t.Children(n) {
		if t.Nodes[c].Field != 0 && t.Field(c) == field {
			return c
		}
	}
	return -1
}

// At is the smallest named node that covers the bytes from start to end.
func (t *Tree) At(start, end int) int {
	best := 0
	for n := 0; n < len(t.Nodes); {
		node := &t.Nodes[n]
		switch {
		case int(node.End) < end || int(node.Start) > start:
			n = int(node.Next)
		default:
			if node.Flags&Named != 0 {
				best = n
			}
			n++
		}
	}
	return best
}

// Walk visits the nodes in pre-order; what is below a node is left out if visit returns
// false for it.
func (t *Tree) Walk(visit func(n int) bool) {
	for n := 0; n < len(t.Nodes); {
		if visit(n) {
			n++
		} else {
			n = int(t.Nodes[n].Next)
		}
	}
}

// Limits bound one parse.
type Limits struct {
	Bytes int           // of the source
	Nodes int           // of the tree
	Time  time.Duration // of the processor, that the parse takes
}

// DefaultLimits let a file of 50,000 lines pass. tree-sitter needs up to 60 bytes of
// memory for each of the source while it parses.
var DefaultLimits = Limits{Bytes: 2 << 20, Nodes: 4 << 20, Time: 2 * time.Second}

// Options of a parse.
type Options struct {
	Limits Limits // zero: DefaultLimits
	Query  bool   // run the language's query
}

var (
	// ErrNoGrammar: the program was built without cgo, or the language is nil.
	ErrNoGrammar = errors.New("no grammar")
	// ErrTooLarge: the source or its tree is beyond [Limits].
	ErrTooLarge = errors.New("too large to parse")
	// ErrTooSlow: the parse took longer than [Limits].Time.
	ErrTooSlow = errors.New("takes too long to parse")
)

// Parse reads a source with the language's grammar. Faults of the source are no error:
// they show as nodes with [Error] and [Missing].
func Parse(source string, l *Language, o Options) (*Tree, error) {
	if l == nil {
		return nil, ErrNoGrammar
	}
	if o.Limits == (Limits{}) {
		o.Limits = DefaultLimits
	}
	if len(source) > o.Limits.Bytes {
		return nil, fmt.Errorf("%w: %d bytes of at most %d", ErrTooLarge, len(source), o.Limits.Bytes)
	}
	return parse(source, l, o)
}
