package provenance

import (
	"slices"

	"github.com/toolpath-ls/toolpath-ls/analysis/udiff"
)

// guesser places the hunks of a forward replay that do not fit.
type guesser struct {
	*script
	finder
	hints   []int32 // by hunk: where the backward pass found it, -1: not known
	blind   []bool  // by hunk: the backward pass, which made the base, chose blindly; nil: it did not
	spots   []int32 // by hunk: where its new side stood, -1: nowhere
	every   []bool  // by hunk: it was replaced everywhere
	floated []int   // hunks that were not placed
	bound   uint8   // Conf of the hunk at hand
	formats bool    // the edit at hand says that it formats
}

// Confidence of what is placed forward out of step.
const (
	confPlaced   = 222 // all of the old side was there, once
	confPicked   = 170 // several times, and the numbers decided
	confPart     = 132 // some of it was there; a share of the rest is added
	confPartRest = 80
	confBlind    = 1   // what the backward pass assumed is no evidence
	confInserted = 120 // nothing but the numbers says where
)

// unknown are n places that are not known.
func unknown(n int) []int32 {
	places := make([]int32, n)
	for i := range places {
		places[i] = -1
	}
	return places
}

func newGuesser(s *script, hints []int32) *guesser {
	return &guesser{script: s, finder: finder{symbols: s.symbols, budget: SearchLimit / 8}, hints: hints, spots: unknown(len(s.hunks)), every: make([]bool, len(s.hunks))}
}

// applyGuessing is apply for a replay that goes on when a hunk does not fit.
func (r *replay) applyGuessing(e *Edit) {
	g := r.guess
	broken := false
	for _, issue := range r.diff.Issues {
		broken = true
		if !elided[issue.Kind] {
			r.lose(Problem{})
			return
		}
	}
	r.raw = r.source(e.Raw)
	g.formats = e.Formats
	for first := 0; first < len(r.diff.Hunks); {
		end := first + 1
		for end < len(r.diff.Hunks) && r.diff.Hunks[end].Section == r.diff.Hunks[first].Section {
			end++
		}
		doubt, twice := r.doubt, false
		if !broken {
			why, ok := r.place(e, first, end)
			twice = !ok && why.Kind == Ambiguous && e.Snippet && end-first == 1 && !doubt && g.hints == nil
			if ok && !g.anyBlind(r.now, first, end) {
				r.doubt = doubt
				shift := 0
				for i, p := range r.placed {
					g.spot(r.now, first+i, p.at+shift)
					shift += p.hunk.NewLines - p.hunk.OldLines
				}
				was := len(r.lines)
				r.splice()
				if !e.Snippet && end == len(r.diff.Hunks) {
					r.doubtSlide(was)
				}
				first = end
				continue
			}
		}
		r.doubt = true
		r.flags = 0
		r.cap = mostFuzzy
		if twice && r.everywhere(first) {
			r.doubt = false
			first = end
			continue
		}
		shift := 0
		for i := first; i < end; i++ {
			if k := g.hunk(r.now, i); k >= 0 {
				shift += r.guessHunk(k, shift)
			}
		}
		g.doubtBetween(r, first, end)
		first = end
	}
}

// doubtBetween does so for the lines between the hunks [first,end) of the current edit.
func (g *guesser) doubtBetween(r *replay, first, end int) {
	for i := first + 1; i < end; i++ {
		above, below := g.hunk(r.now, i-1), g.hunk(r.now, i)
		if above < 0 || below < 0 || g.spots[above] < 0 || g.spots[below] < 0 {
			continue
		}
		from := int(g.spots[above]) + len(g.hunks[above].new)
		r.doubtBetween(from, int(g.spots[below]), r.diff.Lines(&r.diff.Hunks[i-1]), r.diff.Lines(&r.diff.Hunks[i]))
	}
}

// everywhere takes a snippet that occurs more than once for one that its tool, which
// else would have refused it, replaced everywhere.
func (r *replay) everywhere(index int) bool {
	r.cap = confPicked
	ok := r.replaceAll(&r.diff.Hunks[index])
	r.cap = mostFuzzy
	if k := r.guess.hunk(r.now, index); ok && k >= 0 {
		r.guess.every[k] = true
	}
	return ok
}

// hunk is the hunk of the script with an index in the diff of an edit, -1 if it
// has none.
func (g *guesser) hunk(edit, index int) int {
	for k := g.first[edit]; k < g.first[edit+1]; k++ {
		if int(g.hunks[k].index) == index {
			return k
		}
	}
	return -1
}

// anyBlind says whether one of the hunks [first,end) of an edit's diff is blind.
func (g *guesser) anyBlind(edit, first, end int) bool {
	for i := first; i < end && g.blind != nil; i++ {
		if k := g.hunk(edit, i); k >= 0 && g.blind[k] {
			return true
		}
	}
	return false
}

func (g *guesser) spot(edit, index, at int) {
	if k := g.hunk(edit, index); k >= 0 {
		g.spots[k] = int32(at)
	}
}

