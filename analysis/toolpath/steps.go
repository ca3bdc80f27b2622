package toolpath

import (
	"iter"
	"slices"
	"sort"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
)

// Steps are the steps of a path in the order of the document. What they are is kept by their
// chunks, which the versions of a document share.
type Steps struct {
	tree     *jsonsrc.Tree
	first, n int     // of a graph: tree's chunks from first on
	lines    []int32 // of a stream: which of tree's chunks
}

// Len returns how many there are.
func (s Steps) Len() int { return s.n }

// At returns step i.
func (s Steps) At(i int) At {
	if uint(i) >= uint(s.n) {
		panic("no such step")
	}
	chunk := s.chunk(i)
	return At{s.tree.ChunkAt(chunk).Derived().(*Step), s.tree, chunk}
}

// All yields the steps with their places.
func (s Steps) All() iter.Seq2[int, At] { return s.Between(0, s.n) }

// Between yields those from one place up to, and without, another.
func (s Steps) Between(first, last int) iter.Seq2[int, At] {
	return func(yield func(int, At) bool) {
		for i := first; i < last; i++ {
			if !yield(i, s.At(i)) {
				return
			}
		}
	}
}

func (s Steps) chunk(i int) int {
	if s.lines != nil {
		return int(s.lines[i])
	}
	return s.first + i
}

// Search returns the first step that is in the chunk or in a later one, and whether it is in
// that very one.
func (s Steps) Search(chunk int) (i int, found bool) {
	i = sort.Search(s.n, func(i int) bool { return s.chunk(i) >= chunk })
	return i, i < s.n && s.chunk(i) == chunk
}

// read reads the steps of a graph that no earlier version has.
func (s Steps) read(in *reading) {
	if in.few {
		from, _ := slices.BinarySearch(in.changed, s.first)
		for _, i := range in.changed[from:] {
			if i >= s.first+s.n || !in.goOn() {
				return
			}
			stepIn(s.tree, i, s.tree.Chunk(i), &in.Interner)
		}
		return
	}
	for i := s.first; i < s.first+s.n && in.goOn(); i++ {
		stepIn(s.tree, i, s.tree.Chunk(i), &in.Interner)
	}
}

// changedSince returns which steps are not those of an earlier version, if that can be told
// without a look at all of them.
func (s Steps) changedSince(prev Steps) (changed []int, ok bool) {
	if s.n == 0 || s.lines != nil || prev.lines != nil || s.first != prev.first || s.n != prev.n {
		return nil, false
	}
	chunks, ok := s.tree.ChangedSince(prev.tree)
	for _, chunk := range chunks {
		if i := chunk - s.first; i >= 0 && i < s.n {
			changed = append(changed, i)
		}
	}
	return changed, ok
}
