package udiff_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"github.com/toolpath-ls/toolpath-ls/analysis/udiff"
)

// randomText has few different lines, so that diffs have context, ambiguity, CRLF
// and lines that look like parts of a diff.
func randomText(r *rand.Rand) string {
	words := []string{"a", "b", "", "-- x", "++ y", "@@ -1 +1 @@", "\\ x", "c\r", " ", "diff --git", "<", ">", "..."}
	lines := make([]string, r.IntN(12))
	for i := range lines {
		lines[i] = words[r.IntN(len(words))]
	}
	text := strings.Join(lines, "\n")
	if r.IntN(3) > 0 && text != "" {
		text += "\n"
	}
	return text
}

// gitDiff runs the real git; equal texts give "".
func gitDiff(t testing.TB, dir, a, b string, context int) string {
	t.Helper()
	for name, text := range map[string]string{"a": a, "b": b} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("git", "diff", "--no-index", "--no-color", "--text", fmt.Sprintf("-U%d", context), "a", "b")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null")
	out, err := cmd.Output()
	if exit, ok := err.(*exec.ExitError); err != nil && (!ok || exit.ExitCode() != 1) {
		t.Fatalf("git diff: %v", err)
	}
	return string(out)
}

// The strict parser and ours read the same out of what git writes.
func TestReadsWhatAStrictParserReads(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	dir := t.TempDir()
	for range 150 {
		raw := gitDiff(t, dir, randomText(r), randomText(r), r.IntN(4))
		files, _, err := gitdiff.Parse(strings.NewReader(raw))
		if err != nil {
			t.Fatalf("strict parser: %v\n%s", err, raw)
		}
		want := ""
		for _, f := range files {
			for _, frag := range f.TextFragments {
				want += fmt.Sprintf("-%d,%d +%d,%d\n", frag.OldPosition, frag.OldLines, frag.NewPosition, frag.NewLines)
				for _, l := range frag.Lines {
					want += fmt.Sprintf("%s%q noeol=%t\n", l.Op, strings.TrimSuffix(l.Line, "\n"), l.NoEOL())
				}
			}
		}
		d, got := udiff.Parse(raw), ""
		for i := range d.Hunks {
			h := &d.Hunks[i]
			got += fmt.Sprintf("-%d,%d +%d,%d\n", h.Old.Start, h.Old.Count, h.New.Start, h.New.Count)
			for _, l := range d.Lines(h) {
				got += fmt.Sprintf("%c%q noeol=%t\n", l.Kind, d.Text(l), l.NoEOL)
			}
		}
		if got != want {
			t.Fatalf("raw\n%s\ngot\n%s\nwant\n%s", raw, got, want)
		}
		if issue, ok := d.Replayable(); !ok {
			t.Fatalf("issue %s in a diff of git\n%s", issues[issue.Kind], raw)
		}
	}
}

func FuzzReader(f *testing.F) {
	for _, raw := range []string{
		"@@ -1,3 +1,3 @@\n a\n-b\n+c\n\n\\ x\n", "# edit 1/2\n--- a/f\n+++ b/f\n@@\n-a\n>\n\\ N\n...",
		"@@@ -1 -1 +1 @@@\n++x", "--- \n+++ \n--- \n+++ \n@@ -1,0 +1 @@\r\n+a\r\n+\r\n\r\n",
	} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		d := udiff.Parse(raw)
		last, added, removed := 0, 0, 0
		inside := func(s udiff.Span) {
			if s.Start > s.End || s.End > len(raw) {
				t.Fatalf("span %v outside of %q", s, raw)
			}
		}
		for i := range d.Hunks {
			h := &d.Hunks[i]
			inside(h.Header)
			inside(h.Tail)
			if h.Header.Start < last || h.Section >= len(d.Sections) {
				t.Fatalf("hunk %d of %q is out of order", i, raw)
			}
			last = h.Header.End
			old, now := 0, 0
			for _, l := range d.Lines(h) {
				inside(l.Span())
				if l.Span().Start < last || strings.Contains(d.Text(l), "\n") {
					t.Fatalf("line %q of %q is out of order", d.Text(l), raw)
				}
				last = l.Span().End
				switch l.Kind {
				case udiff.Context:
					old, now = old+1, now+1
				case udiff.Added:
					now, added = now+1, added+1
				case udiff.Removed:
					old, removed = old+1, removed+1
				}
			}
			if old != h.OldLines || now != h.NewLines {
				t.Fatalf("hunk %d of %q: %d old and %d new lines, says %d and %d", i, raw, old, now, h.OldLines, h.NewLines)
			}
		}
		if added != d.Added || removed != d.Removed {
			t.Fatalf("%q: +%d -%d, says +%d -%d", raw, added, removed, d.Added, d.Removed)
		}
		for _, is := range d.Issues {
			inside(is.Span)
		}
	})
}

// 5,000 diffs of 1 KB, as one file of a long session has.
func BenchmarkRead(b *testing.B) {
	var one strings.Builder
	one.WriteString("@@ -100,24 +100,24 @@ func f() {\n")
	for i := range 24 {
		if i%6 == 3 {
			fmt.Fprintf(&one, "-    old text of line %d here\n+    new text of line %d here\n", i, i)
		} else {
			fmt.Fprintf(&one, "     unchanged context line %d\n", i)
		}
	}
	raw := one.String()
	var d udiff.Diff
	b.SetBytes(int64(5000 * len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		for range 5000 {
			d.Reset(raw)
		}
	}
}

// A raw of one hostile pattern costs no more per byte than a plain one.
func BenchmarkHostile(b *testing.B) {
	for name, unit := range map[string]string{"headers": "@@\n", "file headers": "--- \n+++ \n", "blank": "\n", "markers": "\\\n", "removed": "---\n"} {
		raw := "@@ -1,999999999 +1,999999999 @@\n" + strings.Repeat(unit, 1<<20/len(unit))
		b.Run(name, func(b *testing.B) {
			var d udiff.Diff
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				d.Reset(raw)
			}
		})
	}
}
