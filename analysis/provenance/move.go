package provenance

import "strings"

// A run of lines counts as moved when it has MoveLines lines, or fewer with
// MoveLetters letters and digits together.
const (
	MoveLines   = 3
	MoveLetters = 40
)

// run is lines that went or came together.
type run struct {
	lines []LineID
	key   int // of the projection
}

// moves links lines that the current edit put somewhere to equal ones that it took
// away elsewhere. from is the edit's first change.
func (r *replay) moves(from int) {
	changes := r.p.changes[from:]
	if len(changes) < 2 || !r.p.mayMove(changes) {
		return
	}
	gone, came := r.p.runs(changes, 0, nil, nil)
	matchRuns([]*Projection{r.p}, gone, came, func(_ int, to LineID, _ int, from LineID) {
		ident := &r.p.idents[to]
		switch {
		case ident.Kind == Add && ident.Flags&ReAdded == 0, ident.Kind == Modify && r.p.Text(ident.Prev) != r.p.Text(to):
			ident.Kind, ident.Prev = Move, from
		}
	})
}

// mayMove says whether changes took away and brought enough for a move.
func (p *Projection) mayMove(changes []change) bool {
	went, came := false, false
	for _, c := range changes {
		went = went || p.enough(int(c.gone[1]-c.gone[0]), func(i int) LineID { return p.gone[int(c.gone[0])+i] })
		came = came || p.enough(int(c.last-c.came), func(i int) LineID { return c.came + LineID(i) })
	}
	return went && came
}

// enough says whether n lines can have moved.
func (p *Projection) enough(n int, line func(i int) LineID) bool {
	if n >= MoveLines {
		return true
	}
	size := 0
	for i := range n {
		size += len(p.Text(line(i)))
	}
	return size >= MoveLetters
}

// runs adds what went and what came in changes, under a key.
func (p *Projection) runs(changes []change, key int, gone, came []run) (went, arrived []run) {
	for _, c := range changes {
		if c.gone[0] < c.gone[1] {
			gone = append(gone, run{p.gone[c.gone[0]:c.gone[1]], key})
		}
		if c.came < c.last {
			came = append(came, run{p.cameIn(c), key})
		}
	}
	return gone, came
}

// cameIn are the lines of a change.
func (p *Projection) cameIn(c change) []LineID {
	lines := make([]LineID, 0, c.last-c.came)
	for id := c.came; id < c.last; id++ {
		lines = append(lines, id)
	}
	return lines
}

// place is a line of a run.
type place struct{ run, line int }

// matchRuns finds runs of equal lines, up to indentation, in what went and what
// came: it starts with telling lines that occur once on both sides and goes on
// both ways.
func matchRuns(ps []*Projection, gone, came []run, moved func(toKey int, to LineID, fromKey int, from LineID)) {
	text := func(r run, i int) string { return strings.TrimSpace(ps[r.key].Text(r.lines[i])) }
	once := map[string]place{}
	for k, r := range gone {
		for i := range r.lines {
			s := text(r, i)
			if _, again := once[s]; again {
				once[s] = place{-1, 0}
			} else {
				once[s] = place{k, i}
			}
		}
	}
	twice := map[string]bool{}
	seen := map[string]bool{}
	for _, r := range came {
		for i := range r.lines {
			s := text(r, i)
			twice[s] = seen[s]
			seen[s] = true
		}
	}
	for _, r := range came {
		for i := 0; i < len(r.lines); i++ {
			s := text(r, i)
			at, ok := once[s]
			if !ok || at.run < 0 || twice[s] || !telling([]byte(s)) {
				continue
			}
			g := gone[at.run]
			from, to := i, i+1
			for from > 0 && at.line-(i-from) > 0 && text(r, from-1) == text(g, at.line-(i-from)-1) {
				from--
			}
			for to < len(r.lines) && at.line+to-i < len(g.lines) && text(r, to) == text(g, at.line+to-i) {
				to++
			}
			letters := 0
			for k := from; k < to; k++ {
				letters += lettersOf(text(r, k))
			}
			if to-from >= MoveLines || letters >= MoveLetters {
				for k := from; k < to; k++ {
					moved(r.key, r.lines[k], g.key, g.lines[at.line+k-i])
				}
			}
			i = to - 1
		}
	}
}

func lettersOf(s string) int {
	n := 0
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= 0x80 || 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' {
			n++
		}
	}
	return n
}

// Moved is a line that a step took from one file and put into another.
type Moved struct {
	From, To         int // indices into the projections that were given
	FromLine, ToLine LineID
}

// MovedBetween finds the lines that a step moved between files; each projection is
// that of one file. The line that came is the step's; FromLine tells whose it was.
func MovedBetween(step StepID, ps []*Projection) []Moved {
	var gone, came []run
	for k, p := range ps {
		gone, came = p.runs(p.changesOf(step), k, gone, came)
	}
	var all []Moved
	matchRuns(ps, gone, came, func(toKey int, to LineID, fromKey int, from LineID) {
		if toKey != fromKey {
			all = append(all, Moved{fromKey, toKey, from, to})
		}
	})
	return all
}

// changesOf are the changes that a step made.
func (p *Projection) changesOf(step StepID) []change {
	var all []change
	for _, c := range p.changes {
		if c.step == step {
			all = append(all, c)
		}
	}
	return all
}
