package analysis

import (
	"slices"
	"sort"

	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
)

// lineage is what was done to one file on the way to a head, under the names that it had:
// most producers record a rename as the deletion of one file and the creation of another
// one in one step.
type lineage struct {
	changes []change // in replay order
	// parents are, as in provenance.History, those of the changes; nil if each goes on
	// where the one before it ended.
	parents [][]int
	// first is the absolute path of the file where the last strand begins.
	first string
	// names are those of the file at the beginnings of the strands.
	names []string
}

// segment says what the file was called on a part of a main line.
type segment struct {
	strand int
	until  int32 // positions below have the name
	name   string
}

// tracer follows a file back from the head.
type tracer struct {
	strands  []strand
	file     string
	seen     []change // since it has its name, the newest first
	segments []segment
	branched bool // a branch that was merged speaks of the file
}

// trace follows the file that has a name at the head along the main lines.
func trace(strands []strand, file string) (lineage, *tracer) {
	w := &tracer{strands: strands, file: file}
	l := lineage{names: make([]string, len(strands))}
	for k := range strands {
		w.strand(k, &l)
		l.names[k] = w.file
		if strands[k].cut() {
			break
		}
	}
	slices.Reverse(l.changes)
	l.first = w.file
	return l, w
}

// cut says that the main line of the strand begins with a step whose parents it does not
// have: what comes before is not known.
func (a *strand) cut() bool {
	p := a.t.path
	if p.IsAgentSession() {
		return false
	}
	i := slices.Index(a.order.position, 0)
	return i >= 0 && len(p.DAG().Parents[i]) > 0
}

// strand follows the file through one strand, the newest change first.
func (w *tracer) strand(k int, l *lineage) {
	a := &w.strands[k]
	w.segments = append(w.segments, segment{k, int32(len(a.order.position)) + 1, w.file})
	lists := map[string][]change{}
	for before := int32(len(a.order.position)) + 1; ; {
		list, known := lists[w.file]
		if !known {
			var branched bool
			list, branched = a.t.changesOf(w.file, a.root, a.order)
			w.branched = w.branched || branched
			lists[w.file] = list
		}
		n := sort.Search(len(list), func(i int) bool { return a.order.position[list[i].step] >= before })
		from := ""
		for n > 0 && from == "" {
			n--
			c := list[n]
			c.strand = k
			if from = w.change(a, &c); from != "" {
				before = a.order.position[c.step]
			}
			w.branched = w.branched || !a.t.path.IsAgentSession() && len(a.t.path.DAG().Parents[c.step]) > 1
			l.changes = append(l.changes, c)
		}
		if from == "" {
			return
		}
		w.file = from
		w.segments = append(w.segments, segment{k, before, from})
	}
}

// change goes back over one change, and returns the name of the file before it, if that is
// another one.
func (w *tracer) change(a *strand, c *change) (from string) {
	switch {
	case c.other == "":
		from, c.before = a.t.renamedFrom(*c, w.file, a.root)
	case w.isAlive():
		from = fileOf(c.other, a.root, a.t.base)
	default:
		c.gone = !c.copied
	}
	if from != "" && from != w.file {
		w.seen = nil
		return from
	}
	w.seen = append(w.seen, *c)
	return ""
}

// isAlive says whether there was such a file before what was seen of it: not if that made it.
func (w *tracer) isAlive() bool {
	alive := true
	for _, c := range w.seen {
		t := w.strands[c.strand].t
		if t.changesLines(c) {
			continue
		}
		if e, ok := t.edit(c); ok && e.Delete {
			alive = true
		} else if _, created := t.created(c); created {
			alive = false
		}
	}
	return alive
}

// nameAt is what the file is called after the step at a position of a main line.
func (w *tracer) nameAt(k int, position int32) string {
	name := ""
	for _, s := range w.segments {
		if s.strand == k && position < s.until {
			name = s.name
		}
	}
	return name
}

