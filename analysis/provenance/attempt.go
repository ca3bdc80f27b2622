package provenance

// Attempt is one place where a step of a branch touched what was there before the branch.
type Attempt struct {
	Step StepID
	// Lines are the lines that it took away or replaced.
	Lines []LineID
	// Above is, if it put lines between others, the line above them; 0 is the top of the file.
	Above LineID
}

// Attempts are the places that steps of a branch touched, told by lines that are older than
// the branch.
func (p *Projection) Attempts(ofBranch func(StepID) bool) []Attempt {
	madeBy := map[LineID]LineID{} // lines of the branch that came in place of nothing: the line above them
	var all []Attempt
	older := func(id LineID) (LineID, bool) {
		for id != 0 && ofBranch(p.idents[id].Step) {
			id = p.idents[id].Prev
		}
		return id, id != 0
	}
	for _, c := range p.changes {
		if !ofBranch(c.step) {
			continue
		}
		above := c.above
		for above != 0 && ofBranch(p.idents[above].Step) {
			if was, ok := older(above); ok {
				above = was
			} else {
				above = madeBy[above]
			}
		}
		for id := c.came; id < c.last; id++ {
			madeBy[id] = above
		}
		a := Attempt{Step: c.step, Above: above}
		for _, id := range p.gone[c.gone[0]:c.gone[1]] {
			if was, ok := older(id); ok {
				a.Lines = append(a.Lines, was)
			}
		}
		all = append(all, a)
	}
	return all
}
