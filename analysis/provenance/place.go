package provenance

import (
	"slices"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/udiff"
)

// SearchLimit bounds the sum of all searches for hunks whose numbers are wrong,
// in one projection. A search costs 8 for each line of the text, and the length
// of the line where it has to look inside it.
const SearchLimit = 1 << 31

// placement is a hunk and the lines [at,end) of the text that its old side is.
type placement struct {
	hunk    *udiff.Hunk
	at, end int
	// parts: the old side is a piece of the text rather than lines of it, from byte
	// from of line at to byte to of line end-1.
	parts    bool
	from, to int

	sided bool // we compared its sides

	fresh int // where its new lines start in replay.fresh
	shift int // of the text before it
}

// apply replays r.diff, which is that of e, on the known text, section by section. If it
// fails, the text is that before the section that does not apply.
func (r *replay) apply(e *Edit) (Problem, bool) {
	r.placed = r.placed[:0]
	if issue, ok := r.diff.Replayable(); !ok {
		return Problem{Kind: NotReplayable, Issue: issue.Kind, Hunk: issue.Hunk, Span: issue.Span}, false
	}
	r.raw = r.source(e.Raw)
	was := 0 // lines before the last section
	for first := 0; first < len(r.diff.Hunks); {
		end := first + 1
		for end < len(r.diff.Hunks) && r.diff.Hunks[end].Section == r.diff.Hunks[first].Section {
			end++
		}
		if e.Snippet && e.All && end-first == 1 && r.replaceAll(&r.diff.Hunks[first]) {
			first = end
			continue
		}
		if why, ok := r.place(e, first, end); !ok {
			return why, false
		}
		was = len(r.lines)
		r.splice()
		first = end
	}
	if !e.Snippet && len(r.placed) > 0 {
		r.doubtSlide(was)
	}
	return Problem{}, true
}

// place finds the lines that the hunks [first,end) speak of and leaves them in
// r.placed, in order. All hunks of a section are placed or none.
func (r *replay) place(e *Edit, first, end int) (Problem, bool) {
	r.unglue = e.GitDeriver
	why, ok := r.placeStated(first, end)
	if ok && !e.Snippet {
		return Problem{}, true
	}
	r.unglue = e.GitDeriver
	if end-first == 1 && r.placeAll(&r.diff.Hunks[first]) {
		return Problem{}, true
	}
	return r.relocate(e, first, end, why)
}

// placeStated takes the numbers at their word. A hunk without an old side can be
// held against nothing but the numbers of its new side.
func (r *replay) placeStated(first, end int) (Problem, bool) {
	r.placed = r.placed[:0]
	last, shift := 0, 0
	for i := first; i < end; i++ {
		h := &r.diff.Hunks[i]
		at := stated(h.Old)
		if h.Numbers != udiff.NumbersStated || at < last || h.OldLines == 0 && (at > len(r.lines) || stated(h.New) != at+shift) {
			return r.noPosition(i), false
		}
		if miss, ok := r.matches(h, at); !ok {
			return r.mismatch(i, at, miss), false
		}
		r.placed = append(r.placed, placement{hunk: h, at: at, end: at + h.OldLines})
		last = at + h.OldLines
		shift += h.NewLines - h.OldLines
	}
	return Problem{}, true
}

// stated is the 0-based line at which one side of a header says it starts.
func stated(r udiff.Range) int {
	if r.Count == 0 {
		return r.Start
	}
	return r.Start - 1
}

func (r *replay) noPosition(i int) Problem {
	return Problem{Kind: NoPosition, Hunk: i, Span: r.diff.Hunks[i].Header}
}

func (r *replay) mismatch(i, at int, miss udiff.Line) Problem {
	h := &r.diff.Hunks[i]
	line := max(at, 0)
	for _, l := range r.diff.Lines(h) {
		if l == miss {
			break
		}
		if l.Kind != udiff.Added {
			line++
		}
	}
	p := Problem{Kind: Mismatch, Hunk: i, Span: miss.Span(), Line: line + 1, Expected: r.diff.Text(miss)}
	if line < len(r.lines) {
		p.Found = r.p.Text(r.lines[line])
	} else {
		p.AtEnd = true
	}
	return p
}

// matches holds the old side of h against the text from line at on; miss is the
// first body line that differs.
func (r *replay) matches(h *udiff.Hunk, at int) (miss udiff.Line, ok bool) {
	for _, l := range r.diff.Lines(h) {
		if l.Kind == udiff.Added {
			continue
		}
		if at < 0 || at >= len(r.lines) || !r.same(l, r.lines[at]) {
			return l, false
		}
		at++
	}
	return udiff.Line{}, true
}

