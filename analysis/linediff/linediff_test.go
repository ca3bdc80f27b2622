package linediff

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

// commands are git's commands and the options that stand for them.
var commands = []struct {
	name    string
	options Options
	git     []string
}{
	{"U0", Options{NoContext: true}, []string{"-U0", "--no-indent-heuristic"}},
	{"U0 indent", Options{NoContext: true, IndentHeuristic: true}, []string{"-U0", "--indent-heuristic"}},
	{"U3", Options{}, []string{"-U3", "--no-indent-heuristic"}},
	{"U3 indent", Options{IndentHeuristic: true}, []string{"-U3", "--indent-heuristic"}},
}

// TestAgreesWithGit compares random couples with git diff. LINEDIFF_COUPLES is
// their number and LINEDIFF_SEED another choice of them.
func TestAgreesWithGit(t *testing.T) {
	n, seed := setting(t, "LINEDIFF_COUPLES", 300), setting(t, "LINEDIFF_SEED", 1)
	const batch = 500
	files := sources(t, 40<<10)
	for start := 0; start < n; start += batch {
		g := generator{rand.New(rand.NewPCG(uint64(seed), uint64(start))), files}
		couples := g.couples(min(batch, n-start))
		dir := t.TempDir()
		writeCouples(t, dir, couples)
		for _, command := range commands {
			for i, want := range gitHunks(t, dir, len(couples), command.git...) {
				got := Bytes(couples[i].old, couples[i].new, command.options)
				if !slices.Equal(got, want) {
					t.Errorf("couple %d (seed %d), %s:\n got %v\ngit %v%s",
						start+i, seed, command.name, got, want, keep(t, couples[i]))
				}
			}
		}
		os.RemoveAll(dir)
	}
}

func setting(t *testing.T, name string, otherwise int) int {
	value := os.Getenv(name)
	if value == "" {
		return otherwise
	}
	n, err := strconv.Atoi(value)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// keep saves a couple that failed and says where, when LINEDIFF_KEEP is set.
func keep(t *testing.T, c couple) string {
	folder := os.Getenv("LINEDIFF_KEEP")
	if folder == "" {
		return ""
	}
	dir, err := os.MkdirTemp(folder, "couple")
	if err != nil {
		t.Fatal(err)
	}
	os.WriteFile(filepath.Join(dir, "old"), c.old, 0o644)
	os.WriteFile(filepath.Join(dir, "new"), c.new, 0o644)
	return fmt.Sprintf("\n in %s", dir)
}

