package provenance_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/linediff"
	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
)

// revision is a commit on one file.
type revision struct {
	content version
	parents []int // of the revisions before it
}

// commitGraph makes a repository of revisions; the last one is main.
func commitGraph(t testing.TB, revisions []revision) (dir string, commits []string) {
	t.Helper()
	dir = t.TempDir()
	git(t, dir, "", "init", "-q", ".")
	var in strings.Builder
	for i, r := range revisions {
		fmt.Fprintf(&in, "commit refs/heads/b%d\nmark :%d\ncommitter T <t@example.org> %d +0000\ndata 1\nx\n", i, i+1, 1000+i)
		for k, p := range r.parents {
			fmt.Fprintf(&in, "%s :%d\n", []string{"from", "merge"}[min(k, 1)], p+1)
		}
		if r.content == nil {
			in.WriteString("D f\n")
		} else {
			fmt.Fprintf(&in, "M 100644 inline f\ndata %d\n%s\n", len(*r.content), *r.content)
		}
	}
	fmt.Fprintf(&in, "reset refs/heads/main\nfrom :%d\n\n", len(revisions))
	git(t, dir, in.String(), "fast-import", "--quiet", "--export-marks=marks")
	marks, err := os.ReadFile(dir + "/marks")
	if err != nil {
		t.Fatal(err)
	}
	commits = make([]string, len(revisions))
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

// edit changes some lines of a text that has only line feeds.
func (w writer) edit(text string) string {
	lines := strings.SplitAfter(text, "\n")
	lines = lines[:len(lines)-1]
	for range 1 + w.IntN(3) {
		at := w.IntN(len(lines) + 1)
		end := min(len(lines), at+w.IntN(4))
		var fresh []string
		for range w.IntN(5) {
			fresh = append(fresh, w.line()+"\n")
		}
		lines = slices.Replace(lines, at, end, fresh...)
	}
	return strings.Join(lines, "")
}

// merge takes, where a and b differ, one or the other.
func (w writer) merge(a, b string) string {
	old, now := linediff.Split([]byte(a)), linediff.Split([]byte(b))
	var out strings.Builder
	at := 0
	for _, h := range append(linediff.Lines(old, now, linediff.Options{}), linediff.Hunk{OldStart: len(old), OldEnd: len(old)}) {
		for ; at < h.OldStart; at++ {
			out.Write(old[at])
		}
		side := old[h.OldStart:h.OldEnd]
		if w.IntN(2) == 0 {
			side = now[h.NewStart:h.NewEnd]
		}
		for _, line := range side {
			out.Write(line)
		}
		at = h.OldEnd
	}
	return out.String()
}

// branches makes n revisions with branches, merges of two or three, reverts and
// commits that change nothing.
func (w writer) branches(n int) []revision {
	text := ""
	for range 20 + w.IntN(60) {
		text += w.line() + "\n"
	}
	all := []revision{{content: content(text)}}
	tips := []int{0}
	for i := 1; i < n; i++ {
		k := w.IntN(len(tips))
		r := revision{parents: []int{tips[k]}}
		now := *all[tips[k]].content
		switch what := w.IntN(20); {
		case what < 4 && len(tips) < 5: // a branch
			tips = append(tips, tips[k])
			k = len(tips) - 1
			now = w.edit(now)
		case what < 8 && len(tips) > 1:
			for range 1 + w.IntN(2) {
				if len(tips) == 1 {
					break
				}
				other := w.IntN(len(tips))
				if other == k || slices.Contains(r.parents, tips[other]) {
					continue
				}
				r.parents = append(r.parents, tips[other])
				switch w.IntN(4) {
				case 0: // all of the other one
					now = *all[tips[other]].content
				case 1: // nothing of it
				default:
					now = w.merge(now, *all[tips[other]].content)
				}
				tips = slices.Delete(tips, other, other+1)
				if other < k {
					k--
				}
			}
			if w.IntN(4) == 0 {
				now = w.edit(now)
			}
		case what == 8: // nothing changes
		case what == 9:
			now = *all[w.IntN(i)].content
		default:
			now = w.edit(now)
		}
		r.content = content(now)
		all = append(all, r)
		tips[k] = i
	}
	last := revision{content: all[tips[0]].content, parents: slices.Compact(slices.Clone(tips))}
	for _, tip := range tips[1:] {
		last.content = content(w.merge(*last.content, *all[tip].content))
	}
	return append(all, last)
}

// Whatever branches and merges are made of: the answer is that of git blame.
func TestGraphIsGitBlame(t *testing.T) {
	seeds := uint64(25)
	if testing.Short() {
		seeds = 6
	}
	for seed := range seeds {
		revisions := writer{rand.New(rand.NewPCG(seed, 7))}.branches(60)
		dir, commits := commitGraph(t, revisions)
		want := blame(t, dir, commits)
		for _, whole := range []bool{false, true} {
			p := provenance.Project(graphHistory(revisions, whole, 0))
			if len(p.Problems) > 0 || p.HeadText() != *revisions[len(revisions)-1].content {
				t.Fatalf("seed %d: problems %v, head\n%s", seed, p.Problems, p.HeadText())
			}
			if got := steps(p); !slices.Equal(got, want) {
				t.Errorf("seed %d, whole contents %v:\n got %v\nwant %v", seed, whole, got, want)
			}
		}
	}
}

// graphHistory records revisions, of which the first is the base, relative to
// their first parents, with whole contents or with diffs. Step i is revision i.
func graphHistory(revisions []revision, whole bool, context int) provenance.History {
	parents := make([][]int, len(revisions))
	for i, r := range revisions {
		parents[i] = r.parents
		if i > 0 && len(r.parents) > 1 && *r.content == *revisions[r.parents[0]].content {
			parents[i] = r.parents[:1]
		}
	}
	touches := func(i int) bool {
		return i > 0 && *revisions[i].content != *revisions[revisions[i].parents[0]].content
	}
	h := provenance.History{Base: revisions[0].content, Parents: [][]int{}}
	for _, n := range provenance.Contract(parents, touches, len(revisions)-1) {
		r := revisions[n.Index]
		e := provenance.Edit{Step: provenance.StepID(n.Index)}
		if whole {
			e.Whole = r.content
		} else {
			e.Raw, e.HasRaw = unified(*revisions[r.parents[0]].content, *r.content, context), true
			if context == 0 {
				e.Raw = unifiedLikeBlame(*revisions[r.parents[0]].content, *r.content)
			}
		}
		h.Edits = append(h.Edits, e)
		h.Parents = append(h.Parents, n.Parents)
	}
	return h
}

// unifiedLikeBlame is unified without context, with the choices of git blame.
func unifiedLikeBlame(a, b string) string {
	old, now := linediff.Split([]byte(a)), linediff.Split([]byte(b))
	var out strings.Builder
	for _, h := range linediff.Lines(old, now, linediff.Options{IndentHeuristic: true, NoContext: true}) {
		writeHunk(&out, old, now, []linediff.Hunk{h}, 0)
	}
	return out.String()
}

func TestContract(t *testing.T) {
	for _, tc := range []struct {
		name    string
		parents [][]int
		touches string // a letter for each step: x or .
		head    int
		want    string
	}{
		{"a list", [][]int{{}, {0}, {1}, {2}}, "x.x.", 3, "0(-1) 2(0)"},
		{"nothing", [][]int{{}, {0}}, "..", 1, ""},
		{"a dead end", [][]int{{}, {0}, {0}}, "xxx", 2, "0(-1) 2(0)"},
		{"a merge that touches nothing of two that do", [][]int{{}, {0}, {0}, {1, 2}}, "xxx.", 3, "0(-1) 1(0) 2(0) 3(1,2)"},
		{"of one that does", [][]int{{}, {0}, {0}, {1, 2}}, "..x.", 3, "2(-1)"},
		{"a merge that touches", [][]int{{}, {0}, {0}, {1, 2}}, "x.xx", 3, "0(-1) 2(0) 3(0,1)"},
		{"parents that do not exist", [][]int{{7}, {0, -4}}, "xx", 1, "0(-1) 1(0,-1)"},
		{"a step that comes from itself", [][]int{{1}, {0}}, "xx", 1, "0(-1) 1(0)"},
		{"a head that does not exist", [][]int{{}}, "x", 4, ""},
		{"what comes before the head alone", [][]int{{}, {0}, {0}, {2, 1}}, "xx..", 3, "0(-1) 1(0) 3(0,1)"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []string
			for _, n := range provenance.Contract(tc.parents, func(i int) bool { return tc.touches[i] == 'x' }, tc.head) {
				got = append(got, fmt.Sprintf("%d(%s)", n.Index, strings.Trim(strings.ReplaceAll(fmt.Sprint(n.Parents), " ", ","), "[]")))
			}
			if s := strings.Join(got, " "); s != tc.want {
				t.Errorf("got %s, want %s", s, tc.want)
			}
		})
	}
}

