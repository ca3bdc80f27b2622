package drawing

import (
	"cmp"
	"container/heap"
	"slices"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// maxLanes bounds the lanes: what would stand to the right of the last one stands in it.
const maxLanes = 60

// Layout is where the steps of a path stand.
type Layout struct {
	// Order holds the steps by row.
	Order []int
	// Row and Lane are those of each step.
	Row, Lane []int
	// Lanes is how many there are.
	Lanes int
	Edges []Edge
}

// Edge leads from a step to one of its parents, along a lane. Steps are indexes of the path.
type Edge struct {
	From, To int
	Lane     int
	// Merge says that the parent is not the first one.
	Merge bool
	// Against says that the parent stands above, which is so in cycles only.
	Against bool
}

// Lay lays the steps of a path out. Edges to steps that are not there are left out.
func Lay(p *toolpath.Path) *Layout {
	n := p.Steps.Len()
	l := &Layout{Order: order(p), Row: make([]int, n), Lane: make([]int, n), Lanes: 1}
	for row, i := range l.Order {
		l.Row[i] = row
	}
	w := weaver{Layout: l, dag: p.DAG(), placed: make([]bool, n)}
	w.mainLine()
	w.branches()
	w.assign()
	return l
}

// order returns the steps with each before its parents: the newest first where the graph
// leaves a choice, and the last of the document where the times do. A step whose time
// cannot be read counts as old as its parents. Cycles are cut at their first step.
func order(p *toolpath.Path) []int {
	dag := p.DAG()
	n := p.Steps.Len()
	q := queue{age: make([]time.Time, n)}
	missing := make([]int, n) // parents that have no place yet
	named := make([]int, n)   // the last step that named it as a parent, counted from 1
	for i, parents := range dag.Parents.All() {
		if p.Steps.At(i).HasTime {
			q.age[i] = p.Steps.At(i).Time()
		}
		for _, parent := range parents {
			if parent >= 0 && int(parent) != i && named[parent] != i+1 {
				named[parent] = i + 1
				missing[i]++
			}
		}
	}
	done := make([]bool, n)
	for i := range n {
		if missing[i] == 0 {
			q.steps = append(q.steps, i)
		}
	}
	heap.Init(&q)
	oldestFirst := make([]int, 0, n)
	for next := 0; len(oldestFirst) < n; {
		if len(q.steps) == 0 { // all that is left descends from a cycle
			for done[next] {
				next++
			}
			missing[next] = 0
			heap.Push(&q, next)
		}
		i := heap.Pop(&q).(int)
		done[i] = true
		oldestFirst = append(oldestFirst, i)
		for _, child := range dag.Children.At(i) {
			if done[child] || int(child) == i {
				continue
			}
			if q.age[child].Before(q.age[i]) {
				q.age[child] = q.age[i]
			}
			if missing[child]--; missing[child] == 0 {
				heap.Push(&q, int(child))
			}
		}
	}
	slices.Reverse(oldestFirst)
	return oldestFirst
}

// queue is a heap of steps, the oldest on top.
type queue struct {
	steps []int
	age   []time.Time
}

func (q *queue) Len() int { return len(q.steps) }
func (q *queue) Less(a, b int) bool {
	i, k := q.steps[a], q.steps[b]
	return cmp.Or(q.age[i].Compare(q.age[k]), cmp.Compare(i, k)) < 0
}
func (q *queue) Swap(a, b int) { q.steps[a], q.steps[b] = q.steps[b], q.steps[a] }
func (q *queue) Push(x any)    { q.steps = append(q.steps, x.(int)) }
func (q *queue) Pop() any {
	last := q.steps[len(q.steps)-1]
	q.steps = q.steps[:len(q.steps)-1]
	return last
}

// thread is what takes up a lane from one row to another: a chain of first parents, with
// the edges that lead to it and away from it, or a single edge between two other chains.
type thread struct {
	top, bottom int // rows, both included
	steps       []int
	edges       []int
}

// span returns what it takes up in half rows. Where an edge bends to the lane of a step, at
// an end without a step of its own, its lane is free in that row.
func (t *thread) span(row []int) (from, to int) {
	from, to = 2*t.top+1, 2*t.bottom-1
	for _, i := range t.steps {
		from, to = min(from, 2*row[i]), max(to, 2*row[i])
	}
	return from, to
}

// weaver finds the threads of a path.
type weaver struct {
	*Layout
	dag     *toolpath.DAG
	placed  []bool
	threads []thread
}

// mainLine places the chain of first parents from the head in lane 0.
func (w *weaver) mainLine() {
	if w.dag.Head < 0 {
		return
	}
	w.chain(w.dag.Head, &thread{})
}

// chain places a step and its first parents up to one that is placed, and adds them and the
// edges between them to a thread.
func (w *weaver) chain(i int, t *thread) {
	for {
		w.placed[i] = true
		t.steps = append(t.steps, i)
		t.bottom = max(t.bottom, w.Row[i])
		parents := w.dag.Parents.At(i)
		if len(parents) == 0 || parents[0] < 0 {
			return
		}
		parent := int(parents[0])
		if parent == i {
			return
		}
		if w.Row[parent] < w.Row[i] {
			w.threads = append(w.threads, thread{top: w.Row[parent], bottom: w.Row[i], edges: []int{len(w.Edges)}})
			w.Edges = append(w.Edges, Edge{From: i, To: parent, Against: true})
			return
		}
		t.edges = append(t.edges, len(w.Edges))
		w.Edges = append(w.Edges, Edge{From: i, To: parent})
		t.bottom = max(t.bottom, w.Row[parent])
		if w.placed[parent] {
			return
		}
		i = parent
	}
}

// branches makes a thread of every other chain, the newest first, and of every edge to a
// further parent.
func (w *weaver) branches() {
	named := make([]int, len(w.Order)) // the last step that named it as a parent, counted from 1
	for _, i := range w.Order {
		if !w.placed[i] {
			t := thread{top: w.Row[i]}
			w.chain(i, &t)
			w.threads = append(w.threads, t)
		}
		parents := w.dag.Parents.At(i)
		for k, parent := range parents {
			parent := int(parent)
			if parent < 0 || parent == i || named[parent] == i+1 {
				continue
			}
			named[parent] = i + 1
			if k == 0 {
				continue // its edge is of the chain
			}
			t := thread{top: w.Row[i], bottom: w.Row[parent], edges: []int{len(w.Edges)}}
			w.Edges = append(w.Edges, Edge{From: i, To: parent, Merge: true, Against: w.Row[parent] <= w.Row[i]})
			if t.top > t.bottom {
				t.top, t.bottom = t.bottom, t.top
			}
			if !w.placed[parent] && w.Row[parent] > w.Row[i] {
				w.chain(parent, &t)
			}
			w.threads = append(w.threads, t)
		}
	}
}

// assign gives every thread the leftmost lane that is free over all its rows.
func (w *weaver) assign() {
	slices.SortStableFunc(w.threads, func(a, b thread) int {
		from, _ := a.span(w.Row)
		other, _ := b.span(w.Row)
		return cmp.Compare(from, other)
	})
	first := 0
	if w.dag.Head >= 0 {
		first = 1 // the main line has lane 0
	}
	var busy spans // lanes that are taken, by the row where they end
	free := lanes{}
	for _, t := range w.threads {
		from, to := t.span(w.Row)
		for len(busy) > 0 && busy[0].end < from {
			heap.Push(&free, heap.Pop(&busy).(span).lane)
		}
		lane := 0
		if len(free) > 0 {
			lane = heap.Pop(&free).(int)
		} else {
			lane = first + len(busy)
		}
		heap.Push(&busy, span{to, lane})
		lane = min(lane, maxLanes-1)
		w.Lanes = max(w.Lanes, lane+1)
		for _, i := range t.steps {
			w.Lane[i] = lane
		}
		for _, e := range t.edges {
			w.Edges[e].Lane = lane
		}
	}
}

type span struct{ end, lane int }

// spans is a heap of lanes, the one that ends first on top.
type spans []span

func (s spans) Len() int           { return len(s) }
func (s spans) Less(a, b int) bool { return s[a].end < s[b].end }
func (s spans) Swap(a, b int)      { s[a], s[b] = s[b], s[a] }
func (s *spans) Push(x any)        { *s = append(*s, x.(span)) }
func (s *spans) Pop() any {
	last := (*s)[len(*s)-1]
	*s = (*s)[:len(*s)-1]
	return last
}

// lanes is a heap of lanes, the leftmost on top.
type lanes []int

func (l lanes) Len() int           { return len(l) }
func (l lanes) Less(a, b int) bool { return l[a] < l[b] }
func (l lanes) Swap(a, b int)      { l[a], l[b] = l[b], l[a] }
func (l *lanes) Push(x any)        { *l = append(*l, x.(int)) }
func (l *lanes) Pop() any {
	last := (*l)[len(*l)-1]
	*l = (*l)[:len(*l)-1]
	return last
}
