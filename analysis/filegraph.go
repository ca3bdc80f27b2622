package analysis

import (
	"slices"

	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
)

// fileGraph is the life of a file where branches are merged: which steps it went through, and
// under which name. A file that was renamed on one branch alone goes through the step where
// the branches part under two names.
type fileGraph struct {
	strands []strand
	checks  map[int]*string // by strand: what the file was where it begins
	base    func(name string) (content *string, absent bool)
	nodes   []fileNode
	at      map[fileAt]int
	touches map[nameIn]map[int][]change
	there   map[nameIn]map[int]bool // by step: whether there was a file after it
}

// fileAt is a file after a step: number is that of the step among those of all strands.
type fileAt struct {
	number int
	name   string
}

// nameIn is a file as a strand knows it.
type nameIn struct {
	strand int
	name   string
}

// fileNode is a step on the way of the file, or what stands for none.
type fileNode struct {
	parents []int
	changes []change // that have an effect on the file
	silent  change   // what it is if there are none
	edge    bool     // it stands for no step
}

// newFileGraph follows the file that has a name at the head through all branches. base
// returns what a file was where the last strand begins, nil if that is not known.
func newFileGraph(strands []strand, file string, checks map[int]*string, base func(name string) (content *string, absent bool)) *fileGraph {
	g := &fileGraph{strands: strands, checks: checks, base: base, at: map[fileAt]int{},
		touches: map[nameIn]map[int][]change{}, there: map[nameIn]map[int]bool{}}
	g.visit(fileAt{strands[0].tip, file})
	return g
}

// visit makes the node of a file after a step, and all before it.
func (g *fileGraph) visit(head fileAt) {
	todo := []fileAt{head}
	g.add(head)
	for len(todo) > 0 {
		here := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		n := g.at[here]
		for _, p := range g.parents(here, n) {
			i, known := g.at[p]
			if !known {
				i = g.add(p)
				todo = append(todo, p)
			}
			g.nodes[n].parents = append(g.nodes[n].parents, i)
		}
	}
}

func (g *fileGraph) add(at fileAt) int {
	g.nodes = append(g.nodes, fileNode{})
	g.at[at] = len(g.nodes) - 1
	return len(g.nodes) - 1
}

// strandOf is the strand that has a step.
func (g *fileGraph) strandOf(number int) int {
	k := 0
	for g.strands[k].first > number {
		k++
	}
	return k
}

// parents fills the node of a file after a step, and returns the files that it comes from.
// What stands for no step has a number below 0: -1-k is where strand k begins.
func (g *fileGraph) parents(at fileAt, n int) []fileAt {
	if at.number < 0 {
		return g.beginning(at, n)
	}
	k := g.strandOf(at.number)
	a := &g.strands[k]
	step := at.number - a.first
	g.nodes[n].silent = change{strand: k, step: step}
	from := g.changes(k, step, at.name, n)
	before := g.before(k, step)
	if len(g.nodes[n].changes) == 0 && len(before) > 1 && isCommit(a.t.path.Steps.At(step)) {
		before = before[:1] // it left the file as its first parent had it
	}
	var all []fileAt
	for i, p := range before {
		name := at.name
		switch {
		case i == 0 && from != "":
			name = from
		case i > 0:
			name = g.nameOn(p, at, from)
		}
		if name != "" {
			all = append(all, fileAt{p, name})
		}
	}
	return all
}

// before are the numbers of the steps before a step, first parent first.
func (g *fileGraph) before(k, step int) []int {
	a := &g.strands[k]
	p := a.t.path
	if p.IsAgentSession() {
		if step > 0 {
			return []int{a.first + step - 1}
		}
		return []int{-1 - k}
	}
	parents := p.DAG().Parents.At(step)
	if len(parents) == 0 {
		return []int{-1 - k}
	}
	all := make([]int, len(parents))
	for i, q := range parents {
		if all[i] = a.first + int(q); q < 0 {
			all[i] = -1 - k - len(g.strands) // a step that the path does not have
		}
	}
	return all
}

// beginning fills the node of a file where a strand begins.
func (g *fileGraph) beginning(at fileAt, n int) []fileAt {
	k := -1 - at.number
	node := &g.nodes[n]
	if k >= len(g.strands) {
		node.edge, node.silent = true, change{strand: k - len(g.strands), step: -1, drop: true}
		return nil
	}
	switch g.strands[k].next {
	case unknown:
		return nil
	case atBase:
		content, absent := g.base(at.name)
		node.edge, node.silent = content != nil, change{strand: k, step: -1, was: content, gone: absent}
		return nil
	}
	next := &g.strands[k+1]
	node.silent = change{strand: k, step: -1, was: g.checks[k]}
	if node.edge = g.checks[k] != nil; next.tip < 0 {
		return nil
	}
	return []fileAt{{next.first + next.tip, at.name}}
}

// changes fills the node with what a step did to the file, and returns the name that the file
// had before, if that is another one.
func (g *fileGraph) changes(k, step int, name string, n int) (from string) {
	a := &g.strands[k]
	for _, c := range g.touching(k, name)[step] {
		if c.other != "" {
			other := a.site.fileOf(c.other, a.t.base)
			switch before := g.before(k, step)[0]; {
			case other == "" || other == name:
				c.other = ""
			case !c.copied && g.exists(before, name) && !g.exists(before, other):
				c.gone = true // the file went there, and came back later
			default:
				from = other
			}
		} else if old, content := a.t.renamedFrom(c, name, a.site); old != "" && old != name {
			from, c.before = old, content
		}
		if _, ok := a.t.edit(c); ok {
			g.nodes[n].changes = append(g.nodes[n].changes, c)
		}
	}
	return from
}

