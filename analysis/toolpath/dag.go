package toolpath

import (
	"hash/maphash"
	"iter"
	"slices"
)

// idTable finds steps by id. It is an open hash table over indexes, since a map of the
// ids of a long session would cost more than reading it.
type idTable struct {
	slots      []int32 // index + 1
	duplicates []int32 // steps whose id an earlier step has
}

var seed = maphash.MakeSeed()

func newIDTable(steps *Steps) *idTable {
	size := 8
	for size < steps.Len()*2 {
		size *= 2
	}
	t := &idTable{slots: make([]int32, size)}
	for i, s := range steps.All() {
		switch k := t.slot(steps, s.ID); {
		case t.slots[k] == 0:
			t.slots[k] = int32(i) + 1
		case s.Nodes.ID != 0:
			t.duplicates = append(t.duplicates, int32(i))
		}
	}
	return t
}

func (t *idTable) slot(steps *Steps, id string) int {
	k := int(maphash.String(seed, id)) & (len(t.slots) - 1)
	for t.slots[k] != 0 && steps.At(int(t.slots[k]-1)).ID != id {
		k = (k + 1) & (len(t.slots) - 1)
	}
	return k
}

func (t *idTable) find(steps *Steps, id string) int {
	return int(t.slots[t.slot(steps, id)]) - 1
}

// parent is the step that step i names as its parent, -1 if there is none of the id.
func (t *idTable) parent(steps *Steps, i int, id string) int {
	if i > 0 && len(t.duplicates) == 0 && steps.At(i-1).ID == id && id != "" {
		return i - 1 // as it is in a chain, for which nothing need be looked up
	}
	return t.find(steps, id)
}

// DAG is the shape of a path: all by step index.
type DAG struct {
	// Parents holds the parents of each step in order; -1 for one that names no step.
	Parents Edges
	// Children holds the steps that name the step as a parent, in document order.
	Children Edges
	// Head is the head's index, -1 if it names no step.
	Head int
	// Active marks the head and its ancestors. What it does not mark is a dead end.
	Active []bool
	// Duplicates are the steps whose id an earlier step has.
	Duplicates []int32
	// Dangling are the references to parents that name no step.
	Dangling []Reference
	// Cycles are the cycles of the path, each as the steps along parent edges with the
	// step of the lowest index first; a step that is its own parent is a cycle of one.
	// Every step is in at most one of them, so that there are never more than steps.
	Cycles [][]int
}

// Edges are lists of steps, one for each step of a path.
type Edges struct {
	first []int32 // by step: where its list begins; one more for the end
	all   []int32
}

// At is the list of step i. The caller must not change it.
func (e *Edges) At(i int) []int32 { return e.all[e.first[i]:e.first[i+1]:e.first[i+1]] }

// Len is the number of lists.
func (e *Edges) Len() int { return len(e.first) - 1 }

// All yields the steps and their lists.
func (e *Edges) All() iter.Seq2[int, []int32] {
	return func(yield func(int, []int32) bool) {
		for i := range e.Len() {
			if !yield(i, e.At(i)) {
				return
			}
		}
	}
}

// Reference is the place of a parent in a step.
type Reference struct{ Step, Parent int32 }

// DAG returns the shape of the path. Cycles are no fault here.
func (p *Path) DAG() *DAG { return p.dag() }

func (p *Path) shape() *DAG {
	ids := p.ids()
	n := p.Steps.Len()
	d := &DAG{Duplicates: ids.duplicates, Head: -1}
	edges := 0
	for _, s := range p.Steps.All() {
		edges += len(s.Parents)
	}
	flat, first := make([]int32, 0, edges), make([]int32, n+1)
	for i, s := range p.Steps.All() {
		for n, id := range s.Parents {
			k := ids.parent(&p.Steps, i, id)
			flat = append(flat, int32(k))
			if k < 0 {
				d.Dangling = append(d.Dangling, Reference{int32(i), int32(n)})
			}
		}
		first[i+1] = int32(len(flat))
	}
	d.Parents = Edges{first, flat}
	d.Children = d.Parents.reversed()
	if p.Head != "" || p.Steps.Len() > 0 && p.HeadVal.Valid() {
		d.Head = p.Find(p.Head)
	}
	d.Active = d.ancestors(d.Head)
	d.Cycles = d.findCycles()
	return d
}