// guessHunk places one hunk, shift lines further down than the section's numbers
// say, and says by how much the text grew.
func (r *replay) guessHunk(k, shift int) int {
	g := r.guess
	h := &g.hunks[k]
	was := len(r.lines)
	hint := -1
	switch {
	case h.oldAt >= 0:
		hint = h.oldAt + shift + r.drift
	case g.hints != nil && g.hints[k] >= 0:
		hint = int(g.hints[k])
	}
	hint = min(hint, was)
	f, conf, ok := g.locate(r, h, hint)
	if !ok {
		g.floated = append(g.floated, k)
		if h.broken {
			r.doubtRest(h, hint)
		}
		return 0
	}
	g.bound = conf
	if g.blind != nil && g.blind[k] {
		g.bound = confBlind
	}
	if g.formats && slices.Contains(f.match, -1) {
		g.bound = min(g.bound, confUnseen) // what it laid out anew may be missing
	}
	r.putHunk(k, f, hint)
	hunk := &r.diff.Hunks[h.index]
	switch at := int(g.spots[k]); {
	case h.broken:
		r.doubtRest(h, at)
	case conf >= confPicked && !h.snippet && hunk.NewLines == len(h.new) && at+len(h.new) <= len(r.lines):
		p := placement{hunk: hunk, at: at, end: at + hunk.OldLines}
		r.doubtKept(p)
		if int(h.index) == len(r.diff.Hunks)-1 {
			r.placed = append(r.placed[:0], p)
			r.doubtSlide(was)
		}
	}
	if h.oldAt >= 0 && g.spots[k] >= 0 {
		r.drift = int(g.spots[k]) - h.oldAt - shift
	}
	return len(r.lines) - was
}

// locate finds the old side of a hunk.
func (g *guesser) locate(r *replay, h *scriptHunk, hint int) (f fit, conf uint8, ok bool) {
	old := h.old
	if len(old) == 0 {
		return fit{}, confInserted, hint >= 0
	}
	text := r.numbered()
	if !h.broken {
		places := g.places(text, old)
		if at := pick(places, hint); at >= 0 {
			conf = confPicked
			if len(places) == 1 {
				conf = confPlaced
			}
			f.match = make([]int32, len(old))
			for i := range f.match {
				f.match[i] = int32(at + i)
			}
			return f, conf, true
		}
		if len(places) > 0 {
			return fit{}, 0, false
		}
	}
	f, ok = g.partial(text, old, hint)
	return f, uint8(confPart + confPartRest*int(f.share)/100), ok
}

// pick is the only place, or the one that is much nearer to hint than all others,
// else -1.
func pick(places []int, hint int) int {
	if len(places) == 1 {
		return places[0]
	}
	if len(places) == 0 || hint < 0 {
		return -1
	}
	byDistance := func(a, b int) int { return max(a-hint, hint-a) - max(b-hint, hint-b) }
	best := slices.MinFunc(places, byDistance)
	d := max(best-hint, hint-best)
	for _, at := range places {
		if at != best && max(at-hint, hint-at) <= 3*d {
			return -1
		}
	}
	return best
}

// putHunk replaces what was found of a hunk by its new side. Before its step the
// old side stood there without a gap, so what stands between its lines had gone,
// and what is missing of its context had come.
func (r *replay) putHunk(k int, f fit, hint int) {
	g := r.guess
	h := &g.hunks[k]
	first, last := f.ends()
	from, to := hint, hint
	if first >= 0 {
		from, to = int(f.match[first]), int(f.match[last])+1
	}
	g.spots[k] = int32(from)
	if first > 0 {
		g.spots[k] = int32(max(0, from-first))
	}
	r.fresh, r.removed, r.added = r.fresh[:0], r.removed[:0], r.added[:0]
	r.goesTo(from)
	was := r.cap
	r.cap = min(mostFuzzy, g.bound)
	i := 0
	for j := range h.lines {
		l := &h.lines[j]
		line := piece{r.raw, l.from, l.to, false}
		if l.kind == udiff.Added {
			r.added = append(r.added, line)
			continue
		}
		at := f.match[i]
		i++
		switch {
		case l.kind == udiff.Removed && at >= 0:
			r.removed = append(r.removed, r.lines[at])
		case l.kind == udiff.Removed:
		case at >= 0 && r.numbers.text[at] != l.sym:
			r.group(Add)
			r.fresh = append(r.fresh, r.ident(line, Unrecorded, r.lines[at]))
		case at >= 0:
			r.group(Add)
			r.fresh = append(r.fresh, r.lines[at])
		case i-1 > first && i-1 < last:
			r.group(Add)
			r.fresh = append(r.fresh, r.ident(line, Unrecorded, 0))
		default:
			r.group(Add)
		}
	}
	r.group(Add)
	r.lines = slices.Replace(r.lines, from, to, r.fresh...)
	r.cap = was
}
