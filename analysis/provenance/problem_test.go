package provenance_test

import (
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
)

// A problem points at the line or header of the diff that does not fit.
func TestProblemsPointIntoTheDiff(t *testing.T) {
	const base = "one\ntwo\nthree\ntwo\n"
	for _, tc := range []struct {
		name, raw string
		kind      provenance.ProblemKind
		at        string // the text under Span
		line      int
		found     string
	}{
		{"another line", "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n one\n-zwei\n+zwo\n", provenance.Mismatch, "zwei", 2, "two"},
		{"second hunk", "@@ -1 +1 @@\n-one\n+ONE\n@@ -3 +3 @@\n-drei\n+three\n", provenance.Mismatch, "drei", 3, "three"},
		{"past the end", "@@ -4,2 +4,1 @@\n two\n-five\n", provenance.Mismatch, "five", 5, ""},
		{"twice", "@@ -3 +3 @@\n-two\n+TWO\n", provenance.Ambiguous, "@@ -3 +3 @@", 0, ""},
		{"insertion past the end", "@@ -9,0 +10 @@\n+x\n", provenance.NoPosition, "@@ -9,0 +10 @@", 0, ""},
		{"insertion without numbers", "@@\n+x\n", provenance.NoPosition, "@@", 0, ""},
		{"hunks in disorder", "@@ -3 +3 @@\n-three\n+3\n@@ -1 +1 @@\n-one\n+1\n", provenance.NoPosition, "@@ -1 +1 @@", 0, ""},
		{"overlapping hunks", "@@ -1,2 +1,2 @@\n one\n-two\n+2\n@@ -2,2 +2,2 @@\n two\n-three\n+3\n", provenance.NoPosition, "@@ -2,2 +2,2 @@", 0, ""},
		{"displaced", "@@ -2 +2 @@\n-three\n+3\n", provenance.Displaced, "@@ -2 +2 @@", 3, ""},
		{"elided", "@@ -1,3 +1,9 @@\n one\n+x...\n", provenance.NotReplayable, "x...", 0, ""},
		{"binary", "Binary files a/f and b/f differ\n", provenance.NotReplayable, "Binary files a/f and b/f differ", 0, ""},
		{"several files", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-one\n+1\n--- a/g\n+++ b/g\n@@ -2 +2 @@\n-two\n+2\n", provenance.NotReplayable, "@@ -2 +2 @@", 0, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := after(base, tc.raw, nil)
			if len(p.Problems) != 1 {
				t.Fatalf("problems %v", p.Problems)
			}
			got := p.Problems[0]
			if got.Kind != tc.kind || got.Step != 1 || got.Edit != 0 {
				t.Errorf("problem %+v", got)
			}
			if at := tc.raw[got.Span.Start:got.Span.End]; tc.at != "" && at != tc.at {
				t.Errorf("points at %q, want %q", at, tc.at)
			}
			if tc.at != "" && (got.Line != tc.line || got.Found != tc.found) {
				t.Errorf("line %d %q, want %d %q", got.Line, got.Found, tc.line, tc.found)
			}
			if p.Known {
				t.Error("the head counts as known")
			}
			if s := got.String(); s == "" || strings.Contains(s, "unknown problem") {
				t.Errorf("says %q", s)
			}
		})
	}
}

func TestLongLinesAreShortInMessages(t *testing.T) {
	p := after(strings.Repeat("é", 500)+"\n", "@@ -1 +1 @@\n-"+strings.Repeat("ü", 500)+"\n+x\n", nil)
	if s := p.Problems[0].String(); len(s) > 250 || !strings.Contains(s, "ü…") {
		t.Errorf("says %q", s)
	}
}

func TestStoppedReplay(t *testing.T) {
	base := "one\n"
	asked := 0
	h := provenance.History{Base: &base, Done: func() bool { asked++; return asked == 3 }}
	for _, raw := range []string{"-one\n+1\n", "-1\n+2\n", "-2\n+3\n", "-3\n+4\n"} {
		h.Edits = append(h.Edits, provenance.Edit{Step: 1, Raw: "@@ -1 +1 @@\n" + raw, HasRaw: true})
	}
	p := provenance.Project(h)
	if len(p.Problems) != 1 || p.Problems[0].Kind != provenance.Stopped || p.Problems[0].Lost != 2 || p.Known || p.HeadText() != "2\n" {
		t.Errorf("problems %v, head %q", p.Problems, p.HeadText())
	}
	if !p.InGap(p.Lines()[0]) {
		t.Error("the line is not in the gap")
	}
}

// Sections of one raw are edits of one step, one after the other.
func TestSectionsBuildOnEachOther(t *testing.T) {
	p := after("a\n", "# edit 1/2\n@@ -1 +1,2 @@\n-a\n+b\n+c\n# edit 2/2\n@@ -2 +2 @@\n-c\n+d\n", nil)
	if p.HeadText() != "b\nd\n" || len(p.Problems) > 0 {
		t.Errorf("head %q, problems %v", p.HeadText(), p.Problems)
	}
}

