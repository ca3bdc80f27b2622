package provenance

import (
	"slices"

	"github.com/toolpath-ls/toolpath-ls/analysis/udiff"
)

// restore puts the lines back that a hunk without a new side removed, if its
// place is known.
func (b *backward) restore(k, hint int) {
	h := &b.hunks[k]
	if hint < 0 {
		b.sync = false
		if hint = b.neighbour(k); hint < 0 {
			return
		}
	}
	slots := make([]int32, len(h.old))
	for i := range slots {
		slots[i] = -1
	}
	b.text = slices.Insert(b.text, hint, h.old...)
	b.slots = slices.Insert(b.slots, hint, slots...)
	b.found(k, hint)
	b.sync = b.sync && h.newAt >= 0
}

// claim gives a line to the hunk's edit.
func (b *backward) claim(k int, l *scriptLine, s int32, conf uint8) {
	slot := &b.asked[s]
	if conf == 0 || slot.edit >= 0 && slot.conf >= conf {
		return
	}
	*slot = slot.by(b.hunks[k].edit, conf, Add)
	slot.from, slot.to = l.from, l.to
}

// by is the slot with an author.
func (s slot) by(edit int32, conf uint8, kind Kind) slot {
	return slot{edit: edit, sym: s.sym, conf: conf, kind: kind, prev: -1}
}

// undone collects what stands before a hunk.
type undone struct {
	text    []uint32
	slots   []int32
	removed []*scriptLine // of the change at hand
	added   []int32       // slots that its lines claimed
}

// flush ends a change: the removed lines come back, and those that a claimed line
// replaced are asked for.
func (b *backward) flush(u *undone) {
	b.pairs.reset()
	for _, l := range u.removed {
		b.pairs.old = append(b.pairs.old, b.texts[l.sym])
	}
	for _, s := range u.added {
		text := ""
		if s >= 0 {
			text = b.texts[b.asked[s].sym]
		}
		b.pairs.new = append(b.pairs.new, text)
	}
	asks := make([]int32, len(u.removed))
	for i := range asks {
		asks[i] = -1
	}
	for i, old := range b.pairs.pair() {
		if s := u.added[i]; old >= 0 && s >= 0 {
			asks[old] = b.ask(u.removed[old].sym)
			b.asked[s].prev = asks[old]
			if b.asked[s].kind == Add {
				b.asked[s].kind = Modify
			}
		}
	}
	for i, l := range u.removed {
		u.text, u.slots = append(u.text, l.sym), append(u.slots, asks[i])
	}
	u.removed, u.added = u.removed[:0], u.added[:0]
}

// take undoes a hunk whose whole new side is the n lines from at on.
func (b *backward) take(k, at, n int, conf uint8) {
	h := &b.hunks[k]
	b.found(k, at)
	var u undone
	line := at
	for i := range h.lines {
		l := &h.lines[i]
		switch {
		case l.kind == udiff.Removed:
			u.removed = append(u.removed, l)
		case line == at+n: // the phantom
		case l.kind == udiff.Added:
			u.added = append(u.added, b.added(k, l, line, conf))
			line++
		default:
			b.flush(&u)
			u.text, u.slots = append(u.text, b.text[line]), append(u.slots, b.slots[line])
			line++
		}
	}
	b.flush(&u)
	b.text = slices.Replace(b.text, at, at+n, u.text...)
	b.slots = slices.Replace(b.slots, at, at+n, u.slots...)
}

// added claims a line of the text for the edit that added it.
func (b *backward) added(k int, l *scriptLine, line int, conf uint8) int32 {
	s := b.slots[line]
	if s >= 0 {
		b.claim(k, l, s, conf)
	}
	return s
}

// takePartly undoes a hunk of which only a part was found. After its step the new
// side stood there without a gap, so what stands between its lines came later.
func (b *backward) takePartly(k int, f fit) {
	h := &b.hunks[k]
	conf := uint8(confBackPart + confBackRest*int(f.share)/100)
	first, last := f.ends()
	b.found(k, int(f.match[first])-first)
	var u undone
	i := 0 // in the new side
	for j := range h.lines {
		l := &h.lines[j]
		if l.kind == udiff.Removed {
			u.removed = append(u.removed, l)
			continue
		}
		at := f.match[i]
		i++
		switch {
		case at >= 0 && b.text[at] != l.sym:
			// Its indentation was changed later, and nobody wrote that down.
			was := b.before(int(at), l.sym)
			if l.kind == udiff.Added {
				if was >= 0 {
					b.claim(k, l, was, conf)
				}
				u.added = append(u.added, was)
				continue
			}
			b.flush(&u)
			u.text, u.slots = append(u.text, l.sym), append(u.slots, was)
		case l.kind == udiff.Added && at >= 0:
			u.added = append(u.added, b.added(k, l, int(at), conf))
		case l.kind == udiff.Added:
			u.added = append(u.added, -1)
		case at >= 0:
			b.flush(&u)
			u.text, u.slots = append(u.text, b.text[at]), append(u.slots, b.slots[at])
		default:
			b.flush(&u)
			u.text, u.slots = append(u.text, l.sym), append(u.slots, -1)
		}
	}
	b.flush(&u)
	from, to := int(f.match[first]), int(f.match[last])+1
	b.text = slices.Replace(b.text, from, to, u.text...)
	b.slots = slices.Replace(b.slots, from, to, u.slots...)
}

// before asks for the line that the line of the text at a place was before it was
// changed outside of the record; -1 if nobody asks for that one, or it was found.
func (b *backward) before(at int, sym uint32) int32 {
	s := b.slots[at]
	if s < 0 || b.asked[s].edit >= 0 {
		return -1
	}
	was := b.ask(sym)
	b.asked[s].prev = was
	return was
}
