package provenance

import (
	"slices"
	"strings"
	"unicode"

	"github.com/toolpath-ls/toolpath-ls/analysis/udiff"
)

// doubtSlide lowers the confidence in the lines of the last insertion of a diff that
// git blame may take for older ones. Where a block of added lines ends as the text
// above it does, either may be the new ones, and diffs choose by the indentation of
// what follows. Git blame compares without context: it leaves out the common end of
// both texts, in blocks of 1024 bytes, and so may not see the line by which a diff
// with context has chosen. was is the number of lines before the section.
func (r *replay) doubtSlide(was int) {
	placed := &r.placed[len(r.placed)-1]
	if placed.hunk.OldLines == placed.hunk.NewLines {
		return
	}
	lines := r.diff.Lines(placed.hunk)
	n := len(lines)
	for n > 0 && lines[n-1].Kind == udiff.Context {
		n--
	}
	end := len(r.lines) - (was - placed.end) - (len(lines) - n)
	from := n
	for from > 0 && lines[from-1].Kind == udiff.Added {
		from--
	}
	start := end - (n - from)
	if from == n || from > 0 && lines[from-1].Kind == udiff.Removed || start < 0 || end > len(r.lines) {
		return
	}
	same := func(a, b int) bool { return r.p.Text(r.lines[a]) == r.p.Text(r.lines[b]) }
	down, up := 0, 0
	for end+down < len(r.lines) && same(start+down, end+down) {
		down++
	}
	for up < start && same(start-1-up, end-1-up) {
		up++
	}
	if up+down == 0 || r.seesBehind(end+down) {
		return
	}
	for i := range up {
		r.lower(r.lines[end-1-i])
	}
	for i := range down {
		r.lower(r.lines[start+i])
	}
}

// seesBehind says that git blame sees a line with letters behind one from which on
// two texts are the same.
func (r *replay) seesBehind(from int) bool {
	const block, partly = 1024, 256 // bytes; the line before may end alike too
	size := 0
	for _, id := range r.lines[from:] {
		size += len(r.p.Text(id)) + 1
	}
	seen := size % block
	if seen > block-partly || size < block {
		return size < block // of which nothing is left out
	}
	for _, id := range r.lines[from:] {
		text := r.p.Text(id)
		if seen -= len(text) + 1; seen < 0 {
			return false
		}
		for i := range len(text) {
			if text[i] > ' ' {
				return true
			}
		}
	}
	return false
}

// lower makes the confidence in an ident of the current edit that of a guess.
func (r *replay) lower(id LineID) {
	if r.isNew(id) {
		r.doubtLine(id)
	}
}

// doubtLine keeps a line from being exact, whoever wrote it, even if an undoing agrees.
func (r *replay) doubtLine(id LineID) {
	if r.p.idents[id].Conf <= confDoubted {
		return
	}
	if int(id) < r.shared {
		r.p.idents, r.shared = slices.Clone(r.p.idents), 0
	}
	r.p.idents[id].Conf = confDoubted
}

// isNew says whether the current edit made the line.
func (r *replay) isNew(id LineID) bool { return int(r.p.idents[id].edit) == r.now+1 }

// doubtKept lowers the confidence in lines without a letter that the diff kept between lines that
// it changed above and below, where it changed more of the same: which of them stayed is a choice
// that a diff with another context makes in another way.
func (r *replay) doubtKept(p placement) {
	lines := r.diff.Lines(p.hunk)
	at := p.at + p.shift
	for i := 0; i < len(lines); {
		from, start := i, at
		for i < len(lines) && lines[i].Kind == udiff.Context {
			i, at = i+1, at+1
		}
		r.doubtBetween(start, at, lines[:from], lines[i:])
		for i < len(lines) && lines[i].Kind != udiff.Context {
			if lines[i].Kind == udiff.Added {
				at++
			}
			i++
		}
	}
}

// doubtBetween does so for lines of the text and the lines of the diff above and below.
func (r *replay) doubtBetween(from, to int, above, below []udiff.Line) {
	const most = 6 // lines that a diff with context shows between changes
	if from >= to || to-from > most || to > len(r.lines) || len(above) == 0 || len(below) == 0 || !rewrites(above, -1) && !rewrites(below, 1) {
		return
	}
	for _, id := range r.lines[from:to] {
		if hasLetter(r.p.Text(id)) {
			return
		}
	}
	for _, id := range r.lines[from:to] {
		if r.changes(r.p.Text(id)) {
			r.doubtLine(id)
		}
	}
}

// changes says whether the diff removes or adds a line with such a text.
func (r *replay) changes(text string) bool {
	for i := range r.diff.Hunks {
		if slices.ContainsFunc(r.diff.Lines(&r.diff.Hunks[i]), func(l udiff.Line) bool {
			return l.Kind != udiff.Context && r.diff.Text(l) == text
		}) {
			return true
		}
	}
	return false
}

// rewrites says whether the change at the start of lines, or at their end if the direction is
// -1, removes lines and adds others.
func rewrites(lines []udiff.Line, direction int) bool {
	removed, added := false, false
	for n := range lines {
		l := lines[n]
		if direction < 0 {
			l = lines[len(lines)-1-n]
		}
		if l.Kind == udiff.Context {
			break
		}
		removed, added = removed || l.Kind == udiff.Removed, added || l.Kind == udiff.Added
	}
	return removed && added
}

func hasLetter(line string) bool {
	return strings.ContainsFunc(line, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) })
}

// doubtSides does, for a hunk whose producer did not compare its sides, what doubtSlide does:
// which of two equal lines, above and below, are the new ones is our own choice.
func (r *replay) doubtSides(from, to int) {
	same := func(a, b int) bool { return r.p.Text(r.lines[a]) == r.p.Text(r.lines[b]) }
	for start := from; start < to; start++ {
		if !r.isNew(r.lines[start]) {
			continue
		}
		end := start + 1
		for end < to && r.isNew(r.lines[end]) {
			end++
		}
		for up := 0; up < start && same(start-1-up, end-1-up); up++ {
			r.doubtLine(r.lines[start-1-up])
			r.doubtLine(r.lines[end-1-up])
		}
		for down := 0; end+down < len(r.lines) && same(start+down, end+down); down++ {
			r.doubtLine(r.lines[start+down])
			r.doubtLine(r.lines[end+down])
		}
		start = end
	}
}

// doubtRest lowers the confidence in lines that a hunk may have changed which is cut short: in
// those that its numbers say it covered, and without numbers in all that follow. at is where it
// begins, -1 if that is not known.
func (r *replay) doubtRest(h *scriptHunk, at int) {
	from, to := max(at, 0), len(r.lines)
	if at >= 0 && h.rest >= 0 {
		to = min(to, at+len(h.new)+h.rest)
	}
	for _, id := range r.lines[min(from, to):to] {
		r.doubtLine(id)
	}
}
