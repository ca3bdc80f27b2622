package analysis

import (
	"slices"

	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
)

// Moment is a line of a file after a step, or, if Step is nil, of the file as it is now.
type Moment struct {
	Step     *StepRef
	Artifact string // the key of the file then
	Line     int    // 0-based
}

// Earlier returns the last step that touched line i of a file as it is, and the line after
// that step; nil if none did. Of a line that was changed since the last step it is that of
// the line that was there.
func (s *Snapshot) Earlier(p *Provenance, file string, i int, done func() bool) (*Moment, []Need, error) {
	a := p.accountOf(i)
	if a == nil {
		return nil, nil, nil
	}
	line := a.overlay.Line(i)
	id := line.Head
	if id == 0 {
		id = line.Was
	}
	return s.moment(a, file, firstTouch(a, id, nil), done)
}

// EarlierThan returns the step before r that touched line i of the file as r left it, and the
// line after that step; nil if none did.
func (s *Snapshot) EarlierThan(r StepRef, artifact string, i int, done func() bool) (*Moment, []Need, error) {
	a, needs, err := s.accountAfter(r, artifact, r.order(), done)
	if a == nil || i < 0 || i >= len(a.projection.Lines()) {
		return nil, needs, err
	}
	return s.moment(a, artifact, firstTouch(a, a.projection.Lines()[i], &r), done)
}

// LaterThan returns the next step after r, on the way to the head of its path, that touched
// line i of the file as r left it, and the line after that step. If none did it is the line
// of the file as it is now, of which p tells; nil if the line is not in it. If the line was
// taken away it is the one above, after the step that did so.
func (s *Snapshot) LaterThan(r StepRef, artifact string, i int, p *Provenance, done func() bool) (*Moment, []Need, error) {
	then, needs, err := s.accountAfter(r, artifact, r.order(), done)
	if then == nil || i < 0 || i >= len(then.projection.Lines()) {
		return nil, needs, err
	}
	place := then.projection.Place(then.projection.Lines()[i])
	for _, a := range p.Accounts {
		if a.projection == nil || a.overlay == nil {
			continue
		}
		id := a.projection.At(a.placeOf(then, place))
		if id == 0 || a.projection.Text(id) != then.projection.Text(then.projection.Lines()[i]) {
			continue
		}
		next := a.projection.Next(id)
		for next != 0 && (a.projection.Ident(next).Step == 0 || a.ref(a.projection.Ident(next).Step).identity() == r.identity()) {
			next = a.projection.Next(next)
		}
		if next != 0 {
			return s.moment(a, artifact, next, done)
		}
		for k := range p.Len() {
			if a.overlay.Line(k).Head == id {
				return &Moment{Line: k}, nil, nil
			}
		}
		if by, above, ok := a.projection.RemovedBy(id); ok {
			step := *a.ref(by)
			names := []string{artifact}
			for _, c := range a.changes.all() {
				if c.isStep() && a.step(c).identity() == step.identity() {
					names = append(c.names(), artifact)
				}
			}
			gone, name, needs, err := s.accountNamed(step, names, done)
			if gone == nil {
				return nil, needs, err
			}
			line := 0
			if above != 0 {
				line = max(slices.Index(gone.projection.Lines(), gone.projection.At(gone.placeOf(a, a.projection.Place(above)))), 0)
			}
			return &Moment{&step, name, line}, nil, nil
		}
	}
	return nil, nil, nil
}

// firstTouch is the newest line in the chain of one that a step made, another than the given
// one; 0 if there is none.
func firstTouch(a *Account, id provenance.LineID, but *StepRef) provenance.LineID {
	for _, t := range a.projection.Chain(id) {
		if t.Step > 0 && t.Kind != provenance.Unrecorded && (but == nil || a.ref(t.Step).identity() != but.identity()) {
			return t.ID
		}
	}
	return 0
}

// moment returns where a line of an account is after the step that made it.
func (s *Snapshot) moment(a *Account, artifact string, id provenance.LineID, done func() bool) (*Moment, []Need, error) {
	if id == 0 {
		return nil, nil, nil
	}
	ident := a.projection.Ident(id)
	step := a.ref(ident.Step)
	names := []string{artifact}
	if c := a.changes.at(ident.Edit()); c.key.Valid() {
		names = append([]string{a.nameAfter(c)}, append(c.names(), names...)...)
	}
	then, name, needs, err := s.accountNamed(*step, names, done)
	if then == nil {
		return nil, needs, err
	}
	line := slices.Index(then.projection.Lines(), then.projection.At(then.placeOf(a, a.projection.Place(id))))
	if line < 0 {
		return nil, nil, Refusal("the line cannot be found in the file as " + step.At().ID + " left it")
	}
	return &Moment{step, name, line}, nil, nil
}

// names are the keys by which the file may be known before or after a change.
func (c change) names() []string {
	var all []string
	if c.other != "" {
		all = append(all, c.other)
	}
	if c.key.Valid() {
		all = append(all, c.key.Text())
	}
	if c.other != "" && c.key.Valid() {
		if name, _ := renamedIn(c.value, ""); name != "" {
			all = append(all, name)
		}
	}
	return all
}

// nameAfter is the key by which the file is known after a change of one of the account's
// steps: of a rename that has the old name as its key, the new one.
func (a *Account) nameAfter(c change) string {
	base := a.strands[c.strand].t.base
	if c.other != "" && artifactName(c.key.Text(), base) == c.other {
		if name, _ := renamedIn(c.value, base); name != "" {
			return name
		}
	}
	return c.key.Text()
}

// accountNamed is accountAfter for the first of some names under which there is a file.
func (s *Snapshot) accountNamed(r StepRef, names []string, done func() bool) (a *Account, name string, needs []Need, err error) {
	for _, name = range names {
		a, needs, err = s.accountAfter(r, name, r.order(), done)
		if len(needs) > 0 || a != nil && !a.projection.Absent {
			return a, name, needs, err
		}
	}
	if a != nil {
		err = Refusal("there was no file after the step " + r.At().ID)
	}
	return nil, "", nil, err
}

// placeOf returns a place of another account of the same history as one of a; it has no edit
// if that is none of a's.
func (a *Account) placeOf(other *Account, place provenance.Place) provenance.Place {
	if place.Edit < 0 {
		return place
	}
	c := other.changes.at(place.Edit)
	if !c.isStep() {
		return provenance.Place{Edit: a.changes.len()}
	}
	from, key := other.step(c).identity(), c.key.Text()
	for i, c := range a.changes.all() {
		if c.isStep() && c.key.Text() == key && a.step(c).identity() == from {
			return provenance.Place{Edit: i, N: place.N}
		}
	}
	return provenance.Place{Edit: a.changes.len()}
}

// File returns the absolute path of the file that an artifact key of the step's path means,
// "" if it means none.
func (r StepRef) File(s *Snapshot, artifact string) string {
	base := baseFolder(r.Path)
	return s.siteOf(r.Doc).fileOf(artifactName(artifact, base), base)
}
