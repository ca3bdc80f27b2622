package udiff_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/udiff"
)

var numbers = map[udiff.Numbers]string{
	udiff.NumbersAbsent:   "absent",
	udiff.NumbersUnusable: "unusable",
	udiff.NumbersStated:   "stated",
}

var issues = map[udiff.IssueKind]string{
	udiff.TooLong: "too long", udiff.NoHunk: "no hunk", udiff.EmptyHunk: "empty hunk",
	udiff.Elided: "elided", udiff.Prose: "prose", udiff.Counts: "counts",
	udiff.BinaryChange: "binary", udiff.Combined: "combined", udiff.SeveralFiles: "several files",
}

// show writes a diff in one line per thing that was read.
func show(d *udiff.Diff) string {
	var b strings.Builder
	for i := range d.Hunks {
		h := &d.Hunks[i]
		sec := d.Sections[h.Section]
		fmt.Fprintf(&b, "hunk %s -%d,%d +%d,%d fits=%t section=%d", numbers[h.Numbers], h.Old.Start, h.Old.Count, h.New.Start, h.New.Count, h.Fits(), h.Section)
		if n := d.Slice(sec.NewName); n != "" {
			fmt.Fprintf(&b, " name=%s", n)
		}
		for _, flag := range []struct {
			on   bool
			name string
		}{{sec.Creates, "creates"}, {sec.Deletes, "deletes"}, {h.Surplus, "surplus"}} {
			if flag.on {
				b.WriteString(" " + flag.name)
			}
		}
		b.WriteByte('\n')
		for _, l := range d.Lines(h) {
			fmt.Fprintf(&b, "%c%q", l.Kind, d.Text(l))
			if l.NoEOL {
				b.WriteString(" noeol")
			}
			if t, ok := d.Unglued(l); ok {
				fmt.Fprintf(&b, " or %q", t)
			}
			b.WriteByte('\n')
		}
	}
	for _, is := range d.Issues {
		fmt.Fprintf(&b, "issue %s: %q\n", issues[is.Kind], d.Slice(is.Span))
	}
	return b.String()
}

