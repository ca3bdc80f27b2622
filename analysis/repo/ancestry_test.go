package repo

import (
	"fmt"
	"strings"
	"testing"
)

// What is said of each pair of commits is what git merge-base --is-ancestor says.
func TestAncestorsAreThoseOfGit(t *testing.T) {
	r := initRepository(t, "r")
	first := r.commit(t, file{"100644", "f", "1\n"})
	second := r.commit(t, file{"100644", "f", "2\n"})
	side := r.git(t, "commit-tree", "-p", first, "-m", "side", first+"^{tree}")
	merge := r.git(t, "commit-tree", "-p", second, "-p", side, "-m", "merge", second+"^{tree}")
	alone := r.git(t, "commit-tree", "-m", "alone", first+"^{tree}")
	r.git(t, "branch", "topic", merge)
	revs := []string{merge, "0123456789012345678901234567890123456789", side, "topic", first, alone, second, second[:12]}
	g := newGit(t, GitOptions{})
	all, err := g.Ancestors(t.Context(), r.root, revs)
	if err != nil {
		t.Fatal(err)
	}
	judgeAncestors(t, r, revs, all)
	for _, revs := range [][]string{nil, {first}, {first, "--all"}} {
		if all, err := g.Ancestors(t.Context(), r.root, revs); err != nil || len(all) != len(revs) || fmt.Sprint(all) != fmt.Sprint(make([][]int, len(revs))) {
			t.Errorf("%q: %v, %v", revs, all, err)
		}
	}
}

// judgeAncestors asks git about each pair of commits.
func judgeAncestors(t *testing.T, r repository, revs []string, all [][]int) {
	t.Helper()
	exists := make([]string, len(revs))
	for i, rev := range revs {
		if id, err := gitCommand("-C", r.root, "rev-parse", "-q", "--verify", rev+"^{commit}").Output(); err == nil {
			exists[i] = string(id)
		}
	}
	got := map[[2]int]bool{}
	for i, before := range all {
		for _, k := range before {
			got[[2]int{i, k}] = true
		}
	}
	for i, a := range revs {
		for k, b := range revs {
			want := exists[i] != "" && exists[k] != "" && exists[i] != exists[k] &&
				gitCommand("-C", r.root, "merge-base", "--is-ancestor", b, a).Run() == nil
			if got[[2]int{i, k}] != want {
				t.Errorf("%s is an ancestor of %s: %v, want %v", b, a, !want, want)
			}
		}
	}
}

// In a long history the commits lie far apart, clocks were wrong here and there, and a branch
// left it long ago.
func TestAncestorsInALongHistory(t *testing.T) {
	const (
		commits = 25_000
		start   = 1_600_000_000
	)
	r := initRepository(t, "r")
	var s strings.Builder
	for i := range commits {
		at := start + 600*i
		if i%97 == 0 {
			at -= 20 * 24 * 3600
		}
		fmt.Fprintf(&s, "commit refs/heads/main\nmark :%d\ncommitter A <a@example.com> %d +0000\ndata 0\n", i+1, at)
		switch i {
		case 100:
			s.WriteString("\nreset refs/heads/side\nfrom :50\n\ncommit refs/heads/side\n" +
				"committer A <a@example.com> 1800000000 +0000\ndata 0\n\ncommit refs/heads/alone\ncommitter A <a@example.com> 1600000000 +0000\ndata 0\n")
		case 20_000:
			s.WriteString("merge refs/heads/side\n")
		}
	}
	runGit(t, s.String(), "-C", r.root, "fast-import", "--quiet", "--date-format=raw")
	var revs []string
	for _, back := range []int{0, 97, 5_500, 24_900, commits - 1} {
		revs = append(revs, r.git(t, "rev-parse", fmt.Sprint("main~", back)))
	}
	revs = append(revs, "side", "alone")
	all, err := newGit(t, GitOptions{}).Ancestors(t.Context(), r.root, revs)
	if err != nil {
		t.Fatal(err)
	}
	judgeAncestors(t, r, revs, all)
}

// Where many branches meet, of each commit is told what descends from it.
func TestDescentThroughMerges(t *testing.T) {
	w := newDescent([]string{"top", "left", "right", "bottom"})
	for i, c := range []string{"top left right", "left a", "right a b", "b bottom", "a bottom", "bottom root"} {
		if more, err := w.commit(strings.Fields(c)); err != nil || more != (i < 5) {
			t.Errorf("after %q: %v, %v", c, more, err)
		}
	}
	for id, want := range map[string]string{"top": "[]", "left": "[0]", "right": "[0]", "bottom": "[0 1 2]"} {
		if got := fmt.Sprint(w.above(id)); got != want {
			t.Errorf("above %s are %s, not %s", id, got, want)
		}
	}
	if len(w.from) > 1 {
		t.Errorf("of commits that were told is held %v", w.from)
	}
}