// same compares a line of the diff with one of the text. Line ends are left out:
// a working tree may have others than the base in git. A removed line may have a
// glued '>', which then is true of the added lines too.
func (r *replay) same(l udiff.Line, id LineID) bool {
	text, want := r.p.Text(id), r.diff.Text(l)
	if text == want || !r.strict && plain(text) == plain(want) {
		return true
	}
	if want, ok := r.diff.Unglued(l); ok && plain(text) == plain(want) {
		r.unglue = true
		return true
	}
	return false
}

// bare is a line as it is compared.
func (r *replay) bare(line string) string {
	if r.strict {
		return line
	}
	return trimCR(line)
}

func trimCR(s string) string { return strings.TrimSuffix(s, "\r") }

// plain is a line without what editors keep and do not show: a carriage return at its end,
// and, before the first one of a file, a byte order mark.
func plain(s string) string { return strings.TrimPrefix(trimCR(s), byteOrderMark) }

const byteOrderMark = "\ufeff"

// placeAll takes a hunk that removes a whole text and adds another, both cut at
// line feeds so that an empty piece follows the last one (gemini deriver).
func (r *replay) placeAll(h *udiff.Hunk) bool {
	lines := r.diff.Lines(h)
	if h.OldLines != len(r.lines)+1 || h.NewLines == 0 || h.OldLines+h.NewLines != len(lines) {
		return false
	}
	for i, l := range lines {
		switch {
		case (l.Kind == udiff.Removed) != (i < h.OldLines):
			return false
		case i < len(r.lines) && !r.same(l, r.lines[i]):
			return false
		case i == len(r.lines) && r.diff.Text(l) != "":
			return false
		}
	}
	r.placed = append(r.placed[:0], placement{hunk: h, at: 0, end: len(r.lines)})
	return true
}

// relocate places hunks whose numbers are wrong or absent: by content that occurs
// exactly once, and by the shift that such a hunk shows for the others.
func (r *replay) relocate(e *Edit, first, end int, why Problem) (Problem, bool) {
	r.placed = r.placed[:0]
	shift, shifted := 0, false
	for i := first; i < end; i++ {
		h := &r.diff.Hunks[i]
		if h.OldLines == 0 {
			if why.Kind != Mismatch {
				why = r.noPosition(i)
			}
			return why, false
		}
		found, n := r.occurrences(h, e.Snippet)
		if n > 1 {
			// Lines that differ in their line ends only are different places.
			r.strict = true
			if exact, m := r.occurrences(h, e.Snippet); m == 1 {
				found, n = exact, m
			}
			r.strict = false
		}
		if n < 0 {
			return Problem{Kind: SearchEnded, Hunk: i, Span: h.Header}, false
		}
		if n == 0 {
			return r.nowhere(i, why), false
		}
		if n > 1 {
			found.at = -1
		} else if !shifted && h.Numbers == udiff.NumbersStated {
			shift, shifted = found.at-stated(h.Old), true
		}
		r.placed = append(r.placed, found)
	}
	for i := range r.placed {
		at := &r.placed[i]
		if at.at >= 0 {
			continue
		}
		line := stated(at.hunk.Old) + shift
		if _, ok := r.matches(at.hunk, line); !ok || !shifted || at.hunk.Numbers != udiff.NumbersStated {
			return Problem{Kind: Ambiguous, Hunk: first + i, Span: at.hunk.Header}, false
		}
		*at = placement{hunk: at.hunk, at: line, end: line + at.hunk.OldLines}
	}
	for i := range r.placed {
		at := &r.placed[i]
		at.parts = at.parts || e.Snippet && r.oldNoEOL(at.hunk) != r.newNoEOL(at.hunk)
		if i > 0 && at.at < r.placed[i-1].end || at.parts && len(r.placed) > 1 {
			return r.noPosition(first + i), false
		}
		// Numbers that cannot count from a snippet's first line speak of the file:
		// if they are wrong, the file may not be what the text says.
		if !e.Snippet && at.hunk.Numbers == udiff.NumbersStated && at.hunk.Old.Start > 1 && stated(at.hunk.Old) != at.at {
			r.doubt = true
		}
	}
	r.flags |= Relocated
	return Problem{}, true
}