func TestEveryDialectIsRead(t *testing.T) {
	for _, tc := range []struct{ name, raw, want string }{
		{"empty", "", ""},
		{"git deriver: hunks without file header, text after the header",
			"@@ -5,2 +5,2 @@ func f() {\n a\n-b\n+B\n",
			"hunk stated -5,2 +5,2 fits=true section=0\n \"a\"\n-\"b\"\n+\"B\"\n"},
		{"GitHub: no line feed at the end",
			"@@ -1 +1 @@\n-a\n+b",
			"hunk stated -1,1 +1,1 fits=true section=0\n-\"a\"\n+\"b\"\n"},
		{"git patch with all header lines",
			"diff --git a/f b/f\nnew file mode 100644\nindex 0000000..1234567\n--- /dev/null\n+++ b/f\t2026-01-01\n@@ -0,0 +1 @@\n+x\n",
			"hunk stated -0,0 +1,1 fits=true section=0 name=b/f creates\n+\"x\"\n"},
		{"deletion",
			"--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
			"hunk stated -1,1 +0,0 fits=true section=0 name=/dev/null deletes\n-\"x\"\n"},
		{"doubled file header of the shared diff",
			"--- a/f\n+++ b/f\n--- \n+++ \n@@ -1 +1 @@\n-a\n+b\n",
			"hunk stated -1,1 +1,1 fits=true section=0 name=b/f\n-\"a\"\n+\"b\"\n"},
		{"MultiEdit: sections in order",
			"# edit 1/2\n--- a/f\n+++ b/f\n--- \n+++ \n@@ -1 +1 @@\n-a\n+b\n\n# edit 2/2\n--- a/f\n+++ b/f\n--- \n+++ \n@@ -1 +1 @@\n-b\n+c\n",
			"hunk stated -1,1 +1,1 fits=true section=0 name=b/f\n-\"a\"\n+\"b\"\n" +
				"hunk stated -1,1 +1,1 fits=true section=1 name=b/f\n-\"b\"\n+\"c\"\n"},
		{"Index header with a row of =",
			"Index: notes.md\n=====================\n--- notes.md\tCurrent\n+++ notes.md\tProposed\n@@ -1,2 +1,2 @@\n-a\n+b\n c\n",
			"hunk stated -1,2 +1,2 fits=true section=0 name=notes.md\n-\"a\"\n+\"b\"\n \"c\"\n"},
		{"copilot: leading blank line, a/dev/null, surplus empty added line",
			"\ndiff --git a/f b/f\ncreate file mode 100644\n--- a/dev/null\n+++ b/f\n@@ -1,0 +1,2 @@\n+a\n+b\n+\n",
			"hunk stated -1,0 +1,2 fits=true section=0 name=b/f creates surplus\n+\"a\"\n+\"b\"\n"},
		{"codex: header without numbers",
			"@@\n-a\n+b\n@@ def f():\n-c\n+d\n",
			"hunk absent -0,0 +0,0 fits=false section=0\n-\"a\"\n+\"b\"\n" +
				"hunk absent -0,0 +0,0 fits=false section=0\n-\"c\"\n+\"d\"\n"},
		{"numbers that are none",
			"@@ -1,x +1 @@\n-a\n+b\n",
			"hunk unusable -0,0 +0,0 fits=false section=0\n-\"a\"\n+\"b\"\n"},
		{"numbers of more digits than any file has lines",
			"@@ -99999999999 +1 @@\n-a\n+b\n",
			"hunk unusable -0,0 +0,0 fits=false section=0\n-\"a\"\n+\"b\"\n"},
		{"words in place of numbers and no body",
			"@@ formatting changes @@",
			"hunk absent -0,0 +0,0 fits=false section=0\nissue empty hunk: \"@@ formatting changes @@\"\n"},
		{"RFC: elided in an added line",
			"@@ -1,5 +1,15 @@\n+use regex::Regex;...",
			"hunk stated -1,5 +1,15 fits=false section=0\n+\"use regex::Regex;...\"\nissue elided: \"use regex::Regex;...\"\n"},
		{"RFC: elided in place of a body",
			"@@ -1,10 +1,20 @@\n...(merged changes from both branches)...",
			"hunk stated -1,10 +1,20 fits=false section=0\nissue elided: \"...(merged changes from both branches)...\"\n"},
		{"dots that are content, for the counts fit",
			"@@ -0,0 +1,2 @@\n+def f():\n+    ...\n",
			"hunk stated -0,0 +1,2 fits=true section=0\n+\"def f():\"\n+\"    ...\"\n"},
		{"RFC: counts that do not match the body",
			"@@ -15,1 +15,3 @@\n-simple check\n+certificate check",
			"hunk stated -15,1 +15,3 fits=false section=0\n-\"simple check\"\n+\"certificate check\"\nissue counts: \"@@ -15,1 +15,3 @@\"\n"},
		{"git deriver: a line that was not UTF-8 is missing",
			"@@ -0,0 +1 @@\n",
			"hunk stated -0,0 +1,1 fits=false section=0\nissue empty hunk: \"@@ -0,0 +1 @@\"\n"},
		{"prose in place of a diff",
			"Looks good to me.\n- but rename f\n",
			"issue no hunk: \"Looks good to me.\"\n"},
		{"prose before the first hunk is skipped",
			"From: someone\n\n    subject\n---\n f | 2 +-\n\ndiff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n-- \n2.39.5\n",
			"hunk stated -1,1 +1,1 fits=true section=0 name=b/f\n-\"a\"\n+\"b\"\n"},
		{"prose after a body that does not fit",
			"@@ -1,3 +1,3 @@\n-a\n+b\nand so on\n",
			"hunk stated -1,3 +1,3 fits=false section=0\n-\"a\"\n+\"b\"\nissue prose: \"and so on\"\n"},
		{"a removed `-- x` and an added `++ y` are content while counts last",
			"@@ -1,2 +1,2 @@\n-a\n--- x\n+++ y\n+b\n",
			"hunk stated -1,2 +1,2 fits=true section=0\n-\"a\"\n-\"-- x\"\n+\"++ y\"\n+\"b\"\n"},
		{"the same lines as the last ones of a hunk that fits",
			"@@ -1,1 +1,1 @@\n--- x\n+++ y\n@@ -9 +9 @@\n-c\n+d\n",
			"hunk stated -1,1 +1,1 fits=true section=0\n-\"-- x\"\n+\"++ y\"\nhunk stated -9,1 +9,1 fits=true section=0\n-\"c\"\n+\"d\"\n"},
		{"a file header after the counts are used up",
			"@@ -1 +1 @@\n-a\n+b\n--- a/f\n+++ b/f\n@@ -9 +9 @@\n-c\n+d\n",
			"hunk stated -1,1 +1,1 fits=true section=0\n-\"a\"\n+\"b\"\nhunk stated -9,1 +9,1 fits=true section=1 name=b/f\n-\"c\"\n+\"d\"\n"},
		{"two files in one raw",
			"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n--- a/g\n+++ b/g\n@@ -9 +9 @@\n-c\n+d\n",
			"hunk stated -1,1 +1,1 fits=true section=0 name=b/f\n-\"a\"\n+\"b\"\nhunk stated -9,1 +9,1 fits=true section=1 name=b/g\n-\"c\"\n+\"d\"\nissue several files: \"@@ -9 +9 @@\"\n"},
		{"an empty line is empty context",
			"@@ -1,3 +1,3 @@\n-a\n+b\n\n c\n",
			"hunk stated -1,3 +1,3 fits=true section=0\n-\"a\"\n+\"b\"\n \"\"\n \"c\"\n"},
		{"an empty line at the end is context when the counts ask for it",
			"@@ -1,2 +1,2 @@\n-a\n+b\n\n\n@@ -7 +7 @@\n-c\n+d\n\n",
			"hunk stated -1,2 +1,2 fits=true section=0\n-\"a\"\n+\"b\"\n \"\"\nhunk stated -7,1 +7,1 fits=true section=0\n-\"c\"\n+\"d\"\n"},
		{"binary",
			"diff --git a/f b/f\nBinary files a/f and b/f differ\n",
			"issue binary: \"Binary files a/f and b/f differ\"\n"},
		{"mode change only", "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n", ""},
		{"equal contents: headers and no hunk", "--- a/f\n+++ b/f\n--- \n+++ \n", ""},
		{"merge diff",
			"@@@ -1,1 -1,1 +1,1 @@@\n- a\n -b\n++c\n",
			"hunk absent -0,0 +0,0 fits=false section=0\n-\" a\"\n \"-b\"\n+\"+c\"\nissue combined: \"@@@ -1,1 -1,1 +1,1 @@@\"\n"},
		{"CR before the line feed is content",
			"@@ -1 +1 @@\n-a\r\n+b\r\n",
			"hunk stated -1,1 +1,1 fits=true section=0\n-\"a\\r\"\n+\"b\\r\"\n"},
		{"unless the whole raw was converted",
			"--- a/f\r\n+++ b/f\r\n@@ -1,2 +1,2 @@\r\n-a\r\n+b\r\n\r\n",
			"hunk stated -1,2 +1,2 fits=true section=0 name=b/f\n-\"a\"\n+\"b\"\n \"\"\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := show(udiff.Parse(tc.raw)); got != tc.want {
				t.Errorf("raw\n%s\ngot\n%s\nwant\n%s", tc.raw, got, tc.want)
			}
		})
	}
}

