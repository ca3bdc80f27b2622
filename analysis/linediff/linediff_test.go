package linediff

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// command is options and the arguments of git diff that stand for them.
type command struct {
	name    string
	options Options
	git     []string
}

var commands = []command{
	{"U0", Options{NoContext: true}, []string{"-U0", "--no-indent-heuristic"}},
	{"U0 indent", Options{NoContext: true, IndentHeuristic: true}, []string{"-U0", "--indent-heuristic"}},
	{"U3", Options{}, []string{"-U3", "--no-indent-heuristic"}},
	{"U3 indent", Options{IndentHeuristic: true}, []string{"-U3", "--indent-heuristic"}},
}

// TestAgreesWithGit compares random couples with git diff. LINEDIFF_COUPLES is
// their number, LINEDIFF_SEED another choice of them, and LINEDIFF_KEEP a folder
// for those that differ.
func TestAgreesWithGit(t *testing.T) {
	n, seed := setting(t, "LINEDIFF_COUPLES", ordinary()), setting(t, "LINEDIFF_SEED", 1)
	const batch = 500
	files := sources(t, 40<<10)
	for start := 0; start < n; start += batch {
		g := generator{rand.New(rand.NewPCG(uint64(seed), uint64(start))), files}
		compareWithGit(t, g.couples(min(batch, n-start)), commands)
	}
}

// TestIndentAgreesWithGit does the same for what the indent score decides.
func TestIndentAgreesWithGit(t *testing.T) {
	n, seed := 3*setting(t, "LINEDIFF_COUPLES", ordinary()), setting(t, "LINEDIFF_SEED", 1)
	g := generator{rand.New(rand.NewPCG(uint64(seed), 0)), nil}
	couples := make([]couple, n)
	for i := range couples {
		couples[i] = g.indents()
	}
	compareWithGit(t, couples, commands[3:])
}

func compareWithGit(t *testing.T, couples []couple, commands []command) {
	t.Helper()
	dir := t.TempDir()
	defer os.RemoveAll(dir)
	writeCouples(t, dir, couples)
	for _, command := range commands {
		for i, want := range gitHunks(t, dir, len(couples), command.git...) {
			c := couples[i]
			if got := Bytes(c.old, c.new, command.options); !slices.Equal(got, want) {
				at := firstDifference(got, want)
				t.Errorf("couple %d of %d, %s: hunk %d differs\n got %v\ngit %v%s", i, len(couples),
					command.name, at, got[at:min(len(got), at+5)], want[at:min(len(want), at+5)], keep(t, c))
			}
		}
	}
}

func firstDifference(a, b []Hunk) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return i
}

// ordinary is how many couples a run compares that is not told otherwise.
func ordinary() int {
	if testing.Short() {
		return 50
	}
	return 250
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

// keep saves a couple that failed and says where.
func keep(t *testing.T, c couple) string {
	folder := os.Getenv("LINEDIFF_KEEP")
	if folder == "" {
		return ""
	}
	dir, err := os.MkdirTemp(folder, "couple")
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"old": c.old, "new": c.new} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return "\n in " + dir
}

// TestNumberedLikeIgnoringSpace gives lines that differ in white space only one
// number, which is git diff -w.
func TestNumberedLikeIgnoringSpace(t *testing.T) {
	g := generator{rand.New(rand.NewPCG(11, 12)), sources(t, 20<<10)}
	couples := g.couples(60)
	dir := t.TempDir()
	writeCouples(t, dir, couples)
	for _, command := range commands {
		for i, want := range gitHunks(t, dir, len(couples), append(command.git, "-w")...) {
			ids := map[string]uint32{}
			old, new := withoutSpace(couples[i].old, ids), withoutSpace(couples[i].new, ids)
			if got := Numbered(old, new, command.options); !slices.Equal(got, want) {
				t.Errorf("couple %d, %s:\n got %v\ngit %v%s", i, command.name, got, want, keep(t, couples[i]))
			}
		}
	}
}

