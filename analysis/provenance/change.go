package provenance

// change is one place where an edit put lines in place of others.
type change struct {
	step       StepID    // 0: outside of the record
	conf       uint8     // as in Ident
	above      LineID    // the line above it, 0: none
	gone       [2]uint32 // range of Projection.gone: the lines that went
	came, last LineID    // the first of the lines that came, and one behind the last
}

// note writes down that the lines gone went and the idents from came on came.
func (r *replay) note(kind Kind, above LineID, gone []LineID, came LineID) {
	last := LineID(len(r.p.idents))
	if len(gone) == 0 && came == last {
		return
	}
	from := uint32(len(r.p.gone))
	r.p.gone = append(r.p.gone, gone...)
	step := r.step
	if kind == Unrecorded || kind == Base {
		step = 0
	}
	r.p.changes = append(roomy(r.p.changes), change{step, r.conf(kind), above, [2]uint32{from, uint32(len(r.p.gone))}, came, last})
}

// above is the line above the change that is being made: the last of those made
// for this place, else the line that the caller put in r.over.
func (r *replay) above() LineID {
	if len(r.fresh) > r.freshAt {
		return r.fresh[len(r.fresh)-1]
	}
	return r.over
}

// goesTo says where in the text the changes to come are: below line at-1.
func (r *replay) goesTo(at int) {
	r.freshAt = len(r.fresh)
	r.over = 0
	if at > 0 {
		r.over = r.lines[at-1]
	}
}

// mark is a point to which a replay can go back.
type mark struct{ idents, changes, gone int }

func (r *replay) mark() mark { return mark{len(r.p.idents), len(r.p.changes), len(r.p.gone)} }

// back forgets what was made since m.
func (r *replay) back(m mark) {
	r.p.idents, r.p.changes, r.p.gone = r.p.idents[:m.idents], r.p.changes[:m.changes], r.p.gone[:m.gone]
	if r.numbers != nil {
		r.numbers.idents = r.numbers.idents[:min(m.idents, len(r.numbers.idents))]
	}
}
