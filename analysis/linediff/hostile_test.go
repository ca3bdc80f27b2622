package linediff

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestHostileTexts compares texts that are made to be slow. Nothing is said of
// their time: what has no bound would not end.
func TestHostileTexts(t *testing.T) {
	if testing.Short() {
		t.Skip("large texts are left out by -short")
	}
	r := rand.New(rand.NewPCG(3, 4))
	long := bytes.Repeat([]byte("x"), 64<<20)
	blank := append(bytes.Repeat([]byte("\r"), 8<<20), '\n')
	text := func(s string, n int) []byte { return bytes.Repeat([]byte(s), n) }
	for _, test := range []struct {
		name string
		couple
	}{
		{"200,000 lines with nothing in common", couple{words(r, 200_000, 1<<60), words(r, 200_000, 1<<60)}},
		{"200,000 equal lines", couple{text("a\n", 200_000), text("a\n", 100_000)}},
		{"200,000 blank lines", couple{text("\n", 100_000), text("\n", 200_000)}},
		{"lines in turn", couple{text("a\nb\n", 100_000), text("b\na\n", 50_000)}},
		{"runs of different length", couple{text("a\na\nb\n", 60_000), text("a\nb\n", 100_000)}},
		{"groups everywhere", couple{text("a\n", 200_000), text("a\na\nx\na\n", 50_000)}},
		{"one line of 64 MB", couple{long, append(long[:len(long)-1:len(long)-1], 'y')}},
		{"long blank lines", couple{text("\n", 1), text(string(blank), 4)}},
		{"empty", couple{nil, text("\n", 1)}},
		{"no line end", couple{text("\x00", 5000), text("\x00", 5001)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			hunks := Bytes(test.old, test.new, Options{IndentHeuristic: true, NoContext: true})
			check(t, Split(test.old), Split(test.new), hunks)
		})
	}
}

// TestSlidesAreBounded lets a group grow line by line and slide by its whole
// size each time: its first line differs from all others, so it can go down
// until that is the first line and up until that is the last.
func TestSlidesAreBounded(t *testing.T) {
	const size = 60_000
	s := &side{ids: make([]uint32, 2*size), changed: make([]bool, 2*size)}
	s.ids[size/2] = 1
	for i := size / 2; i < 2*size; i += 2 {
		s.changed[i] = true
	}
	s.gaps = s.groupSizes()
	changed := sum(s.gaps)
	s.slideAll(make([]int, len(s.gaps)), false)
	if s.slides != 0 {
		t.Errorf("%d slides are left; the text does not reach the bound", s.slides)
	}
	if got := sum(s.gaps); got != changed {
		t.Errorf("%d lines are changed, were %d", got, changed)
	}
}

func sum(gaps []int) int {
	n := 0
	for _, size := range gaps {
		n += size
	}
	return n
}
