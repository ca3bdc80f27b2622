package provenance

import (
	"slices"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/linediff"
	"github.com/toolpath-ls/toolpath-ls/analysis/udiff"
)

// backward undoes edits on a text that came of them, the last edit first. What it
// finds of an edit's added lines is of that edit. It needs no base.
type backward struct {
	*script
	finder
	h     History
	text  []uint32 // as symbols
	slots []int32  // by line of text: who asks for its author, -1: nobody
	asked []slot
	hints []int32 // by hunk: where it stood when replayed forward, -1: not known
	every []bool  // by hunk: the forward replay made it everywhere; nil: not known
	spots []int32 // by hunk: where it was found, -1: nowhere
	blind []bool  // by hunk: it was put to one of several places for no reason
	sure  []bool  // by hunk: all of it was there, once
	drift int     // from there to here

	atEnd   int   // lines of the text at the end, which are the first slots
	sync    bool  // no edit since the end, or the last known content, was left out
	floated []int // hunks that were not found
	where   map[uint32][]int32
	pairs   pairer
}

// slot is a line whose author is asked for: one of the text at the end, or one
// that such a line replaced.
type slot struct {
	edit     int32 // -1: not found
	sym      uint32
	from, to uint32 // in the edit's Raw or Whole
	conf     uint8
	kind     Kind
	whole    bool  // from, to are in Whole
	parts    bool  // the line is not in the record as a whole
	prev     int32 // slot of the line that it replaced, -1: none
}

// Confidence of what the backward pass finds.
const (
	confUndone      = 240 // all of the hunk was there, once, and so were all after it
	confFound       = 222 // all of it was there, once
	confChosen      = 180 // several times, and one place was better
	confBackPart    = 135 // some of it was there; a share of the rest is added
	confBackRest    = 80
	confLittle      = 140 // all of it was there once, but it is little
	confOverwritten = 70
	confText        = 105 // nothing but the text of what was added
)

// tellingWeight is the weight from which a hunk's new side is unlikely to be
// somewhere by chance.
const tellingWeight = 40

func newBackward(h History, s *script, text string) *backward {
	b := &backward{script: s, finder: finder{symbols: s.symbols, budget: SearchLimit / 8}, h: h, sync: true}
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		b.text = append(b.text, b.number(line))
	}
	if text == "" {
		b.text = nil
	}
	b.spots = unknown(len(s.hunks))
	b.spots, b.blind, b.atEnd = unknown(len(s.hunks)), make([]bool, len(s.hunks)), len(b.text)
	b.sure = make([]bool, len(s.hunks))
	b.slots = make([]int32, len(b.text))
	for i := range b.slots {
		b.slots[i] = b.ask(b.text[i])
	}
	return b
}

func (b *backward) ask(sym uint32) int32 {
	b.asked = append(b.asked, slot{edit: -1, sym: sym, prev: -1})
	return int32(len(b.asked) - 1)
}

// run undoes all edits, and then asks those that could not be undone for what is
// left.
func (b *backward) run() {
	end := slices.Clone(b.text)
	b.undoAll()
	for _, k := range b.floated {
		b.claimText(k, end)
	}
}

// claimText gives lines of the end that nobody claims to a hunk whose place is not
// known, where it added just these and they are there once.
func (b *backward) claimText(k int, end []uint32) {
	h := &b.hunks[k]
	for i := 0; i < len(h.lines); {
		j := i
		var added []uint32
		for ; j < len(h.lines) && h.lines[j].kind == udiff.Added; j++ {
			added = append(added, h.lines[j].sym)
		}
		if b.sum(added) >= 2*tellingWeight {
			if at := b.occurrences(end, added, 2); len(at) == 1 && b.free(at[0], len(added)) {
				for n := range added {
					b.claim(k, &h.lines[i+n], int32(at[0]+n), confText)
				}
			}
		}
		i = max(j, i+1)
	}
}

// free says that nobody claims n lines of the end from at on.
func (b *backward) free(at, n int) bool {
	for i := at; i < at+n; i++ {
		if b.asked[i].edit >= 0 {
			return false
		}
	}
	return true
}