// The marker is not a line and may follow the old side, the new side or both.
func TestNoNewlineMarker(t *testing.T) {
	const marker = "\\ No newline at end of file\n"
	for _, tc := range []struct{ name, body, want string }{
		{"old side", "-a\n" + marker + "+b\n", "-\"a\" noeol\n+\"b\"\n"},
		{"new side", "-a\n+b\n" + marker, "-\"a\"\n+\"b\" noeol\n"},
		{"both sides", "-a\n" + marker + "+b\n" + marker, "-\"a\" noeol\n+\"b\" noeol\n"},
		{"context", "-a\n+b\n c\n" + marker, "-\"a\"\n+\"b\"\n \"c\" noeol\n"},
		{"without a line feed of its own", "-a\n+b\n\\ No newline at end of file", "-\"a\"\n+\"b\" noeol\n"},
		{"in another language", "-a\n+b\n\\ Kein Zeilenumbruch am Dateiende.\n", "-\"a\"\n+\"b\" noeol\n"},
		{"before any line", marker + "-a\n+b\n", "-\"a\"\n+\"b\"\n"},
		{"glued to both sides", "-a>\n" + marker + "+b<\n" + marker, "-\"a>\" noeol or \"a\"\n+\"b<\" noeol or \"b\"\n"},
		{"the other bracket is content", "-a<\n" + marker + "+b>\n" + marker, "-\"a<\" noeol\n+\"b>\" noeol\n"},
		{"a bracket without a marker is content", "-a>\n+b<\n", "-\"a>\"\n+\"b<\"\n"},
		{"bracket on a line of its own", "-a\n>\n" + marker + "+b\n<\n" + marker, "-\"a\" noeol\n+\"b\" noeol\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			header, n := "@@ -1 +1 @@\n", "hunk stated -1,1 +1,1 fits=true section=0\n"
			if tc.name == "context" {
				header, n = "@@ -1,2 +1,2 @@\n", "hunk stated -1,2 +1,2 fits=true section=0\n"
			}
			if got := show(udiff.Parse(header + tc.body)); got != n+tc.want {
				t.Errorf("got\n%s\nwant\n%s", got, n+tc.want)
			}
		})
	}
}

func TestTotals(t *testing.T) {
	d := udiff.Parse("@@ -1,2 +1,3 @@\n a\n-b\n+B\n+C\n@@ -9 +10,0 @@\n-z\n")
	if d.Added != 2 || d.Removed != 2 {
		t.Errorf("+%d -%d, want +2 -2", d.Added, d.Removed)
	}
}

// A diff that is read into used storage is the same as one read afresh.
func TestResetForgets(t *testing.T) {
	var d udiff.Diff
	for _, raw := range []string{"@@ -1,5 +1,15 @@\n+x...", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n", "", "prose"} {
		d.Reset(raw)
		if got, want := show(&d), show(udiff.Parse(raw)); got != want {
			t.Errorf("%q: got\n%s\nwant\n%s", raw, got, want)
		}
	}
}
