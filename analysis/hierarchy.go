package analysis

import "github.com/toolpath-ls/toolpath-ls/analysis/toolpath"

// StepAt returns the step at an offset: the one that a parent, head or signature names
// there, else the one that the offset lies in.
func (d *Document) StepAt(off int) (StepRef, bool) {
	pl := d.at(off)
	i := pl.target()
	if i < 0 {
		i = pl.step
	}
	if pl.path == nil || i < 0 {
		return StepRef{}, false
	}
	return StepRef{d, pl.path, i}, true
}

// ArtifactAt returns the key of the artifact whose change an offset lies in, "" for none.
func (d *Document) ArtifactAt(off int) string {
	pl := d.at(off)
	if pl.step < 0 || pl.path == nil {
		return ""
	}
	for key, change := range pl.path.Steps.At(pl.step).Value(pl.path.Steps.At(pl.step).Nodes.Change).Members() {
		if key.Start() <= off && off <= max(key.End(), change.End()) {
			return key.Text()
		}
	}
	return ""
}

// FindStep returns the step with the ids, if the document has it.
func (d *Document) FindStep(path, step string) (StepRef, bool) {
	p := FindPath(d.Model(), path)
	if p == nil {
		return StepRef{}, false
	}
	i := p.Find(step)
	return StepRef{d, p, i}, i >= 0
}

// Parents returns the steps that a step descends from, in order; of a root of a path that
// has a parent in another document, that step (RFC "Path Parent"). What must be read to
// know it is returned instead.
func (s *Snapshot) Parents(r StepRef) (parents []StepRef, needs []Need) {
	for _, k := range r.Path.DAG().Parents.At(r.Step) {
		if k >= 0 {
			parents = append(parents, StepRef{r.Doc, r.Path, int(k)})
		}
	}
	if len(r.At().Parents) > 0 {
		return parents, nil
	}
	return s.implicitParent(r)
}

func (s *Snapshot) implicitParent(r StepRef) ([]StepRef, []Need) {
	parent := r.Path.Parent()
	file := r.Doc.referencedFile(parent.Get("uri").Text())
	if file == "" {
		return nil, nil
	}
	d, need := s.documentAt(file)
	if need != nil {
		return nil, []Need{*need}
	}
	if d == nil {
		return nil, nil
	}
	if step, ok := d.FindStep(parent.Get("path").Text(), parent.Get("step").Text()); ok {
		return []StepRef{step}, nil
	}
	return nil, nil
}

// Children returns the steps that name a step as a parent: those of its path, and the
// roots of the paths in other documents that descend from it. What must be read to know
// all is returned as well.
func (s *Snapshot) Children(r StepRef) (children []StepRef, needs []Need) {
	for _, k := range r.Path.DAG().Children.At(r.Step) {
		children = append(children, StepRef{r.Doc, r.Path, int(k)})
	}
	sub := subject{r.Doc, r.Path, r.At().ID}
	others, _, needs := s.pointing(r.Doc)
	for _, d := range append([]*Document{r.Doc}, others...) {
		for _, o := range d.outwards() {
			if o.field == parentStep && s.names(d, o, sub) {
				children = append(children, roots(d, o.in)...)
			}
		}
	}
	return children, needs
}

// roots returns the steps of a path that have no parents.
func roots(d *Document, p *toolpath.Path) (all []StepRef) {
	for i, step := range p.Steps.All() {
		if len(step.Parents) == 0 {
			all = append(all, StepRef{d, p, i})
		}
	}
	return all
}

// Descent says what a path with a parent is: a continuation if the parent is the head of
// its path, a fork if it is any other step of it, "" if that is not known (RFC "Path
// Parent"). parent is that step.
func (s *Snapshot) Descent(d *Document, p *toolpath.Path) (kind string, parent StepRef, needs []Need) {
	parents, needs := s.implicitParent(StepRef{d, p, 0})
	switch {
	case len(parents) == 0:
		return "", StepRef{}, needs
	case parents[0].Path.DAG().Head == parents[0].Step:
		return "continuation", parents[0], nil
	}
	return "fork", parents[0], nil
}
