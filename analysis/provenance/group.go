package provenance

import (
	"slices"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/linediff"
)

// sides is group for lines that a hunk removes and adds. A diff never removes and
// adds the same line at the start or at the end of a change; where a hunk does, its
// producer wrote down two texts without comparing them, or took the end of a
// snippet for the end of the file.
func (r *replay) sides() {
	m, n := len(r.removed), len(r.added)
	if m == 0 || n == 0 || !r.kept(r.removed[0], r.added[0]) && !r.kept(r.removed[m-1], r.added[n-1]) && !r.keepsOne() {
		r.group(Add)
		return
	}
	r.sided = true
	old, now := slices.Clone(r.removed), slices.Clone(r.added)
	at := 0
	for _, h := range append(r.compare(old, now), closing(m, n)) {
		r.fresh = append(r.fresh, old[at:h.OldStart]...)
		r.removed = append(r.removed[:0], old[h.OldStart:h.OldEnd]...)
		r.added = append(r.added[:0], now[h.NewStart:h.NewEnd]...)
		r.group(Add)
		at = h.OldEnd
	}
}

// kept says that an added line is the removed one.
func (r *replay) kept(was LineID, now piece) bool {
	return r.p.Text(was) == r.text(now) && (r.p.idents[was].Flags&NoEOL != 0) == now.noEOL
}

// keepsOne says that a telling line is removed and added, once each.
func (r *replay) keepsOne() bool {
	was := func(i int) string { return r.p.Text(r.removed[i]) }
	now := func(i int) string { return r.text(r.added[i]) }
	return shareLine(len(r.removed), len(r.added), was, now)
}

// shareLine says that two sides of m and n lines have a telling line in common that both have
// once. No shortest diff removes such a line and adds it again: its producer wrote down both
// sides of a replacement as they are.
func shareLine(m, n int, old, now func(int) string) bool {
	const few = 64
	if m*n <= few {
		for i := range m {
			for j := range n {
				if line := old(i); line == now(j) && telling(line) && isOnce(m, old, i) && isOnce(n, now, j) {
					return true
				}
			}
		}
		return false
	}
	times := map[string][2]int{}
	for i := range m {
		t := times[old(i)]
		times[old(i)] = [2]int{t[0] + 1, 0}
	}
	for j := range n {
		if t, ok := times[now(j)]; ok {
			times[now(j)] = [2]int{t[0], t[1] + 1}
		}
	}
	for line, t := range times {
		if t == [2]int{1, 1} && telling(line) {
			return true
		}
	}
	return false
}

// isOnce says that no other one of n lines is line i.
func isOnce(n int, lines func(int) string, i int) bool {
	for k := range n {
		if k != i && lines(k) == lines(i) {
			return false
		}
	}
	return true
}

// group makes idents of r.added, which stand in place of r.removed, and appends
// them to r.fresh. It empties both.
func (r *replay) group(kind Kind) {
	r.pairs.reset()
	for _, id := range r.removed {
		r.pairs.old = append(r.pairs.old, r.p.Text(id))
	}
	for _, piece := range r.added {
		r.pairs.new = append(r.pairs.new, r.text(piece))
	}
	above, came := r.above(), LineID(len(r.p.idents))
	for i, old := range r.pairs.pair() {
		piece := r.added[i]
		if old < 0 {
			r.fresh = append(r.fresh, r.ident(piece, kind, 0))
			continue
		}
		prev := r.removed[old]
		r.fresh = append(r.fresh, r.ident(piece, r.replaced(prev, piece, kind), prev))
	}
	r.note(kind, above, r.removed, came)
	r.removed, r.added = r.removed[:0], r.added[:0]
}

// replaced is the kind of a line in place of another.
func (r *replay) replaced(prev LineID, now piece, kind Kind) Kind {
	if kind != Add {
		return kind
	}
	was, is := r.p.Text(prev), r.text(now)
	if was != is && plain(was) == plain(is) && (r.p.idents[prev].Flags&NoEOL != 0) == now.noEOL {
		return Format
	}
	return Modify
}

// pairer finds for each new line of a change which old line it replaced, in
// order: the pairs never cross.
type pairer struct {
	old, new []string
	pairs    []int
	score    []int32
}

func (p *pairer) reset() { p.old, p.new = p.old[:0], p.new[:0] }