// nowhere is the problem of a hunk that stands nowhere.
func (r *replay) nowhere(i int, why Problem) Problem {
	if why.Kind == Mismatch && why.Hunk == i {
		return why
	}
	h := &r.diff.Hunks[i]
	at := max(0, stated(h.Old))
	if miss, ok := r.matches(h, at); !ok {
		return r.mismatch(i, at, miss)
	}
	return r.noPosition(i)
}

// occurrences looks for the old side of h in the whole text and counts up to 2;
// -1 if the search took too long. A hunk that may come from a snippet is counted
// inside of lines too, because the tool that made it did so; but only for a
// declared snippet is that a place.
func (r *replay) occurrences(h *udiff.Hunk, snippet bool) (found placement, n int) {
	inside := snippet || h.Numbers != udiff.NumbersStated || h.Old.Start <= 1
	old := r.oldSide(h)
	sieve := newSieve(r, old, inside)
	for at := 0; at+len(old) <= len(r.lines) && n < 2; at++ {
		was := at
		if at = sieve.next(at); at < 0 || at+len(old) > len(r.lines) {
			r.search -= len(r.lines) - was
			break
		}
		if r.search -= 8 * (at + 1 - was); r.search < 0 {
			return placement{}, -1
		}
		p, more := r.occurs(h, old, at, inside)
		if more == 0 {
			continue
		}
		found, n = p, n+more
	}
	if n == 1 && found.parts && !snippet {
		return placement{}, 0
	}
	return found, n
}

// sieve lets those places through where the longest line that must be there as a
// whole is there.
type sieve struct {
	line int // index of that line in the old side, -1: none
	text string

	lines  []uint32 // symbols of the text
	symbol uint32   // of the line
	absent bool     // the line never was in the text
}

func newSieve(r *replay, old []udiff.Line, inside bool) sieve {
	s := sieve{line: -1}
	for i, l := range old {
		if inside && (i == 0 || i == len(old)-1) || l.NoEOL {
			continue
		}
		if text := plain(r.diff.Text(l)); s.line < 0 || len(text) > len(s.text) {
			s.line, s.text = i, text
		}
	}
	if s.line >= 0 {
		s.lines = r.numbered()
		symbol, ok := r.numbers.of[s.text]
		s.symbol, s.absent = symbol, !ok
	}
	return s
}

// next is the first place from at on that the sieve lets through, -1 if none.
func (s *sieve) next(at int) int {
	if s.line < 0 {
		return at
	}
	if s.absent || at+s.line >= len(s.lines) {
		return -1
	}
	n := slices.Index(s.lines[at+s.line:], s.symbol)
	if n < 0 {
		return -1
	}
	return at + n
}

func (r *replay) oldSide(h *udiff.Hunk) []udiff.Line {
	old := make([]udiff.Line, 0, h.OldLines)
	for _, l := range r.diff.Lines(h) {
		if l.Kind != udiff.Added {
			old = append(old, l)
		}
	}
	return old
}

// occurs says how often old stands at line at: 0, 1, or 2 for "more than once".
func (r *replay) occurs(h *udiff.Hunk, old []udiff.Line, at int, inside bool) (placement, int) {
	whole := placement{hunk: h, at: at, end: at + len(old)}
	last := len(old) - 1
	if !inside {
		for i, l := range old {
			if !r.same(l, r.lines[at+i]) {
				return placement{}, 0
			}
		}
		return whole, 1
	}
	if last == 0 {
		return r.occursInLine(whole, old[0])
	}
	head, tail := r.bare(r.p.Text(r.lines[at])), r.bare(r.p.Text(r.lines[at+last]))
	start, end := r.bare(r.diff.Text(old[0])), r.bare(r.diff.Text(old[last]))
	if !strings.HasSuffix(head, start) || !strings.HasPrefix(tail, end) || tail != end && !old[last].NoEOL {
		return placement{}, 0
	}
	for i := 1; i < last; i++ {
		if !r.same(old[i], r.lines[at+i]) {
			return placement{}, 0
		}
	}
	whole.from, whole.to = len(head)-len(start), len(end)
	whole.parts = head != start || tail != end
	return whole, 1
}

func (r *replay) occursInLine(p placement, l udiff.Line) (placement, int) {
	text, want := r.bare(r.p.Text(r.lines[p.at])), r.bare(r.diff.Text(l))
	if !l.NoEOL {
		if !strings.HasSuffix(text, want) {
			return placement{}, 0
		}
		p.from, p.to, p.parts = len(text)-len(want), len(text), text != want
		return p, 1
	}
	r.search -= len(text)
	p.from = strings.Index(text, want)
	if p.from < 0 {
		return placement{}, 0
	}
	p.to, p.parts = p.from+len(want), text != want
	if want == "" || strings.Contains(text[p.from+1:], want) {
		return p, 2
	}
	return p, 1
}

