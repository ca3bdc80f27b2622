package drawing

import (
	"slices"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// Options say what is drawn.
type Options struct {
	// Path is the id of the one path that is drawn; "" draws all.
	Path string
	// Diffs bounds the bytes of all diffs that are taken along, the newest first; 0 takes none.
	Diffs int
}

// Bounds of what is taken along of one step.
const (
	maxDiff      = 64 << 10 // bytes
	maxArtifacts = 50
	maxText      = 2000 // characters of an intent or a name
)

// DefaultDiffs is a bound on diffs that keeps a page easy to open.
const DefaultDiffs = 4 << 20

// Drawing is what is drawn of a document. Its JSON is what the page reads.
type Drawing struct {
	Document string `json:"document"` // its name
	URI      string `json:"uri"`
	// Href leads from the page to the document; "" if nothing does.
	Href  string `json:"href,omitempty"`
	Paths []Path `json:"paths"`
}

// Path is one path.
type Path struct {
	ID      string  `json:"id"`
	Title   string  `json:"title"`
	Base    string  `json:"base"`
	Session bool    `json:"session"` // the path is an agent's session, where nothing is a dead end
	Head    int     `json:"head"`    // row, -1 if there is none
	Lanes   int     `json:"lanes"`
	Actors  []Actor `json:"actors"`
	// Artifacts are the keys that the steps changed, in the order of their first change.
	Artifacts []string `json:"artifacts"`
	Steps     []Step   `json:"steps"` // by row
	// Edges are from row, to row, lane, and flags: 1 merge, 2 against the order.
	Edges [][4]int `json:"edges"`
}

// Actor is who did steps.
type Actor struct {
	Actor  string `json:"actor"`
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Detail string `json:"detail"` // provider and model
	Color  int    `json:"color"`
	Steps  int    `json:"steps"`
}

// Step is one step.
type Step struct {
	ID      string   `json:"id"`
	Actor   int      `json:"actor"` // index in Path.Actors
	Time    string   `json:"time"`  // as the document has it
	Millis  int64    `json:"ms"`    // since 1970; 0 if it cannot be read
	Intent  string   `json:"intent"`
	Lane    int      `json:"lane"`
	Dead    bool     `json:"dead,omitempty"`
	Parents []int    `json:"parents"` // rows, -1 for one that is not there
	Line    int      `json:"line"`    // of its id in the document, 1-based
	Changes []Change `json:"changes"`
	More    int      `json:"more,omitempty"` // artifacts that are left out
	Diff    string   `json:"diff,omitempty"`
	// Left says that there is a diff that is not taken along.
	Left bool `json:"left,omitempty"`
}

// Change is what a step did to one artifact.
type Change struct {
	Artifact int    `json:"artifact"` // index in Path.Artifacts
	Diff     bool   `json:"diff,omitempty"`
	Added    int    `json:"added,omitempty"`
	Removed  int    `json:"removed,omitempty"`
	Words    string `json:"words,omitempty"`
}

// Of draws the paths of a document that have steps of their own; a document that is not
// Toolpath has none. Done is asked now and then whether nobody waits any more; nil never is.
func Of(doc *analysis.Document, o Options, done func() bool) *Drawing {
	d := &Drawing{Document: doc.Name(), URI: doc.URI, Paths: []Path{}}
	m := doc.Model()
	if m == nil {
		return d
	}
	left := o.Diffs
	for _, p := range m.Paths {
		if o.Path != "" && p.ID != o.Path || p.Steps.Len() == 0 {
			continue
		}
		d.Paths = append(d.Paths, pathOf(doc, p, &left, done))
	}
	return d
}

func pathOf(doc *analysis.Document, p *toolpath.Path, left *int, done func() bool) Path {
	l := Lay(p)
	dag := p.DAG()
	out := Path{ID: p.ID, Title: clip(p.Title()), Base: baseOf(p), Session: p.IsAgentSession(), Head: -1, Lanes: l.Lanes,
		Artifacts: []string{}, Steps: make([]Step, p.Steps.Len()), Edges: make([][4]int, 0, len(l.Edges))}
	if dag.Head >= 0 {
		out.Head = l.Row[dag.Head]
	}
	actors := actorsOf(p, &out)
	artifacts := map[string]int{}
	for row, i := range l.Order {
		if row%1000 == 0 && done != nil && done() {
			break
		}
		s := p.Steps.At(i)
		step := Step{ID: s.ID, Actor: actors[s.Actor], Time: s.Timestamp(), Intent: clip(s.Intent()), Lane: l.Lane[i],
			Dead: dag.Head >= 0 && !dag.Active[i] && !out.Session, Parents: make([]int, len(dag.Parents.At(i))),
			Line: doc.Text.Line(s.IDValue().Start()) + 1, Changes: []Change{}}
		if s.HasTime {
			step.Millis = s.Time().UnixMilli()
		}
		for k, parent := range dag.Parents.At(i) {
			if step.Parents[k] = -1; parent >= 0 {
				step.Parents[k] = l.Row[parent]
			}
		}
		changes, n := analysis.ChangesOf(s, maxArtifacts)
		step.More = n - len(changes)
		for _, c := range changes {
			k, known := artifacts[c.Artifact]
			if !known {
				k = len(out.Artifacts)
				artifacts[c.Artifact] = k
				out.Artifacts = append(out.Artifacts, clip(c.Artifact))
			}
			step.Changes = append(step.Changes, Change{k, c.HasDiff, c.Added, c.Removed, clip(c.Words)})
		}
		step.Diff, step.Left = diffOf(analysis.StepRef{Doc: doc, Path: p, Step: i}, changes, left)
		out.Steps[row] = step
	}
	for _, e := range l.Edges {
		flags := 0
		if e.Merge {
			flags |= 1
		}
		if e.Against {
			flags |= 2
		}
		out.Edges = append(out.Edges, [4]int{l.Row[e.From], l.Row[e.To], e.Lane, flags})
	}
	return out
}

// diffOf returns the diff of a step if it is within the bounds, else whether it has one.
func diffOf(r analysis.StepRef, changes []analysis.ArtifactChange, left *int) (diff string, more bool) {
	if !slices.ContainsFunc(changes, func(c analysis.ArtifactChange) bool { return c.HasDiff }) {
		return "", false
	}
	if *left <= 0 {
		return "", true
	}
	diff = analysis.DiffText(r)
	if len(diff) > min(maxDiff, *left) {
		return "", true
	}
	*left -= len(diff)
	return diff, false
}

// actorsOf adds the actors of a path, those with most steps first, and returns their indexes.
func actorsOf(p *toolpath.Path, out *Path) map[string]int {
	at := map[string]int{}
	for _, s := range p.Steps.All() {
		k, known := at[s.Actor]
		if !known {
			k = len(out.Actors)
			at[s.Actor] = k
			a := Actor{Actor: clip(s.Actor), Name: clip(analysis.ActorName(p, s)), Kind: toolpath.ActorKind(s.Actor)}
			if def, ok := p.Actor(s, s.Actor); ok {
				a.Detail = clip(joined(def.Provider, def.Model))
			}
			out.Actors = append(out.Actors, a)
		}
		out.Actors[k].Steps++
	}
	names := make([]string, 0, len(at))
	for name := range at {
		names = append(names, name)
	}
	colors := analysis.ColorsOf(names)
	order := make([]int, len(out.Actors))
	for name, k := range at {
		out.Actors[k].Color = colors[name]
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return out.Actors[b].Steps - out.Actors[a].Steps })
	sorted, place := make([]Actor, len(order)), make([]int, len(order))
	for to, from := range order {
		sorted[to], place[from] = out.Actors[from], to
	}
	out.Actors = sorted
	for name, k := range at {
		at[name] = place[k]
	}
	return at
}

func baseOf(p *toolpath.Path) string {
	base := p.Base()
	uri, ref := base.Get("uri").Text(), base.Get("ref").Text()
	if r := []rune(ref); len(r) > 12 {
		ref = string(r[:12])
	}
	if uri != "" && ref != "" {
		return clip(uri + " @ " + ref)
	}
	return clip(uri + ref)
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " · " + b
}

// clip cuts a text to what is shown of it.
func clip(s string) string {
	if len(s) <= maxText {
		return s
	}
	n := 0
	for i := range s {
		if n == maxText {
			return s[:i] + "…"
		}
		n++
	}
	return s
}

// when splits the instant of a step into its day and its time in UTC; what is no time is
// all of it.
func when(s Step) (day, clock string) {
	if s.Millis == 0 {
		return "", short(s.Time, 20)
	}
	t := time.UnixMilli(s.Millis).UTC()
	return t.Format(time.DateOnly), t.Format("15:04")
}
