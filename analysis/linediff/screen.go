package linediff

import "math/bits"

const (
	// frequentLimit caps the number of occurrences that make a line frequent.
	frequentLimit = 1024
	// reach is how many lines on each side of a frequent line are looked at.
	reach = 100
	// frequentShare: a frequent line is left out when fewer than one in so many
	// of the lines around it are frequent too and the others are absent.
	frequentShare = 4
)

// presence says how often a line occurs in the other text.
type presence uint8

const (
	absent presence = iota
	present
	frequent
)

// occurrences counts each id; all ids are below limit.
func occurrences(ids []uint32, limit int) []int32 {
	counts := make([]int32, limit)
	for _, id := range ids {
		counts[id]++
	}
	return counts
}

// roughSqrt is the power of two that git takes for a square root: the smallest
// whose square is above n.
func roughSqrt(n int) int { return 1 << ((bits.Len(uint(n)) + 1) / 2) }

// screen returns the lines of ids[start:end] that are worth pairing: those the
// other text has, but not the frequent ones amid lines it lacks. A closing brace
// amid new code says nothing about where that code belongs.
func screen(ids []uint32, start, end int, others []int32) []int {
	limit := int32(min(roughSqrt(len(ids)), frequentLimit))
	kinds := make([]presence, end-start)
	for i := range kinds {
		switch n := others[ids[start+i]]; {
		case n >= limit:
			kinds[i] = frequent
		case n > 0:
			kinds[i] = present
		}
	}
	kept := make([]int, 0, len(kinds))
	for i, kind := range kinds {
		if kind == present || kind == frequent && !amidAbsent(kinds, i) {
			kept = append(kept, start+i)
		}
	}
	return kept
}

// amidAbsent reports whether the frequent line i is to be left out.
func amidAbsent(kinds []presence, i int) bool {
	absentBefore, frequentBefore := around(kinds, i, -1)
	if absentBefore == 0 {
		return false
	}
	absentAfter, frequentAfter := around(kinds, i, +1)
	if absentAfter == 0 {
		return false
	}
	frequents := frequentBefore + frequentAfter
	return frequents*frequentShare < frequents+absentBefore+absentAfter
}

// around counts the lines next to i in one direction up to a present line. The
// line i itself counts as frequent, so it counts twice over both directions.
func around(kinds []presence, i, direction int) (absents, frequents int) {
	frequents = 1
	for n := 1; n <= reach; n++ {
		j := i + n*direction
		if j < 0 || j >= len(kinds) || kinds[j] == present {
			break
		}
		if kinds[j] == absent {
			absents++
		} else {
			frequents++
		}
	}
	return absents, frequents
}
