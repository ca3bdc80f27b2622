package analysis

import (
	"slices"
	"sort"
)

// lineage is what was done to one file on the way to a head, under the names that it had:
// most producers record a rename as the deletion of one file and the creation of another
// one in one step.
type lineage struct {
	changes changes // in replay order
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
	since    int // its changes since it has its name begin here in the lineage, the newest first
	segments []segment
	branched bool // a branch that was merged speaks of the file
}

// trace follows the file that has a name at the head along the main lines.
func trace(strands []strand, file string) (lineage, *tracer) {
	w := &tracer{strands: strands, file: file}
	l := lineage{names: make([]string, len(strands)), changes: newChanges(strands, 0)}
	for k := range strands {
		w.strand(k, &l)
		l.names[k] = w.file
		if strands[k].cut() {
			break
		}
	}
	l.changes.reverse()
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
	return i >= 0 && len(p.DAG().Parents.At(i)) > 0
}

// strand follows the file through one strand, the newest change first.
func (w *tracer) strand(k int, l *lineage) {
	a := &w.strands[k]
	w.segments = append(w.segments, segment{k, int32(len(a.order.position)) + 1, w.file})
	lists := map[string]fileTouches{}
	session := a.t.path.IsAgentSession()
	for before := int32(len(a.order.position)) + 1; ; {
		found, known := lists[w.file]
		if !known {
			var branched bool
			found, branched = a.t.touchesOf(w.file, a.site, a.order)
			w.branched = w.branched || branched
			lists[w.file] = found
			l.changes.list = slices.Grow(l.changes.list, len(found.list))
		}
		n := sort.Search(len(found.list), func(i int) bool { return a.order.position[found.list[i].step] >= before })
		from := ""
		for n > 0 && from == "" {
			n--
			at := found.list[n]
			w.branched = w.branched || !session && len(a.t.path.DAG().Parents.At(int(at.step))) > 1
			r, renamed := found.renames[at]
			if !renamed && a.t.deleted[at.step] == nil {
				l.changes.list = append(l.changes.list, changeAt{strand: int32(k), step: at.step, key: at.key, value: at.value})
				continue
			}
			c := a.t.at(at)
			c.strand, c.other, c.copied = k, r.other, r.copy
			if from = w.change(a, &c, l); from != "" {
				before = a.order.position[c.step]
				w.since = l.changes.len() + 1
			}
			l.changes.add(c)
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
func (w *tracer) change(a *strand, c *change, l *lineage) (from string) {
	switch {
	case c.other == "":
		from, c.before = a.t.renamedFrom(*c, w.file, a.site)
	case w.isAlive(l):
		from = a.site.fileOf(c.other, a.t.base)
	default:
		c.gone = !c.copied
	}
	if from == w.file {
		return ""
	}
	return from
}

// isAlive says whether there was such a file before what was seen of it: not if that made it.
func (w *tracer) isAlive(l *lineage) bool {
	alive := true
	for i := w.since; i < l.changes.len(); i++ {
		c := l.changes.at(i)
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

// list puts the checks between the changes of the strands. checks are, for strands, the
// content of the file where they begin.
func (l lineage) list(checks map[int]*string) lineage {
	for k, content := range checks {
		if i := slices.IndexFunc(l.changes.list, func(c changeAt) bool { return int(c.strand) == k }); i >= 0 {
			l.changes = l.changes.with(i, change{strand: k, step: -1, was: content})
		}
	}
	return l
}
