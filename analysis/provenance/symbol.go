package provenance

import (
	"cmp"
	"slices"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/linediff"
)

// symbols gives equal lines equal numbers, whatever editors do not show of them. Number 0 is no
// line.
type symbols struct {
	of     map[string]uint32
	texts  []string
	weight []int32  // how much a line tells: see weigh
	loose  []uint32 // the symbol of the line without white space around it
}

func newSymbols() *symbols {
	return &symbols{of: map[string]uint32{}, texts: []string{""}, weight: []int32{0}, loose: []uint32{0}}
}

func (s *symbols) number(line string) uint32 {
	line = plain(line)
	if n, ok := s.of[line]; ok {
		return n
	}
	n := uint32(len(s.texts))
	s.of[line] = n
	s.texts = append(s.texts, line)
	s.weight = append(s.weight, weigh(line))
	s.loose = append(s.loose, n)
	if inner := strings.TrimSpace(line); inner != line {
		s.loose[n] = s.number(inner)
	}
	return n
}

// weigh says how unlikely it is that a line is there by chance: a blank line 1, a
// bracket 2, a line of words up to 50.
func weigh(line string) int32 {
	n, blank := int32(0), true
	for i := 0; i < len(line) && n < 24; i++ {
		c := line[i]
		if c >= 0x80 || 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' {
			n++
		}
		blank = blank && (c == ' ' || c == '\t')
	}
	if blank {
		return 1
	}
	return 2 + 2*n
}

// lineNumbers keeps the symbols of the idents of a replay.
type lineNumbers struct {
	*symbols
	idents []uint32
	text   []uint32
}

// numbered are the symbols of the current version, good until the next call.
func (r *replay) numbered() []uint32 {
	if r.numbers == nil {
		r.numbers = &lineNumbers{symbols: newSymbols()}
	}
	n := r.numbers
	for id := len(n.idents); id < len(r.p.idents); id++ {
		s := uint32(0)
		if id > 0 {
			s = n.number(r.p.Text(LineID(id)))
		}
		n.idents = append(n.idents, s)
	}
	n.text = n.text[:0]
	for _, id := range r.lines {
		n.text = append(n.text, n.idents[id])
	}
	return n.text
}

// sum is the weight of several lines.
func (s *symbols) sum(lines []uint32) int32 {
	n := int32(0)
	for _, l := range lines {
		n += s.weight[l]
	}
	return n
}

const (
	// voteLimit is how often a line may occur for its places to count when a
	// pattern is looked for: what occurs everywhere says nothing.
	voteLimit = 64
	// slack is by how many lines what is between two lines of a pattern may have
	// grown or shrunk.
	slack = 8
	// alignLimit bounds the product of the lines that are compared each with each.
	alignLimit = 1 << 20
	// leastShare is how much of a pattern's weight must be found, in percent, and
	// rivalShare how much of what the best place has another may have.
	leastShare = 40
	rivalShare = 85
	// clearLead is by how much weight the best place may lead instead.
	clearLead = 30
)

// finder looks for a pattern of lines in a text.
type finder struct {
	*symbols
	budget int     // lines that may still be looked at
	live   []int32 // by line of the text: not negative if the end still has it; nil: not known

	mark  []int32 // by symbol: its first place in the pattern plus 1
	again []int32 // by place in the pattern: the next one with the same symbol
	seen  []int32 // by place in the pattern: how often the symbol occurs in the text
	votes []vote

	looseText, loosePattern []uint32
	score                   []int32
	step                    []uint8
}

type vote struct {
	shift  int32 // place in the text less place in the pattern
	weight int32
}

// occurrences are the places where the whole pattern is, up to limit.
func (f *finder) occurrences(text, pattern []uint32, limit int) []int {
	if len(pattern) == 0 || len(pattern) > len(text) || f.budget <= 0 {
		return nil
	}
	key := 0
	for i, s := range pattern {
		if f.weight[s] > f.weight[pattern[key]] {
			key = i
		}
	}
	f.budget -= len(text)
	var found []int
	for at := 0; at+len(pattern) <= len(text) && len(found) < limit; at++ {
		next := slices.Index(text[at+key:len(text)-len(pattern)+key+1], pattern[key])
		if next < 0 {
			break
		}
		at += next
		if slices.Equal(text[at:at+len(pattern)], pattern) {
			found = append(found, at)
		}
	}
	return found
}

// places are the places where the whole pattern is: of a few lines, which may be
// everywhere, all of them, so that the one that numbers name is among them.
func (f *finder) places(text, pattern []uint32) []int {
	const least, most = 200, 1 << 16 // places, and lines in them
	return f.occurrences(text, pattern, max(least, most/max(1, len(pattern))))
}

