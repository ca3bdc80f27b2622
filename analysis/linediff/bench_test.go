package linediff

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// benchmarkCouples are texts of 10,000 lines and what happened to them.
func benchmarkCouples(b *testing.B) []struct {
	name string
	couple
} {
	r := rand.New(rand.NewPCG(7, 8))
	g := generator{r, sources(b, 60<<10)}
	var old [][]byte
	for len(old) < 10_000 {
		old = append(old, Split(g.source())...)
	}
	old = old[:10_000]
	edited := slices.Clone(old)
	for range 50 {
		at := r.IntN(len(edited))
		edited[at] = fmt.Appendf(nil, "\tedit(%d)\n", at)
	}
	indented := slices.Clone(edited)
	for i := 4_000; i < 7_000; i++ {
		indented[i] = append([]byte("\t"), indented[i]...)
	}
	one := slices.Clone(old)
	one[5_000] = []byte("one\n")
	text := bytes.Join(old, nil)
	return []struct {
		name string
		couple
	}{
		{"one edit", couple{text, bytes.Join(one, nil)}},
		{"50 edits", couple{text, bytes.Join(edited, nil)}},
		{"50 edits, 3000 lines indented", couple{text, bytes.Join(indented, nil)}},
		{"nothing in common", couple{words(r, 10_000, 1<<60), words(r, 10_000, 1<<60)}},
		{"words in any order", couple{words(r, 10_000, 1_000), words(r, 10_000, 1_000)}},
	}
}

// BenchmarkBytes reports the changed lines of the new text beside the time.
func BenchmarkBytes(b *testing.B) {
	for _, test := range benchmarkCouples(b) {
		b.Run(test.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(test.old) + len(test.new)))
			var hunks []Hunk
			for b.Loop() {
				hunks = Bytes(test.old, test.new, Options{IndentHeuristic: true, NoContext: true})
			}
			reportChanged(b, hunks)
		})
	}
}

// BenchmarkNumbered leaves out what numbering the lines costs.
func BenchmarkNumbered(b *testing.B) {
	for _, test := range benchmarkCouples(b) {
		b.Run(test.name, func(b *testing.B) {
			ids := map[string]uint32{}
			exact := func(line []byte) string { return string(line) }
			old, new := numbered(Split(test.old), ids, exact), numbered(Split(test.new), ids, exact)
			b.ReportAllocs()
			var hunks []Hunk
			for b.Loop() {
				hunks = Numbered(old, new, Options{IndentHeuristic: true, NoContext: true})
			}
			reportChanged(b, hunks)
		})
	}
}

// BenchmarkGit is the peer: one git diff --no-index per round. "start" is what
// starting git costs with nothing to compare.
func BenchmarkGit(b *testing.B) {
	tests := append(benchmarkCouples(b), struct {
		name string
		couple
	}{"start", couple{[]byte("a\n"), []byte("b\n")}})
	for _, test := range tests {
		b.Run(test.name, func(b *testing.B) {
			dir := b.TempDir()
			for name, content := range map[string][]byte{"old": test.old, "new": test.new} {
				if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
					b.Fatal(err)
				}
			}
			if _, err := exec.LookPath("git"); err != nil {
				b.Skip("git is missing; install it with: apt-get install git")
			}
			for b.Loop() {
				git(b, dir, "diff", "--no-index", "-U0", "--numstat", "old", "new")
			}
		})
	}
}

func reportChanged(b *testing.B, hunks []Hunk) {
	changed := 0
	for _, h := range hunks {
		changed += h.NewEnd - h.NewStart
	}
	b.ReportMetric(float64(changed), "changed-lines")
}
