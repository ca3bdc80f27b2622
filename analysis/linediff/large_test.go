package linediff

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestAgreesWithGitOnLargeTexts compares texts that are so large and so
// different that the limits of the search decide.
func TestAgreesWithGitOnLargeTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	couples := []couple{
		churned(r, 70_000, 0.3, 1<<30), // past heuristicCost with snakes to find
		churned(r, 70_000, 0.3, 3_000),
		shuffled(r, 60_000, 30),  // long runs in another order
		shuffled(r, 60_000, 200), // longer ones
		{words(r, 50_000, 40_000), words(r, 50_000, 40_000)},
		{words(r, 20_000, 3), words(r, 30_000, 3)},
		{bytes.Repeat([]byte("a\n"), 100_000), bytes.Repeat([]byte("a\n"), 90_000)},
	}
	dir := t.TempDir()
	writeCouples(t, dir, couples)
	for _, command := range commands[:2] {
		for i, want := range gitHunks(t, dir, len(couples), command.git...) {
			got := Bytes(couples[i].old, couples[i].new, command.options)
			if !slices.Equal(got, want) {
				t.Errorf("couple %d, %s: %d hunks, git has %d%s", i, command.name, len(got), len(want), keep(t, couples[i]))
			}
		}
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

// shuffled puts runs of lines into another order.
func shuffled(r *rand.Rand, n, run int) couple {
	old := Split(words(r, n, 1<<30))
	runs := slices.Collect(slices.Chunk(old, run))
	r.Shuffle(len(runs), func(i, j int) { runs[i], runs[j] = runs[j], runs[i] })
	return couple{bytes.Join(old, nil), bytes.Join(slices.Concat(runs...), nil)}
}
