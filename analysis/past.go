package analysis

import (
	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
	"github.com/toolpath-ls/toolpath-ls/analysis/text"
)

// ProvenanceAt returns who wrote the lines of a file as a step left it, or, if before is set,
// as it was before the step; of no lines where there was no file. The record alone tells. What
// must be read to know it is returned instead. The error is a Refusal, as that of TextAt.
func (s *Snapshot) ProvenanceAt(r StepRef, artifact string, before bool, done func() bool) (*Provenance, []Need, error) {
	a, needs, err := s.accountAt(r, artifact, before, done)
	if a == nil {
		return nil, needs, err
	}
	if a.projection.Absent {
		return newProvenance(nil, nil, []*Account{a}, nil, done), nil, nil
	}
	return newProvenance(text.New([]byte(a.projection.HeadText())), nil, []*Account{a}, nil, done), nil, nil
}

// accountBefore returns what is known of a file before a step, as accountAfter.
func (s *Snapshot) accountBefore(r StepRef, artifact string, done func() bool) (*Account, []Need, error) {
	before, order, err := r.before()
	if err != nil {
		return nil, nil, err
	}
	return s.accountAfter(before, artifact, order, done)
}

// accountAt is accountAfter or accountBefore.
func (s *Snapshot) accountAt(r StepRef, artifact string, before bool, done func() bool) (*Account, []Need, error) {
	if before {
		return s.accountBefore(r, artifact, done)
	}
	return s.accountAfter(r, artifact, r.order(), done)
}

// Before returns the file as it was before the step that wrote line i of p, and the line that
// was there, or else the one above. Its Step is the step that came then. It is nil if no step
// is known to have written the line; the error is a Refusal, as that of TextAt, also where there was no
// file before.
func (s *Snapshot) Before(p *Provenance, file string, i int, done func() bool) (*Moment, []Need, error) {
	a, l := p.accountOf(i), p.Line(i)
	if a == nil || l.Step == nil || l.State != provenance.StateRecorded {
		return nil, nil, nil
	}
	r := *l.Step
	then, name, needs, err := s.accountNamed(r, append(a.namesIn(r), file), done)
	if then == nil {
		return nil, needs, err
	}
	for _, name := range append(then.namesIn(r), name) {
		before, needs, err := s.accountBefore(r, name, done)
		if before == nil {
			return nil, needs, err
		}
		if !before.projection.Absent {
			return &Moment{&r, name, before.lineBefore(then, r, then.lineNear(a, i))}, nil, nil
		}
	}
	return nil, nil, Refusal("there was no file before the step " + r.At().ID)
}

// namesIn are the artifact keys by which a step names the account's file.
func (a *Account) namesIn(r StepRef) (names []string) {
	for _, c := range a.changes.all() {
		if c.isStep() && a.step(c).identity() == r.identity() {
			names = append(names, c.names()...)
		}
	}
	return names
}

// lineBefore returns the line of a's head that stood, before the step, where line i of the
// head of then does, or else the next one above that did.
func (a *Account) lineBefore(then *Account, r StepRef, i int) int {
	p := then.projection
	at := a.positions()
	for ; i >= 0; i-- {
		id := p.Lines()[i]
		for id != 0 && p.Ident(id).Step > 0 && then.ref(p.Ident(id).Step).identity() == r.identity() {
			id = p.Ident(id).Prev
		}
		if id == 0 {
			continue
		}
		if k, ok := at[a.projection.At(a.placeOf(then, p.Place(id)))]; ok {
			return k
		}
	}
	return 0
}

// At returns a source file, of which p tells, as one of the steps left it, and the line that
// was there where line i is now, or else the one above: a file that was renamed since had
// another name then. It is nil if that is not known.
func (s *Snapshot) At(p *Provenance, r StepRef, file string, i int, done func() bool) (*Moment, []Need) {
	for _, a := range p.Accounts {
		names := a.namesIn(r)
		if len(names) == 0 {
			continue
		}
		then, name, needs, _ := s.accountNamed(r, append(names, file), done)
		if len(needs) > 0 {
			return nil, needs
		}
		if then != nil {
			return &Moment{&r, name, then.lineNear(a, i)}, nil
		}
	}
	return nil, nil
}

// positions says where the lines of the account's head are.
func (a *Account) positions() map[provenance.LineID]int {
	at := make(map[provenance.LineID]int, len(a.projection.Lines()))
	for k, id := range a.projection.Lines() {
		at[id] = k
	}
	return at
}

// lineNear returns where line i of another account's text is in a's head, or the line in whose
// place it stands now; or else that of the next one above.
func (a *Account) lineNear(other *Account, i int) int {
	if other.overlay == nil {
		return 0
	}
	at := a.positions()
	for i = min(i, other.overlay.Len()-1); i >= 0; i-- {
		b := other.overlay.Line(i)
		id := b.Head
		if id == 0 {
			id = b.Was
		}
		if id == 0 {
			continue
		}
		for _, t := range other.projection.Chain(id) {
			if k, ok := at[a.projection.At(a.placeOf(other, other.projection.Place(t.ID)))]; ok {
				return k
			}
		}
	}
	return 0
}