// fit is where a pattern is in a text, as far as it is.
type fit struct {
	match []int32 // for each line of the pattern its place in the text, or -1
	share int32   // of the pattern's weight that was found, in percent
}

// ends are the first and the last line of the pattern that were found, -1 if none was.
func (f fit) ends() (first, last int) {
	first, last = -1, -1
	for i, at := range f.match {
		if at >= 0 {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	return first, last
}

// partial looks for the place where most of a pattern is, and if it is nowhere, for
// where it is with another indentation. hint is where it should start, -1 if that
// is not known.
func (f *finder) partial(text, pattern []uint32, hint int) (fit, bool) {
	if found, ok := f.most(text, pattern, hint); ok {
		return found, true
	}
	f.looseText = f.looseOf(f.looseText[:0], text)
	f.loosePattern = f.looseOf(f.loosePattern[:0], pattern)
	return f.most(f.looseText, f.loosePattern, hint)
}

func (f *finder) looseOf(to, lines []uint32) []uint32 {
	for _, s := range lines {
		to = append(to, f.loose[s])
	}
	return to
}

func (f *finder) most(text, pattern []uint32, hint int) (fit, bool) {
	if len(pattern) == 0 || len(text) == 0 || f.budget <= 0 {
		return fit{}, false
	}
	f.budget -= len(text)
	f.vote(text, pattern)
	best, rival := fit{}, int32(0)
	bestScore := int32(-1)
	bestShift := int32(0)
	for _, shift := range f.peaks(hint) {
		candidate, score := f.align(text, pattern, int(shift))
		score += nearness(score, hint, int(shift))
		switch {
		case score > bestScore:
			if bestScore > 0 && apart(shift, bestShift, len(pattern)) {
				rival = max(rival, bestScore)
			}
			best, bestScore, bestShift = candidate, score, shift
		case apart(shift, bestShift, len(pattern)):
			rival = max(rival, score)
		}
	}
	if bestScore <= 0 || best.share < leastShare || 100*rival > rivalShare*bestScore && bestScore-rival < clearLead {
		return fit{}, false
	}
	return best, true
}

// preferred is the weight of a line of the text: what the end still has is more
// likely meant than what is gone, such as the place from which a function moved.
func (f *finder) preferred(weight int32, at int) int32 {
	if f.live != nil && f.live[at] >= 0 {
		return weight + weight/4
	}
	return weight
}

func apart(a, b int32, lines int) bool {
	return max(a-b, b-a) > int32(max(slack, lines/2))
}

// nearness is what a place gets for being where the numbers say.
func nearness(score int32, hint, shift int) int32 {
	if hint < 0 {
		return 0
	}
	distance := max(hint-shift, shift-hint)
	return score * int32(max(0, 200-distance)) / 800
}

// vote lets each line of the pattern vote for the shifts at which the text has it.
func (f *finder) vote(text, pattern []uint32) {
	f.mark = slices.Grow(f.mark[:0], len(f.texts))[:len(f.texts)]
	f.again = append(f.again[:0], make([]int32, len(pattern))...)
	f.seen = append(f.seen[:0], make([]int32, len(pattern))...)
	for i := len(pattern) - 1; i >= 0; i-- {
		f.again[i] = f.mark[pattern[i]]
		f.mark[pattern[i]] = int32(i + 1)
	}
	for _, s := range text {
		if first := f.mark[s]; first > 0 {
			f.seen[first-1]++
		}
	}
	f.votes = f.votes[:0]
	for at, s := range text {
		first := f.mark[s]
		if first == 0 || f.seen[first-1] > voteLimit {
			continue
		}
		w := f.preferred(max(1, 16*f.weight[s]/f.seen[first-1]), at)
		for i := first; i > 0; i = f.again[i-1] {
			f.votes = append(f.votes, vote{int32(at) - (i - 1), w})
		}
		if len(f.votes) > 1<<20 {
			break
		}
	}
	for _, s := range pattern {
		f.mark[s] = 0
	}
}

// peaks are the few shifts with the most votes within slack of them.
func (f *finder) peaks(hint int) []int32 {
	f.budget -= 4 * len(f.votes)
	slices.SortFunc(f.votes, func(a, b vote) int { return cmp.Compare(a.shift, b.shift) })
	sums := f.votes[:0:0]
	for i := 0; i < len(f.votes); {
		sum := vote{shift: f.votes[i].shift}
		for ; i < len(f.votes) && f.votes[i].shift == sum.shift; i++ {
			sum.weight += f.votes[i].weight
		}
		sums = append(sums, sum)
	}
	wide := slices.Clone(sums)
	from, to, total := 0, 0, int32(0)
	for i := range sums {
		for ; to < len(sums) && sums[to].shift <= sums[i].shift+slack; to++ {
			total += sums[to].weight
		}
		for ; sums[from].shift < sums[i].shift-slack; from++ {
			total -= sums[from].weight
		}
		// The shift's own votes count twice, so that it stands in the middle.
		wide[i].weight = total + sums[i].weight
		wide[i].weight += nearness(wide[i].weight, hint, int(sums[i].shift))
	}
	slices.SortFunc(wide, func(a, b vote) int { return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.shift, b.shift)) })
	const most = 5
	var peaks []int32
	for _, v := range wide {
		if !slices.ContainsFunc(peaks, func(p int32) bool { return max(p-v.shift, v.shift-p) <= slack }) {
			peaks = append(peaks, v.shift)
		}
		if len(peaks) == most {
			break
		}
	}
	return peaks
}