func TestSimilarity(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want int
	}{
		{"", "", 100},
		{"", "a\n", 0},
		{"a\nb\n", "b\na\n", 100},
		{"a\nb\nc\nd\n", "a\nb\nx\ny\n", 50},
		{"a\na\n", "a\n", 50},
	} {
		if got := provenance.Similarity(tc.a, tc.b); got != tc.want {
			t.Errorf("Similarity(%q, %q) = %d, want %d", tc.a, tc.b, got, tc.want)
		}
	}
}

// A tool that replaces what occurs once would have refused these; so the record
// does not say what it seems to say.
func TestSnippetThatOccursTwice(t *testing.T) {
	const marker = "\n\\ No newline at end of file\n"
	for _, tc := range []struct {
		name, base, old string
		snippet         bool
	}{
		{"in one line", "f(x, x)\n", "x", true},
		{"overlapping", "aaa\n", "aa", true},
		{"in two lines", "check()\nrecheck()\n", "check()", true},
		{"the empty snippet", "a\n", "", true},
		{"as a line and in a line, undeclared", "zero\ncheck()\nrecheck()\n", "check()", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := after(tc.base, "@@ -1 +1 @@\n-"+tc.old+marker+"+y"+marker, func(e *provenance.Edit) { e.Snippet = tc.snippet })
			if len(p.Problems) != 1 || p.Problems[0].Kind != provenance.Ambiguous || p.HeadText() != tc.base {
				t.Errorf("head %q, problems %v", p.HeadText(), p.Problems)
			}
		})
	}
}

// Unless it is said to have replaced every occurrence.
func TestSnippetEverywhere(t *testing.T) {
	const marker = "\n\\ No newline at end of file\n"
	for _, tc := range []struct{ base, raw, want string }{
		{"check()\nx\nrecheck()\n", "@@ -1 +1 @@\n-check()" + marker + "+verify()" + marker, "verify()\nx\nreverify()\n"},
		{"f(x, x)\n", "@@ -1 +1 @@\n-x" + marker + "+xx" + marker, "f(xx, xx)\n"},
		{"a\r\nb\r\na\r\nb\r\n", "@@ -1,2 +1 @@\n-a\n-b" + marker + "+c" + marker, "c\r\nc\r\n"},
	} {
		p := after(tc.base, tc.raw, func(e *provenance.Edit) { e.Snippet, e.All = true, true })
		if len(p.Problems) > 0 || p.HeadText() != tc.want {
			t.Errorf("head %q, want %q; problems %v", p.HeadText(), tc.want, p.Problems)
		}
	}
}

// What a replacement inside of lines makes of the text, line feeds included.
func TestSnippetText(t *testing.T) {
	const marker = "\\ No newline at end of file\n"
	for _, tc := range []struct{ name, base, raw, want string }{
		{"inside a line", "a b c\nd\n", "@@ -1 +1 @@\n-b\n" + marker + "+B\n" + marker, "a B c\nd\n"},
		{"in a last line without a line feed", "x\na b c", "@@ -1 +1 @@\n-b\n" + marker + "+B\n" + marker, "x\na B c"},
		{"over two lines", "a b\nc d\n", "@@ -1,2 +1 @@\n-b\n-c\n" + marker + "+X\n" + marker, "a X d\n"},
		{"a line feed comes in", "a b\nc\n", "@@ -1 +1,2 @@\n-b\n" + marker + "+B\n+new\n" + marker, "a B\nnew\nc\n"},
		{"a line feed after a whole line", "a\nb\n", "@@ -1 +1 @@\n-a\n" + marker + "+a\n", "a\n\nb\n"},
		{"a line feed goes", "a b\nc\n", "@@ -1 +1 @@\n-b\n+B\n" + marker, "a Bc\n"},
		{"a line feed goes at the end", "a\nb\n", "@@ -1 +1 @@\n-b\n+B\n" + marker, "a\nB"},
		{"a part of a line goes", "a b c\nd\n", "@@ -1 +0,0 @@\n- b\n" + marker, "a c\nd\n"},
		{"a whole line goes", "a\nb\nc\n", "@@ -1 +0,0 @@\n-b\n", "a\nc\n"},
		{"the end of a line and the line feed go", "a b\nc\n", "@@ -1 +0,0 @@\n- b\n", "ac\n"},
		{"in CRLF", "a b\r\nc\r\n", "@@ -1 +1 @@\n-b\n" + marker + "+B\n" + marker, "a B\r\nc\r\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := after(tc.base, tc.raw, func(e *provenance.Edit) { e.Snippet = true })
			if len(p.Problems) > 0 || p.HeadText() != tc.want {
				t.Errorf("head %q, want %q; problems %v", p.HeadText(), tc.want, p.Problems)
			}
		})
	}
}