func (b *backward) undoAll() {
	for i := len(b.h.Edits) - 1; i >= 0; i-- {
		if b.h.Done != nil && b.h.Done() || b.budget <= 0 {
			return
		}
		if !b.undo(i) {
			return
		}
	}
}

// undo takes back edit i; false if there was no file before it.
func (b *backward) undo(i int) bool {
	e := &b.h.Edits[i]
	if e.Delete {
		return false
	}
	if e.Whole != nil {
		b.anchor(*e.Whole)
		if e.Creates && b.nothingBefore(i) {
			b.claimAll(i, confUndone, Add)
			return false
		}
	}
	switch {
	case e.HasRaw:
		hunks := b.hunks[b.first[i]:b.first[i+1]]
		if i < len(b.h.Parents) && len(b.h.Parents[i]) > 1 {
			for k := b.first[i]; k < b.first[i+1]; k++ {
				b.floated = append(b.floated, k)
			}
			hunks = nil // what came through a merge is undone in its branch
		}
		if len(hunks) == 0 && e.Raw != "" {
			b.sync = false
		}
		for k := range slices.Backward(hunks) {
			b.undoHunk(b.first[i] + k)
		}
		if b.creates(i) {
			return false
		}
	case e.Whole != nil:
		// What the file was before is not known: what no older edit claims is
		// likely, but not surely, of this one.
		b.presume(i)
		b.sync = false
	default:
		b.sync = false
	}
	if e.Before != nil {
		b.anchor(*e.Before)
	}
	return true
}

// nothingBefore says that no edit shows that there was a file before edit i: there
// are producers who call every whole content a creation.
func (b *backward) nothingBefore(i int) bool { return i == 0 || b.h.Edits[i-1].Delete }

// creates says that edit i is the creation of the file.
func (b *backward) creates(i int) bool {
	if !b.nothingBefore(i) {
		return false
	}
	hunks := b.hunks[b.first[i]:b.first[i+1]]
	if len(hunks) != 1 || len(hunks[0].old) > 0 {
		return false
	}
	d := udiff.Parse(b.h.Edits[i].Raw)
	return b.h.Edits[i].Creates || len(d.Sections) > 0 && d.Sections[0].Creates
}

// anchor makes the text a known one. Lines that it does not have are not older.
func (b *backward) anchor(content string) {
	var now []uint32
	for line := range strings.SplitSeq(strings.TrimSuffix(content, "\n"), "\n") {
		now = append(now, b.number(line))
	}
	if content == "" {
		now = nil
	}
	b.budget -= 16 * (len(now) + len(b.text))
	slots := make([]int32, 0, len(now))
	at, was := 0, 0
	for _, h := range append(linediff.Numbered(linediff.Text{IDs: now}, linediff.Text{IDs: b.text}, linediff.Options{}), closing(len(now), len(b.text))) {
		for ; at < h.OldStart; at, was = at+1, was+1 {
			slots = append(slots, b.slots[was])
		}
		for ; at < h.OldEnd; at++ {
			slots = append(slots, -1)
		}
		was = h.NewEnd
	}
	b.text, b.slots, b.sync, b.drift = now, slots, true, 0
}

// claimAll gives all lines that are asked for to edit i.
func (b *backward) claimAll(i int, conf uint8, kind Kind) {
	for _, s := range b.slots {
		if s >= 0 {
			slot := &b.asked[s]
			slot.edit, slot.conf, slot.kind, slot.parts = int32(i), conf, kind, true
		}
	}
}

// presume notes edit i for all lines that are asked for, until an older one
// claims them.
func (b *backward) presume(i int) {
	for _, s := range b.slots {
		if s >= 0 && b.asked[s].edit < 0 {
			slot := &b.asked[s]
			slot.edit, slot.conf, slot.kind, slot.parts = int32(i), confOverwritten, Add, true
		}
	}
}

