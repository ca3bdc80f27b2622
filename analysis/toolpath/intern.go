package toolpath

import (
	"sync/atomic"
	"unsafe"
)

// Interner makes the many short strings of a document in few allocations. The zero value
// makes each by itself. It is not safe for concurrent use.
type Interner struct {
	seen  map[string]string
	last  string // of those that were asked for
	block []byte
	lists []string
	steps []Step

	before, current *Step // the last ones that were made
}

// NewInterner returns an interner for many steps.
func NewInterner() *Interner { return &Interner{seen: make(map[string]string)} }

// text makes a string that is one of many.
func (in *Interner) text(b []byte) string {
	const blockSize, largest = 1 << 14, 1 << 10
	if len(b) > largest || in.seen == nil {
		return string(b)
	}
	if len(b) == 0 {
		return ""
	}
	if in.before != nil && string(b) == in.before.ID {
		return in.before.ID // as the parent in a chain
	}
	if cap(in.block)-len(in.block) < len(b) {
		in.block = make([]byte, 0, blockSize)
	}
	start := len(in.block)
	in.block = append(in.block, b...)
	return unsafe.String(&in.block[start], len(b)) // never written again
}

// once makes a string that stands many times in a document.
func (in *Interner) once(b []byte) string {
	if in.seen == nil {
		return string(b)
	}
	if string(b) == in.last {
		return in.last
	}
	t, ok := in.seen[string(b)]
	if !ok {
		t = string(b)
		in.seen[t] = t
	}
	in.last = t
	return t
}

// step makes a step.
func (in *Interner) step() *Step {
	const most = 63 // with the header of the allocation 8 KiB, which is a size that there is
	if in.seen == nil {
		return new(Step)
	}
	if len(in.steps) == 0 {
		in.steps = make([]Step, most)
	}
	s := &in.steps[0]
	in.steps = in.steps[1:]
	in.before, in.current = in.current, s
	return s
}

// append is append for lists that start empty and mostly have one element.
func (in *Interner) append(list []string, s string) []string {
	if list != nil || in.seen == nil {
		return append(list, s)
	}
	if in.before != nil && in.before.ID == s {
		return unsafe.Slice(&in.before.ID, 1) // the id of the step before, as in a chain
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
func (s *Step) Sealed() any {
	if v := s.sealed.Load(); v != nil {
		return *v
	}
	return nil
}

// SetSealed stores it. All values stored must be of one type.
func (s *Step) SetSealed(v any) { s.sealed.Store(&v) }