// reversed are the lists of those whose list has the step. A step that has another one twice is
// listed once.
func (e *Edges) reversed() Edges {
	n := e.Len()
	first, last := make([]int32, n+1), make([]int32, n)
	each := func(visit func(k, i int32)) {
		clear(last)
		for i := range n {
			for _, k := range e.At(i) {
				if k >= 0 && last[k] != int32(i)+1 {
					last[k] = int32(i) + 1
					visit(k, int32(i))
				}
			}
		}
	}
	each(func(k, _ int32) { first[k+1]++ })
	for i := range n {
		first[i+1] += first[i]
	}
	all, next := make([]int32, first[n]), slices.Clone(first[:n])
	each(func(k, i int32) {
		all[next[k]] = i
		next[k]++
	})
	return Edges{first, all}
}

// ancestors marks a step and all it descends from.
func (d *DAG) ancestors(i int) []bool {
	marks := make([]bool, d.Parents.Len())
	if i < 0 {
		return marks
	}
	marks[i] = true
	for stack := []int32{int32(i)}; len(stack) > 0; {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, k := range d.Parents.At(int(top)) {
			if k >= 0 && !marks[k] {
				marks[k] = true
				stack = append(stack, k)
			}
		}
	}
	return marks
}

// MainLine returns the parents[0] chain from step i to its root, i first (RFC "First
// Parent"). It ends where a parent names no step, and where a cycle closes.
func (d *DAG) MainLine(i int) []int {
	return slices.AppendSeq(make([]int, 0, i+1), d.AlongMainLine(i))
}

// AlongMainLine yields what MainLine returns.
func (d *DAG) AlongMainLine(i int) iter.Seq[int] {
	return func(yield func(int) bool) {
		var seen []bool // where there is no cycle, none can close
		if len(d.Cycles) > 0 {
			seen = make([]bool, d.Parents.Len())
		}
		for i := i; i >= 0 && (seen == nil || !seen[i]); {
			if seen != nil {
				seen[i] = true
			}
			parents := d.Parents.At(i)
			if !yield(i) || len(parents) == 0 {
				return
			}
			i = int(parents[0])
		}
	}
}

// Tips returns the steps that no other step names as a parent: the candidates for a head
// that is not given.
func (p *Path) Tips() []int {
	named := make([]bool, p.Steps.Len())
	ids := p.ids()
	for i, s := range p.Steps.All() {
		for _, id := range s.Parents {
			if k := ids.parent(&p.Steps, i, id); k >= 0 && k != i {
				named[k] = true
			}
		}
	}
	var tips []int
	for i := range p.Steps.Len() {
		if !named[i] {
			tips = append(tips, i)
		}
	}
	return tips
}

func (d *DAG) findCycles() [][]int {
	const (
		fresh = iota
		open
		done
	)
	state := make([]uint8, d.Parents.Len())
	var cycles [][]int
	type frame struct{ step, next int }
	var stack []frame
	for root := range d.Parents.Len() {
		if state[root] != fresh {
			continue
		}
		stack = append(stack[:0], frame{step: root})
		state[root] = open
		for len(stack) > 0 {
			f := &stack[len(stack)-1]
			if f.next == len(d.Parents.At(f.step)) {
				state[f.step] = done
				stack = stack[:len(stack)-1]
				continue
			}
			k := int(d.Parents.At(f.step)[f.next])
			f.next++
			if k < 0 || state[k] == done {
				continue
			}
			if state[k] == fresh {
				state[k] = open
				stack = append(stack, frame{step: k})
				continue
			}
			at := len(stack) - 1
			for stack[at].step != k {
				at--
			}
			cycle := make([]int, 0, len(stack)-at)
			for _, g := range stack[at:] {
				cycle = append(cycle, g.step)
			}
			cycles = append(cycles, rotateToLowest(cycle))
			// Its steps are dealt with: without them the other cycles are told apart.
			for _, g := range stack[at:] {
				state[g.step] = done
			}
			stack = stack[:at]
		}
	}
	return cycles
}

func rotateToLowest(cycle []int) []int {
	at := slices.Index(cycle, slices.Min(cycle))
	return append(slices.Clone(cycle[at:]), cycle[:at]...)
}