// pairWindow is the number of lines on each side that are compared each with
// each; longer changes are cut at equal lines and then into windows.
const pairWindow = 32

// pair returns, for each new line, the index of an old one or -1.
func (p *pairer) pair() []int {
	p.pairs = p.pairs[:0]
	for range p.new {
		p.pairs = append(p.pairs, -1)
	}
	switch {
	case len(p.old) == 0 || len(p.new) == 0:
	case len(p.old) == 1 && len(p.new) == 1:
		p.pairs[0] = 0
	case len(p.old) <= pairWindow && len(p.new) <= pairWindow:
		p.align(0, len(p.old), 0, len(p.new))
	default:
		p.pairLong()
	}
	return p.pairs
}

// pairLong first pairs lines that are equal up to the carriage return.
func (p *pairer) pairLong() {
	hunks := linediff.Lines(withoutCR(p.old), withoutCR(p.new), linediff.Options{IndentHeuristic: true})
	at := 0
	for _, h := range append(hunks, closing(len(p.old), len(p.new))) {
		for ; at < h.NewStart; at++ {
			p.pairs[at] = h.OldStart - (h.NewStart - at)
		}
		p.windows(h)
		at = h.NewEnd
	}
}

// withoutCR are lines in the form that linediff wants. A line feed ends each.
func withoutCR(lines []string) [][]byte {
	size := 0
	for _, l := range lines {
		size += len(l) + 1
	}
	all := make([]byte, 0, size)
	cut := make([][]byte, len(lines))
	for i, l := range lines {
		start := len(all)
		all = append(append(all, trimCR(l)...), '\n')
		cut[i] = all[start:len(all):len(all)]
	}
	return cut
}

// windows aligns a change in stretches of at most pairWindow lines a side, cut in
// proportion.
func (p *pairer) windows(h linediff.Hunk) {
	m, n := h.OldEnd-h.OldStart, h.NewEnd-h.NewStart
	if m == 0 || n == 0 {
		return
	}
	count := (max(m, n) + pairWindow - 1) / pairWindow
	for i := range count {
		p.align(h.OldStart+i*m/count, h.OldStart+(i+1)*m/count, h.NewStart+i*n/count, h.NewStart+(i+1)*n/count)
	}
}

// align pairs old[a:b] with new[c:d] so that the sum of the likenesses is largest.
// As many lines on both sides are taken for one replacement after the other, so
// there unlike lines pair too.
func (p *pairer) align(a, b, c, d int) {
	m, n := b-a, d-c
	if m == 0 || n == 0 {
		return
	}
	width := n + 1
	size := (m + 1) * width
	if cap(p.score) < 2*size {
		p.score = make([]int32, 2*size)
	}
	best, own := p.score[:size], p.score[size:2*size]
	for j := range n + 1 {
		best[m*width+j] = 0
	}
	for i := m - 1; i >= 0; i-- {
		best[i*width+n] = 0
		for j := n - 1; j >= 0; j-- {
			s := likeness(p.old[a+i], p.new[c+j])
			if s < leastLikeness && m != n {
				s = 0
			} else {
				s++
			}
			own[i*width+j] = s
			best[i*width+j] = max(best[(i+1)*width+j], best[i*width+j+1], best[(i+1)*width+j+1]+s)
		}
	}
	for i, j := 0, 0; i < m && j < n; {
		switch s := own[i*width+j]; {
		case s > 0 && best[i*width+j] == best[(i+1)*width+j+1]+s:
			p.pairs[c+j] = a + i
			i, j = i+1, j+1
		case best[i*width+j] == best[i*width+j+1]:
			j++
		default:
			i++
		}
	}
}

// leastLikeness is what two lines must have for one to be called the other's
// successor when a change has not as many old as new lines.
const leastLikeness = 30

// likeness of two lines, 0 to 100: the share of both that is common at the start
// and at the end. Indentation and line ends do not count; of long lines only the
// ends are compared.
func likeness(a, b string) int32 {
	a, b = strings.TrimSpace(a), strings.TrimSpace(b)
	if a == b {
		return 100
	}
	const most = 128
	both := min(len(a), 2*most) + min(len(b), 2*most)
	shorter := min(len(a), len(b))
	head := 0
	for head < min(shorter, most) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < min(shorter-head, most) && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	return int32(200 * (head + tail) / both)
}