// graph puts the changes of the branches that were merged between those of the main line.
// checks are, for strands, the content of the file where they begin.
func (w *tracer) graph(l lineage, checks map[int]*string) lineage {
	g := newStepGraph(w, l, checks)
	g.nameBranches()
	g.addBranches()
	nodes := provenance.Contract(g.parents, func(i int) bool { return i >= g.steps || len(g.changes[i]) > 0 }, w.strands[0].tip)
	return g.lineage(nodes)
}

// list puts the checks between the changes of the strands.
func (l lineage) list(checks map[int]*string) lineage {
	for k, content := range checks {
		if i := slices.IndexFunc(l.changes, func(c change) bool { return c.strand == k }); i >= 0 {
			l.changes = slices.Insert(slices.Clone(l.changes), i, change{strand: k, step: -1, was: content})
		}
	}
	return l
}

// stepGraph is the graph of the steps of all strands, by their numbers, and of what stands
// for what is not known: behind the steps, one for each strand.
type stepGraph struct {
	*tracer
	l       lineage
	checks  map[int]*string
	steps   int
	parents [][]int
	changes map[int][]change // that have an effect on the file
	names   map[int]string   // of the file after the steps of branches
}

func newStepGraph(w *tracer, l lineage, checks map[int]*string) *stepGraph {
	g := &stepGraph{tracer: w, l: l, checks: checks, changes: map[int][]change{}, names: map[int]string{}}
	last := &w.strands[len(w.strands)-1]
	g.steps = last.first + len(last.t.path.Steps)
	g.parents = make([][]int, g.steps+len(w.strands))
	for _, c := range l.changes {
		if _, ok := w.strands[c.strand].t.edit(c); ok {
			n := w.strands[c.strand].first + c.step
			g.changes[n] = append(g.changes[n], c)
		}
	}
	for k := range w.strands {
		g.connect(k)
	}
	return g
}

// begin is what the steps of a strand that have no parents start from: -1 is the base.
func (g *stepGraph) begin(k int) int {
	if a := &g.strands[k]; a.next == unknown || g.checks[k] != nil {
		return g.steps + k
	} else if a.next == atStep {
		return g.strands[k+1].first + g.strands[k+1].tip
	}
	return -1
}

// connect adds the edges of a strand. A merge that was derived from a commit and does not
// name the file left it as its first parent had it.
func (g *stepGraph) connect(k int) {
	a := &g.strands[k]
	p, begin := a.t.path, g.begin(k)
	if g.checks[k] != nil {
		g.parents[g.steps+k] = []int{g.strands[k+1].first + g.strands[k+1].tip}
	}
	if p.IsAgentSession() {
		for i := range a.tip + 1 {
			if g.parents[a.first+i] = []int{a.first + i - 1}; i == 0 {
				g.parents[a.first] = []int{begin}
			}
		}
		return
	}
	for i, parents := range p.DAG().Parents {
		n := a.first + i
		if len(parents) == 0 {
			g.parents[n] = []int{begin}
			continue
		}
		if len(parents) > 1 && len(g.changes[n]) == 0 && isCommit(p.Steps[i]) {
			parents = parents[:1]
		}
		for _, q := range parents {
			if q < 0 {
				g.parents[n] = append(g.parents[n], g.steps+k)
			} else {
				g.parents[n] = append(g.parents[n], a.first+int(q))
			}
		}
	}
}

// nameBranches follows the file through the branches, from where they leave on.
func (g *stepGraph) nameBranches() {
	for k := len(g.strands) - 1; k >= 0; k-- {
		a := &g.strands[k]
		if !slices.Contains(a.order.merged, true) {
			continue
		}
		dag := a.t.path.DAG()
		var stack []int32
		for i, merged := range a.order.merged {
			if merged && g.names[a.first+i] == "" {
				stack = append(stack, int32(i))
			}
			for len(stack) > 0 {
				i := stack[len(stack)-1]
				from := int32(-1)
				if parents := dag.Parents[i]; len(parents) > 0 {
					from = parents[0]
				}
				switch {
				case from < 0:
					g.names[a.first+int(i)] = g.renamed(a, i, g.l.names[k])
				case a.order.position[from] >= 0:
					g.names[a.first+int(i)] = g.renamed(a, i, g.nameAt(k, a.order.position[from]))
				case g.names[a.first+int(from)] != "":
					g.names[a.first+int(i)] = g.renamed(a, i, g.names[a.first+int(from)])
				case len(stack) > len(dag.Parents): // a cycle
					g.names[a.first+int(i)] = g.l.names[k]
				default:
					stack = append(stack, from)
					continue
				}
				stack = stack[:len(stack)-1]
			}
		}
	}
}

