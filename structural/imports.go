package structural

import (
	"slices"
	"strings"
)

// Where the order of imports may carry meaning, a step that puts them in another one is not
// called formatting. Who wrote an import that is what it was, in the same block, is another
// question: in a step that lays the file out anew elsewhere its author stays, and the step has
// moved it. Where a step does nothing else, the order is what it is about, and its own.

// importRun is imports one behind the other, with nothing but blank lines and comments
// between them.
type importRun struct {
	above, below int // the tokens beside it, by item; -1 and the number of items: none
	units        []importUnit
}

// importUnit is an import.
type importUnit struct {
	key         uint64 // of its tokens, and of the words of the comments on its lines
	from, to    int    // its items
	first, last int    // its lines
	alone       bool   // no other code stands on its lines
}

// importRuns lists the runs of imports of which the order may carry meaning.
func (f *form) importRuns() []importRun {
	if f.tree == nil {
		return nil
	}
	var runs []importRun
	for i := 0; i < len(f.items); i++ {
		it := &f.items[i]
		if it.kind != openItem || f.tree.rule(int(it.node))&isDeclaredImport == 0 {
			continue
		}
		end := i + 1
		for end < len(f.items) && !(f.items[end].kind == closeItem && f.items[end].node == it.node) {
			end++
		}
		u := f.unit(i, min(end+1, len(f.items)))
		if n := len(runs); n > 0 && runs[n-1].end() == u.from {
			runs[n-1].units = append(runs[n-1].units, u)
		} else {
			runs = append(runs, importRun{units: []importUnit{u}})
		}
		i = u.to - 1
	}
	for k := range runs {
		r := &runs[k]
		r.above, r.below = r.units[0].from-1, r.end()
		for r.above >= 0 && f.items[r.above].kind != leafItem {
			r.above--
		}
		for r.below < len(f.items) && f.items[r.below].kind != leafItem {
			r.below++
		}
	}
	return runs
}

// end is behind the last item.
func (r importRun) end() int { return r.units[len(r.units)-1].to }

// unit is the import that has some items.
func (f *form) unit(from, to int) importUnit {
	u := importUnit{from: from, to: to}
	start := f.items[from].start
	end := start
	for _, it := range f.items[from:to] {
		u.key = mix(u.key ^ it.hash)
		if it.kind == leafItem {
			end = max(end, it.end)
		}
	}
	u.first, u.last = f.line(start), f.line(max(start, end-1))
	behind := f.source[end:max(end, f.lines[u.last]+uint32(len(f.text(u.last))))]
	for l := u.first; l <= u.last; l++ {
		for _, t := range f.commentsOn(l) {
			u.key = mix(u.key ^ hash(1, f.source[t.start:t.end]))
			if t.start >= end {
				behind = f.source[end:min(t.start, end+uint32(len(behind)))]
			}
		}
	}
	u.alone = strings.TrimSpace(f.source[f.lines[u.first]:start]) == "" && strings.Trim(behind, " \t;)/*#") == ""
	return u
}

// settle decides what depends on what else the step did to the file.
func (m *comparison) settle() {
	if m.Declared {
		return
	}
	imports := m.new.importRuns()
	if m.laysOut(imports) {
		m.reorders(imports)
	} else {
		for l, label := range m.labels {
			m.edited[l] = m.edited[l] || label
		}
	}
	m.moves()
}

// laysOut says that the step laid out a line anew, imports and labels left out.
func (m *comparison) laysOut(imports []importRun) bool {
	imported := make([]bool, len(m.new.lines))
	for _, r := range imports {
		for _, u := range r.units {
			for l := u.first; l <= u.last; l++ {
				imported[l] = true
			}
		}
	}
	for l := range m.touched {
		if m.touched[l] && m.told[l] && !m.edited[l] && !m.faulty[l] && !m.labels[l] && !imported[l] {
			if was := m.best(l); len(was) > 0 && m.old.text(was[0]) != m.new.text(l) {
				return true
			}
		}
	}
	return false
}

// reorders gives imports that stand in another order to the lines that they were. One that
// a run has twice is nobody's.
func (m *comparison) reorders(now []importRun) {
	was := m.old.importRuns()
	for n, o := range m.sameRuns(was, now) {
		if o < 0 {
			continue
		}
		old := unitsByKey(was[o].units)
		for key, units := range unitsByKey(now[n].units) {
			if from := old[key]; len(units) == 1 && len(from) == 1 && units[0].alone && from[0].alone {
				m.reorder(units[0], from[0])
			}
		}
	}
}

func unitsByKey(units []importUnit) map[uint64][]importUnit {
	all := map[uint64][]importUnit{}
	for _, u := range units {
		all[u.key] = append(all[u.key], u)
	}
	return all
}

// sameRuns gives each new run the old one that stands behind the same token, or before it;
// -1: none. One that was cut in two is none of both.
func (m *comparison) sameRuns(was, now []importRun) []int {
	const missing = -2
	old := func(item int) int {
		switch {
		case item < 0:
			return -1
		case item == len(m.pairs):
			return len(m.old.items)
		case m.pairs[item] < 0:
			return missing
		}
		return int(m.pairs[item])
	}
	above, below := map[int]int{}, map[int]int{}
	for k, r := range was {
		above[r.above], below[r.below] = k, k
	}
	pairs := make([]int, len(now))
	taken := make([]int, len(was))
	for n, r := range now {
		k, ok := above[old(r.above)]
		if !ok {
			k, ok = below[old(r.below)]
		}
		if !ok {
			k = -1
		} else {
			taken[k]++
		}
		pairs[n] = k
	}
	for n, k := range pairs {
		if k >= 0 && taken[k] > 1 {
			pairs[n] = -1
		}
	}
	return pairs
}

// reorder gives the lines of an import to the old ones that its tokens stood in, unless it
// is where it was.
func (m *comparison) reorder(u, from importUnit) {
	same := u.last-u.first == from.last-from.first && m.new.text(u.first) == m.old.text(from.first)
	if !slices.Contains(m.edited[u.first:u.last+1], true) && !(m.touched[u.first] && same) {
		return
	}
	for l := u.first; l <= u.last; l++ {
		m.votes[l], m.told[l], m.edited[l], m.placed[l] = nil, false, false, true
	}
	for k := range u.to - u.from {
		now, was := &m.new.items[u.from+k], &m.old.items[from.from+k]
		if now.kind == leafItem {
			l := m.new.line(now.start)
			m.told[l] = true
			m.add(l, m.old.line(was.start), float32(min(now.end-now.start, 12)))
		}
	}
}
