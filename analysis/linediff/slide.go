package linediff

// group is the changed lines [start,end) of one side in a gap. A group slides
// up by a line when the line above it equals its last line, and down when the
// line below it equals its first: the text stays the same, other lines count as
// changed. A group that slides into another one merges with it.
type group struct{ gap, start, end int }

// Sliding is linear for texts that people write. A group that can slide by its
// whole size and meets others one by one would make it quadratic; so the lines
// slid are counted, and when the sum is spent the groups stay where they are,
// which is as true a diff. git has no such bound; texts of some thousand lines
// cannot reach it.
const (
	slidesAtLeast = 1 << 22
	slidesPerLine = 64
)

// slideAll gives every group of one side its place, top down. others are the
// groups of the other side.
func (s *side) slideAll(others []int, indentHeuristic bool) {
	s.slides = max(slidesAtLeast, slidesPerLine*len(s.ids))
	start := 0
	for gap := 0; gap < len(s.gaps); gap++ {
		if s.gaps[gap] > 0 {
			g := group{gap, start, start + s.gaps[gap]}
			s.place(&g, others, indentHeuristic)
			gap, start = g.gap, g.end
		}
		start++
	}
}

// place slides a group to where it belongs: next to a group of the other side,
// so that both make one hunk, or where the indent score is best, or else as far
// down as it can go.
func (s *side) place(g *group, others []int, indentHeuristic bool) {
	top := s.settle(g)
	if g.gap == top.gap {
		return
	}
	for gap := g.gap; gap >= top.gap; gap-- {
		if others[gap] > 0 {
			s.slideUp(g, g.gap-gap)
			return
		}
	}
	if indentHeuristic {
		s.slideUp(g, g.end-s.bestEnd(*g, top.end))
	}
}

// settle merges a group with all it can reach and leaves it as far down as it
// can go. It returns the group as far up as it can go.
func (s *side) settle(g *group) (top group) {
	for {
		size := g.end - g.start
		for s.up(g) {
		}
		top = *g
		for s.down(g) {
		}
		if g.end-g.start == size {
			return top
		}
	}
}

func (s *side) slideUp(g *group, lines int) {
	for range lines {
		s.up(g)
	}
}

func (s *side) up(g *group) bool {
	if g.start == 0 || s.ids[g.start-1] != s.ids[g.end-1] || s.slides == 0 {
		return false
	}
	s.slides--
	s.gaps[g.gap] = 0
	g.gap--
	g.end--
	g.start -= 1 + s.gaps[g.gap]
	s.gaps[g.gap] = g.end - g.start
	return true
}

func (s *side) down(g *group) bool {
	if g.end == len(s.ids) || s.ids[g.start] != s.ids[g.end] || s.slides == 0 {
		return false
	}
	s.slides--
	s.gaps[g.gap] = 0
	g.gap++
	g.start++
	g.end += 1 + s.gaps[g.gap]
	s.gaps[g.gap] = g.end - g.start
	return true
}
