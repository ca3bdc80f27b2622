package provenance_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
)

// git runs the real git in dir, deaf to the machine's configuration.
func git(t testing.TB, dir, stdin string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null")
	cmd.Stdin = strings.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, &stderr)
	}
	return string(out)
}

// version is the content of one file after a commit; nil if it does not exist.
type version *string

func content(s string) version { return &s }

// commit makes a repository with one commit on file f for each version, the
// first being the base. It returns the commits in order.
func commit(t testing.TB, versions []version) (dir string, commits []string) {
	t.Helper()
	dir = t.TempDir()
	git(t, dir, "", "init", "-q", ".")
	var in strings.Builder
	for i, v := range versions {
		fmt.Fprintf(&in, "commit refs/heads/main\nmark :%d\ncommitter T <t@example.org> %d +0000\ndata 1\nx\n", i+1, 1000+i)
		if v == nil {
			in.WriteString("D f\n")
		} else {
			fmt.Fprintf(&in, "M 100644 inline f\ndata %d\n%s\n", len(*v), *v)
		}
	}
	git(t, dir, in.String(), "fast-import", "--quiet", "--export-marks=marks")
	marks, err := os.ReadFile(dir + "/marks")
	if err != nil {
		t.Fatal(err)
	}
	commits = make([]string, len(versions))
	for line := range strings.Lines(string(marks)) {
		mark, id, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.Atoi(mark[1:])
		if err != nil {
			t.Fatal(err)
		}
		commits[n-1] = id
	}
	return dir, commits
}

// diffs returns the diff of each commit to the one before it; the first is "".
func diffs(t testing.TB, dir string, commits []string, context int) []string {
	t.Helper()
	out := git(t, dir, "", "log", "--reverse", "-p", "--text", "--no-renames", fmt.Sprintf("-U%d", context), "--format=commit %H", "main", "--", "f")
	byCommit := map[string]string{}
	for _, part := range regexp.MustCompile(`(?m)^commit `).Split(out, -1)[1:] {
		byCommit[part[:40]] = strings.TrimPrefix(part[40:], "\n")
	}
	all := make([]string, len(commits))
	for i, c := range commits {
		if i > 0 {
			all[i] = byCommit[c]
		}
	}
	return all
}

// blame returns for each line of the head the index of its commit.
func blame(t testing.TB, dir string, commits []string) []int {
	t.Helper()
	out := git(t, dir, "", "blame", "-s", "-l", "--root", "main", "--", "f")
	var lines []int
	for line := range strings.Lines(out) {
		id := strings.TrimPrefix(line[:41], "^")[:40]
		lines = append(lines, slices.Index(commits, id))
	}
	return lines
}

// writer makes versions of a file.
type writer struct{ *rand.Rand }

func (w writer) line() string {
	words := []string{"a", "b", "c", "", "}", "-- d", "++ e", "if x {", "<", ">"}
	if w.IntN(2) == 0 {
		return words[w.IntN(len(words))]
	}
	return fmt.Sprintf("\tword%d = %d", w.IntN(40), w.IntN(3))
}

// history has n versions; the first one exists.
func (w writer) history(n int) []version {
	var lines []string
	for range w.IntN(60) {
		lines = append(lines, w.line())
	}
	cr, eol := false, true
	var versions []version
	for i := range n {
		if i > 0 && w.IntN(40) == 0 && versions[i-1] != nil {
			versions = append(versions, nil)
			if w.IntN(2) == 0 {
				lines = nil
			}
			continue
		}
		for range 1 + w.IntN(3) {
			at := w.IntN(len(lines) + 1)
			end := min(len(lines), at+w.IntN(5))
			var fresh []string
			for range w.IntN(5) {
				fresh = append(fresh, w.line())
			}
			lines = slices.Replace(lines, at, end, fresh...)
		}
		if w.IntN(12) == 0 {
			cr = !cr
		}
		if w.IntN(6) == 0 {
			eol = !eol
		}
		end := "\n"
		if cr {
			end = "\r\n"
		}
		text := strings.Join(lines, end)
		if eol && len(lines) > 0 {
			text += end
		}
		versions = append(versions, content(text))
	}
	if versions[n-1] == nil {
		versions[n-1] = content("the end\n")
	}
	return versions
}

// steps are the steps of the head's lines, as they stand (formatting included).
func steps(p *provenance.Projection) []int {
	var lines []int
	for _, id := range p.Lines() {
		lines = append(lines, int(p.Ident(id).Step))
	}
	return lines
}

// Replaying what git diff says gives the head, and, without context lines, the
// answer of git blame. So does comparing whole contents.
func TestReplayIsGitBlame(t *testing.T) {
	seeds := uint64(25)
	if testing.Short() {
		seeds = 5
	}
	for seed := range seeds {
		versions := writer{rand.New(rand.NewPCG(seed, 1))}.history(60)
		dir, commits := commit(t, versions)
		want := blame(t, dir, commits)
		head := *versions[len(versions)-1]
		for _, mode := range []struct {
			name    string
			context int
			whole   bool
		}{{"-U0", 0, false}, {"-U3", 3, false}, {"whole contents", 3, true}, {"whole contents and -U0", 0, true}} {
			var edits []provenance.Edit
			raws := diffs(t, dir, commits, mode.context)
			for i, v := range versions {
				if i == 0 {
					continue
				}
				e := provenance.Edit{Step: provenance.StepID(i), Raw: raws[i], HasRaw: true, Delete: v == nil}
				if mode.whole {
					e.Whole = v
					e.HasRaw = mode.context == 0
				}
				edits = append(edits, e)
			}
			p := provenance.Project(provenance.History{Base: versions[0], Edits: edits})
			if len(p.Problems) > 0 || !p.Known {
				t.Fatalf("seed %d, %s: %v", seed, mode.name, p.Problems)
			}
			if got := p.HeadText(); got != head {
				t.Fatalf("seed %d, %s: head\n%q\nwant\n%q", seed, mode.name, got, head)
			}
			if got := steps(p); mode.name != "-U3" && !slices.Equal(got, want) {
				t.Errorf("seed %d, %s:\n got %v\nwant %v", seed, mode.name, got, want)
			}
		}
	}
}
