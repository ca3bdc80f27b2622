package provenance_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
)

// grades are the grades of the buffer's lines, as words.
func grades(o *provenance.Overlay) string {
	var words []string
	for i := range o.Len() {
		words = append(words, o.Line(i).Grade.String())
	}
	return strings.Join(words, " ")
}

func TestGrades(t *testing.T) {
	base, whole := "one\ntwo\n", "one\nTWO\nthree\n"
	replace := func(step provenance.StepID, raw string) provenance.Edit {
		return provenance.Edit{Step: step, Raw: raw, HasRaw: true}
	}
	for _, tc := range []struct {
		name   string
		h      provenance.History
		buffer string
		want   string
	}{
		{"a diff that fits", provenance.History{Base: &base, Edits: []provenance.Edit{replace(1, "@@ -2 +2 @@\n-two\n+TWO\n")}}, "one\nTWO\n", "base exact"},
		{"and one whose only place is another", provenance.History{Base: &base, Edits: []provenance.Edit{replace(1, "@@ -1 +1 @@\n-two\n+TWO\n")}}, "one\nTWO\n", "base exact"},
		{"a line written since", provenance.History{Base: &base, Edits: []provenance.Edit{replace(1, "@@ -2 +2 @@\n-two\n+TWO\n")}}, "one\nTWO\nnew\n", "base exact changed"},
		{"formatting keeps the grade", provenance.History{Base: &base, Edits: []provenance.Edit{replace(1, "@@ -2 +2 @@\n-two\n+TWO\n"), replace(2, "@@ -2 +2 @@\n-TWO\n+TWO\r\n")}}, "one\nTWO\n", "base exact"},
		{"a lost step may have written the line again", provenance.History{Base: &base, Edits: []provenance.Edit{replace(1, "@@ -2 +2 @@\n-two\n+TWO\n"), {Step: 2}}}, "one\nTWO\nnew\n", "base fuzzy unrecorded"},
		{"what was there before a whole file is not known", provenance.History{Edits: []provenance.Edit{{Step: 1, Whole: &whole}}}, whole, "inferred inferred inferred"},
		{"what comes in between is not recorded", provenance.History{Base: &base, Edits: []provenance.Edit{{Step: 1}, {Step: 2, Whole: &whole}}}, whole, "base unrecorded unrecorded"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := grades(provenance.Project(tc.h).Overlay([]byte(tc.buffer))); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

// What a diff leaves open is fuzzy, although it was replayed: which one of equal lines without
// a letter it kept between lines that it rewrote, which one is new where a producer did not
// compare two texts, and what a hunk did that is cut short, as far as its numbers reach.
func TestGradesOfWhatIsLeftOpen(t *testing.T) {
	text := "// one\n//\n// two\n//\n// three\n"
	call := "f() {\n\tif a {\n\t}\n}\n"
	long := "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"
	diff := func(step provenance.StepID, raw string) provenance.Edit {
		return provenance.Edit{Step: step, Raw: raw, HasRaw: true}
	}
	whole := func(content string) provenance.Edit {
		return provenance.Edit{Step: 1, Whole: &content, Creates: true}
	}
	for _, tc := range []struct {
		name string
		h    provenance.History
		text string
		want string
	}{
		{"a comment that is written anew", provenance.History{Edits: []provenance.Edit{whole(text), diff(2, "@@ -1,5 +1,3 @@\n-// one\n+// eins\n //\n-// two\n-//\n-// three\n+// drei\n")}},
			"// eins\n//\n// drei\n", "exact fuzzy exact"},
		{"a line between", provenance.History{Edits: []provenance.Edit{whole(text), diff(2, "@@ -1,3 +1,3 @@\n-// one\n+// eins\n //\n-// two\n+// zwei\n")}},
			"// eins\n//\n// zwei\n//\n// three\n", "exact exact exact exact exact"},
		{"two texts of which one has a block more", provenance.History{Edits: []provenance.Edit{whole(call), {Step: 2, HasRaw: true, Snippet: true, Raw: "@@ -1,3 +1,5 @@\n-f() {\n-\tif a {\n-\t}\n+f() {\n+\tif a {\n+\t}\n+\tif b {\n+\t}\n"}}},
			"f() {\n\tif a {\n\t}\n\tif b {\n\t}\n}\n", "exact exact fuzzy exact fuzzy exact"},
		{"a hunk that is cut short", provenance.History{Edits: []provenance.Edit{whole(long), diff(2, "@@ -2,3 +2,4 @@\n two\n+new\n...")}},
			"one\ntwo\nnew\nthree\nfour\nfive\nsix\nseven\n", "exact fuzzy fuzzy fuzzy fuzzy fuzzy exact exact"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			base := ""
			tc.h.Base = &base
			if got := grades(recovered(tc.h, tc.text)); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

// What is typed is unsaved, until an overlay is made of the buffer again.
func TestTypedLinesAreUnsaved(t *testing.T) {
	p := recorded("a\nb\n")
	o := p.Overlay([]byte("a\nb\n")).Splice(1, 2, []string{"B", "c"})
	if got := grades(o); got != "exact unsaved unsaved" {
		t.Errorf("got %s", got)
	}
	if got := grades(o.Splice(1, 3, []string{"b"})); got != "exact exact" {
		t.Errorf("undone: got %s", got)
	}
	if got := grades(p.Overlay([]byte("a\nB\nc\n"))); got != "exact changed changed" {
		t.Errorf("saved: got %s", got)
	}
}

// Ignoring steps changes who is named, and nothing else.
func TestOwnerBut(t *testing.T) {
	base := "one\ntwo\n"
	diff := func(step provenance.StepID, raw string) provenance.Edit {
		return provenance.Edit{Step: step, Raw: raw, HasRaw: true}
	}
	p := provenance.Project(provenance.History{Base: &base, Edits: []provenance.Edit{
		diff(1, "@@ -1 +1 @@\n-one\n+return  1\n"),
		diff(2, "@@ -1,2 +1,3 @@\n-return  1\n+return 1\n two\n+three\n"),
		diff(3, "@@ -1 +1 @@\n-return 1\n+return 1;\n"),
	}})
	for _, tc := range []struct {
		ignore string
		want   string
	}{{"", "3exact 0base 2exact"}, {"3", "2exact 0base 2exact"}, {"23", "1exact 0base 2exact"}, {"123", "0base 0base 2exact"}} {
		var got []string
		for _, id := range p.Lines() {
			before := chain(p.Chain(id))
			owner, grade := p.OwnerBut(id, func(s provenance.StepID) bool { return strings.Contains(tc.ignore, fmt.Sprint(s)) })
			got = append(got, fmt.Sprintf("%d%s", p.Ident(owner).Step, grade))
			if after := chain(p.Chain(id)); after != before {
				t.Errorf("the chain was %s and is %s", before, after)
			}
		}
		if s := strings.Join(got, " "); s != tc.want {
			t.Errorf("without %q: got %s, want %s", tc.ignore, s, tc.want)
		}
	}
}
