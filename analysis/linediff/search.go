package linediff

import "math"

const (
	// minCost is the least number of steps after which a search is cut off;
	// large texts get the rough square root of their diagonals.
	minCost = 256
	// heuristicCost is the number of steps from which a good path is taken
	// although a shorter one may exist.
	heuristicCost = 256
	// snake is the number of equal lines in a row that make a path good.
	snake = 20
	// progress is how far a good path must have come, in lines per step.
	progress = 4
)

// box is a part of the comparison: the lines [a0,a1) of one side against the
// lines [b0,b1) of the other. An exact box is searched without limits; it is
// only asked for when its cost is known to be within them.
type box struct {
	a0, a1, b0, b1 int
	exact          bool
}

// point is a position (a,b) at which a box is cut in two, and whether the part
// before and the part after it are exact.
type point struct {
	a, b          int
	before, after bool
}

// frontier is how far the paths of one direction have come: on each diagonal
// a-b between low and high, every second one in turn, the position a.
type frontier struct {
	reached   []int // by diagonal + origin
	low, high int
	start     int // the diagonal of the corner where the paths begin
}

// searcher holds the lines worth comparing.
type searcher struct {
	a, b              []uint32
	origin            int
	maxCost           int
	forward, backward frontier
}

// search pairs the kept lines of both sides and clears their changed marks.
func search(old, new *side, oldKept, newKept []int) {
	if len(oldKept) == 0 || len(newKept) == 0 {
		return
	}
	s := newSearcher(pick(old.ids, oldKept), pick(new.ids, newKept))
	unchanged := func(a, b int) {
		old.changed[oldKept[a]] = false
		new.changed[newKept[b]] = false
	}
	boxes := []box{{0, len(s.a), 0, len(s.b), false}}
	for len(boxes) > 0 {
		x := s.pairEnds(boxes[len(boxes)-1], unchanged)
		boxes = boxes[:len(boxes)-1]
		if x.a0 == x.a1 || x.b0 == x.b1 {
			continue
		}
		at := s.split(x)
		boxes = append(boxes,
			box{at.a, x.a1, at.b, x.b1, at.after},
			box{x.a0, at.a, x.b0, at.b, at.before})
	}
}

// pairEnds pairs the equal lines at both ends of a box and returns the rest.
func (s *searcher) pairEnds(x box, unchanged func(a, b int)) box {
	for x.a0 < x.a1 && x.b0 < x.b1 && s.a[x.a0] == s.b[x.b0] {
		unchanged(x.a0, x.b0)
		x.a0++
		x.b0++
	}
	for x.a0 < x.a1 && x.b0 < x.b1 && s.a[x.a1-1] == s.b[x.b1-1] {
		x.a1--
		x.b1--
		unchanged(x.a1, x.b1)
	}
	return x
}

func pick(ids []uint32, kept []int) []uint32 {
	picked := make([]uint32, len(kept))
	for i, line := range kept {
		picked[i] = ids[line]
	}
	return picked
}

func newSearcher(a, b []uint32) *searcher {
	diagonals := len(a) + len(b) + 3 // one more at each end for the sentinels
	return &searcher{
		a: a, b: b,
		origin:   len(b) + 1,
		maxCost:  max(roughSqrt(diagonals), minCost),
		forward:  frontier{reached: make([]int, diagonals)},
		backward: frontier{reached: make([]int, diagonals)},
	}
}

// begin makes d the only diagonal of the frontier, reached up to a.
func (f *frontier) begin(d, a, origin int) {
	f.start, f.low, f.high = d, d, d
	f.reached[d+origin] = a
}

// widen lets the paths take one more step: the frontier grows by a diagonal at
// each end or, at the edge of the box, gives up the outermost. unreached is the
// position that loses against any other.
func (f *frontier) widen(lowest, highest, unreached, origin int) {
	if f.low > lowest {
		f.low--
		f.reached[f.low-1+origin] = unreached
	} else {
		f.low++
	}
	if f.high < highest {
		f.high++
		f.reached[f.high+1+origin] = unreached
	} else {
		f.high--
	}
}

// has reports whether diagonal d is within the frontier.
func (f *frontier) has(d int) bool { return f.low <= d && d <= f.high }

