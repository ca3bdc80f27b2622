package analysis_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/text"
)

// tree is what files of a commit are.
type tree map[string]string

// repository is a made-up history of several files: edits, files that come, go, come back
// and are renamed with an edit, branches, merges that take the one side, the other or some of
// both, reverts, files with CRLF and without a line feed at the end.
type repository struct {
	r       *rand.Rand
	dir     string
	commits []commitOf
	count   int
}

type commitOf struct {
	tree    tree
	parents []int
	id      string
}

func gitIn(t testing.TB, dir, stdin string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		if exec.Command("git", "version").Run() != nil && os.Getenv("TOOLPATH_TEST_REQUIRE") != "1" {
			t.Skip("git is not installed: apt-get install git")
		}
		t.Fatalf("git %q: %v\n%s", args, err, stderr.Bytes())
	}
	return string(out)
}

func (g *repository) line() string {
	g.count++
	if g.r.IntN(4) == 0 {
		return []string{"}\n", "\n", "\treturn nil\n"}[g.r.IntN(3)]
	}
	return fmt.Sprintf("line %d of the file, with the number %d\n", g.count, g.r.IntN(1000))
}

func (g *repository) fresh(n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(g.line())
	}
	s := b.String()
	switch g.r.IntN(5) {
	case 0:
		s = strings.ReplaceAll(s, "\n", "\r\n")
	case 1:
		s = strings.TrimSuffix(s, "\n")
	}
	return s
}

func (g *repository) edited(s string) string {
	lines := strings.SplitAfter(s, "\n")
	at := g.r.IntN(len(lines))
	gone := min(g.r.IntN(3), len(lines)-at)
	end := "\n"
	if strings.Contains(s, "\r\n") {
		end = "\r\n"
	}
	var added []string
	for range g.r.IntN(4) {
		added = append(added, strings.TrimSuffix(g.line(), "\n")+end)
	}
	out := strings.Join(slices.Replace(lines, at, at+gone, added...), "")
	if g.r.IntN(10) == 0 { // the line feed at the end comes or goes
		if cut, ok := strings.CutSuffix(out, end); ok {
			return cut
		}
		return out + end
	}
	return out
}

// next makes the tree of the commit after one of a tree, or a merge of that with another.
func (g *repository) next(t tree, other tree) tree {
	t = maps.Clone(t)
	for _, name := range slices.Sorted(maps.Keys(other)) {
		content := other[name]
		if mine, both := t[name]; both && mine != content && g.r.IntN(2) == 0 {
			t[name] = content
		} else if !both && g.r.IntN(3) > 0 {
			t[name] = content
		}
	}
	if other != nil && g.r.IntN(3) > 0 {
		return t
	}
	names := slices.Sorted(maps.Keys(t))
	for range 1 + g.r.IntN(2) {
		name := names[g.r.IntN(len(names))]
		if _, there := t[name]; !there {
			continue
		}
		switch what := g.r.IntN(20); {
		case what == 0:
			t[fmt.Sprintf("new%d.go", g.count)] = g.fresh(10 + g.r.IntN(20))
		case what == 1 && len(t) > 2:
			delete(t, name)
		case what == 2 && other == nil && len(t[name]) > 300: // a rename, mostly with an edit
			to := fmt.Sprintf("dir/renamed%d.go", g.count)
			t[to] = t[name]
			if g.r.IntN(3) > 0 {
				t[to] = g.edited(t[to])
			}
			delete(t, name)
			return t
		default:
			t[name] = g.edited(t[name])
		}
	}
	return t
}

// grow makes n commits.
func (g *repository) grow(n int) {
	g.commits = []commitOf{{tree: tree{"a.go": g.fresh(30), "b.go": g.fresh(20), "c.txt": g.fresh(40)}}}
	tips := []int{0}
	for i := 1; i < n; i++ {
		k := g.r.IntN(len(tips))
		c := commitOf{parents: []int{tips[k]}}
		was := g.commits[tips[k]].tree
		switch what := g.r.IntN(12); {
		case what < 3 && len(tips) < 4:
			c.tree = g.next(was, nil)
			tips = append(tips, i)
			g.commits = append(g.commits, c)
			continue
		case what < 5 && len(tips) > 1:
			other := (k + 1) % len(tips)
			c.parents = append(c.parents, tips[other])
			c.tree = g.next(was, g.commits[tips[other]].tree)
			tips[k] = i
			tips = slices.Delete(tips, other, other+1)
			g.commits = append(g.commits, c)
			continue
		case what == 5: // a revert of all that was done since some commit
			c.tree = g.commits[g.r.IntN(i)].tree
		default:
			c.tree = g.next(was, nil)
		}
		g.commits = append(g.commits, c)
		tips[k] = i
	}
	for len(tips) > 1 {
		c := commitOf{parents: []int{tips[0], tips[1]}, tree: g.next(g.commits[tips[0]].tree, g.commits[tips[1]].tree)}
		g.commits = append(g.commits, c)
		tips = append([]int{len(g.commits) - 1}, tips[2:]...)
	}
}

