package provenance

import (
	"slices"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/linediff"
)

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
	if n == 1 && b.texts[h.new[0]] == "" {
		return nil
	}
	for at := 0; at+n <= len(b.text) && len(places) < limit; at++ {
		b.budget -= len(b.texts[b.text[at]]) / 16
		if b.isAt(h, at) {
			places = append(places, at)
		}
	}
	b.budget -= len(b.text)
	return places
}

// isAt says whether the new side of a hunk is at a place: as whole lines or, from a snippet,
// as a part of the text.
func (b *backward) isAt(h *scriptHunk, at int) bool {
	n := len(h.new)
	if !h.snippet {
		return slices.Equal(b.text[at:at+n], h.new)
	}
	first, last := b.texts[h.new[0]], b.texts[h.new[n-1]]
	head, tail := b.texts[b.text[at]], b.texts[b.text[at+n-1]]
	switch {
	case n == 1 && h.newOpen:
		return strings.Contains(head, first)
	case !strings.HasSuffix(head, first):
		return false
	case n == 1:
		return true
	case !strings.HasPrefix(tail, last) || !h.newOpen && tail != last:
		return false
	}
	return slices.Equal(b.text[at+1:at+n-1], h.new[1:n-1])
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
