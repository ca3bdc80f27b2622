package provenance

import (
	"container/heap"
	"slices"

	"github.com/toolpath-ls/toolpath-ls/analysis/linediff"
)

// BaseVersion is the parent of an edit that starts from [History].Base.
const BaseVersion = -1

// MergeLimit bounds, in one projection, the edits that are visited to find where
// the sides of merges without a record parted. Behind it, they count as conflicts.
const MergeLimit = 1 << 22

// VersionLimit bounds the lines of all versions that a replay keeps because an
// edit to come starts from them. A version that would go beyond is forgotten.
const VersionLimit = 1 << 24

// Node is an edit in a graph that [Contract] made.
type Node struct {
	Index   int   // in the graph that was given
	Parents []int // positions in the result, first parent first; BaseVersion: the base
}

// Contract reduces a graph of steps to those that count for one file: the steps
// that touch it, and the merges that join several of them. parents gives the
// parents of each step, in order; a parent that does not exist stands for the
// base. Only head and what it comes from count. The result is in replay order, as
// [History].Edits and [History].Parents want it; what a node is made from comes
// last, so the head, unless it touches nothing, is the last node.
//
// A merge that touches nothing is a node if its sides differ; where the producer
// records merges against the first parent, so that no record means no change, the
// caller gives such a merge that parent alone.
func Contract(parents [][]int, touches func(step int) bool, head int) []Node {
	c := contraction{parents: parents, touches: touches, at: make([]int, len(parents))}
	if head < 0 || head >= len(parents) {
		return nil
	}
	c.visit(head)
	last := c.at[head] - done
	return slices.Clip(c.nodes[:last+1])
}

// contraction has for each step in at: 0 not seen, 1 being visited, else the
// position of its node plus done.
type contraction struct {
	parents [][]int
	touches func(step int) bool
	at      []int
	nodes   []Node
	met     marks
}

const (
	visiting = 1
	done     = 3 // BaseVersion + done is neither 0 nor visiting
)

// visit goes through what head comes from, parents first. A step that comes from
// itself is as one without that parent.
func (c *contraction) visit(head int) {
	stack := []int{head}
	for len(stack) > 0 {
		step := stack[len(stack)-1]
		if c.at[step] >= done+BaseVersion {
			stack = stack[:len(stack)-1]
			continue
		}
		if c.at[step] == visiting {
			c.at[step] = c.node(step) + done
			stack = stack[:len(stack)-1]
			continue
		}
		c.at[step] = visiting
		for _, p := range slices.Backward(c.parents[step]) {
			if p >= 0 && p < len(c.parents) && c.at[p] == 0 {
				stack = append(stack, p)
			}
		}
	}
}

// node makes a node of a step whose parents are visited, or finds the one that
// has the same content.
func (c *contraction) node(step int) int {
	var from []int
	c.met.clear()
	for _, p := range c.parents[step] {
		at := BaseVersion
		if p >= 0 && p < len(c.parents) && c.at[p] >= done+BaseVersion {
			at = c.at[p] - done
		}
		if c.met.first(at - BaseVersion) {
			from = append(from, at)
		}
	}
	if !c.touches(step) {
		// Any version comes from the base.
		if i := slices.Index(from, BaseVersion); i >= 0 && len(from) > 1 {
			from = slices.Delete(from, i, i+1)
		}
		switch len(from) {
		case 0:
			return BaseVersion
		case 1:
			return from[0]
		}
	}
	if len(from) == 0 {
		from = []int{BaseVersion}
	}
	c.nodes = append(c.nodes, Node{step, from})
	return len(c.nodes) - 1
}

// graph replays edits that have parents.
type graph struct {
	*replay
	h       History
	parents [][]int
	meets   map[int]int     // where the sides of a merge without a record parted
	until   []int           // the last edit that needs a version, base first
	kept    map[int]version // by edit
	size    int             // lines of the kept versions
	visits  int             // left of MergeLimit
}

func (r *replay) graph(h History) {
	g := &graph{replay: r, h: h, meets: map[int]int{}, until: make([]int, len(h.Edits)+1), kept: map[int]version{}, visits: MergeLimit}
	g.parents = sound(h)
	g.plan()
	g.keep(BaseVersion, 0)
	for i := range h.Edits {
		e := r.load(&h, i)
		r.begin(i, e.Step)
		if h.Done != nil && h.Done() {
			r.stop(len(h.Edits))
			return
		}
		g.edit(i, e)
		g.keep(i, i+1)
		for _, p := range g.parents[i] {
			g.forget(p, i)
		}
		if meet, ok := g.meets[i]; ok {
			g.forget(meet, i)
		}
	}
}

// sound are the parents of h with what is no parent left out.
func sound(h History) [][]int {
	all := make([][]int, len(h.Edits))
	var met marks
	for i := range all {
		met.clear()
		if i < len(h.Parents) {
			for _, p := range h.Parents[i] {
				if p >= BaseVersion && p < i && met.first(p-BaseVersion) {
					all[i] = append(all[i], p)
				}
			}
		}
		if len(all[i]) == 0 {
			all[i] = []int{BaseVersion}
		}
	}
	return all
}