// undoHunk takes back one hunk.
func (b *backward) undoHunk(k int) {
	h := &b.hunks[k]
	hint := b.expected(k)
	if len(h.new) == 0 {
		b.restore(k, hint)
		return
	}
	if b.h.Edits[h.edit].All && h.snippet || b.every != nil && b.every[k] {
		b.undoEvery(k)
		return
	}
	if !h.broken {
		if at, n, conf := b.place(k, h.new, hint); at >= 0 {
			b.sure[k] = conf >= confFound
			b.take(k, at, n, conf)
			return
		}
		if h.snippet && b.undoPart(k, hint) {
			return
		}
	}
	b.live = b.slots
	f, ok := b.partial(b.text, h.new, hint)
	b.live = nil
	if ok {
		b.takePartly(k, f)
		b.sync = false
		return
	}
	b.sync = false
	b.floated = append(b.floated, k)
}

// expected is where the hunk should be, -1 if nothing says so.
func (b *backward) expected(k int) int {
	h := &b.hunks[k]
	at := -1
	switch {
	case b.hints != nil && b.hints[k] >= 0:
		at = int(b.hints[k]) + b.drift
	case h.newAt >= 0:
		at = h.newAt + b.drift
	}
	if at < 0 {
		return -1
	}
	return min(at, len(b.text))
}

// found notes that a hunk was at a place.
func (b *backward) found(k, at int) {
	b.spots[k] = int32(at)
	switch h := &b.hunks[k]; {
	case b.hints != nil && b.hints[k] >= 0:
		b.drift = at - int(b.hints[k])
	case h.newAt >= 0:
		b.drift = at - h.newAt
	}
}

// place is where all of the new side is, and how sure that is; -1 if it is
// nowhere or not to be decided.
func (b *backward) place(k int, new []uint32, hint int) (at, n int, conf uint8) {
	places := b.places(b.text, new)
	if len(places) == 0 && b.hunks[k].phantom && len(new) > 1 {
		new = new[:len(new)-1]
		places = b.places(b.text, new)
	}
	switch {
	case len(places) == 0:
		return -1, 0, 0
	case len(places) == 1 && b.sum(new) >= tellingWeight && b.sync:
		return places[0], len(new), confUndone
	case len(places) == 1 && b.sum(new) >= tellingWeight:
		return places[0], len(new), confFound
	case len(places) == 1 && b.sync:
		return places[0], len(new), confChosen
	case len(places) == 1:
		return places[0], len(new), confLittle
	}
	if at := b.choose(k, places, len(new), hint); at >= 0 {
		return at, len(new), confChosen
	}
	b.sync, b.blind[k] = false, true
	return places[0], len(new), 0
}

// choose decides between places, -1 if it cannot.
func (b *backward) choose(k int, places []int, n, hint int) int {
	if hint >= 0 {
		best, second := -1, -1
		for _, at := range places {
			d := max(at-hint, hint-at)
			if best < 0 || d < max(best-hint, hint-best) {
				best, second = at, best
			} else if second < 0 || d < max(second-hint, hint-second) {
				second = at
			}
		}
		d, e := max(best-hint, hint-best), max(second-hint, hint-second)
		if d == 0 && b.sync || 3*d < e {
			return best
		}
	}
	if at := b.onlyLive(places, n); at >= 0 {
		return at
	}
	return b.lookBack(k, places, n)
}

// onlyLive is the only place whose lines the end still has.
func (b *backward) onlyLive(places []int, n int) int {
	found := -1
	for _, at := range places {
		live := 0
		for _, s := range b.slots[at : at+n] {
			if s >= 0 {
				live++
			}
		}
		switch {
		case live == n && found < 0:
			found = at
		case live > 0:
			return -1
		}
	}
	return found
}

