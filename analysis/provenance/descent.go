package provenance

import "sort"

// Place names a line by the edit that made it: it is the nth ident of that edit. Replays of
// the same edits to different ends, whose idents have other numbers, agree on it.
type Place struct{ Edit, N int }

// Place is that of an ident.
func (p *Projection) Place(id LineID) Place {
	n := 0
	for id-LineID(n) > 1 && p.idents[id-LineID(n)-1].edit == p.idents[id].edit {
		n++
	}
	return Place{p.idents[id].Edit(), n}
}

// At is the ident at a place, 0 if there is none.
func (p *Projection) At(place Place) LineID {
	// A replay makes the idents of one edit after those of another; a recovery may not.
	if id := sort.Search(len(p.idents), func(i int) bool { return i > 0 && p.idents[i].Edit() >= place.Edit }); id+place.N < len(p.idents) &&
		p.idents[id].Edit() == place.Edit && p.idents[id+place.N].Edit() == place.Edit {
		return LineID(id + place.N)
	}
	for id := 1; id < len(p.idents); id++ {
		if p.idents[id].Edit() == place.Edit {
			if id += place.N; id < len(p.idents) && p.idents[id].Edit() == place.Edit {
				return LineID(id)
			}
			return 0
		}
	}
	return 0
}

// Next is the line that came in place of a line, one that lived on till the head if there
// is such; 0 if nothing came in its place.
func (p *Projection) Next(id LineID) LineID {
	lives := make(map[LineID]bool, len(p.head))
	for _, line := range p.head {
		for ; line != 0 && !lives[line]; line = p.idents[line].Prev {
			lives[line] = true
		}
	}
	next := LineID(0)
	for k := int(id) + 1; k < len(p.idents); k++ {
		if p.idents[k].Prev == id && (next == 0 || lives[LineID(k)]) {
			next = LineID(k)
		}
	}
	return next
}

// RemovedBy is the step that took a line away for good, and the line that stood above; ok
// is false if that is not known or has not happened.
func (p *Projection) RemovedBy(id LineID) (by StepID, above LineID, ok bool) {
	for _, c := range p.changes {
		for _, gone := range p.gone[c.gone[0]:c.gone[1]] {
			if gone == id {
				by, above, ok = c.step, c.above, true
			}
		}
	}
	return by, above, ok && by != 0
}
