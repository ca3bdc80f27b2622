package repo

import (
	"fmt"
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
	got := map[[2]int]bool{}
	for i, before := range all {
		for _, k := range before {
			got[[2]int{i, k}] = true
		}
	}
	for i, a := range revs {
		for k, b := range revs {
			want := i != 1 && k != 1 && r.git(t, "rev-parse", a) != r.git(t, "rev-parse", b) &&
				gitCommand("-C", r.root, "merge-base", "--is-ancestor", b, a).Run() == nil
			if got[[2]int{i, k}] != want {
				t.Errorf("%s is an ancestor of %s: %v, want %v", b, a, !want, want)
			}
		}
	}
	for _, revs := range [][]string{nil, {first}, {first, "--all"}} {
		if all, err := g.Ancestors(t.Context(), r.root, revs); err != nil || len(all) != len(revs) || fmt.Sprint(all) != fmt.Sprint(make([][]int, len(revs))) {
			t.Errorf("%q: %v, %v", revs, all, err)
		}
	}
}