// renamed is the name of a file after a step, given that before it.
func (g *stepGraph) renamed(a *strand, step int32, before string) string {
	gone := a.t.deleted[step]
	names, n := namesOf(before, a.root, a.t.base)
	for _, name := range names[:n] {
		for _, r := range a.t.renames[name] {
			if r.step == step && !r.copy {
				if after := fileOf(r.other, a.root, a.t.base); after != "" {
					return after
				}
			}
		}
		if gone == nil || !slices.ContainsFunc(gone.list, func(d deletion) bool { return d.name == name }) {
			continue
		}
		s := a.t.path.Steps[step]
		for key, val := range s.Value(s.Nodes.Change).Members() {
			after := fileOf(artifactName(key.Text(), a.t.base), a.root, a.t.base)
			if after == "" || after == before {
				continue
			}
			if from, _ := a.t.renamedFrom(change{step: int(step), key: key, value: val}, after, a.root); from == before {
				return after
			}
		}
	}
	return before
}

// addBranches adds what the steps of branches did to the file.
func (g *stepGraph) addBranches() {
	for k := range g.strands {
		a := &g.strands[k]
		seen := map[string]bool{}
		for i, merged := range a.order.merged {
			if name := g.names[a.first+i]; merged && !seen[name] {
				seen[name] = true
				g.addBranch(k, name)
			}
		}
	}
}

func (g *stepGraph) addBranch(k int, file string) {
	a := &g.strands[k]
	names, n := namesOf(file, a.root, a.t.base)
	add := func(at touch, other string, copied bool) {
		if !a.order.merged[at.step] || g.names[a.first+int(at.step)] != file {
			return
		}
		c := a.t.at(at)
		c.strand, c.other, c.copied = k, other, copied
		if other == "" {
			_, c.before = a.t.renamedFrom(c, file, a.root)
		}
		num := a.first + c.step
		if _, ok := a.t.edit(c); ok && !slices.ContainsFunc(g.changes[num], func(f change) bool { return f.key == c.key }) {
			g.changes[num] = append(g.changes[num], c)
		}
	}
	for _, name := range names[:n] {
		for _, r := range a.t.renames[name] {
			add(r.touch, r.other, r.copy)
		}
		for _, at := range a.t.steps[name] {
			add(at, "", false)
		}
	}
}

// lineage lists the changes of the nodes with their parents.
func (g *stepGraph) lineage(nodes []provenance.Node) lineage {
	l := lineage{first: g.l.first, names: g.l.names, parents: [][]int{}}
	ends := make([]int, len(nodes)) // by node: its last change
	for i, n := range nodes {
		from := make([]int, len(n.Parents))
		for k, p := range n.Parents {
			from[k] = provenance.BaseVersion
			if p >= 0 {
				from[k] = ends[p]
			}
		}
		list := g.changes[n.Index]
		if len(list) == 0 {
			list = []change{g.silent(n.Index)}
		}
		for _, c := range list {
			l.changes, l.parents = append(l.changes, c), append(l.parents, from)
			from = []int{len(l.changes) - 1}
		}
		ends[i] = len(l.changes) - 1
	}
	return l
}

// silent is the change of a node that has none: of a merge, or of what is not known.
func (g *stepGraph) silent(n int) change {
	if k := n - g.steps; k >= 0 {
		return change{strand: k, step: -1, was: g.checks[k], drop: g.checks[k] == nil}
	}
	k := 0
	for k+1 < len(g.strands) && g.strands[k+1].first <= n {
		k++
	}
	return change{strand: k, step: n - g.strands[k].first}
}
