package query

import (
	"container/heap"
	"errors"
	"fmt"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// maxLevels bounds a chain of path.parent.
const maxLevels = 1000

// history is a path and the paths that it descends from, which are read when a walk comes
// to them.
type history struct {
	levels  []level
	on      map[*toolpath.Path]bool // the paths of the levels
	parents *parents
	gaps    []string
	told    map[string]bool
}

// parents are the documents that were read for a question, each once.
type parents struct {
	load   Loader
	loaded map[reference]document
	byName map[string]document
}

// reference is how a document is named: a URI in the document of a name.
type reference struct{ from, uri string }

type document struct {
	Source
	byID map[string]*toolpath.Path // the first path of an id
	err  error
}

func newParents(load Loader) *parents {
	return &parents{load, map[reference]document{}, map[string]document{}}
}

// document reads the document that a URI names in another one.
func (p *parents) document(from Source, uri string) document {
	ref := reference{from.Name, uri}
	d, known := p.loaded[ref]
	if !known {
		if p.load == nil {
			d.err = errNoLoader
		} else {
			d.Source, d.err = p.load(from, uri)
		}
		if d.err == nil {
			d = p.named(d.Source)
		}
		p.loaded[ref] = d
	}
	return d
}

var errNoLoader = errors.New("other documents are not read here")

// named returns the one document of a name.
func (p *parents) named(s Source) document {
	d, known := p.byName[s.Name]
	if !known {
		d = document{Source: s, byID: map[string]*toolpath.Path{}}
		for _, path := range s.Model.Paths {
			if d.byID[path.ID] == nil && path.Identity.Valid() {
				d.byID[path.ID] = path
			}
		}
		p.byName[s.Name] = d
	}
	return d
}

// level is one path of the chain. The level before it descends from its step.
type level struct {
	source Source
	path   *toolpath.Path
	step   int
	ended  bool // no level comes after it
}

// place is a step of a level.
type place struct{ level, step int }

func newHistory(s Source, p *toolpath.Path, parents *parents) *history {
	return &history{levels: []level{{source: s, path: p}}, on: map[*toolpath.Path]bool{p: true}, parents: parents, told: map[string]bool{}}
}

func (h *history) path() *toolpath.Path { return h.levels[0].path }

// maxGaps is how many gaps are told.
const maxGaps = 20

// cutOff tells, once, where history ends that has not begun there.
func (h *history) cutOff(gap string) {
	if !h.told[gap] && len(h.gaps) < maxGaps {
		h.told[gap] = true
		h.gaps = append(h.gaps, gap)
	}
}

func (h *history) step(at place) Step { return Step{h.levels[at.level].path, at.step} }

// above returns the step that the root steps of a level descend from. It is not ok where
// history begins, or is cut off.
func (h *history) above(n int) (at place, ok bool) {
	if n+1 < len(h.levels) {
		return place{n + 1, h.levels[n+1].step}, true
	}
	if h.levels[n].ended {
		return place{}, false
	}
	next, gap := h.parent(h.levels[n])
	if gap != "" {
		h.cutOff(gap)
	}
	if next.path == nil {
		h.levels[n].ended = true
		return place{}, false
	}
	h.levels = append(h.levels, next)
	h.on[next.path] = true
	return place{n + 1, next.step}, true
}

// parent follows the path.parent of a level; without one history begins here.
func (h *history) parent(l level) (next level, gap string) {
	v := l.path.Parent()
	if !v.Valid() || v.Kind() == jsonsrc.Null {
		return level{}, ""
	}
	uri, id, step := v.Get("uri"), v.Get("path"), v.Get("step")
	if uri.Kind() != jsonsrc.String || id.Kind() != jsonsrc.String || step.Kind() != jsonsrc.String {
		return level{}, fmt.Sprintf("the parent of the path %s lacks uri, path or step", quote(l.path.ID))
	}
	if len(h.levels) == maxLevels {
		return level{}, fmt.Sprintf("more than %d paths descend from each other", maxLevels)
	}
	d := h.parents.document(l.source, uri.Text())
	if d.err != nil {
		return level{}, fmt.Sprintf("the parent document %s cannot be read: %v", quote(uri.Text()), d.err)
	}
	next, gap = h.find(d, id.Text(), step.Text())
	if gap != "" {
		return level{}, fmt.Sprintf("the parent document %s %s", quote(uri.Text()), gap)
	}
	return next, ""
}

func (h *history) find(d document, id, step string) (next level, gap string) {
	p := d.byID[id]
	if p == nil {
		return level{}, fmt.Sprintf("has no path %s", quote(id))
	}
	if h.on[p] {
		return level{}, fmt.Sprintf("leads back to the path %s, which descends from itself", quote(id))
	}
	i := p.Find(step)
	if i < 0 {
		return level{}, fmt.Sprintf("has no step %s in the path %s", quote(step), quote(id))
	}
	return level{source: d.Source, path: p, step: i}, ""
}

func (h *history) dangling(at place, parent int) {
	s := h.step(at)
	h.cutOff(fmt.Sprintf("the parent %s of the step %s names no step", quote(s.At().Parents[parent]), quote(s.At().ID)))
}

// first returns the first parent of a step (RFC "First Parent"). It is not ok where history
// begins, or is cut off.
func (h *history) first(at place) (parent place, ok bool) {
	parents := h.levels[at.level].path.DAG().Parents.At(at.step)
	switch {
	case len(parents) == 0:
		return h.above(at.level)
	case parents[0] < 0:
		h.dangling(at, 0)
		return place{}, false
	}
	return place{at.level, int(parents[0])}, true
}

// walk is a way along first parents.
type walk struct {
	stop map[place]bool // steps that end it, and are part of it
	seen map[place]int  // which walk has come to a step
	n    int            // this one
}

// follow walks from a step to one that stops the walk, to one that an earlier walk has come
// to, or to the end of history.
func (h *history) follow(at place, w walk) (line []place) {
	for ok := true; ok; at, ok = h.first(at) {
		if n, seen := w.seen[at]; seen {
			if n == w.n {
				h.cycle(at)
			}
			return line
		}
		w.seen[at] = w.n
		line = append(line, at)
		if w.stop[at] {
			return line
		}
	}
	return line
}

// mainLine is the line of first parents from a step to the beginning.
func (h *history) mainLine(from place) []place {
	return h.follow(from, walk{seen: map[place]int{}})
}

func (h *history) cycle(at place) {
	h.cutOff(fmt.Sprintf("the step %s is its own ancestor", quote(h.step(at).At().ID)))
}

// ancestors returns a step and all it descends from, parents before children, and in the
// order of the document where that leaves a choice.
func (h *history) ancestors(from place) []Step {
	var byLevel [][]int
	for ok := true; ok; from, ok = h.above(from.level) {
		steps, roots := h.ancestorsIn(from)
		byLevel = append(byLevel, steps)
		if !roots {
			break
		}
	}
	var all []Step
	for n := len(byLevel) - 1; n >= 0; n-- {
		for _, i := range byLevel[n] {
			all = append(all, Step{h.levels[n].path, i})
		}
	}
	return all
}

// ancestorsIn is ancestors within a level. It says whether root steps are among them.
func (h *history) ancestorsIn(from place) (ordered []int, roots bool) {
	dag := h.levels[from.level].path.DAG()
	among := marked(dag, from.step)
	waiting := make([]int, len(among)) // parents that have not come yet
	var ready stepHeap
	for i, in := range among {
		if !in {
			continue
		}
		for n, k := range dag.Parents.At(i) {
			if k < 0 {
				h.dangling(place{from.level, i}, n)
			}
		}
		roots = roots || len(dag.Parents.At(i)) == 0
		for _, c := range dag.Children.At(i) {
			waiting[c]++
		}
	}
	for i, in := range among {
		if in && waiting[i] == 0 {
			ready = append(ready, i)
		}
	}
	placed := make([]bool, len(among))
	for len(ready) > 0 {
		i := heap.Pop(&ready).(int)
		ordered, placed[i] = append(ordered, i), true
		for _, c := range dag.Children.At(i) {
			if waiting[c]--; among[c] && waiting[c] == 0 {
				heap.Push(&ready, int(c))
			}
		}
	}
	if len(ordered) < count(among) {
		h.cycleAmong(from.level, among)
		for i, in := range among { // what stands in a cycle or behind one
			if in && !placed[i] {
				ordered = append(ordered, i)
			}
		}
	}
	return ordered, roots
}

func count(marks []bool) (n int) {
	for _, m := range marks {
		if m {
			n++
		}
	}
	return n
}

// cycleAmong tells of a cycle among the steps.
func (h *history) cycleAmong(n int, among []bool) {
	for _, c := range h.levels[n].path.DAG().Cycles {
		if among[c[0]] {
			h.cycle(place{n, c[0]})
			return
		}
	}
}

// marked marks a step and its ancestors in a path.
func marked(dag *toolpath.DAG, from int) []bool {
	marks := make([]bool, dag.Parents.Len())
	if from < 0 {
		return marks
	}
	marks[from] = true
	for stack := []int{from}; len(stack) > 0; {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, k := range dag.Parents.At(top) {
			if k >= 0 && !marks[k] {
				marks[k] = true
				stack = append(stack, int(k))
			}
		}
	}
	return marks
}

// whole tells where the history of the path itself is cut off, for questions that look at
// all its steps.
func (h *history) whole() {
	p := h.path()
	if p.DAG().Head < 0 {
		h.cutOff(headGap(p))
	}
	for _, d := range p.DAG().Dangling {
		h.dangling(place{0, int(d.Step)}, int(d.Parent))
	}
	h.above(0)
}

// stepHeap is a heap of step indexes.
type stepHeap []int

func (s stepHeap) Len() int           { return len(s) }
func (s stepHeap) Less(i, j int) bool { return s[i] < s[j] }
func (s stepHeap) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s *stepHeap) Push(x any)        { *s = append(*s, x.(int)) }
func (s *stepHeap) Pop() any {
	last := len(*s) - 1
	x := (*s)[last]
	*s = (*s)[:last]
	return x
}