// silent says that a merge has no record of its result.
func silent(e *Edit) bool { return !e.HasRaw && e.Whole == nil && !e.Delete }

// plan finds out for how long each version is needed.
func (g *graph) plan() {
	for i := range g.h.Edits {
		for _, p := range g.parents[i] {
			g.until[p+1] = i
		}
		if e := &g.h.Edits[i]; len(g.parents[i]) > 1 && silent(e) && !e.GitDeriver {
			if meet, ok := g.meet(g.parents[i][0], g.parents[i][1]); ok {
				g.meets[i] = meet
				g.until[meet+1] = i
			}
		}
	}
}

// descending is a heap of edits, the last one on top.
type descending []int

func (d descending) Len() int           { return len(d) }
func (d descending) Less(i, j int) bool { return d[i] > d[j] }
func (d descending) Swap(i, j int)      { d[i], d[j] = d[j], d[i] }
func (d *descending) Push(x any)        { *d = append(*d, x.(int)) }
func (d *descending) Pop() any {
	old := *d
	x := old[len(old)-1]
	*d = old[:len(old)-1]
	return x
}

// meet is the last edit from which both a and b come.
func (g *graph) meet(a, b int) (int, bool) {
	sides := map[int]uint8{}
	var todo descending
	push := func(i int, side uint8) {
		if sides[i] == 0 {
			heap.Push(&todo, i)
		}
		sides[i] |= side
	}
	push(a, 1)
	push(b, 2)
	for len(todo) > 0 && g.visits > 0 {
		g.visits--
		i := heap.Pop(&todo).(int)
		if sides[i] == 3 || i == BaseVersion {
			return i, true
		}
		for _, p := range g.parents[i] {
			push(p, sides[i])
		}
	}
	return 0, false
}

// keep stores the current version if an edit behind the next one, or several,
// start from it.
func (g *graph) keep(i, next int) {
	if g.until[i+1] < next || g.size+len(g.lines) > VersionLimit {
		return
	}
	if next < len(g.h.Edits) && g.until[i+1] == next && len(g.parents[next]) == 1 {
		return // it is at hand
	}
	v := g.version
	v.lines = slices.Clone(v.lines)
	g.kept[i] = v
	g.size += len(v.lines)
}

// forget drops a version that no edit behind now needs.
func (g *graph) forget(i, now int) {
	if v, ok := g.kept[i]; ok && g.until[i+1] <= now {
		g.size -= len(v.lines)
		delete(g.kept, i)
	}
}

// start makes the version after edit i the current one.
func (g *graph) start(i, now int) {
	if v, ok := g.kept[i]; ok {
		lines := append(g.lines[:0], v.lines...)
		g.version = v
		g.lines = lines
		return
	}
	if i == now-1 {
		return
	}
	g.version = version{lines: g.lines[:0], gap: -1}
	g.lose(Problem{Kind: TooManyVersions, Hunk: -1})
}

func (g *graph) edit(i int, e *Edit) {
	parents := g.parents[i]
	g.start(parents[0], i)
	if len(parents) > 1 && silent(e) {
		g.join(i, e)
		return
	}
	was := len(g.lines)
	g.replay.edit(e)
	if !g.known || len(g.lines) == was && !g.wrote() {
		return // the first parent has it all
	}
	for _, p := range parents[1:] {
		if v, ok := g.kept[p]; ok && v.known {
			if g.takeAll(v, i) {
				return
			}
			g.takeSome(v)
		}
	}
}

// takeAll makes v the result if it has the same text.
func (g *graph) takeAll(v version, now int) bool {
	if !g.sameText(v.lines, g.lines) {
		return false
	}
	gap := max(g.lastGap, v.lastGap)
	lines := append(g.lines[:0], v.lines...)
	doubt := g.doubt
	g.version = v
	g.lines, g.lastGap, g.doubt = lines, gap, doubt || v.doubt
	return true
}

// own says that the line is one that the edit wrote.
func (g *graph) own(id LineID) bool { return int(g.p.idents[id].edit) == g.now+1 }

func (g *graph) wrote() bool { return slices.ContainsFunc(g.lines, g.own) }

func (g *graph) sameText(a, b []LineID) bool {
	return slices.EqualFunc(a, b, func(x, y LineID) bool {
		return x == y || g.p.Text(x) == g.p.Text(y) && (g.p.idents[x].Flags^g.p.idents[y].Flags)&NoEOL == 0
	})
}

// takeSome takes from v the lines that the edit seems to have written: it has its
// record from the first parent only.
func (g *graph) takeSome(v version) {
	if !g.wrote() {
		return
	}
	took := false
	at, old := 0, 0
	for _, h := range append(g.between(v.lines, g.lines, likeBlame), closing(len(v.lines), len(g.lines))) {
		for ; at < h.NewStart; at, old = at+1, old+1 {
			if g.own(g.lines[at]) {
				g.lines[at] = v.lines[old]
				took = true
			}
		}
		at, old = h.NewEnd, h.OldEnd
	}
	if took {
		g.lastGap = max(g.lastGap, v.lastGap)
	}
}

