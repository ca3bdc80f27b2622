//go:build cgo

package structural

import (
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/linediff"
	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
)

// Where the base is not on record, or a step in between is lost, a step that formats still
// does not become the author of what it laid out: nobody is named for what is older than the
// record, and for the rest who wrote it.
func TestFormattingIsSeenWithoutBase(t *testing.T) {
	texts := []string{
		"package a\n\nfunc first(n int) int {\n  if n > 10 { return n + 1 }\n  return n * 2\n}\n",
		"package a\n\nfunc first(n int) int {\n  if n > 10 { return n + 1 }\n  return n * 2\n}\n\nfunc second(s string) string {\n  return  s + \"second\"\n}\n",
		"package a\n\nfunc first(n int) int {\n\tif n > 10 {\n\t\treturn n + 1\n\t}\n\treturn n * 2\n}\n\nfunc second(s string) string {\n\treturn s + \"second\"\n}\n",
		"package a\n\nfunc first(n int) int {\n\tif n > 10 {\n\t\treturn n + 1\n\t}\n\treturn n * 2\n}\n\nfunc second(s string) string {\n\treturn s + \"second\"\n}\n\nfunc third() { println(\"third\") }\n",
	}
	for _, declared := range []bool{false, true} {
		var edits []provenance.Edit
		for i := 1; i < len(texts); i++ {
			edits = append(edits, provenance.Edit{Step: provenance.StepID(i), HasRaw: true, Raw: unified(texts[i-1], texts[i]), Formats: declared && i == 2})
		}
		h := provenance.History{File: "a.go", Formatter: new(Formatter), Edits: edits}
		p := provenance.Project(h).Recover(h, texts[3])
		got := map[string]provenance.StepID{}
		formatted := map[string]bool{}
		for _, id := range p.Lines() {
			text := strings.TrimSpace(p.Text(id))
			if got[text] = p.Ident(p.Owner(id)).Step; p.Grade(id) <= provenance.GradeInferred {
				got[text] = 0
			}
			for _, touch := range p.Chain(id) {
				formatted[text] = formatted[text] || touch.Step == 2 && touch.Kind == provenance.Format
			}
		}
		for text, want := range map[string]provenance.StepID{
			"return n * 2": 0, "return n + 1": 0, "if n > 10 {": 0, "func first(n int) int {": 0,
			"func second(s string) string {": 1, `return s + "second"`: 1, `func third() { println("third") }`: 3,
		} {
			if got[text] != want {
				t.Errorf("declared %v: %q belongs to step %d, want %d", declared, text, got[text], want)
			}
		}
		if !formatted[`return s + "second"`] {
			t.Errorf("declared %v: step 2 is not among those that touched the line", declared)
		}
	}
}

// The base is known, and the step that wrote a function is not on record.
func TestFormattingIsSeenBehindALostStep(t *testing.T) {
	texts := []string{
		"package a\n\nfunc first(n int) int {\n  if n > 10 { return n + 1 }\n  return n * 2\n}\n",
		"package a\n\nfunc first(n int) int {\n  if n > 10 { return n + 1 }\n  return n * 2\n}\n\nfunc second(s string) string {\n  return  s + \"second\"\n}\n",
		"package a\n\nfunc first(n int) int {\n\tif n > 10 {\n\t\treturn n + 1\n\t}\n\treturn n * 2\n}\n\nfunc second(s string) string {\n\treturn s + \"second\"\n}\n",
	}
	h := provenance.History{Base: &texts[0], File: "a.go", Formatter: new(Formatter), Edits: []provenance.Edit{
		{Step: 1, HasRaw: true, Raw: unified(texts[1], texts[2]), Formats: true},
	}}
	p := provenance.Project(h).Recover(h, texts[2])
	for _, id := range p.Lines() {
		if ident := p.Ident(p.Owner(id)); ident.Step == 1 && p.Grade(id) > provenance.GradeInferred {
			t.Errorf("%q belongs to the step that formats", p.Text(id))
		}
	}
}

// unified is the diff of two texts with three lines of context.
func unified(old, now string) string {
	a, b := strings.SplitAfter(strings.TrimSuffix(old, "\n"), "\n"), strings.SplitAfter(strings.TrimSuffix(now, "\n"), "\n")
	var out strings.Builder
	const context = 3
	line := func(mark, text string) { out.WriteString(mark + strings.TrimSuffix(text, "\n") + "\n") }
	at := 0
	out.WriteString("@@\n")
	for _, h := range linediff.Bytes([]byte(old), []byte(now), linediff.Options{IndentHeuristic: true}) {
		for _, l := range a[max(at, h.OldStart-context):h.OldStart] {
			line(" ", l)
		}
		for _, l := range a[h.OldStart:h.OldEnd] {
			line("-", l)
		}
		for _, l := range b[h.NewStart:h.NewEnd] {
			line("+", l)
		}
		at = h.OldEnd
	}
	for _, l := range a[at:min(len(a), at+context)] {
		line(" ", l)
	}
	return out.String()
}