// write makes the repository; the last commit is main.
func (g *repository) write(t testing.TB) {
	t.Helper()
	g.dir = t.TempDir()
	gitIn(t, g.dir, "", "init", "-q", ".")
	var in strings.Builder
	for i, c := range g.commits {
		fmt.Fprintf(&in, "commit refs/heads/b%d\nmark :%d\ncommitter T <t@example.org> %d +0000\ndata 1\nx\n", i, i+1, 1000+i)
		for k, p := range c.parents {
			fmt.Fprintf(&in, "%s :%d\n", []string{"from", "merge"}[min(k, 1)], p+1)
		}
		in.WriteString("deleteall\n")
		for name, content := range c.tree {
			fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", name, len(content), content)
		}
	}
	fmt.Fprintf(&in, "reset refs/heads/main\nfrom :%d\n\n", len(g.commits))
	gitIn(t, g.dir, in.String(), "fast-import", "--quiet", "--export-marks=marks")
	for i := range g.commits {
		g.commits[i].id = strings.TrimSpace(gitIn(t, g.dir, "", "rev-parse", fmt.Sprintf("b%d", i)))
	}
}

// document writes the history down as the git deriver does, from the first commit on: diffs
// against the first parent with so many lines of context, renames as a deletion and a
// creation. Whether the deriver's mark for a missing line feed is there does not matter here.
func (g *repository) document(t testing.TB, context int) string {
	t.Helper()
	// The git deriver writes three lines of context, by which a creation is told from lines
	// that are put before the first one.
	vcs := map[bool]string{true: "git", false: "jj"}[context > 0]
	var steps []any
	id := func(i int) string { return "step-" + g.commits[i].id[:8] }
	for i, c := range g.commits[1:] {
		i++
		change := map[string]any{}
		out := gitIn(t, g.dir, "", "diff-tree", "-p", "--no-renames", fmt.Sprintf("-U%d", context), g.commits[c.parents[0]].id, c.id)
		for _, part := range strings.Split("\n"+out, "\ndiff --git a/")[1:] {
			name, _, _ := strings.Cut(part, " ")
			if at := strings.Index(part, "\n@@ "); at >= 0 {
				change[name] = map[string]any{"raw": strings.TrimSuffix(part[at+1:], "\n") + "\n"}
			}
		}
		identity := map[string]any{"id": id(i), "actor": "human:t", "timestamp": fmt.Sprintf("2026-01-29T10:%02d:%02dZ", i/60, i%60)}
		var parents []string
		for _, p := range c.parents {
			if p > 0 {
				parents = append(parents, id(p))
			}
		}
		if len(parents) > 0 {
			identity["parents"] = parents
		}
		steps = append(steps, map[string]any{"step": identity, "change": change,
			"meta": map[string]any{"source": map[string]any{"type": vcs, "revision": c.id}}})
	}
	path := map[string]any{"id": "path-main", "head": id(len(g.commits) - 1), "base": map[string]any{"uri": "github:o/r", "ref": g.commits[0].id}}
	return encode(map[string]any{"graph": map[string]any{"id": "g"}, "paths": []any{map[string]any{"path": path, "steps": steps}}})
}

// Whatever branches, merges, renames and reverts a history is made of: what its document says
// of each line of each file is what git blame says.
func TestDocumentIsGitBlame(t *testing.T) {
	histories := uint64(12)
	if testing.Short() {
		histories = 3
	}
	equal, lines := [2]int{}, [2]int{}
	for seed := range histories {
		g := &repository{r: rand.New(rand.NewPCG(seed, 21))}
		g.grow(40)
		g.write(t)
		m := &memory{files: map[string]string{}, objects: map[[2]string]string{}}
		for name, content := range g.commits[0].tree {
			m.objects[[2]string{g.commits[0].id, name}] = content
		}
		head := g.commits[len(g.commits)-1]
		for k, context := range []int{0, 3} {
			w := m.workspace()
			m.files["/w/main.path.json"] = g.document(t, context)
			w.Add("/w/main.path.json", []byte(m.files["/w/main.path.json"]))
			for _, name := range slices.Sorted(maps.Keys(head.tree)) {
				_, p, err := w.ProvenanceOf(t.Context(), m, "file:///w/"+name, text.New([]byte(head.tree[name])))
				if err != nil {
					t.Fatal(err)
				}
				var want []string
				for line := range strings.Lines(gitIn(t, g.dir, "", "blame", "-s", "-l", "--root", "main", "--", name)) {
					want = append(want, strings.TrimPrefix(line[:41], "^")[:40])
				}
				for i, commit := range want {
					lines[k]++
					l := p.Line(i)
					got := g.commits[0].id
					if l.State == recorded {
						got = l.Step.At().Value(l.Step.At().Nodes.Meta).Get("source").Get("revision").Text()
					} else if analysis.StateName(l.State) != "base" && len(p.Accounts) > 0 {
						got = "nobody"
					}
					if got == commit {
						equal[k]++
					} else if context > 0 {
						t.Errorf("seed %d, %s, line %d %q: %s, but git blame says %s; problems %q", seed, name, i+1, string(p.Text.Bytes()[p.LineStart(i):p.LineEnd(i)]), short(got), short(commit), p.Problems())
					}
				}
			}
		}
	}
	t.Logf("equal: %d of %d lines without context, %d of %d with three lines", equal[0], lines[0], equal[1], lines[1])
	// Without context and headers, lines put before the first one look like a creation.
	if 100*equal[0] < 98*lines[0] {
		t.Errorf("without context %d of %d lines are what git blame says", equal[0], lines[0])
	}
}

func short(id string) string { return id[:min(len(id), 8)] }