// A merge without a record is what only one side changed; where both did, either
// is a guess until a content is known.
func TestMergeWithoutRecord(t *testing.T) {
	base := "one\ntwo\nthree\nfour\nfive\n"
	edit := func(step provenance.StepID, raw string) provenance.Edit {
		return provenance.Edit{Step: step, Raw: raw, HasRaw: raw != ""}
	}
	parents := [][]int{{provenance.BaseVersion}, {provenance.BaseVersion}, {0, 1}}
	for _, tc := range []struct {
		name, one, two string
		parents        [][]int
		git            bool
		want           string // steps and grades of the head
		head           string
	}{
		{"each changed another place", "@@ -1 +1 @@\n-one\n+ONE\n", "@@ -5 +5 @@\n-five\n+FIVE\n", parents, false, "1exact 0base 0base 0base 2exact", "ONE\ntwo\nthree\nfour\nFIVE\n"},
		{"both changed a line", "@@ -1 +1 @@\n-one\n+ONE\n", "@@ -1 +1 @@\n-one\n+EINS\n", parents, false, "1inferred 2inferred 0base 0base 0base 0base", "ONE\nEINS\ntwo\nthree\nfour\nfive\n"},
		{"both made the same change", "@@ -1 +1 @@\n-one\n+ONE\n", "@@ -1 +1 @@\n-one\n+ONE\n", parents, false, "1exact 0base 0base 0base 0base", "ONE\ntwo\nthree\nfour\nfive\n"},
		{"the second parent comes from the first", "@@ -1 +1 @@\n-one\n+ONE\n", "@@ -1 +1 @@\n-ONE\n+EINS\n", [][]int{{provenance.BaseVersion}, {0}, {0, 1}}, false, "2exact 0base 0base 0base 0base", "EINS\ntwo\nthree\nfour\nfive\n"},
		{"the first parent comes from the second", "@@ -1 +1 @@\n-one\n+ONE\n", "@@ -1 +1 @@\n-ONE\n+EINS\n", [][]int{{provenance.BaseVersion}, {0}, {1, 0}}, false, "2exact 0base 0base 0base 0base", "EINS\ntwo\nthree\nfour\nfive\n"},
		{"for git no record is no change", "@@ -1 +1 @@\n-one\n+ONE\n", "@@ -5 +5 @@\n-five\n+FIVE\n", parents, true, "1exact 0base 0base 0base 0base", "ONE\ntwo\nthree\nfour\nfive\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			merge := edit(3, "")
			merge.GitDeriver = tc.git
			p := provenance.Project(provenance.History{Base: &base, Parents: tc.parents, Edits: []provenance.Edit{edit(1, tc.one), edit(2, tc.two), merge}})
			if p.HeadText() != tc.head {
				t.Errorf("head %q, want %q; problems %v", p.HeadText(), tc.head, p.Problems)
			}
			var got []string
			for _, id := range p.Lines() {
				got = append(got, fmt.Sprintf("%d%s", p.Ident(p.Owner(id)).Step, p.Grade(id)))
			}
			if s := strings.Join(got, " "); s != tc.want {
				t.Errorf("got %s, want %s", s, tc.want)
			}
		})
	}
}

// Each of very many merges costs what it says, however many branches are open.
func TestManyMerges(t *testing.T) {
	base := "a\n"
	h := provenance.History{Base: &base, Parents: [][]int{}}
	for i := range 100_000 {
		at := len(h.Edits)
		first, second := max(provenance.BaseVersion, at-1), max(provenance.BaseVersion, at-1-i%50)
		h.Edits = append(h.Edits, provenance.Edit{Step: provenance.StepID(at + 1)})
		h.Parents = append(h.Parents, []int{first, second})
	}
	if p := provenance.Project(h); p.HeadText() != base {
		t.Errorf("head %q", p.HeadText())
	}
}
