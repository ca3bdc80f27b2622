package provenance

import "slices"

// Deletion is a line that is gone, with the step that took it away.
type Deletion struct {
	ID LineID
	By StepID // 0: it went outside of the record, or since the head
	// Grade is that of By; GradeUnrecorded if By is 0.
	Grade Grade
}

// DeletedBefore are the lines that once stood before line i of the head (after the
// last one if i is their number) and were taken away without a successor, in the
// order in which they stood.
func (p *Projection) DeletedBefore(i int) []Deletion {
	p.weave.Do(p.weaveDeleted)
	if i < 0 || i >= len(p.deleted) {
		return nil
	}
	return p.deleted[i]
}

// weaveDeleted puts all lines that ever were into one order, in which what replaced
// a line stands behind it, and sorts those that are gone into the gaps of the head.
func (p *Projection) weaveDeleted() {
	p.deleted = make([][]Deletion, len(p.head)+1)
	next := p.order()
	const live, followed = 1, 2
	state := make([]uint8, len(p.idents))
	at := make(map[LineID]int, len(p.head))
	for i, id := range p.head {
		if p.alias != nil && p.alias[i] != 0 {
			state[p.alias[i]], at[p.alias[i]] = live, i
		}
		state[id], at[id] = live, i
		for prev := p.idents[id].Prev; prev != 0 && state[prev] == 0; prev = p.idents[prev].Prev {
			state[prev] = followed
			for _, other := range p.joined[prev] {
				if state[other] == 0 {
					state[other] = followed
				}
			}
		}
		for _, other := range p.joined[id] {
			if state[other] == 0 {
				state[other] = followed
			}
		}
	}
	by := make([]int, len(p.idents)) // the change, plus 1
	for i, c := range p.changes {
		for _, id := range p.gone[c.gone[0]:c.gone[1]] {
			by[id] = i + 1
		}
	}
	gap := 0
	for id := next[0]; id != 0; id = next[id] {
		switch {
		case state[id] == live:
			gap = at[id] + 1
		case state[id] == 0 && by[id] != 0:
			p.deleted[gap] = append(p.deleted[gap], p.deletion(id, p.changes[by[id]-1]))
		}
	}
}

func (p *Projection) deletion(id LineID, c change) Deletion {
	d := Deletion{ID: id, By: c.step}
	if c.step != 0 {
		d.Grade = gradeOf(c.conf)
	}
	return d
}

// order links the lines: next[0] is the first one, 0 the end.
func (p *Projection) order() []LineID {
	next := make([]LineID, len(p.idents))
	linked := make([]bool, len(p.idents))
	linked[0] = true
	for _, c := range p.changes {
		after := c.above
		if !linked[after] {
			after = 0
		}
		for _, id := range p.gone[c.gone[0]:c.gone[1]] {
			if linked[id] {
				after = id
			}
		}
		for id := c.came; id < c.last; id++ {
			next[id], next[after] = next[after], id
			linked[id] = true
			after = id
		}
	}
	return next
}

// DeletedBefore are the lines that once stood before buffer line i: those of
// [Projection.DeletedBefore], and those of the head that the buffer has no longer.
func (o *Overlay) DeletedBefore(i int) []Deletion {
	if i < 0 || i > o.Len() || o.other {
		return nil
	}
	from, to := o.free(i, i)
	replaced := map[int32]bool{}
	for _, c := range o.cells[:o.Len()] {
		if c.head < 0 && c.was >= 0 {
			replaced[c.was] = true
		}
	}
	var all []Deletion
	for k := from; k <= to; k++ {
		all = append(all, o.p.DeletedBefore(k)...)
		if k < to && !replaced[int32(k)] {
			all = append(all, Deletion{ID: o.p.head[k]})
		}
	}
	return slices.Clip(all)
}