// splice replaces the placed lines. The lines between hunks move at most once.
func (r *replay) splice() {
	if len(r.placed) == 1 && r.spliceWhole(r.placed[0]) {
		return
	}
	r.fresh = r.fresh[:0]
	for i := range r.placed {
		r.placed[i].fresh = len(r.fresh)
		if i == 0 || r.placed[i].at > r.placed[i-1].end {
			r.goesTo(r.placed[i].at)
		}
		r.sided = false
		r.hunk(r.placed[i])
		r.placed[i].sided = r.sided
	}
	was := len(r.lines)
	shift := r.moveBetween()
	for i, p := range r.placed {
		end := len(r.fresh)
		if i+1 < len(r.placed) {
			end = r.placed[i+1].fresh
		}
		copy(r.lines[p.at+p.shift:], r.fresh[p.fresh:end])
	}
	r.lines = r.lines[:was+shift]
	for i, p := range r.placed {
		if i > 0 {
			above := r.placed[i-1]
			r.doubtBetween(above.at+above.shift+above.hunk.NewLines, p.at+p.shift, r.diff.Lines(above.hunk), r.diff.Lines(p.hunk))
		}
		if !p.sided {
			r.doubtKept(p)
		} else {
			r.doubtSides(p.at+p.shift, p.at+p.shift+p.hunk.NewLines)
		}
	}
}

// moveBetween makes room: it moves what stands behind each hunk by the sum of the
// hunks up to there, which is the result for the last one. Stretches that move
// left go first and from the left, the others from the right, so none is
// overwritten before it has moved.
func (r *replay) moveBetween() int {
	shift := 0
	for i := range r.placed {
		p := &r.placed[i]
		p.shift = shift
		shift += p.hunk.NewLines - p.hunk.OldLines
	}
	was := len(r.lines)
	if shift > 0 {
		r.lines = slices.Grow(r.lines, shift)[:was+shift]
	}
	behind := func(i int) (stretch []LineID, to []LineID, by int) {
		end, by := was, shift
		if i+1 < len(r.placed) {
			end, by = r.placed[i+1].at, r.placed[i+1].shift
		}
		from := r.placed[i].end
		return r.lines[from:end], r.lines[from+by:], by
	}
	for i := range r.placed {
		if stretch, to, by := behind(i); by < 0 {
			copy(to, stretch)
		}
	}
	for i := range slices.Backward(r.placed) {
		if stretch, to, by := behind(i); by > 0 {
			copy(to, stretch)
		}
	}
	return shift
}

// spliceWhole takes the hunks whose text, not whose body, says what is kept: a
// part of a line, and a text removed and added as a whole.
func (r *replay) spliceWhole(p placement) bool {
	lines := r.diff.Lines(p.hunk)
	switch {
	case p.parts:
		text, end := r.spliced(p)
		r.rewrite(p.at, end, r.source(text), Add)
	case p.hunk.OldLines == len(r.lines)+1:
		r.rewrite(0, len(r.lines), r.source(r.joined(lines[p.hunk.OldLines:])), Add)
	case len(r.lines) > 1 && p.hunk.OldLines == len(r.lines) && p.hunk.NewLines > 1 && len(lines) == p.hunk.OldLines+p.hunk.NewLines:
		content := make([]piece, 0, p.hunk.NewLines)
		for _, l := range lines {
			if l.Kind == udiff.Added {
				content = append(content, r.piece(l))
			}
		}
		for i := range content {
			content[i].noEOL = content[i].noEOL && i == len(content)-1 && r.endsOpen(p)
		}
		r.rewritePieces(0, len(r.lines), content, Add)
	default:
		return false
	}
	return true
}

// joined is the text that was cut at its line feeds.
func (r *replay) joined(lines []udiff.Line) string {
	var b strings.Builder
	for i, l := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(r.diff.Text(l))
	}
	return b.String()
}

