package structural

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/toolpath-ls/toolpath-ls/analysis/linediff"
	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
)

// changesLimit bounds how many changes of meaning are told of one step.
const changesLimit = 8

// changes are the places where a step that says that it formats changed the meaning.
func (m *comparison) changes() []provenance.MeaningChange {
	if !m.Declared || m.old.tree == nil || m.new.tree == nil || m.new.content {
		return nil
	}
	was := make([]int32, len(m.old.items)) // the item of new, -1: none
	for i := range was {
		was[i] = -1
	}
	for j, i := range m.pairs {
		if i >= 0 {
			was[i] = int32(j)
		}
	}
	var all []provenance.MeaningChange
	for k, h := range m.form {
		if len(all) == changesLimit {
			break
		}
		if m.isLoose(h) || m.isFaulty(h) || m.marksOnly(h) && m.nearTokens(k) {
			continue
		}
		old := m.old.covered(h.OldStart, h.OldEnd)
		now := m.new.covered(h.NewStart, h.NewEnd)
		for range 2 { // until each has what became of the other
			now = now.union(image(m.old, m.new, old, was))
			now = m.new.node(now)
			old = old.union(image(m.new, m.old, now, m.pairs))
			old = m.old.node(old)
		}
		before, after := brief(m.old.source[old.start:old.end]), brief(m.new.source[now.start:now.end])
		nesting := false
		if before == after {
			if before, after = m.spelled(h); before == after {
				nesting = true
				old, now = m.old.statement(old), m.new.statement(now)
				before, after = brief(m.old.source[old.start:old.end]), brief(m.new.source[now.start:now.end])
			}
		}
		c := provenance.MeaningChange{
			Old: before, New: after, Nesting: nesting,
			OldStart: int(old.start), OldEnd: int(old.end), NewStart: int(now.start), NewEnd: int(now.end),
		}
		if n := len(all); n > 0 && all[n-1].NewEnd > c.NewStart && all[n-1].OldEnd > c.OldStart {
			continue // one change in two places of one node
		}
		all = append(all, c)
	}
	return all
}

// spelled are the tokens of a difference with the white space in them, which may be what
// differs.
func (m *comparison) spelled(h linediff.Hunk) (old, now string) {
	tokens := func(f *form, from, to int) string {
		var all []string
		for _, i := range f.items[from:to] {
			if i.kind == leafItem {
				all = append(all, strings.NewReplacer("\r", "", "\n", `\n`, "\t", `\t`).Replace(f.source[i.start:i.end]))
			}
		}
		return cut(strings.Join(all, " "))
	}
	return tokens(m.old, h.OldStart, h.OldEnd), tokens(m.new, h.NewStart, h.NewEnd)
}

// nearTokens says whether tokens differ next to hunk k, so that marks follow from that.
func (m *comparison) nearTokens(k int) bool {
	const near = 16
	for _, n := range []int{k - 1, k + 1} {
		if n < 0 || n >= len(m.form) || m.marksOnly(m.form[n]) {
			continue
		}
		if h, g := m.form[min(n, k)], m.form[max(n, k)]; g.NewStart-h.NewEnd < near || g.OldStart-h.OldEnd < near {
			return true
		}
	}
	return false
}

// isLoose says whether nothing follows from a difference.
func (m *comparison) isLoose(h linediff.Hunk) bool {
	for _, i := range m.old.items[h.OldStart:h.OldEnd] {
		if i.kind != looseItem {
			return false
		}
	}
	for _, i := range m.new.items[h.NewStart:h.NewEnd] {
		if i.kind != looseItem {
			return false
		}
	}
	return true
}

// isFaulty says whether a difference is where one of the texts could not be read.
func (m *comparison) isFaulty(h linediff.Hunk) bool {
	in := func(f *form, faulty []bool, from, to int) bool {
		s := f.covered(from, to)
		return slices.Contains(faulty[f.line(s.start):f.line(s.end)+1], true)
	}
	return in(m.old, m.fault, h.OldStart, h.OldEnd) || in(m.new, m.faulty, h.NewStart, h.NewEnd)
}

// covered is the span of items; of none, the place between their neighbours.
func (f *form) covered(from, to int) span {
	s := span{uint32(len(f.source)), 0}
	for _, i := range f.items[from:to] {
		switch i.kind {
		case openItem:
			s = s.union(span{i.start, i.start})
		case closeItem:
			s = s.union(span{i.end, i.end})
		default:
			s = s.union(span{i.start, i.end})
		}
	}
	if from < to {
		return s
	}
	if from > 0 {
		at := f.items[from-1].end
		if f.items[from-1].kind == openItem {
			at = f.items[from-1].start
		}
		return span{at, at}
	}
	return span{0, 0}
}

func (s span) union(t span) span { return span{min(s.start, t.start), max(s.end, t.end)} }

// node is the span of the smallest node that covers s.
func (f *form) node(s span) span {
	n := &f.tree.Nodes[f.tree.At(int(s.start), int(s.end))]
	return span{n.Start, n.End}
}

// statement is the largest node on the lines of s that covers it.
func (f *form) statement(s span) span {
	n := f.tree.At(int(s.start), int(s.end))
	from, to := f.line(s.start), f.line(s.end)
	for n > 0 {
		p := &f.tree.Nodes[f.tree.Nodes[n].Parent]
		if f.line(p.Start) != from || f.line(p.End) != to {
			break
		}
		n = int(f.tree.Nodes[n].Parent)
	}
	return span{f.tree.Nodes[n].Start, f.tree.Nodes[n].End}
}

// image is the span of what the tokens in s are in the other form.
func image(from, to *form, s span, pairs []int32) span {
	t := span{uint32(len(to.source)), 0}
	for i := range from.items {
		if it := &from.items[i]; it.kind == leafItem && it.start >= s.start && it.end <= s.end && pairs[i] >= 0 {
			t = t.union(span{to.items[pairs[i]].start, to.items[pairs[i]].end})
		}
	}
	return t
}

// brief is a text on one line, cut where it is long.
func brief(s string) string {
	return cut(strings.Join(strings.Fields(s), " "))
}

func cut(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	end := most
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
