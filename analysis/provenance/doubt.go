package provenance

import "github.com/toolpath-ls/toolpath-ls/analysis/udiff"

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
	if ident := &r.p.idents[id]; int(ident.edit) == r.now+1 && ident.Conf > mostFuzzy {
		ident.Conf = mostFuzzy
	}
}