// spliced is the text that stands in place of the lines [p.at,end) after the
// replacement of a part of them. Where the old side ends in a line feed and the
// new one does not, the line behind it is joined.
func (r *replay) spliced(p placement) (text string, end int) {
	var b strings.Builder
	b.WriteString(r.p.Text(r.lines[p.at])[:p.from])
	for _, l := range r.diff.Lines(p.hunk) {
		if l.Kind == udiff.Removed {
			continue
		}
		b.WriteString(r.diff.Text(l))
		if !l.NoEOL {
			b.WriteByte('\n')
		}
	}
	end = p.end
	if r.oldNoEOL(p.hunk) {
		b.WriteString(r.p.Text(r.lines[end-1])[p.to:])
	} else if b.Len() == 0 || b.String()[b.Len()-1] == '\n' || end == len(r.lines) {
		return b.String(), end
	} else {
		b.WriteString(r.p.Text(r.lines[end]))
		end++
	}
	if last := r.p.idents[r.lines[end-1]]; last.Flags&NoEOL == 0 || end < len(r.lines) {
		b.WriteByte('\n')
	}
	return b.String(), end
}

// oldNoEOL and newNoEOL say whether a side of h ends without a line feed. An
// empty side does not.
func (r *replay) oldNoEOL(h *udiff.Hunk) bool { return r.noEOL(h, udiff.Added) }
func (r *replay) newNoEOL(h *udiff.Hunk) bool { return r.noEOL(h, udiff.Removed) }

func (r *replay) noEOL(h *udiff.Hunk, other udiff.Kind) bool {
	lines := r.diff.Lines(h)
	for i := len(lines) - 1; i >= 0; i-- {
		if lines[i].Kind != other {
			return lines[i].NoEOL
		}
	}
	return false
}

// hunk appends the new side of a placed hunk to r.fresh. Context keeps its ident.
func (r *replay) hunk(p placement) {
	at, open := p.at, r.endsOpen(p)
	r.removed, r.added = r.removed[:0], r.added[:0]
	for _, l := range r.diff.Lines(p.hunk) {
		switch l.Kind {
		case udiff.Removed:
			r.removed = append(r.removed, r.lines[at])
			at++
		case udiff.Added:
			piece := r.piece(l)
			piece.noEOL = piece.noEOL && open
			r.added = append(r.added, piece)
		default:
			r.sides()
			r.fresh = append(r.fresh, r.lines[at])
			at++
		}
	}
	r.sides()
}

// endsOpen says whether the last line of a placed hunk's new side may be one without a line
// feed. Where the old side says that there was none, and there is one, the hunk is of a text
// that ended before it did.
func (r *replay) endsOpen(p placement) bool {
	if p.end < len(r.lines) {
		return false
	}
	return p.end == 0 || !r.oldNoEOL(p.hunk) || r.p.idents[r.lines[p.end-1]].Flags&NoEOL != 0
}

// replaceAll makes the replacement that a snippet shows wherever the text has its
// old side; false if it is nowhere.
func (r *replay) replaceAll(h *udiff.Hunk) bool {
	old, now := r.snippetSide(h, udiff.Added), r.snippetSide(h, udiff.Removed)
	text := string(r.content(r.lines))
	if old != "" && !strings.Contains(text, old) {
		// The tool shows line feeds only.
		old, now = strings.ReplaceAll(old, "\n", "\r\n"), strings.ReplaceAll(now, "\n", "\r\n")
	}
	if old == "" || !strings.Contains(text, old) {
		return false
	}
	r.search -= len(text)
	r.rewrite(0, len(r.lines), r.source(strings.ReplaceAll(text, old, now)), Add)
	return true
}

// snippetSide is the text of the side of h that other is not of.
func (r *replay) snippetSide(h *udiff.Hunk, other udiff.Kind) string {
	var b strings.Builder
	for _, l := range r.diff.Lines(h) {
		if l.Kind == other {
			continue
		}
		b.WriteString(r.diff.Text(l))
		if !l.NoEOL {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// replace makes the replacements of an edit in a known text; false, and nothing changed, if
// one of them could be made in no place or in several.
func (r *replay) replace(e *Edit) bool {
	if !r.known || r.doubt {
		return false
	}
	text := string(r.content(r.lines))
	for _, x := range e.Replace {
		if r.search -= len(text); r.search < 0 {
			return false
		}
		if !strings.Contains(text, x.From) { // it may show line feeds only
			x.From, x.To = strings.ReplaceAll(x.From, "\n", "\r\n"), strings.ReplaceAll(x.To, "\n", "\r\n")
		}
		at := strings.Index(text, x.From)
		if x.From == "" || at < 0 || strings.Contains(text[at+1:], x.From) {
			return false
		}
		text = text[:at] + x.To + text[at+len(x.From):]
	}
	if len(text) >= MaxContent {
		return false
	}
	was := r.cap
	if !e.Snippet && (was == 0 || was > confStructural) {
		r.cap = confStructural
	}
	r.rewrite(0, len(r.lines), r.source(text), Add)
	r.cap = was
	return true
}
