package toolpath

import (
	"iter"
	"slices"
	"sort"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
)

// Steps are the steps of a path in the order of the document. An edited document shares them
// with the version before.
type Steps struct {
	tree   *jsonsrc.Tree
	first  int     // of a graph: the chunk that the first step is; the others follow
	lines  []int32 // of a stream: the chunk that each step is in
	steps  []*Step
	edited []editedStep // what is otherwise than in steps, ascending
}

// editedStep is a step in place of one of an earlier version.
type editedStep struct {
	*Step
	index int
}

// Len returns how many there are.
func (s *Steps) Len() int { return len(s.steps) }

// At returns step i.
func (s *Steps) At(i int) At {
	if s.edited != nil {
		return s.editedAt(i)
	}
	return At{s.steps[i], s.tree, s.chunk(i)}
}

func (s *Steps) editedAt(i int) At {
	step := s.steps[i]
	if k, found := s.findEdited(i); found {
		step = s.edited[k].Step
	}
	return At{step, s.tree, s.chunk(i)}
}

// findEdited returns where step i is, or would be, among the edited ones.
func (s *Steps) findEdited(i int) (k int, found bool) {
	return slices.BinarySearchFunc(s.edited, i, func(e editedStep, i int) int { return e.index - i })
}

// All yields the steps with their places.
func (s *Steps) All() iter.Seq2[int, At] { return s.Between(0, s.Len()) }

// Between yields those from one place up to, and without, another.
func (s *Steps) Between(first, last int) iter.Seq2[int, At] {
	return func(yield func(int, At) bool) {
		for i := first; i < last; i++ {
			if !yield(i, s.At(i)) {
				return
			}
		}
	}
}

func (s *Steps) chunk(i int) int {
	if s.lines != nil {
		return int(s.lines[i])
	}
	return s.first + i
}

// Search returns the first step that is in the chunk or in a later one, and whether it is in
// that very one.
func (s *Steps) Search(chunk int) (i int, found bool) {
	i = sort.Search(s.Len(), func(i int) bool { return s.chunk(i) >= chunk })
	return i, i < s.Len() && s.chunk(i) == chunk
}

// read reads the steps of a graph, which are the chunks from one up to another, but for those
// that the version before has.
func (s *Steps) read(t *jsonsrc.Tree, first, last int, before *Steps, in *reading) {
	*s = Steps{tree: t, first: first}
	if in.few && before.lines == nil && before.first == first && before.Len() == last-first {
		s.steps, s.edited = before.steps, before.edited
		for _, i := range in.changed {
			if first <= i && i < last && in.goOn() {
				s.replace(i-first, stepIn(t, i, t.Chunk(i), &in.Interner))
			}
		}
		return
	}
	s.steps = make([]*Step, 0, last-first)
	for i := first; i < last && in.goOn(); i++ {
		s.steps = append(s.steps, stepIn(t, i, t.Chunk(i), &in.Interner))
	}
}

// replace puts a step in place of step i, and leaves other versions as they are.
func (s *Steps) replace(i int, step *Step) {
	k, found := s.findEdited(i)
	s.edited = slices.Clone(s.edited)
	if found {
		s.edited[k].Step = step
	} else {
		s.edited = slices.Insert(s.edited, k, editedStep{step, i})
	}
}

// changedSince returns which steps are not those of an earlier version, if that can be told
// without a look at all of them.
func (s *Steps) changedSince(prev *Steps) (changed []int, ok bool) {
	if s.Len() == 0 || s.lines != nil || prev.lines != nil || s.first != prev.first || s.Len() != prev.Len() {
		return nil, false
	}
	chunks, ok := s.tree.ChangedSince(prev.tree)
	for _, chunk := range chunks {
		if i := chunk - s.first; i >= 0 && i < s.Len() {
			changed = append(changed, i)
		}
	}
	return changed, ok
}