// between is the line diff of two versions.
func (r *replay) between(a, b []LineID, o linediff.Options) []linediff.Hunk {
	return linediff.Bytes(r.content(a), r.content(b), o)
}

func (r *replay) content(lines []LineID) []byte {
	var b []byte
	for i, id := range lines {
		b = append(b, r.p.Text(id)...)
		if i < len(lines)-1 || r.p.idents[id].Flags&NoEOL == 0 {
			b = append(b, '\n')
		}
	}
	return b
}

// join makes the result of a merge without a record, the current version being
// the first parent. What only one side changed is that side's; where both changed
// the same lines, the result has both, and either is a guess.
func (g *graph) join(i int, e *Edit) {
	parents := g.parents[i]
	if e.GitDeriver {
		return
	}
	meet, ok := g.kept[g.meets[i]]
	_, found := g.meets[i]
	ok = ok && found && len(parents) == 2
	for _, p := range parents[1:] {
		v, there := g.kept[p]
		switch {
		case !there || !v.known || !g.known:
			g.lose(Problem{Kind: NoContent, Hunk: -1})
			return
		case slices.Equal(g.lines, v.lines):
			g.share(v)
		case ok && slices.Equal(g.lines, meet.lines):
			g.lines = append(g.lines[:0], v.lines...)
			g.absent, g.deleted = v.absent, v.deleted
			g.share(v)
		case ok && slices.Equal(v.lines, meet.lines):
			g.share(v)
		default:
			if !ok {
				meet = version{lines: g.common(v.lines)}
			}
			g.weave(meet.lines, v.lines)
			g.share(v)
			g.absent = g.absent && v.absent
			if !g.doubt {
				g.problem(Problem{Kind: Unmerged, Hunk: -1})
			}
			g.doubt = true
		}
	}
}

// share makes the doubts about another parent those about the current version: what
// was lost there might have changed it.
func (g *graph) share(v version) {
	g.lastGap, g.doubt = max(g.lastGap, v.lastGap), g.doubt || v.doubt
	if v.cap > 0 && (g.cap == 0 || v.cap < g.cap) {
		g.cap = v.cap
	}
}

// common are the lines that the current version has in common with theirs.
func (g *graph) common(theirs []LineID) []LineID {
	var both []LineID
	at := 0
	for _, h := range append(g.between(g.lines, theirs, linediff.Options{IndentHeuristic: true}), closing(len(g.lines), len(theirs))) {
		both = append(both, g.lines[at:h.OldStart]...)
		at = h.OldEnd
	}
	return both
}

// weave merges theirs into the current version; both come from meet.
func (g *graph) weave(meet, theirs []LineID) {
	mine := slices.Clone(g.lines)
	a := g.between(meet, mine, linediff.Options{IndentHeuristic: true})
	b := g.between(meet, theirs, linediff.Options{IndentHeuristic: true})
	g.lines = g.lines[:0]
	at := 0                // in meet
	shiftA, shiftB := 0, 0 // from meet to mine, to theirs
	for len(a) > 0 || len(b) > 0 {
		from, to := start(a, b)
		var na, nb int
		for grown := true; grown; {
			grown = false
			for na < len(a) && a[na].OldStart <= to {
				to, grown = max(to, a[na].OldEnd), true
				na++
			}
			for nb < len(b) && b[nb].OldStart <= to {
				to, grown = max(to, b[nb].OldEnd), true
				nb++
			}
		}
		g.lines = append(g.lines, mine[at+shiftA:from+shiftA]...)
		fromA, fromB := from+shiftA, from+shiftB
		shiftA, shiftB = shiftA+growth(a[:na]), shiftB+growth(b[:nb])
		x, y := mine[fromA:to+shiftA], theirs[fromB:to+shiftB]
		switch {
		case nb == 0:
			g.lines = append(g.lines, x...)
		case na == 0:
			g.lines = append(g.lines, y...)
		case g.sameText(x, y):
			g.lines = append(g.lines, x...)
		default:
			g.guess(x)
			g.guess(y)
		}
		a, b, at = a[na:], b[nb:], to
	}
	g.lines = append(g.lines, mine[at+shiftA:]...)
}

// start is where the first hunk of two lists starts, in the old text.
func start(a, b []linediff.Hunk) (from, to int) {
	if len(b) == 0 || len(a) > 0 && a[0].OldStart < b[0].OldStart {
		return a[0].OldStart, a[0].OldStart
	}
	return b[0].OldStart, b[0].OldStart
}

// growth is by how many lines hunks make a text longer.
func growth(hunks []linediff.Hunk) int {
	n := 0
	for _, h := range hunks {
		n += h.NewEnd - h.NewStart - (h.OldEnd - h.OldStart)
	}
	return n
}

// guess takes lines that both sides of a merge may have.
func (g *graph) guess(lines []LineID) {
	for _, id := range lines {
		ident := g.p.idents[id]
		ident.Kind, ident.Prev, ident.Step, ident.edit, ident.Conf = Merge, id, g.step, uint32(g.now+1), confMerge
		g.p.idents = append(g.p.idents, ident)
		g.lines = append(g.lines, LineID(len(g.p.idents)-1))
	}
}
