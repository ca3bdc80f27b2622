package analysis

import "github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"

// Location is a place in a document or, if Doc is nil, the start of a file.
type Location struct {
	Doc        *Document
	Path       string // of the file, absolute
	Start, End int
}

// Definition returns where what stands at an offset is defined: the step that a parent or
// head names, the definition of an actor, the file that an artifact key names. origin is
// the place that the answer is about.
func (s *Snapshot) Definition(d *Document, off int) (origin jsonsrc.Value, targets []Location) {
	pl := d.at(off)
	switch pl.role {
	case roleStepID, roleParent, roleHead, roleTarget:
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
	return pl.value, targets
}

func (d *Document) stepLocation(pl place, i int) Location {
	return locationOf(d, pl.path.Steps[i].IDValue())
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
	return fileOf(name, s.rootOf(d), base)
}

// ParentStep returns where the first parent of the step at an offset is: the step that the
// offset lies in or, on a reference, the step that it names. Not ok if it has none.
func (d *Document) ParentStep(off int) (Location, bool) {
	pl, i := d.stepNear(off)
	if i < 0 {
		return Location{}, false
	}
	for _, k := range pl.path.DAG().Parents[i] {
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
	for _, k := range pl.path.DAG().Children[i] {
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
