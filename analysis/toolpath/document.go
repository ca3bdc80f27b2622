package toolpath

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/text"
)

// Document is the model of one version of a document.
type Document struct {
	Tree  *jsonsrc.Tree
	Lines bool // ".path.jsonl"
	Form  Form // of a canonical document

	ID    string        // graph.id
	Graph jsonsrc.Value // the graph's identity object
	Meta  jsonsrc.Value // the graph's meta
	Paths []*Path

	actors func() map[string]ActorDefinition // of Meta
	byID   func() map[string]*Path
	byStep func() map[string]*Path // the first path that has a step of the id
}

// Path is one entry of a graph's paths: an inline path, or a reference.
type Path struct {
	Doc   *Document
	Index int           // in Document.Paths
	Value jsonsrc.Value // the whole entry; of a stream the PathOpen line's body
	Ref   jsonsrc.Value // $ref, if the entry is a reference

	ID       string
	IDValue  jsonsrc.Value
	Identity jsonsrc.Value // the path object that has id, base, head
	Head     string
	HeadVal  jsonsrc.Value // not valid if the head is inferred or missing
	Meta     jsonsrc.Value
	Steps    Steps

	lines []jsonsrc.Value // of a stream: ActorDef bodies in order
	patch []jsonsrc.Value // of a stream: PathMeta patches in order
	ids   func() *idTable
	dag   func() *DAG
	// actors are the definitions of the path, of a stream's lines too.
	actors func() map[string]ActorDefinition
}

// IsToolpath says by content alone whether a JSON text is a Toolpath document: its root is
// an object that has graph and paths.
func IsToolpath(t *jsonsrc.Tree) bool {
	root := t.Root()
	return root.Get("graph").Kind() == jsonsrc.Object && root.Get("paths").Kind() == jsonsrc.Array
}

// MayBeToolpath is a cheap test on the text that no Toolpath document fails.
func MayBeToolpath(t *text.Text) bool { return t.Contains(`"graph"`) && t.Contains(`"paths"`) }

// IsStream says whether a JSON Lines text starts as a Toolpath stream.
func IsStream(src []byte) bool {
	line, _, _ := bytes.Cut(src, []byte("\n"))
	line = bytes.TrimLeft(bytes.TrimPrefix(line, []byte("\ufeff")), " \t\r")
	if !bytes.HasPrefix(line, []byte("{")) {
		return false
	}
	return bytes.HasPrefix(bytes.TrimLeft(line[1:], " \t"), []byte(`"PathOpen"`))
}

// Build makes the model of a tree. Steps that the model of an earlier version has read are
// taken over, and so is the shape of its paths where no edge has changed. prev may be nil.
func Build(t *jsonsrc.Tree, prev *Document) *Document {
	d, _ := BuildUnless(nil, t, prev)
	return d
}

// BuildUnless is Build that is given up, which is not ok, once stop says so. It asks every
// thousand steps; a nil stop never says so.
func BuildUnless(stop func() bool, t *jsonsrc.Tree, prev *Document) (d *Document, ok bool) {
	in := &reading{stop: stop, prev: prev}
	if prev != nil {
		in.changed, in.few = t.ChangedSince(prev.Tree)
	}
	if d = read(t, in); in.stopped {
		return nil, false
	}
	d.actors = sync.OnceValue(func() map[string]ActorDefinition { return Definitions(d.Meta) })
	d.byID = sync.OnceValue(d.pathsByID)
	d.byStep = sync.OnceValue(d.pathsByStep)
	for i, p := range d.Paths {
		p.actors = sync.OnceValue(p.definitions)
		p.dag = sync.OnceValue(p.shape)
		if prev != nil && i < len(prev.Paths) && p.sameShape(prev.Paths[i]) {
			p.ids, p.dag = prev.Paths[i].ids, prev.Paths[i].dag
		}
	}
	return d, true
}

// ReadSteps reads the steps of a canonical document's tree side by side, so that Build
// finds them read; parallel runs work(0) to work(n-1). Once stop says so, the rest is left.
func ReadSteps(t *jsonsrc.Tree, stop func() bool, parallel func(n int, work func(i int))) {
	const shard = 1024
	n := t.NumChunks()
	if t.IsLines() || n-t.Reused() < 4*shard {
		return
	}
	parallel((n+shard-1)/shard, func(i int) {
		if stop != nil && stop() {
			return
		}
		in := NewInterner()
		for k := i * shard; k < min((i+1)*shard, n); k++ {
			stepIn(t, k, t.Chunk(k), in)
		}
	})
}