// touching are the changes of a file in a strand by step.
func (g *fileGraph) touching(k int, name string) map[int][]change {
	key := nameIn{k, name}
	if all, ok := g.touches[key]; ok {
		return all
	}
	all := map[int][]change{}
	a := &g.strands[k]
	add := func(at touch, other string, copied bool) {
		c := a.t.at(at)
		c.strand, c.other, c.copied = k, other, copied
		if !slices.ContainsFunc(all[c.step], func(f change) bool { return f.key == c.key }) {
			all[c.step] = append(all[c.step], c)
		}
	}
	for _, name := range a.site.namesOf(name, a.t.base) {
		for _, r := range a.t.renames[name] {
			add(r.touch, r.other, r.copy)
		}
		for _, at := range a.t.steps[name] {
			add(at, "", false)
		}
	}
	g.touches[key] = all
	return all
}

// nameOn is what the file is called on a branch that is merged, "" if it is not there. At the
// merge it is called as at says, and from is what it was called on the main line before, if
// that is another name.
func (g *fileGraph) nameOn(branch int, at fileAt, from string) string {
	if g.exists(branch, at.name) {
		return at.name
	}
	if from != "" && g.exists(branch, from) {
		return from
	}
	// The main line may have renamed it since the branches parted.
	k := g.strandOf(at.number)
	a := &g.strands[k]
	name, step := at.name, at.number-a.first
	for range a.t.path.Steps.Len() {
		var n fileNode
		g.nodes = append(g.nodes, n)
		old := g.changes(k, step, name, len(g.nodes)-1)
		g.nodes = g.nodes[:len(g.nodes)-1]
		if old != "" {
			if name = old; g.exists(branch, name) {
				return name
			}
		}
		next := g.before(k, step)[0]
		if next < a.first {
			break
		}
		step = next - a.first
	}
	return ""
}

// exists says whether there was a file after a step, as far as the steps on its main line
// tell; a file of which they do not speak was there before.
func (g *fileGraph) exists(number int, name string) bool {
	var way []fileAt
	answer := true
	for k := 0; ; {
		if number < 0 {
			k = -1 - number
			if k >= len(g.strands) || g.strands[k].next != atStep || g.strands[k+1].tip < 0 {
				answer = !g.isNew(k%len(g.strands), name)
				break
			}
			number = g.strands[k+1].first + g.strands[k+1].tip
			continue
		}
		k = g.strandOf(number)
		key, step := nameIn{k, name}, number-g.strands[k].first
		if known, ok := g.there[key][step]; ok {
			answer = known
			break
		}
		if list := g.touching(k, name)[step]; len(list) > 0 {
			c := list[len(list)-1]
			e, ok := g.strands[k].t.edit(c)
			if ok {
				answer = !e.Delete && !g.deletes(k, step, name)
				if c.other != "" && !c.copied && artifactName(c.key.Text(), g.strands[k].t.base) != c.other {
					answer = true
				}
				g.note(fileAt{number, name}, answer)
				break
			}
		}
		way = append(way, fileAt{number, name})
		if len(way) > 1<<20 {
			break
		}
		number = g.before(k, step)[0]
	}
	for _, at := range way {
		g.note(at, answer)
	}
	return answer
}

func (g *fileGraph) note(at fileAt, answer bool) {
	k := g.strandOf(at.number)
	key := nameIn{k, at.name}
	if g.there[key] == nil {
		g.there[key] = map[int]bool{}
	}
	g.there[key][at.number-g.strands[k].first] = answer
}

// deletes says whether a step removes a file with a diff that takes all of its lines away.
func (g *fileGraph) deletes(k, step int, name string) bool {
	a := &g.strands[k]
	gone := a.t.deleted[int32(step)]
	if gone == nil {
		return false
	}
	names := a.site.namesOf(name, a.t.base)
	return slices.ContainsFunc(gone.list, func(d deletion) bool { return slices.Contains(names, d.name) })
}

// isNew says whether the first thing that a strand says of a file is that it made it.
func (g *fileGraph) isNew(k int, name string) bool {
	first := -1
	all := g.touching(k, name)
	for step := range all {
		if first < 0 || step < first {
			first = step
		}
	}
	if first < 0 {
		return true // nobody ever spoke of it
	}
	for _, c := range all[first] {
		if _, created := g.strands[k].t.created(c); created {
			return true
		}
	}
	return false
}

// lineage lists the changes of the graph in replay order.
func (g *fileGraph) lineage(l lineage) lineage {
	parents := make([][]int, len(g.nodes))
	for i := range g.nodes {
		parents[i] = g.nodes[i].parents
	}
	nodes := provenance.Contract(parents, func(i int) bool { return g.nodes[i].edge || len(g.nodes[i].changes) > 0 }, 0)
	out := lineage{first: l.first, names: l.names, parents: [][]int{}, changes: newChanges(g.strands, 0)}
	ends := make([]int, len(nodes)) // by node: its last change
	for i, n := range nodes {
		from := make([]int, len(n.Parents))
		for k, p := range n.Parents {
			from[k] = provenance.BaseVersion
			if p >= 0 {
				from[k] = ends[p]
			}
		}
		list := g.nodes[n.Index].changes
		if len(list) == 0 {
			list = []change{g.nodes[n.Index].silent}
		}
		for _, c := range list {
			out.changes.add(c)
			out.parents = append(out.parents, from)
			from = []int{out.changes.len() - 1}
		}
		ends[i] = out.changes.len() - 1
	}
	return out
}
