package analysis

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// Notes says which notes are wanted.
type Notes struct {
	DeadEnd bool // that a step is one
	Merge   bool // which branches a step merges
	Descent bool // that a path is a continuation or a fork
	Time    bool // how long ago a timestamp is
}

// Note is a few words to be shown behind an offset.
type Note struct {
	Offset int
	Text   string
}

// Notes returns the notes on the text between two offsets, in order. What must be read to
// know all is returned as well. now is the present.
func (s *Snapshot) Notes(d *Document, from, to int, want Notes, now time.Time, done func() bool) (notes []Note, needs []Need) {
	m := d.Model()
	if m == nil || want == (Notes{}) {
		return nil, nil
	}
	n := noter{want: want, now: now, from: from, to: to}
	for _, p := range m.Paths {
		if want.Descent && p.Parent().Valid() && n.holds(p.Parent()) {
			kind, _, more := s.Descent(d, p)
			needs = append(needs, more...)
			n.add(p.Parent(), kind)
		}
		n.steps(p, done)
	}
	slices.SortStableFunc(n.notes, func(a, b Note) int { return cmp.Compare(a.Offset, b.Offset) })
	return n.notes, needs
}

type noter struct {
	want     Notes
	now      time.Time
	from, to int
	notes    []Note
}

func (n *noter) holds(v jsonsrc.Value) bool { return v.End() >= n.from && v.End() <= n.to }

func (n *noter) add(v jsonsrc.Value, text string) {
	if text != "" && v.Closed() && n.holds(v) {
		n.notes = append(n.notes, Note{v.End(), text})
	}
}

func (n *noter) steps(p *toolpath.Path, done func() bool) {
	if p.Steps.Len() == 0 {
		return
	}
	dag := p.DAG()
	dead := dag.Head >= 0 && !p.IsAgentSession()
	for i := firstStepAt(p, n.from); i < p.Steps.Len() && p.Steps.At(i).Offset() < n.to; i++ {
		if i%1024 == 0 && done() {
			return
		}
		s := p.Steps.At(i)
		if n.want.DeadEnd && dead && !dag.Active[i] {
			n.add(s.Value(s.Nodes.ID), "dead end")
		}
		if n.want.Merge && len(dag.Parents.At(i)) > 1 {
			n.add(s.Value(s.Nodes.Parents), "merges "+count(len(dag.Parents.At(i))-1, "branch", "branches"))
		}
		if n.want.Time && s.HasTime {
			n.add(s.Value(s.Nodes.Timestamp), ago(s.Time(), n.now))
		}
	}
}

// firstStepAt returns the first step whose end is behind an offset.
func firstStepAt(p *toolpath.Path, off int) int {
	chunk := p.Doc.Tree.ChunkIndex(off)
	i, _ := p.Steps.Search(chunk)
	return i
}

// StepLens is what can be said and done at a step.
type StepLens struct {
	Step       StepRef
	Start, End int    // its id
	Title      string // where it stands in the path
	Children   []StepRef
	Parent     *StepRef // the first one, which may be in another document
	HasDiff    bool
}

// PathLens sums a path up, at its id.
type PathLens struct {
	Start, End int
	Title      string
	Steps      []StepLens
}

// MaxLensSteps bounds the steps that have lenses, of a whole document: beyond it only paths
// have.
const MaxLensSteps = 1000

// Lenses returns the lenses of the document's paths and steps, and what must be read to
// know all.
func (s *Snapshot) Lenses(d *Document, done func() bool) (lenses []PathLens, needs []Need) {
	m := d.Model()
	if m == nil {
		return nil, nil
	}
	n := d.StepCount()
	for _, p := range m.Paths {
		if p.Ref.Valid() || !p.IDValue.Valid() || done() {
			continue
		}
		l := PathLens{Start: p.IDValue.Start(), End: p.IDValue.End(), Title: plural(p.Steps.Len(), "step")}
		if k := deadEnds(p); k > 0 {
			l.Title += " · " + plural(k, "dead end")
		}
		if p.Parent().Valid() {
			kind, parent, more := s.Descent(d, p)
			needs = append(needs, more...)
			if kind != "" {
				l.Title += " · " + kind + " of " + oneLine(parent.At().ID)
			}
		}
		for i := range p.Steps.Len() {
			if n > MaxLensSteps {
				break
			}
			step, more := s.stepLens(StepRef{d, p, i})
			l.Steps, needs = append(l.Steps, step), append(needs, more...)
		}
		lenses = append(lenses, l)
	}
	return lenses, needs
}

func (s *Snapshot) stepLens(r StepRef) (l StepLens, needs []Need) {
	id := r.At().IDValue()
	l = StepLens{Step: r, Start: id.Start(), End: id.End()}
	for _, word := range standing(r.Path, r.Step) {
		if word != "on the way to the head" {
			l.Title += word + " · "
		}
	}
	for _, k := range r.Path.DAG().Children.At(r.Step) {
		l.Children = append(l.Children, StepRef{r.Doc, r.Path, int(k)})
	}
	l.Title += count(len(l.Children), "child", "children")
	parents, needs := s.Parents(r)
	if len(parents) > 0 {
		l.Parent = &parents[0]
	}
	for range r.At().Value(r.At().Nodes.Change).Members() {
		l.HasDiff = true
		break
	}
	return l, needs
}

func count(n int, one, many string) string {
	switch n {
	case 0:
		return "no " + many
	case 1:
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