// StepIn returns the step that chunk i of a tree is, or in a stream holds; not ok if it is
// none. The text that it is part of may have more than the tree.
func StepIn(t *jsonsrc.Tree, i int, in *Interner) (At, bool) {
	v := t.Chunk(i)
	if t.IsLines() {
		key, body := Variant(v)
		if !key.Is("Step") {
			return At{}, false
		}
		v = body
	}
	return At{stepIn(t, i, v, in), t, i}, true
}

// stepIn returns the step that chunk i holds at v, from before if it was read.
func stepIn(t *jsonsrc.Tree, i int, v jsonsrc.Value, in *Interner) *Step {
	c := t.ChunkAt(i)
	s, ok := c.Derived().(*Step)
	if !ok {
		s = c.SetDerived(stepOf(v, in)).(*Step)
	}
	return s
}

// sameShape says whether the paths have equal ids, parents and heads.
func (p *Path) sameShape(q *Path) bool {
	if p.Steps.Len() != q.Steps.Len() || p.Head != q.Head || p.HeadVal.Valid() != q.HeadVal.Valid() {
		return false
	}
	same := func(i int) bool {
		a, b := p.Steps.At(i).Step, q.Steps.At(i).Step
		return a == b || a.ID == b.ID && (a.Nodes.ID == 0) == (b.Nodes.ID == 0) && slices.Equal(a.Parents, b.Parents)
	}
	if changed, ok := p.Steps.changedSince(&q.Steps); ok {
		return !slices.ContainsFunc(changed, func(i int) bool { return !same(i) })
	}
	for i := range p.Steps.Len() {
		if !same(i) {
			return false
		}
	}
	return true
}

// findsSteps makes the table that finds the path's steps, which are all read.
func (p *Path) findsSteps() {
	p.ids = sync.OnceValue(func() *idTable { return newIDTable(&p.Steps) })
}

// reading is one run over a tree.
type reading struct {
	Interner
	prev    *Document // an earlier version; may be nil
	changed []int     // chunks that the earlier version has not, if few says that they are few
	few     bool
	stop    func() bool
	read    int // steps and paths
	stopped bool
}

// goOn says whether another step or path is to be read.
func (in *reading) goOn() bool {
	if in.read++; in.read%1024 == 0 && in.stop != nil && in.stop() {
		in.stopped = true
	}
	return !in.stopped
}

func read(t *jsonsrc.Tree, in *reading) *Document {
	d := &Document{Tree: t, Lines: t.IsLines()}
	if t.NumChunks()-t.Reused() > 64 {
		in.seen = make(map[string]string)
	}
	if d.Lines {
		d.stream(in)
		return d
	}
	d.Form = FormOf(t.Root())
	root := d.Form.Content(t.Root())
	if !d.Form.HoldsGraph() {
		d.only(root, in)
		return d
	}
	d.Graph, d.Meta = root.Get("graph"), root.Get("meta")
	d.ID = d.Graph.Get("id").Text()
	for _, e := range root.Get("paths").Elements() {
		if !in.goOn() {
			break
		}
		d.Paths = append(d.Paths, d.path(e, in))
	}
	return d
}

// only reads a document that is a path, or a step, whose path takes its head and its id from it.
func (d *Document) only(v jsonsrc.Value, in *reading) {
	if !d.Form.HoldsStep() {
		d.Paths = []*Path{d.path(v, in)}
		return
	}
	p := &Path{Doc: d, Value: v}
	if i := v.ChunkIndex(); i >= 0 {
		if p.Steps.read(d.Tree, i, i+1, &Steps{}, in); in.stopped {
			return
		}
		p.Head = p.Steps.At(0).ID
		p.ID = "path-" + p.Head
	}
	p.findsSteps()
	d.Paths = []*Path{p}
}

func (d *Document) path(v jsonsrc.Value, in *reading) *Path {
	p := &Path{Doc: d, Index: len(d.Paths), Value: v, Meta: v.Get("meta"), Ref: v.Get("$ref")}
	p.identify(v.Get("path"))
	if first, last, ok := v.Get("steps").Chunked(); ok {
		before := &Steps{}
		if in.few && p.Index < len(in.prev.Paths) {
			before = &in.prev.Paths[p.Index].Steps
		}
		p.Steps.read(d.Tree, first, last, before, in)
	}
	p.findsSteps()
	return p
}