// lookBack asks older hunks, which have seen the place before: the place around
// which most of their lines are.
func (b *backward) lookBack(k int, places []int, n int) int {
	older := b.older(k)
	if len(older) == 0 || len(places) > 50 {
		return -1
	}
	const around = 12
	best, second, bestAt := int32(-1), int32(-1), -1
	for _, at := range places {
		near := map[uint32]bool{}
		for _, s := range b.text[max(0, at-around):at] {
			near[s] = true
		}
		for _, s := range b.text[at+n : min(len(b.text), at+n+around)] {
			near[s] = true
		}
		score := int32(0)
		for _, o := range older {
			for _, s := range b.hunks[o].new {
				if near[s] {
					score += b.weight[s]
				}
			}
		}
		if score > best {
			best, second, bestAt = score, best, at
		} else {
			second = max(second, score)
		}
	}
	b.budget -= 2 * around * len(places)
	if best > 0 && 2*best > 3*second {
		return bestAt
	}
	return -1
}

// older are the next older hunks whose new side has a telling line of k's old
// side.
func (b *backward) older(k int) []int32 {
	if b.where == nil {
		b.where = map[uint32][]int32{}
		for i := range b.hunks {
			for _, s := range b.hunks[i].new {
				if b.weight[s] < 20 {
					continue
				}
				if at := b.where[s]; len(at) == 0 || at[len(at)-1] != int32(i) {
					b.where[s] = append(at, int32(i))
				}
			}
		}
	}
	const most = 6
	var older []int32
	for _, s := range b.hunks[k].old {
		at := b.where[s]
		i, _ := slices.BinarySearch(at, int32(k))
		for n := 0; i > 0 && n < most; n++ {
			i--
			if !slices.Contains(older, at[i]) {
				older = append(older, at[i])
			}
		}
	}
	slices.Sort(older)
	slices.Reverse(older)
	return older[:min(len(older), most)]
}

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

// neighbour is where the removed lines of a hunk stood, to judge from the lines
// that stood beside them when an older hunk showed them; -1 if none did.
func (b *backward) neighbour(k int) int {
	old := b.hunks[k].old
	for _, o := range b.older(k) {
		new := b.hunks[o].new
		for i, s := range old {
			if b.weight[s] < 20 {
				continue
			}
			p := slices.Index(new, s)
			if p < 0 {
				continue
			}
			if p >= i && slices.Equal(new[p-i:p], old[:i]) {
				if at := b.nearest(new, p-i-1, -1); at >= 0 {
					return at + 1
				}
			}
			if end := p + len(old) - i; end <= len(new) && slices.Equal(new[p:end], old[i:]) {
				if at := b.nearest(new, end, 1); at >= 0 {
					return at
				}
			}
			break
		}
	}
	return -1
}

