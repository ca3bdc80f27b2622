package provenance_test

import (
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
)

// A text that a step says it replaced leads to the text after, if it was there once: with
// the grade of what says so. Where it was not, or more than once, nothing is assumed.
func TestReplace(t *testing.T) {
	base := "one\ntwo two\nthree\nlast"
	for _, c := range []struct {
		name    string
		edit    provenance.Edit
		head    string
		grade   provenance.Grade // of line 0
		unknown bool
	}{
		{name: "an operation", edit: provenance.Edit{Replace: []provenance.Replacement{{"one", "ONE"}}}, head: "ONE\ntwo two\nthree\nlast", grade: provenance.GradeStructural},
		{name: "a tool", edit: provenance.Edit{Snippet: true, Replace: []provenance.Replacement{{"one\ntwo", "1\n2"}}}, head: "1\n2 two\nthree\nlast", grade: provenance.GradeExact},
		{name: "one after the other", edit: provenance.Edit{Replace: []provenance.Replacement{{"three", "one"}, {"one\ntwo", "x"}}}, head: "x two\none\nlast", grade: provenance.GradeStructural},
		{name: "taken away", edit: provenance.Edit{Replace: []provenance.Replacement{{"\nlast", ""}}}, head: "one\ntwo two\nthree", grade: provenance.GradeBase},
		{name: "twice", edit: provenance.Edit{Replace: []provenance.Replacement{{"two", "2"}}}, unknown: true},
		{name: "overlapping", edit: provenance.Edit{Replace: []provenance.Replacement{{"e", "E"}}}, unknown: true},
		{name: "nowhere", edit: provenance.Edit{Replace: []provenance.Replacement{{"one", "1"}, {"one", "2"}}}, unknown: true},
		{name: "nothing", edit: provenance.Edit{Replace: []provenance.Replacement{{"", "x"}}}, unknown: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.edit.Step = 1
			p := provenance.Project(provenance.History{Base: &base, Edits: []provenance.Edit{c.edit}})
			if c.unknown {
				if p.Known || len(p.Problems) != 1 || p.Problems[0].Kind != provenance.NoContent {
					t.Fatalf("known %v, %v", p.Known, p.Problems)
				}
				return
			}
			if !p.Known || p.HeadText() != c.head {
				t.Fatalf("known %v, %q", p.Known, p.HeadText())
			}
			if g := p.Grade(p.Lines()[0]); g != c.grade {
				t.Errorf("the first line is %v", g)
			}
		})
	}
}

// Line feeds are told as such of a file that has carriage returns.
func TestReplaceCRLF(t *testing.T) {
	base := "one\r\ntwo\r\n"
	p := provenance.Project(provenance.History{Base: &base, Edits: []provenance.Edit{{Step: 1, Snippet: true, Replace: []provenance.Replacement{{"one\ntwo", "1\n2"}}}}})
	if !p.Known || p.HeadText() != "1\r\n2\r\n" {
		t.Fatalf("%q", p.HeadText())
	}
}
