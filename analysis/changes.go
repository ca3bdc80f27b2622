package analysis

import (
	"iter"
	"slices"
)

// changes are artifact changes of the strands of a file, mostly in replay order. There may be
// hundreds of thousands of them, nearly all of which are a place in a step and nothing else.
type changes struct {
	strands []strand
	list    []changeAt
	rare    map[int]change // those that are more than a place, by index
}

// changeAt is the place of a change.
type changeAt struct {
	strand, step int32
	key, value   uint32
	commit       bool
}

// newChanges has room for so many changes.
func newChanges(strands []strand, n int) changes {
	return changes{strands: strands, list: make([]changeAt, 0, n)}
}

func (l *changes) add(c change) {
	at := changeAt{strand: int32(c.strand), step: int32(c.step), commit: c.commit}
	if c.key.Valid() {
		at.key, at.value = c.key.Node(), c.value.Node()
	}
	if c.isRare() {
		if l.rare == nil {
			l.rare = map[int]change{}
		}
		l.rare[len(l.list)] = c
	}
	l.list = append(l.list, at)
}

// take adds change i of other, which was read before.
func (l *changes) take(other *changes, i int, commit bool) {
	if c, ok := other.rare[i]; ok {
		c.commit = commit
		l.add(c)
		return
	}
	at := other.list[i]
	at.commit = commit
	l.list = append(l.list, at)
}

// isRare says that the change is more than its place.
func (c *change) isRare() bool {
	return c.before != nil || c.other != "" || c.copied || c.gone || c.drop || c.was != nil || c.is != nil
}

func (l *changes) len() int { return len(l.list) }

// at is change i.
func (l *changes) at(i int) change {
	if c, ok := l.rare[i]; ok {
		return c
	}
	at := &l.list[i]
	c := change{strand: int(at.strand), step: int(at.step), commit: at.commit}
	if at.key != 0 {
		s := l.strands[at.strand].t.path.Steps.At(int(at.step))
		c.key, c.value = s.Value(at.key), s.Value(at.value)
	}
	return c
}

// reverse puts the last change first.
func (l *changes) reverse() {
	slices.Reverse(l.list)
	rare := make(map[int]change, len(l.rare))
	for i, c := range l.rare {
		rare[len(l.list)-1-i] = c
	}
	l.rare = rare
}

// with is the list with a change put in at i; l stays as it is.
func (l *changes) with(i int, c change) changes {
	all := newChanges(l.strands, len(l.list)+1)
	for k, other := range l.all() {
		if k == i {
			all.add(c)
		}
		all.add(other)
	}
	if i == len(l.list) {
		all.add(c)
	}
	return all
}

// all yields the changes and their indexes.
func (l *changes) all() iter.Seq2[int, change] {
	return func(yield func(int, change) bool) {
		for i := range l.list {
			if !yield(i, l.at(i)) {
				return
			}
		}
	}
}

// backward yields the changes and their indexes, the last one first.
func (l *changes) backward() iter.Seq2[int, change] {
	return func(yield func(int, change) bool) {
		for i := len(l.list) - 1; i >= 0; i-- {
			if !yield(i, l.at(i)) {
				return
			}
		}
	}
}
