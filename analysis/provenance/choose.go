package provenance

import (
	"slices"

	"github.com/toolpath-ls/toolpath-ls/analysis/udiff"
)

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
	places = b.unexplained(k, b.inOrder(k, places, n))
	if len(places) == 1 || b.alike(k) >= len(places) {
		return places[len(places)-1]
	}
	return b.lookBack(k, places, n)
}

// inOrder are the places above the hunk behind k in its diff and below the one before it. The
// edits of a tool come in any order. They are all places if there is none else.
func (b *backward) inOrder(k int, places []int, n int) []int {
	h := &b.hunks[k]
	if h.snippet {
		return places
	}
	from, to := 0, len(b.text)
	if b.below >= 0 {
		to = b.below
	}
	if k > b.first[h.edit] {
		if o := &b.hunks[k-1]; !o.broken && b.sum(o.new) >= tellingWeight {
			if at := b.occurrences(b.text, o.new, 2); len(at) == 1 {
				from = at[0] + len(o.new)
			}
		}
	}
	var rest []int
	for _, at := range places {
		if from <= at && at+n <= to {
			rest = append(rest, at)
		}
	}
	if len(rest) == 0 {
		return places
	}
	return rest
}

// alike counts the hunks of k's edit, up to k, that wrote the same text. Of as many places
// each is that of one of them.
func (b *backward) alike(k int) int {
	h, n := &b.hunks[k], 0
	b.budget -= (k - b.first[h.edit]) / 8
	for i := b.first[h.edit]; i <= k; i++ {
		if o := &b.hunks[i]; slices.Equal(o.new, h.new) && o.newOpen == h.newOpen {
			n++
		}
	}
	return n
}

// unexplained are the places where hunk k may have written its lines: not those where they
// are part of what an older hunk left, which is still there as a whole, and once. They are all
// places if there is none else.
func (b *backward) unexplained(k int, places []int) []int {
	const most = 50
	if len(places) > most {
		return places
	}
	var rest []int
	for _, at := range places {
		if !b.explained(k, at) {
			rest = append(rest, at)
		}
	}
	if len(rest) == 0 {
		return places
	}
	return rest
}

// explained says whether an older hunk explains a line that k would have written at a place.
func (b *backward) explained(k, at int) bool {
	h := &b.hunks[k]
	line := at
	for i := range h.lines {
		switch h.lines[i].kind {
		case udiff.Removed:
			continue
		case udiff.Added:
			for _, o := range b.olderWith(k, b.text[line]) {
				if b.explains(int(o), k, line) {
					return true
				}
			}
		}
		line++
	}
	return false
}

// olderWith are the older hunks of k's edit and some of others that have a line.
func (b *backward) olderWith(k int, line uint32) (older []int32) {
	const near, most = 256, 4
	for i := k - 1; i >= max(b.first[b.hunks[k].edit], k-near); i-- {
		older = append(older, int32(i))
	}
	at := b.whereNew()[line]
	i, _ := slices.BinarySearch(at, int32(b.first[b.hunks[k].edit]))
	return append(older, at[max(0, i-most):i]...)
}

// explains says whether the new side of hunk o, which says more than that of k, is in the text
// once, and has the line.
func (b *backward) explains(o, k, line int) bool {
	h := &b.hunks[o]
	n := len(h.new)
	b.budget -= 1 + n/8
	if n == 0 || h.broken || b.budget <= 0 || b.sum(h.new) <= b.sum(b.hunks[k].new) || b.sum(h.new) < tellingWeight {
		return false
	}
	for at := max(0, line-n+1); at <= min(line, len(b.text)-n); at++ {
		b.budget--
		if b.isAt(h, at) {
			return len(b.allOf(h, 2)) == 1
		}
	}
	return false
}

// allOf are the places where the new side of a hunk is, up to limit.
func (b *backward) allOf(h *scriptHunk, limit int) []int {
	if h.snippet {
		return b.inside(h, limit)
	}
	return b.occurrences(b.text, h.new, limit)
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
	const most = 6
	var older []int32
	for _, s := range b.hunks[k].old {
		at := b.whereNew()[s]
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

// whereNew has, for each telling line, the hunks that have it on their new side.
func (b *backward) whereNew() map[uint32][]int32 {
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
	return b.where
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