// align matches the pattern with the text around a shift, in order, so that the
// weight of what matches is largest; lines of the text in between cost a little.
func (f *finder) align(text, pattern []uint32, shift int) (fit, int32) {
	from := max(0, shift-slack)
	to := min(len(text), shift+len(pattern)+slack)
	result := fit{match: make([]int32, len(pattern))}
	for i := range result.match {
		result.match[i] = -1
	}
	if to <= from {
		return result, 0
	}
	window := text[from:to]
	if len(pattern)*len(window) > alignLimit {
		return f.alignLong(window, pattern, from, result)
	}
	f.budget -= len(pattern) * len(window) / 8
	score := f.alignAll(window, pattern, int32(from), result.match)
	f.dropStrays(pattern, result.match)
	total := f.sum(pattern)
	result.share = 100 * f.found(pattern, result.match) / max(1, total)
	return result, score
}

// leastRun is the weight of the fewest lines that mean something by themselves.
const leastRun = 12

// dropStrays takes back matches of blank lines and brackets that stand alone:
// there is always one near.
func (f *finder) dropStrays(pattern []uint32, match []int32) {
	for i := 0; i < len(match); {
		end, w := i+1, int32(0)
		if match[i] >= 0 {
			w = f.weight[pattern[i]]
			for ; end < len(match) && match[end] == match[end-1]+1; end++ {
				w += f.weight[pattern[end]]
			}
		}
		if w < leastRun {
			for k := i; k < end; k++ {
				match[k] = -1
			}
		}
		i = end
	}
}

func (f *finder) found(pattern []uint32, match []int32) int32 {
	n := int32(0)
	for i, at := range match {
		if at >= 0 {
			n += f.weight[pattern[i]]
		}
	}
	return n
}

const (
	stepNone uint8 = iota
	stepBoth
	stepText
	stepPattern
)

// alignAll is a local alignment: best[i][j] is the best score of a match that ends
// with pattern line i and text line j.
func (f *finder) alignAll(text, pattern []uint32, from int32, match []int32) int32 {
	width := len(text) + 1
	size := (len(pattern) + 1) * width
	if cap(f.score) < size {
		f.score, f.step = make([]int32, size), make([]uint8, size)
	}
	score, step := f.score[:size], f.step[:size]
	for j := range width {
		score[j], step[j] = 0, stepNone
	}
	best, bestAt := int32(0), 0
	for i := range pattern {
		row, above := (i+1)*width, i*width
		score[row], step[row] = 0, stepNone
		w := f.weight[pattern[i]]
		for j := range text {
			s, how := int32(0), stepNone
			if up := score[above+j+1]; up > s {
				s, how = up, stepPattern
			}
			if left := score[row+j] - 1; left > s {
				s, how = left, stepText
			}
			if text[j] == pattern[i] {
				// A match next to a match is worth more than one apart.
				if both := score[above+j] + f.preferred(w, int(from)+j); both >= s {
					s, how = both, stepBoth
				}
			}
			score[row+j+1], step[row+j+1] = s, how
			if s > best {
				best, bestAt = s, row+j+1
			}
		}
	}
	for at := bestAt; at >= 0 && step[at] != stepNone; {
		switch i, j := at/width, at%width; step[at] {
		case stepBoth:
			match[i-1] = from + int32(j-1)
			at -= width + 1
		case stepText:
			at--
		default:
			at -= width
		}
	}
	return best
}

// alignLong does without weights.
func (f *finder) alignLong(text, pattern []uint32, from int, result fit) (fit, int32) {
	f.budget -= 8 * (len(text) + len(pattern))
	i, j := 0, 0
	for _, h := range append(linediff.Numbered(linediff.Text{IDs: pattern}, linediff.Text{IDs: text}, linediff.Options{}), closing(len(pattern), len(text))) {
		for ; i < h.OldStart; i, j = i+1, j+1 {
			result.match[i] = int32(from + j)
		}
		i, j = h.OldEnd, h.NewEnd
	}
	score := f.found(pattern, result.match)
	result.share = int32(100 * int64(score) / int64(max(1, f.sum(pattern))))
	return result, score
}
