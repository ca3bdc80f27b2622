package toolpath

import (
	"hash/maphash"
	"slices"
)

// idTable finds steps by id. It is an open hash table over indexes, since a map of the
// ids of a long session would cost more than reading it.
type idTable struct {
	slots      []int32 // index + 1
	duplicates []int32 // steps whose id an earlier step has
}

var seed = maphash.MakeSeed()

func newIDTable(steps []At) *idTable {
	size := 8
	for size < len(steps)*2 {
		size *= 2
	}
	t := &idTable{slots: make([]int32, size)}
	for i, s := range steps {
		switch k := t.slot(steps, s.ID); {
		case t.slots[k] == 0:
			t.slots[k] = int32(i) + 1
		case s.Nodes.ID != 0:
			t.duplicates = append(t.duplicates, int32(i))
		}
	}
	return t
}

func (t *idTable) slot(steps []At, id string) int {
	k := int(maphash.String(seed, id)) & (len(t.slots) - 1)
	for t.slots[k] != 0 && steps[t.slots[k]-1].ID != id {
		k = (k + 1) & (len(t.slots) - 1)
	}
	return k
}

func (t *idTable) find(steps []At, id string) int {
	return int(t.slots[t.slot(steps, id)]) - 1
}

// DAG is the shape of a path: all by step index.
type DAG struct {
	// Parents holds the parents of each step in order; -1 for one that names no step.
	Parents [][]int32
	// Children holds the steps that name the step as a parent, in document order.
	Children [][]int32
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

// Reference is the place of a parent in a step.
type Reference struct{ Step, Parent int32 }

// DAG returns the shape of the path. Cycles are no fault here.
func (p *Path) DAG() *DAG { return p.dag() }

func (p *Path) shape() *DAG {
	ids := p.ids()
	d := &DAG{Duplicates: ids.duplicates, Parents: make([][]int32, len(p.Steps)), Children: make([][]int32, len(p.Steps)), Head: -1}
	edges := 0
	for _, s := range p.Steps {
		edges += len(s.Parents)
	}
	flat := make([]int32, 0, edges)
	count := make([]int32, len(p.Steps))
	for i, s := range p.Steps {
		from := len(flat)
		for n, id := range s.Parents {
			k := -1
			if i > 0 && len(ids.duplicates) == 0 && p.Steps[i-1].ID == id && id != "" {
				k = i - 1 // as it is in a chain, for which nothing need be looked up
			} else {
				k = ids.find(p.Steps, id)
			}
			flat = append(flat, int32(k))
			if k >= 0 {
				count[k]++
			} else {
				d.Dangling = append(d.Dangling, Reference{int32(i), int32(n)})
			}
		}
		d.Parents[i] = flat[from:len(flat):len(flat)]
	}
	room := make([]int32, edges)
	for i, n := range count {
		d.Children[i], room = room[:0:n], room[n:]
	}
	for i, parents := range d.Parents {
		for _, k := range parents {
			if k >= 0 && !endsWith(d.Children[k], int32(i)) {
				d.Children[k] = append(d.Children[k], int32(i))
			}
		}
	}
	if p.Head != "" || len(p.Steps) > 0 && p.HeadVal.Valid() {
		d.Head = p.Find(p.Head)
	}
	d.Active = d.ancestors(d.Head)
	d.Cycles = d.findCycles()
	return d
}

// ancestors marks a step and all it descends from.
func (d *DAG) ancestors(i int) []bool {
	marks := make([]bool, len(d.Parents))
	if i < 0 {
		return marks
	}
	marks[i] = true
	for stack := []int32{int32(i)}; len(stack) > 0; {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, k := range d.Parents[top] {
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
	var line []int
	seen := make([]bool, len(d.Parents))
	for i >= 0 && !seen[i] {
		seen[i] = true
		line = append(line, i)
		if len(d.Parents[i]) == 0 {
			break
		}
		i = int(d.Parents[i][0])
	}
	return line
}

// Tips returns the steps that no other step names as a parent: the candidates for a head
// that is not given.
func (p *Path) Tips() []int {
	named := make([]bool, len(p.Steps))
	ids := newIDTable(p.Steps)
	for i, s := range p.Steps {
		for _, id := range s.Parents {
			if k := ids.find(p.Steps, id); k >= 0 && k != i {
				named[k] = true
			}
		}
	}
	var tips []int
	for i := range p.Steps {
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
	state := make([]uint8, len(d.Parents))
	var cycles [][]int
	type frame struct{ step, next int }
	var stack []frame
	for root := range d.Parents {
		if state[root] != fresh {
			continue
		}
		stack = append(stack[:0], frame{step: root})
		state[root] = open
		for len(stack) > 0 {
			f := &stack[len(stack)-1]
			if f.next == len(d.Parents[f.step]) {
				state[f.step] = done
				stack = stack[:len(stack)-1]
				continue
			}
			k := int(d.Parents[f.step][f.next])
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

func endsWith(list []int32, x int32) bool { return len(list) > 0 && list[len(list)-1] == x }