// nearest is where the text has the next of lines, from i on in a direction, that
// it has only once and that tells.
func (b *backward) nearest(lines []uint32, i, direction int) int {
	const most = 5
	for n := 0; n < most && i >= 0 && i < len(lines); n, i = n+1, i+direction {
		if b.weight[lines[i]] < 12 {
			continue
		}
		if at := b.occurrences(b.text, lines[i:i+1], 2); len(at) == 1 {
			return at[0]
		}
	}
	return -1
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
	first, last := -1, -1
	for i, at := range f.match {
		if at >= 0 {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
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

// undoPart undoes a hunk whose new side starts or ends inside of lines.
func (b *backward) undoPart(k, hint int) bool {
	h := &b.hunks[k]
	now := b.side(h.new, h.newOpen)
	const most = 50
	places := b.inside(h, most)
	if len(places) == 0 || len(places) == most {
		return false
	}
	at, conf := places[0], uint8(confLittle)
	if telling := b.sum(h.new) >= tellingWeight; telling && b.sync {
		conf = confUndone
	} else if telling {
		conf = confFound
	}
	if len(places) > 1 {
		conf = confChosen
		if at = b.choose(k, places, len(h.new), hint); at < 0 {
			return false
		}
	}
	b.found(k, at)
	b.sure[k] = conf >= confFound
	n := len(h.new)
	text := b.side(b.text[at:at+n], false)
	from := len(b.texts[b.text[at]]) - len(b.texts[h.new[0]])
	if n == 1 {
		from = strings.Index(text, now)
	}
	text = text[:from] + b.side(h.old, h.oldOpen) + text[from+len(now):]
	if text != "" && text[len(text)-1] != '\n' {
		if at+n < len(b.text) {
			text += b.texts[b.text[at+n]]
			n++
		}
		text += "\n"
	}
	b.rewrite(h.edit, at, n, text, conf)
	return true
}

// undoEvery undoes a replacement that was made everywhere.
func (b *backward) undoEvery(k int) {
	h := &b.hunks[k]
	b.sync = false
	n := len(h.new)
	old, now := b.side(h.old, h.oldOpen), b.side(h.new, h.newOpen)
	const most = 1000
	last := len(b.text) + 1
	for _, at := range slices.Backward(b.inside(h, most)) {
		text := b.side(b.text[at:at+n], false)
		if at+n > last || !strings.Contains(text, now) {
			continue
		}
		text = strings.ReplaceAll(text, now, old)
		if strings.HasSuffix(text, "\n") || text == "" {
			b.rewrite(h.edit, at, n, text, confChosen)
			last = at
		}
	}
}

// side is the text of one side of a hunk.
func (b *backward) side(lines []uint32, open bool) string {
	var s strings.Builder
	for i, l := range lines {
		s.WriteString(b.texts[l])
		if i < len(lines)-1 || !open {
			s.WriteByte('\n')
		}
	}
	return s.String()
}

// inside are the places where the new side of a hunk is a part of the text.
func (b *backward) inside(h *scriptHunk, limit int) (places []int) {
	n := len(h.new)
	first, last := b.texts[h.new[0]], b.texts[h.new[n-1]]
	if first == "" && n == 1 {
		return nil
	}
	for at := 0; at+n <= len(b.text) && len(places) < limit; at++ {
		head, tail := b.texts[b.text[at]], b.texts[b.text[at+n-1]]
		b.budget -= len(head) / 16
		switch {
		case n == 1 && h.newOpen:
			if !strings.Contains(head, first) {
				continue
			}
		case !strings.HasSuffix(head, first):
			continue
		case n == 1:
		case !strings.HasPrefix(tail, last) || !h.newOpen && tail != last:
			continue
		case !slices.Equal(b.text[at+1:at+n-1], h.new[1:n-1]):
			continue
		}
		places = append(places, at)
	}
	b.budget -= len(b.text)
	return places
}

// rewrite puts a text in place of the n lines from at on, which edit made of it.
func (b *backward) rewrite(edit int32, at, n int, text string, conf uint8) {
	var was []uint32
	for line := range strings.Lines(text) {
		was = append(was, b.number(strings.TrimSuffix(line, "\n")))
	}
	slots := make([]int32, len(was))
	i, j := 0, 0
	for _, h := range append(linediff.Numbered(linediff.Text{IDs: was}, linediff.Text{IDs: b.text[at : at+n]}, linediff.Options{}), closing(len(was), n)) {
		for ; i < h.OldStart; i, j = i+1, j+1 {
			slots[i] = b.slots[at+j]
		}
		b.pairs.reset()
		for ; i < h.OldEnd; i++ {
			slots[i] = -1
			b.pairs.old = append(b.pairs.old, b.texts[was[i]])
		}
		for ; j < h.NewEnd; j++ {
			b.pairs.new = append(b.pairs.new, b.texts[b.text[at+j]])
		}
		for p, old := range b.pairs.pair() {
			s := b.slots[at+h.NewStart+p]
			if s < 0 || b.asked[s].edit >= 0 && b.asked[s].conf >= conf {
				continue
			}
			b.asked[s] = b.asked[s].by(edit, conf, Add)
			b.asked[s].parts = true
			if old >= 0 {
				b.asked[s].kind = Modify
				prev := b.ask(was[h.OldStart+old])
				b.asked[s].prev = prev
				slots[h.OldStart+old] = prev
			}
		}
	}
	b.text = slices.Replace(b.text, at, at+n, was...)
	b.slots = slices.Replace(b.slots, at, at+n, slots...)
}
