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
	below int     // where the hunk behind that at hand began, in the same diff; -1: not known

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
	confLate        = 131 // an older hunk may have added it
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
	if e.After != nil {
		b.anchor(*e.After)
	}
	if e.Whole != nil {
		b.anchor(*e.Whole)
		if e.Creates && b.nothingBefore(i) {
			b.claimAll(i, confUndone, Add)
			return false
		}
	}
	switch {
	case e.HasRaw && e.Late && e.Before == nil && !(e.Creates && b.nothingBefore(i)):
		b.presumeAdded(i)
		b.sync = false
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
		b.below = -1
		for k := range slices.Backward(hunks) {
			b.undoHunk(b.first[i] + k)
			if at := b.spots[b.first[i]+k]; at >= 0 {
				b.below = int(at)
			}
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

// presumeAdded does so for the lines that the diff of edit i, whose result is the text, adds to
// what was there some time before. Nobody knows what was there just before the edit.
func (b *backward) presumeAdded(i int) {
	for k := b.first[i]; k < b.first[i+1]; k++ {
		h := &b.hunks[k]
		if h.broken || h.newAt < 0 || h.newAt+len(h.new) > len(b.text) || !b.isAt(h, h.newAt) {
			continue
		}
		line := h.newAt
		for j := range h.lines {
			l := &h.lines[j]
			if l.kind == udiff.Removed {
				continue
			}
			if l.kind == udiff.Added && b.slots[line] >= 0 {
				b.claim(k, l, b.slots[line], confLate)
			}
			line++
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
	case b.blind[k]: // which says nothing of others
	case b.hints != nil && b.hints[k] >= 0:
		b.drift = at - int(b.hints[k])
	case h.newAt >= 0:
		b.drift = at - h.newAt
	}
}
