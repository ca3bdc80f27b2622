package provenance_test

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
	"github.com/toolpath-ls/toolpath-ls/internal/race"
)

// ownHistory is this project's repository: its commits, root first, and which blob
// each commit that touched a path left there ("": none).
type ownHistory struct {
	root    string
	commits []string
	parents [][]int
	blobs   map[string]map[int]string
	from    map[string]map[int]string // by path: the file that a commit renamed to it
	gone    map[int][]string          // by commit: files that it deleted or renamed
	linear  bool
}

func readOwnHistory(t *testing.T) ownHistory {
	t.Helper()
	if out, err := exec.Command("git", "rev-parse", "--is-shallow-repository").Output(); err != nil || strings.TrimSpace(string(out)) != "false" {
		t.Skip("the project's history is not here: clone it with git, and in full")
	}
	root := os.Getenv("TOOLPATH_TEST_REPOSITORY")
	if root == "" {
		root = strings.TrimSpace(git(t, ".", "", "rev-parse", "--show-toplevel"))
	}
	h := ownHistory{root: root, blobs: map[string]map[int]string{}, from: map[string]map[int]string{}, gone: map[int][]string{}, linear: true}
	at := map[string]int{}
	for line := range strings.Lines(git(t, root, "", "log", "--topo-order", "--reverse", "--raw", "-M", "--no-abbrev", "--diff-merges=first-parent", "--format=commit %H %P", "HEAD")) {
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, "commit "); ok {
			ids := strings.Fields(rest)
			var parents []int
			for _, p := range ids[1:] {
				parents = append(parents, at[p])
			}
			h.linear = h.linear && len(parents) < 2
			at[ids[0]] = len(h.commits)
			h.commits, h.parents = append(h.commits, ids[0]), append(h.parents, parents)
			continue
		}
		if strings.HasPrefix(line, ":") {
			h.change(line)
		}
	}
	return h
}

// change reads `:mode mode blob blob status<tab>path[<tab>path]`.
func (h *ownHistory) change(line string) {
	words, paths, _ := strings.Cut(line, "\t")
	fields := strings.Fields(words)
	from, to, two := strings.Cut(paths, "\t")
	blob := fields[3]
	if fields[1] != "100644" && fields[1] != "100755" {
		blob = ""
	}
	if fields[4] == "D" || fields[4][0] == 'R' {
		h.gone[len(h.commits)-1] = append(h.gone[len(h.commits)-1], from)
	}
	if two {
		if fields[4][0] == 'R' {
			h.touch(from, "")
			if h.from[to] == nil {
				h.from[to] = map[int]string{}
			}
			h.from[to][len(h.commits)-1] = from
		}
		from = to
	}
	h.touch(from, blob)
}

func (h *ownHistory) touch(path, blob string) {
	if h.blobs[path] == nil {
		h.blobs[path] = map[int]string{}
	}
	h.blobs[path][len(h.commits)-1] = blob
}

// contents reads blobs.
func contents(t *testing.T, dir string, blobs []string) map[string]string {
	t.Helper()
	all := map[string]string{}
	out := git(t, dir, strings.Join(blobs, "\n")+"\n", "cat-file", "--batch")
	for range blobs {
		var id, kind string
		var n int
		head, rest, _ := strings.Cut(out, "\n")
		if _, err := fmt.Sscan(head, &id, &kind, &n); err != nil {
			t.Fatalf("%q: %v", head, err)
		}
		all[id] = rest[:n]
		out = rest[n+1:]
	}
	return all
}

// touches are the blobs of a file by commit, under the names that it had: a file that was
// renamed has those of the other one before.
func (h *ownHistory) touches(t *testing.T, path string) map[int]string {
	all := map[int]string{}
	for until := len(h.commits); ; {
		first, made := -1, until
		for i := range h.from[path] {
			if i < until {
				first = max(first, i)
			}
		}
		for i, blob := range h.blobs[path] {
			if i >= first && i < until {
				all[i] = blob
				made = min(made, i)
			}
		}
		from := h.from[path][first]
		if first < 0 {
			if from = h.followed(t, path, made); from == "" {
				return all
			}
			first = made
		}
		path, until = from, first
	}
}

// followed is the file that git blame takes for the one before, of a file that a commit made
// while others went: git log pairs each of them once, and git blame looks at one file alone.
func (h *ownHistory) followed(t *testing.T, path string, made int) string {
	gone := h.gone[made]
	if !h.linear || len(gone) == 0 {
		return ""
	}
	commit := h.commits[made]
	args := append([]string{"diff-tree", "-r", "-M", "--diff-filter=R", "--name-status", commit + "^", commit, "--", path}, gone...)
	words := strings.Fields(git(t, h.root, "", args...))
	if len(words) < 3 {
		return ""
	}
	return words[1]
}

// The project's own history, turned into steps, is git blame on every file. In a history
// with merges files that were renamed are left out: following them through branches is the
// caller's part. TOOLPATH_TEST_REPOSITORY names another repository to try.
func TestOwnHistoryIsGitBlame(t *testing.T) {
	race.Skip(t)
	own := readOwnHistory(t)
	head := map[string]bool{}
	for path := range strings.SplitSeq(git(t, own.root, "", "ls-tree", "-r", "-z", "--full-tree", "--name-only", "HEAD"), "\x00") {
		head[path] = own.linear || own.from[path] == nil
	}
	var paths []string
	for path := range own.blobs {
		if head[path] {
			paths = append(paths, path)
		}
	}
	slices.SortFunc(paths, func(a, b string) int {
		if d := len(own.blobs[b]) - len(own.blobs[a]); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	most := len(paths)
	if os.Getenv("TOOLPATH_TEST_REPOSITORY") != "" {
		most = 80
	}
	if testing.Short() {
		most = 10
	}
	var lines atomic.Int64
	t.Run("files", func(t *testing.T) {
		for some := range slices.Chunk(paths[:min(most, len(paths))], 100) {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				for _, path := range some {
					lines.Add(int64(own.compare(t, path)))
				}
			})
		}
	})
	t.Logf("%d lines of %d files", lines.Load(), min(most, len(paths)))
}

func (own ownHistory) compare(t *testing.T, path string) (lines int) {
	touches := own.touches(t, path)
	parents := make([][]int, len(own.parents))
	for i, p := range own.parents {
		parents[i] = p
		if _, ok := touches[i]; !ok && len(p) > 1 {
			parents[i] = p[:1]
		}
	}
	var blobs []string
	for _, blob := range touches {
		if blob != "" {
			blobs = append(blobs, blob)
		}
	}
	texts := contents(t, own.root, blobs)
	empty := ""
	h := provenance.History{Base: &empty, Parents: [][]int{}}
	touching := func(i int) bool { _, ok := touches[i]; return ok }
	for _, n := range provenance.Contract(parents, touching, len(parents)-1) {
		e := provenance.Edit{Step: provenance.StepID(n.Index + 1), Delete: touches[n.Index] == ""}
		if text, ok := texts[touches[n.Index]]; ok {
			e.Whole = &text
		}
		h.Edits, h.Parents = append(h.Edits, e), append(h.Parents, n.Parents)
	}
	p := provenance.Project(h)
	if strings.ContainsRune(p.HeadText(), 0) {
		return 0
	}
	got := steps(p)
	var want []int
	for line := range strings.Lines(git(t, own.root, "", "blame", "-s", "-l", "--root", "HEAD", "--", path)) {
		want = append(want, slices.Index(own.commits, strings.TrimPrefix(line[:41], "^")[:40])+1)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %v\nwant %v", path, got, want)
	}
	return len(got)
}