// split finds the point where paths from both corners of x meet, or a good one
// on the way when that takes too long.
func (s *searcher) split(x box) point {
	lowest, highest := x.a0-x.b1, x.a1-x.b0
	s.forward.begin(x.a0-x.b0, x.a0, s.origin)
	s.backward.begin(x.a1-x.b1, x.a1, s.origin)
	odd := (s.forward.start-s.backward.start)&1 != 0

	for cost := 1; ; cost++ {
		s.forward.widen(lowest, highest, -1, s.origin)
		at, met, ranForward := s.stepForward(x, odd)
		if met {
			return at
		}
		s.backward.widen(lowest, highest, math.MaxInt, s.origin)
		at, met, ranBackward := s.stepBackward(x, !odd)
		if met {
			return at
		}
		if x.exact {
			continue
		}
		if cost > heuristicCost && (ranForward || ranBackward) {
			if at, ok := s.goodForward(x, cost); ok {
				return at
			}
			if at, ok := s.goodBackward(x, cost); ok {
				return at
			}
		}
		if cost >= s.maxCost {
			return s.farthest(x)
		}
	}
}

// stepForward moves every forward path one change and the equal lines behind it
// ahead. ran reports that one of them met a snake.
func (s *searcher) stepForward(x box, meet bool) (at point, met, ran bool) {
	f, reached := &s.forward, s.forward.reached
	for d := f.high; d >= f.low; d -= 2 {
		i := d + s.origin
		a := reached[i+1]
		if reached[i-1] >= a {
			a = reached[i-1] + 1
		}
		from := a
		for b := a - d; a < x.a1 && b < x.b1 && s.a[a] == s.b[b]; b++ {
			a++
		}
		ran = ran || a-from > snake
		reached[i] = a
		if meet && s.backward.has(d) && s.backward.reached[i] <= a {
			return point{a, a - d, true, true}, true, ran
		}
	}
	return point{}, false, ran
}

// stepBackward is stepForward from the other corner.
func (s *searcher) stepBackward(x box, meet bool) (at point, met, ran bool) {
	f, reached := &s.backward, s.backward.reached
	for d := f.high; d >= f.low; d -= 2 {
		i := d + s.origin
		a := reached[i-1]
		if reached[i+1] <= a {
			a = reached[i+1] - 1
		}
		from := a
		for b := a - d; a > x.a0 && b > x.b0 && s.a[a-1] == s.b[b-1]; b-- {
			a--
		}
		ran = ran || from-a > snake
		reached[i] = a
		if meet && s.forward.has(d) && a <= s.forward.reached[i] {
			return point{a, a - d, true, true}, true, ran
		}
	}
	return point{}, false, ran
}

// goodForward looks for the forward path that came farthest beyond its share
// and ends in a snake.
func (s *searcher) goodForward(x box, cost int) (point, bool) {
	f := &s.forward
	best, at := progress*cost, point{before: true}
	for d := f.high; d >= f.low; d -= 2 {
		a := f.reached[d+s.origin]
		b := a - d
		gain := (a - x.a0) + (b - x.b0) - distance(d, f.start)
		if gain > best &&
			x.a0+snake <= a && a < x.a1 && x.b0+snake <= b && b < x.b1 &&
			s.equalRun(a-snake, b-snake) {
			best, at.a, at.b = gain, a, b
		}
	}
	return at, best > progress*cost
}

// goodBackward is goodForward from the other corner.
func (s *searcher) goodBackward(x box, cost int) (point, bool) {
	f := &s.backward
	best, at := progress*cost, point{after: true}
	for d := f.high; d >= f.low; d -= 2 {
		a := f.reached[d+s.origin]
		b := a - d
		gain := (x.a1 - a) + (x.b1 - b) - distance(d, f.start)
		if gain > best &&
			x.a0 < a && a <= x.a1-snake && x.b0 < b && b <= x.b1-snake &&
			s.equalRun(a, b) {
			best, at.a, at.b = gain, a, b
		}
	}
	return at, best > progress*cost
}

func distance(d, e int) int { return max(d-e, e-d) }

// equalRun reports whether a snake starts at (a,b).
func (s *searcher) equalRun(a, b int) bool {
	for i := range snake {
		if s.a[a+i] != s.b[b+i] {
			return false
		}
	}
	return true
}

// farthest gives up: it cuts at the end of the path that came farthest from
// its corner.
func (s *searcher) farthest(x box) point {
	ahead, aheadA := -1, -1
	for d := s.forward.high; d >= s.forward.low; d -= 2 {
		a := min(s.forward.reached[d+s.origin], x.a1, x.b1+d)
		if sum := a + a - d; sum > ahead {
			ahead, aheadA = sum, a
		}
	}
	behind, behindA := math.MaxInt, math.MaxInt
	for d := s.backward.high; d >= s.backward.low; d -= 2 {
		a := max(s.backward.reached[d+s.origin], x.a0, x.b0+d)
		if sum := a + a - d; sum < behind {
			behind, behindA = sum, a
		}
	}
	if (x.a1+x.b1)-behind < ahead-(x.a0+x.b0) {
		return point{aheadA, ahead - aheadA, true, false}
	}
	return point{behindA, behind - behindA, false, true}
}