func (p *Path) identify(identity jsonsrc.Value) {
	p.Identity = identity
	p.IDValue = identity.Get("id")
	p.ID = p.IDValue.Text()
	if head := identity.Get("head"); head.Kind() == jsonsrc.String {
		p.HeadVal, p.Head = head, head.Text()
	}
}

// Patches returns the patches of the PathMeta lines of a stream, in order.
func (p *Path) Patches() []jsonsrc.Value { return p.patch }

// Base returns the path's base object: uri, ref and branch.
func (p *Path) Base() jsonsrc.Value { return p.Identity.Get("base") }

// Parent returns the path's parent object: uri, path and step.
func (p *Path) Parent() jsonsrc.Value { return p.Identity.Get("parent") }

// Kind returns meta.kind.
func (p *Path) Kind() string { return p.metaText("kind") }

// Title returns meta.title.
func (p *Path) Title() string { return p.metaText("title") }

func (p *Path) metaText(field string) string {
	for i := len(p.patch) - 1; i >= 0; i-- {
		if v := p.patch[i].Get(field); v.Kind() == jsonsrc.String {
			return v.Text()
		}
	}
	return p.Meta.Get(field).Text()
}

// IsAgentSession says whether the path is of the kind agent-coding-session, of any version.
func (p *Path) IsAgentSession() bool { return IsAgentSession(p.Kind()) }

// IsAgentSession says whether a kind is agent-coding-session, of any version.
func IsAgentSession(kind string) bool {
	_, after, ok := strings.Cut(kind, "/kinds/agent-coding-session/v")
	return ok && after != ""
}

// Find returns the index of the step with the id: the first one if there are several, -1
// if there is none.
func (p *Path) Find(id string) int {
	return p.ids().find(&p.Steps, id)
}

// Actor looks the definition of an actor up: in the step, then the path, then the graph
// (RFC "Actor Definitions").
func (p *Path) Actor(s At, actor string) (ActorDefinition, bool) {
	if s.Step != nil && s.Nodes.Meta != 0 {
		if k, v := s.Value(s.Nodes.Meta).Get("actors").Member(actor); v.Valid() {
			return NewActorDefinition(k, v), true
		}
	}
	if d, ok := p.actors()[actor]; ok {
		return d, true
	}
	return p.Doc.Actor(actor)
}

// Actor looks the definition of an actor up in the graph's meta.
func (d *Document) Actor(actor string) (ActorDefinition, bool) {
	def, ok := d.actors()[actor]
	return def, ok
}

// ActorNames returns the actors that the path or the graph defines, in order.
func (p *Path) ActorNames() []string {
	all := maps.Clone(p.actors())
	maps.Copy(all, p.Doc.actors())
	return slices.Sorted(maps.Keys(all))
}

// ActorsOf is Actor for many actors of one step.
func (p *Path) ActorsOf(s At) func(actor string) (ActorDefinition, bool) {
	var own map[string]ActorDefinition
	return func(actor string) (ActorDefinition, bool) {
		if own == nil && s.Step != nil {
			own = Definitions(s.Value(s.Nodes.Meta))
		}
		if d, ok := own[actor]; ok {
			return d, true
		}
		return p.Actor(At{}, actor)
	}
}

func (p *Path) definitions() map[string]ActorDefinition {
	all := Definitions(p.Meta)
	for _, line := range p.lines {
		if a := line.Get("actor"); a.Kind() == jsonsrc.String {
			all[a.Text()] = NewActorDefinition(a, line.Get("definition"))
		}
	}
	return all
}

// Find returns the inline path with the id: the first one if there are several, nil if
// there is none.
func (d *Document) Find(id string) *Path { return d.byID()[id] }

// WithStep returns the first path that has a step of the id, nil if there is none.
func (d *Document) WithStep(id string) *Path { return d.byStep()[id] }

func (d *Document) pathsByStep() map[string]*Path {
	all := map[string]*Path{}
	for _, p := range d.Paths {
		for _, s := range p.Steps.All() {
			if s.Nodes.ID != 0 && all[s.ID] == nil {
				all[s.ID] = p
			}
		}
	}
	return all
}

func (d *Document) pathsByID() map[string]*Path {
	all := make(map[string]*Path, len(d.Paths))
	for _, p := range d.Paths {
		if !p.Ref.Valid() && all[p.ID] == nil {
			all[p.ID] = p
		}
	}
	return all
}
