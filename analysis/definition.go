package analysis

import "github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"

// Location is a place in a document or, if Doc is nil, the start of a file.
type Location struct {
	Doc        *Document
	Path       string // of the file, absolute
	Start, End int
}

// Definition returns where what stands at an offset is defined: the step that a parent or
// head names, the definition of an actor, the file that an artifact key names, the
// document, path or step that a reference to another document names. origin is the place
// that the answer is about. What must be read to know it is returned instead.
func (s *Snapshot) Definition(d *Document, off int) (origin jsonsrc.Value, targets []Location, needs []Need) {
	pl := d.at(off)
	switch pl.role {
	case roleOutward:
		sub, need, ok := s.subjectAt(d, pl)
		if need != nil {
			return pl.value, nil, []Need{*need}
		}
		if ok {
			targets = sub.locations()
		}
	case roleDocument:
		if file := d.referencedFile(pl.value.Text()); file != "" {
			targets = []Location{{Path: file}}
		}
	case roleStepID, roleParent, roleHead, roleKept, roleTarget:
		if i := pl.target(); i >= 0 {
			targets = []Location{d.stepLocation(pl, i)}
		}
	case roleActor:
		if _, def, ok := d.actor(pl); ok {
			targets = []Location{locationOf(d, def.Key)}
		}
	case roleArtifact:
		if file := s.artifactFile(d, pl); file != "" {
			targets = []Location{{Path: file}}
		}
	}
	return pl.value, targets, nil
}

// locations returns the id of the path or of the step; nothing if there is no such step.
func (sub subject) locations() []Location {
	if sub.step == "" {
		return []Location{locationOf(sub.doc, sub.path.IDValue)}
	}
	if i := sub.path.Find(sub.step); i >= 0 {
		return []Location{locationOf(sub.doc, sub.path.Steps.At(i).IDValue())}
	}
	return nil
}

func (d *Document) stepLocation(pl place, i int) Location {
	return locationOf(d, pl.path.Steps.At(i).IDValue())
}

func locationOf(d *Document, v jsonsrc.Value) Location {
	return Location{Doc: d, Path: d.Path, Start: v.Start(), End: v.End()}
}

// artifactFile returns the absolute path of the file that the artifact key at the place
// names, "" if it names none.
func (s *Snapshot) artifactFile(d *Document, pl place) string {
	base := baseFolder(pl.path)
	name := artifactName(pl.value.Text(), base)
	if name == "" {
		return ""
	}
	return s.siteOf(d).fileOf(name, base)
}

// ParentStep returns where the first parent of the step at an offset is: the step that the
// offset lies in or, on a reference, the step that it names. Not ok if it has none.
func (d *Document) ParentStep(off int) (Location, bool) {
	pl, i := d.stepNear(off)
	if i < 0 {
		return Location{}, false
	}
	for _, k := range pl.path.DAG().Parents.At(i) {
		if k >= 0 {
			return d.stepLocation(pl, int(k)), true
		}
	}
	return Location{}, false
}

// ChildSteps returns where the children of the step at an offset are.
func (d *Document) ChildSteps(off int) []Location {
	pl, i := d.stepNear(off)
	if i < 0 {
		return nil
	}
	var all []Location
	for _, k := range pl.path.DAG().Children.At(i) {
		all = append(all, d.stepLocation(pl, int(k)))
	}
	return all
}

// HeadStep returns where the head of the path at an offset is.
func (d *Document) HeadStep(off int) (Location, bool) {
	pl := d.at(off)
	if pl.path == nil || pl.path.DAG().Head < 0 {
		return Location{}, false
	}
	return d.stepLocation(pl, pl.path.DAG().Head), true
}

// StepNear returns the step that an offset lies in or, on an id that is no parent of it, the
// step that is named there.
func (d *Document) StepNear(off int) (StepRef, bool) {
	pl, i := d.stepNear(off)
	return StepRef{d, pl.path, i}, i >= 0 && pl.path != nil
}

func (d *Document) stepNear(off int) (place, int) {
	pl := d.at(off)
	if pl.role == roleParent {
		return pl, pl.step
	}
	if i := pl.target(); i >= 0 {
		return pl, i
	}
	return pl, pl.step
}
