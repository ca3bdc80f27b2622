package linediff

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestAgreesWithGitOnLargeTexts compares texts that are so large and so
// different that the limits of the search decide. LINEDIFF_LARGE is how many
// times as many and larger ones to compare.
func TestAgreesWithGitOnLargeTexts(t *testing.T) {
	if testing.Short() {
		t.Skip("large texts are left out by -short")
	}
	r := rand.New(rand.NewPCG(1, 2))
	compareWithGit(t, []couple{
		churned(r, 70_000, 0.3, 1<<30),
		shuffled(r, 40_000, 10, 40),
		{words(r, 20_000, 3), words(r, 30_000, 3)},
	}, commands[1:2])
	for round := range setting(t, "LINEDIFF_LARGE", 0) {
		r := rand.New(rand.NewPCG(3, uint64(round)))
		compareWithGit(t, []couple{
			churned(r, 70_000, 0.3, 1<<30), // past heuristicCost with snakes to find
			churned(r, 70_000, 0.3, 3_000),
			churned(r, 300_000, 0.3, 1<<30), // a path found may cost more than heuristicCost
			shuffled(r, 60_000, 15, 26),     // runs about as long as a snake
			shuffled(r, 60_000, 17, 23),
			shuffled(r, 300_000, 15, 100),
			{words(r, 50_000, 40_000), words(r, 50_000, 40_000)},
			{bytes.Repeat([]byte("a\n"), 100_000), bytes.Repeat([]byte("a\n"), 90_000)},
			// more lines than the square of frequentLimit, and one as frequent
			{functions("f", frequentLimit-1, 1_100), functions("g", frequentLimit-1, 1_100)},
			{functions("f", frequentLimit, 1_100), functions("g", frequentLimit, 1_100)},
		}, commands[:2])
	}
}

// words is n lines of so many different ones.
func words(r *rand.Rand, n, different int) []byte {
	var b bytes.Buffer
	for range n {
		fmt.Fprintln(&b, r.IntN(different))
	}
	return b.Bytes()
}

// churned replaces runs of lines until the given share is gone, by lines that
// are elsewhere in the text.
func churned(r *rand.Rand, n int, share float64, different int) couple {
	old := Split(words(r, n, different))
	next := slices.Clone(old)
	for gone := 0; gone < int(share*float64(n)); {
		start := r.IntN(n)
		end := min(n, start+1+r.IntN(40))
		for i := start; i < end; i++ {
			next[i] = old[r.IntN(n)]
		}
		gone += end - start
	}
	return couple{bytes.Join(old, nil), bytes.Join(next, nil)}
}

// shuffled puts runs of lines into another order; a run has from shortest to
// longest lines.
func shuffled(r *rand.Rand, n, shortest, longest int) couple {
	old := Split(words(r, n, 1<<30))
	var runs [][][]byte
	for rest := old; len(rest) > 0; {
		size := min(len(rest), shortest+r.IntN(longest-shortest+1))
		runs = append(runs, rest[:size])
		rest = rest[size:]
	}
	r.Shuffle(len(runs), func(i, j int) { runs[i], runs[j] = runs[j], runs[i] })
	return couple{bytes.Join(old, nil), bytes.Join(slices.Concat(runs...), nil)}
}
