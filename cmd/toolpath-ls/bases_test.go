package main

import (
	"strings"
	"testing"
)

// commits returns a new repository, and what commits a content of its file a.go and returns the commit.
func commits(t *testing.T) (dir string, commit func(content string) string) {
	t.Helper()
	dir = t.TempDir()
	git(t, dir, "", "init", "-q", "-b", "main")
	return dir, func(content string) string {
		write(t, dir, map[string]string{"a.go": content})
		git(t, dir, "", "add", "a.go")
		git(t, dir, "", "commit", "-q", "-m", "m")
		return strings.TrimSpace(git(t, dir, "", "rev-parse", "HEAD"))
	}
}

// Of two documents that both wrote a line, the one that starts from a later commit of the
// branch went on from the other, whatever their clocks and names say. Where the commits are on
// two branches, or are not there, the later step counts.
func TestDocumentsAreOrderedByTheCommitsThatTheyStartFrom(t *testing.T) {
	dir, commit := commits(t)
	first := commit("package a\n")
	later := commit("package a\n// z\n")
	git(t, dir, "", "checkout", "-q", "-b", "side", first)
	side := commit("package a\n// z\n// side\n")
	write(t, dir, map[string]string{"a.go": "package a\n// x\n"})

	path := func(id, base, at, diff string) string {
		return `{"graph":{"id":"g` + id + `"},"paths":[{"path":{"id":"` + id + `","base":{"uri":"github:o/r","ref":"` + base + `"},"head":"` + id + `"},"steps":[
{"step":{"id":"` + id + `","actor":"human:` + id + `","timestamp":"2026-01-29T` + at + `:00Z"},"change":{"a.go":{"raw":` + quoted(diff) + `}}}]}]}`
	}
	const (
		add     = "@@ -1 +1,2 @@\n package a\n+// x\n"
		replace = "@@ -1,2 +1,2 @@\n package a\n-// z\n+// x\n"
		removed = "@@ -1,3 +1,2 @@\n package a\n-// z\n-// side\n+// x\n"
	)
	for _, c := range []struct {
		name, early, late string
		want              string
	}{
		{"on one branch, by a clock that is behind", path("early", first, "12:00", add), path("late", later, "11:00", replace), "late"},
		{"on one branch, by a clock that is right", path("early", first, "11:00", add), path("late", later, "12:00", replace), "late"},
		{"on two branches", path("early", later, "12:00", replace), path("late", side, "11:00", removed), "early"},
		{"the same commit", path("early", first, "12:00", add), path("late", first, "11:00", add), "early"},
	} {
		for _, names := range [][2]string{{"a.path.json", "b.path.json"}, {"b.path.json", "a.path.json"}} {
			write(t, dir, map[string]string{names[0]: c.early, names[1]: c.late})
			o := executeAs(t, t.TempDir(), dir, "", "blame", "a.go")
			line := o.stdout[strings.Index(o.stdout, "\n")+1:]
			if o.code != 0 || !strings.Contains(line, c.want) {
				t.Errorf("%s, %v: want %s\n%s%s", c.name, names, c.want, o.stdout, o.stderr)
			}
		}
	}
}

// A document that starts from a later commit did not go on from another one if the file has
// more of that one than it left: the branches parted there, and the other one goes on.
func TestADocumentOfABranchLeftAsideIsNotLaterThanItsBase(t *testing.T) {
	dir, commit := commits(t)
	first := commit("package a\n// x\n")
	parted := commit("package a\n")
	write(t, dir, map[string]string{"a.go": "package a\n// x\n// y\n// z\n"})

	step := func(id, parents, at, diff string) string {
		return `{"step":{"id":"` + id + `","parents":[` + parents + `],"actor":"human:` + id + `","timestamp":"2026-01-29T` + at + `:00Z"},"change":{"a.go":{"raw":` + quoted(diff) + `}}}`
	}
	path := func(base, head, steps string) string {
		return `{"graph":{"id":"g` + head + `"},"paths":[{"path":{"id":"p` + head + `","base":{"uri":"github:o/r","ref":"` + base + `"},"head":"` + head + `"},"steps":[` + steps + `]}]}`
	}
	const (
		drop  = "@@ -1,2 +1 @@\n package a\n-// x\n"
		bring = "@@ -1 +1,4 @@\n package a\n+// x\n+// y\n+// z\n"
		other = "@@ -1 +1,2 @@\n package a\n+// x\n"
	)
	write(t, dir, map[string]string{
		"main.path.json": path(first, "s2", step("s1", "", "10:00", drop)+","+step("s2", `"s1"`, "10:01", bring)),
		"side.path.json": path(parted, "t1", step("t1", "", "10:02", other)),
	})
	o := executeAs(t, t.TempDir(), dir, "", "blame", "a.go")
	if o.code != 0 || strings.Contains(o.stdout, "t1") || strings.Count(o.stdout, "(human:s2") != 3 {
		t.Errorf("\n%s%s", o.stdout, o.stderr)
	}
}
