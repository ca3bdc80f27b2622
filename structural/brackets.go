package structural

import "github.com/toolpath-ls/toolpath-ls/analysis/provenance"

// Brackets, commas and semicolons are no part of a form. One of the new text is that of the
// old text that stands in the same node, counted from the node's end.

// brackets are those of a form.
type brackets struct {
	behind map[uint32]int          // by byte: how many of the same character stand behind it in its node
	at     map[bracketPlace]uint32 // their bytes
}

type bracketPlace struct {
	owner  uint32 // as in softToken
	char   byte
	behind int
}

func (f *form) brackets() *brackets {
	b := &brackets{make(map[uint32]int, len(f.soft)), make(map[bracketPlace]uint32, len(f.soft))}
	count := map[bracketPlace]int{}
	for i := len(f.soft) - 1; i >= 0; i-- {
		t := &f.soft[i]
		kind := bracketPlace{owner: t.owner, char: f.source[t.at]}
		place := kind
		place.behind = count[kind]
		count[kind]++
		b.behind[t.at], b.at[place] = place.behind, t.at
	}
	return b
}

// softs returns the brackets of both texts.
func (m *comparison) softs() (old, new *brackets) {
	if m.oldSofts == nil {
		m.oldSofts, m.newSofts = m.old.brackets(), m.new.brackets()
	}
	return m.oldSofts, m.newSofts
}

// firstSoft gives the first bracket of each line.
func (f *form) firstSoft() map[int]*softToken {
	first := map[int]*softToken{}
	for i := range f.soft {
		t := &f.soft[i]
		if l := f.line(t.at); first[l] == nil {
			first[l] = t
		}
	}
	return first
}

// bracket is the old line of a bracket that has a new line to itself: where it stood, or
// where what it closes begins; -1 if what it belongs to is new.
func (m *comparison) bracket(t *softToken) int {
	if t.owner == 0 {
		return m.around(t)
	}
	was := m.pairs[t.owner-1]
	if was < 0 {
		return -1
	}
	old, new := m.softs()
	if at, ok := old.at[bracketPlace{uint32(was) + 1, m.new.source[t.at], new.behind[t.at]}]; ok {
		return m.old.line(at)
	}
	return m.old.line(m.old.items[was].start)
}

// around is the old line of the item before a bracket.
func (m *comparison) around(t *softToken) int {
	for j := int(t.item) - 1; j >= 0; j-- {
		if i := m.pairs[j]; i >= 0 && m.new.items[j].kind == leafItem {
			return m.old.line(m.old.items[i].end - 1)
		}
	}
	return -1
}

// join adds to lines that are laid out anew the old lines of which they have the words or the
// bracket although most of them is of others: what stands on another line now is not gone.
func (m *comparison) join(all []provenance.FormattedLine) {
	at := make(map[int]int, len(all)) // by new line
	kept := map[int]bool{}            // by old line
	for k, l := range all {
		at[l.New] = k
		for _, o := range l.Old {
			kept[o] = true
		}
	}
	var first map[int]*softToken // by old line
	for _, h := range m.Hunks {
		for o := h.OldStart; o < h.OldEnd && o < len(m.old.lines); o++ {
			if kept[o] {
				continue
			}
			l := int(m.back[o]) - 1
			if l < 0 {
				if first == nil {
					first = m.old.firstSoft()
				}
				l = m.went(first[o])
			}
			if k, ok := at[l]; ok {
				all[k].Old = append(all[k].Old, o)
			}
		}
	}
}

// went is the new line of an old bracket, -1 if it has none. t may be nil.
func (m *comparison) went(t *softToken) int {
	if t == nil || t.owner == 0 {
		return -1
	}
	now := m.to(int(t.owner) - 1)
	if now < 0 {
		return -1
	}
	old, new := m.softs()
	if at, ok := new.at[bracketPlace{uint32(now) + 1, m.old.source[t.at], old.behind[t.at]}]; ok {
		return m.new.line(at)
	}
	return -1
}
