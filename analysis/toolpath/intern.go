package toolpath

import (
	"sync/atomic"
	"unsafe"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
)

// interner makes the many short strings of a document in few allocations.
type interner struct {
	seen    map[string]string
	block   []byte
	lists   []string
	scratch []byte
}

// text returns the content of a string value.
func (in *interner) text(v jsonsrc.Value) string {
	const blockSize, largest = 1 << 14, 1 << 10
	if n := v.End() - v.Start(); n > largest || in.seen == nil {
		return v.Text()
	} else if cap(in.block)-len(in.block) < n {
		in.block = make([]byte, 0, blockSize)
	}
	start := len(in.block)
	in.block = v.AppendText(in.block)
	if len(in.block) == start {
		return ""
	}
	return unsafe.String(&in.block[start], len(in.block)-start) // never written again
}

// once returns the content of a string value that stands many times in a document.
func (in *interner) once(v jsonsrc.Value) string {
	if in.seen == nil {
		return v.Text()
	}
	in.scratch = v.AppendText(in.scratch[:0])
	if t, ok := in.seen[string(in.scratch)]; ok {
		return t
	}
	s := string(in.scratch)
	in.seen[s] = s
	return s
}

// append is append for lists that start empty and mostly have one element.
func (in *interner) append(list []string, s string) []string {
	if list != nil || in.seen == nil {
		return append(list, s)
	}
	if len(in.lists) == cap(in.lists) {
		in.lists = make([]string, 0, 512)
	}
	in.lists = append(in.lists, s)
	n := len(in.lists)
	return in.lists[n-1 : n : n]
}

// memo holds one fact that somebody else derived from a step.
type memo struct{ v atomic.Value }

// Memo returns what SetMemo stored, or nil.
func (s *Step) Memo() any { return s.memo.v.Load() }

// SetMemo stores a fact that depends on the step's bytes alone. All values stored must be
// of one type.
func (s *Step) SetMemo(v any) { s.memo.v.Store(v) }

// Sealed is Memo for what follows from the step's part that signatures sign.
func (s *Step) Sealed() any { return s.sealed.v.Load() }

// SetSealed stores it. All values stored must be of one type.
func (s *Step) SetSealed(v any) { s.sealed.v.Store(v) }