func withoutSpace(b []byte, ids map[string]uint32) Text {
	return numbered(Split(b), ids, func(line []byte) string {
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune(" \t\r\n", r) {
				return -1
			}
			return r
		}, latin1(line))
	})
}

// latin1 makes each byte a rune, so that bytes that are no UTF-8 keep apart.
func latin1(b []byte) string {
	runes := make([]rune, len(b))
	for i, c := range b {
		runes[i] = rune(c)
	}
	return string(runes)
}

func numbered(lines [][]byte, ids map[string]uint32, key func([]byte) string) Text {
	text := Text{IDs: make([]uint32, len(lines)), Line: func(i int) []byte { return lines[i] }}
	for i, line := range lines {
		k := key(line)
		id, ok := ids[k]
		if !ok {
			id = uint32(len(ids))
			ids[k] = id
		}
		text.IDs[i] = id
	}
	return text
}

// TestFoldAgreesWithBlame attributes every line to the version that brought it,
// by comparing each version with the one before, as git blame does.
func TestFoldAgreesWithBlame(t *testing.T) {
	const files, versions = 6, 8
	g := generator{rand.New(rand.NewPCG(5, 6)), sources(t, 20<<10)}
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	texts := make([][]byte, files)
	from := make([][]string, files) // per file and line, the commit
	for version := range versions {
		next := make([][]byte, files)
		for i := range texts {
			next[i] = g.source()
			if version > 0 {
				lines := Split(texts[i])
				for range 12 {
					lines = g.edit(lines, Split(g.source()))
				}
				next[i] = bytes.Join(lines, nil)
			}
			if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(i)), next[i], 0o644); err != nil {
				t.Fatal(err)
			}
		}
		git(t, dir, "add", ".")
		git(t, dir, "commit", "-q", "--allow-empty", "-m", fmt.Sprint("version ", version))
		commit := string(bytes.TrimSpace(git(t, dir, "rev-parse", "HEAD")))
		for i := range texts {
			hunks := Bytes(texts[i], next[i], Options{IndentHeuristic: true, NoContext: true})
			from[i] = replace(from[i], hunks, func(int) string { return commit })
			texts[i] = next[i]
		}
	}
	for i := range texts {
		var want []string
		for _, line := range bytes.Split(git(t, dir, "blame", "--root", "-s", "-l", strconv.Itoa(i)), newline) {
			if len(line) > 0 {
				want = append(want, string(line[:40]))
			}
		}
		if !slices.Equal(from[i], want) {
			t.Errorf("file %d: the fold and git blame attribute lines differently", i)
		}
	}
}

// replace applies hunks to old; line gives the new lines.
func replace[T any](old []T, hunks []Hunk, line func(int) T) []T {
	var result []T
	end := 0
	for _, h := range hunks {
		result = append(result, old[end:h.OldStart]...)
		for i := h.NewStart; i < h.NewEnd; i++ {
			result = append(result, line(i))
		}
		end = h.OldEnd
	}
	return append(result, old[end:]...)
}

// check fails when hunks do not keep their promises.
func check(t *testing.T, old, new [][]byte, hunks []Hunk) {
	t.Helper()
	o, n := 0, 0
	for i, h := range hunks {
		if h.OldStart > h.OldEnd || h.NewStart > h.NewEnd || h.OldStart == h.OldEnd && h.NewStart == h.NewEnd {
			t.Fatalf("hunk %v is empty or upside down", h)
		}
		if unchanged := h.OldStart - o; unchanged != h.NewStart-n || unchanged < 0 || i > 0 && unchanged == 0 {
			t.Fatalf("hunk %v does not follow one that ends at %d and %d", h, o, n)
		}
		o, n = h.OldEnd, h.NewEnd
	}
	if o > len(old) || n > len(new) {
		t.Fatalf("the hunks end at %d and %d of %d and %d lines", o, n, len(old), len(new))
	}
	got := replace(old, hunks, func(i int) []byte { return new[i] })
	if !slices.EqualFunc(got, new, bytes.Equal) {
		t.Fatal("the hunks applied to the old text do not give the new one")
	}
}
