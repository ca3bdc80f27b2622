// Package linediff compares two texts line by line and gives the same answer as
// git diff and git blame: which of several equally short answers is taken
// decides to whom a line is attributed, so this package follows git's choices.
//
// The words:
//
//   - A line is the bytes up to and including a '\n'; the last line of a text
//     may lack it. Two lines are equal when their bytes are, so "a" at the end
//     of a text differs from "a\n", and "a\r\n" from "a\n".
//   - A line is changed when it has no partner on the other side. The unchanged
//     lines of both sides pair up in order.
//   - A gap is a place before, between or after unchanged lines; both sides have
//     the same number of gaps. The changed lines of one side in one gap are a
//     group, the changed lines of both sides in one gap are a hunk.
//   - A run of equal lines at the start of both texts is the head, at their end
//     the tail.
//
// The stages, in the order they run: the tail is dropped bytewise when the diff
// shows no context (tail.go); head and tail lines are set aside; lines that can
// hardly pair are left out (screen.go); Myers' search pairs the rest
// (search.go; E. W. Myers, "An O(ND) Difference Algorithm and Its Variations",
// Algorithmica 1, 1986, with the cost limits git puts on it); groups slide to
// the place where people expect them (slide.go, score.go).
//
// The limits make the answer approximate for texts that have little in common;
// they are git's limits, so the approximation is git's too. Time grows with
// lines × max(256, √lines) at worst, memory with lines.
package linediff

import (
	"bytes"
	"slices"
)

// Hunk says that the lines [OldStart,OldEnd) of the old text became the lines
// [NewStart,NewEnd) of the new one. Positions count lines from 0; one of the two
// ranges may be empty, never both. Hunks come in ascending order and at least one
// unchanged line stands between two of them.
type Hunk struct{ OldStart, OldEnd, NewStart, NewEnd int }

// Options choose which git command's answer is wanted. The zero value is
// git diff --no-indent-heuristic. git blame is both options set, unless
// diff.indentHeuristic is false.
type Options struct {
	// IndentHeuristic places a group that could stand in several places where
	// indentation and blank lines suggest (git diff --indent-heuristic, git's
	// default). Otherwise it stands as far down as it can.
	IndentHeuristic bool

	// NoContext gives the answer of a diff without context lines (git diff -U0,
	// git blame). git then drops the tail before it compares, which hides lines
	// from the later stages and now and then changes the answer.
	NoContext bool
}

// Text is one side of a comparison whose lines are already numbered.
type Text struct {
	// IDs holds one number per line. Lines pair only when their numbers are
	// equal, across both sides. Small numbers are fastest. Giving one number to
	// all lines that differ in white space only is git's -w.
	IDs []uint32

	// Line returns the bytes of a line, counted from 0. It is called only with
	// one of the options set and may be nil otherwise.
	Line func(line int) []byte
}

// Split cuts b into lines, which share b's memory. The empty text has no lines.
func Split(b []byte) [][]byte {
	if len(b) == 0 {
		return nil
	}
	lines := make([][]byte, 0, bytes.Count(b, newline)+1)
	for len(b) > 0 {
		end := bytes.IndexByte(b, '\n') + 1
		if end == 0 {
			end = len(b)
		}
		lines = append(lines, b[:end:end])
		b = b[end:]
	}
	return lines
}

var newline = []byte{'\n'}

// Bytes compares two texts of any content; binary bytes are nothing special.
func Bytes(old, new []byte, o Options) []Hunk {
	if bytes.Equal(old, new) {
		return nil
	}
	return Lines(Split(old), Split(new), o)
}

// Lines compares two texts given as lines in the form that [Split] returns.
func Lines(old, new [][]byte, o Options) []Hunk {
	if slices.EqualFunc(old, new, bytes.Equal) {
		return nil
	}
	if o.NoContext {
		n := tail(len(old), len(new), lineOf(old), lineOf(new))
		old, new = old[:len(old)-n], new[:len(new)-n]
	}
	oldIDs, newIDs, distinct := number(old, new)
	return compare(
		&side{ids: oldIDs, line: lineOf(old)},
		&side{ids: newIDs, line: lineOf(new)},
		distinct, o.IndentHeuristic)
}

// Numbered compares two texts whose lines the caller has numbered, for callers
// who compare many versions and number each line once.
func Numbered(old, new Text, o Options) []Hunk {
	if o.NoContext {
		n := tail(len(old.IDs), len(new.IDs), old.Line, new.Line)
		old.IDs, new.IDs = old.IDs[:len(old.IDs)-n], new.IDs[:len(new.IDs)-n]
	}
	oldIDs, newIDs, limit := compact(old.IDs, new.IDs)
	return compare(
		&side{ids: oldIDs, line: old.Line},
		&side{ids: newIDs, line: new.Line},
		limit, o.IndentHeuristic)
}

func lineOf(lines [][]byte) func(int) []byte {
	return func(i int) []byte { return lines[i] }
}

// side is one text during a comparison.
type side struct {
	ids     []uint32
	line    func(int) []byte
	changed []bool
	gaps    []int   // the size of the group in each gap
	slides  int     // how many lines groups may still slide
	indents []int16 // see indent
}

// compare runs the stages after the tail is dropped. All ids are below limit.
func compare(old, new *side, limit int, indentHeuristic bool) []Hunk {
	head, end := common(old.ids, new.ids)
	if head == len(old.ids)-end && head == len(new.ids)-end {
		return nil
	}
	old.changed = make([]bool, len(old.ids))
	new.changed = make([]bool, len(new.ids))
	pair(old, new, head, end, limit)

	old.gaps, new.gaps = old.groupSizes(), new.groupSizes()
	old.slideAll(new.gaps, indentHeuristic)
	new.slideAll(old.gaps, indentHeuristic)
	return hunks(old.gaps, new.gaps)
}

// common returns how many lines the head and, behind it, the tail have.
func common(a, b []uint32) (head, tail int) {
	shorter := min(len(a), len(b))
	for head < shorter && a[head] == b[head] {
		head++
	}
	for tail < shorter-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	return head, tail
}

// pair marks the changed lines of both sides.
func pair(old, new *side, head, tail, limit int) {
	oldEnd, newEnd := len(old.ids)-tail, len(new.ids)-tail
	var oldKept, newKept []int
	if head < oldEnd && head < newEnd {
		oldKept = screen(old.ids, head, oldEnd, occurrences(new.ids, limit))
		newKept = screen(new.ids, head, newEnd, occurrences(old.ids, limit))
	}
	for i := head; i < oldEnd; i++ {
		old.changed[i] = true
	}
	for i := head; i < newEnd; i++ {
		new.changed[i] = true
	}
	search(old, new, oldKept, newKept)
}

// groupSizes measures the gaps of one side.
func (s *side) groupSizes() []int {
	unchanged := 0
	for _, c := range s.changed {
		if !c {
			unchanged++
		}
	}
	gaps := make([]int, unchanged+1)
	gap := 0
	for _, c := range s.changed {
		if c {
			gaps[gap]++
		} else {
			gap++
		}
	}
	return gaps
}

// hunks joins the groups of both sides.
func hunks(old, new []int) []Hunk {
	n := 0
	for gap := range old {
		if old[gap]+new[gap] > 0 {
			n++
		}
	}
	result := make([]Hunk, 0, n)
	o, p := 0, 0
	for gap := range old {
		if old[gap]+new[gap] > 0 {
			result = append(result, Hunk{o, o + old[gap], p, p + new[gap]})
		}
		o += old[gap] + 1
		p += new[gap] + 1
	}
	return result
}
