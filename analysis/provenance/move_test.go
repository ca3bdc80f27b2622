package provenance_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
)

const twoFunctions = "func first() {\n\tprepare(the, first)\n\tthen(first)\n\trun()\n}\n\nfunc second() {\n\tprepare(the, second)\n\tstop(at, once)\n}\n"

// A function that a step moves keeps its author in the chain; the step is the one
// that is named.
func TestMoveWithinAFile(t *testing.T) {
	parts := strings.SplitAfter(twoFunctions, "\n\n")
	moved := parts[1] + "\n" + strings.TrimSuffix(parts[0], "\n")
	for _, tc := range []struct {
		name string
		edit provenance.Edit
	}{
		{"in a diff", provenance.Edit{Step: 2, Raw: unified(twoFunctions, moved, 0), HasRaw: true}},
		{"in two whole contents", provenance.Edit{Step: 2, Whole: &moved}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			whole := twoFunctions
			p := provenance.Project(provenance.History{Edits: []provenance.Edit{{Step: 1, Whole: &whole, Creates: true}, tc.edit}})
			if p.HeadText() != moved {
				t.Fatalf("head %q", p.HeadText())
			}
			n := 0
			for _, id := range p.Lines() {
				i := p.Ident(id)
				if i.Step != 2 {
					continue
				}
				if i.Kind == provenance.Move {
					n++
					if chain := p.Chain(id); len(chain) != 2 || chain[1].Step != 1 || p.Text(chain[1].ID) != p.Text(id) {
						t.Errorf("%q comes from %v", p.Text(id), chain)
					}
				}
			}
			if n < 3 {
				t.Errorf("%d lines moved", n)
			}
		})
	}
}

// What is everywhere has not moved.
func TestNotMoved(t *testing.T) {
	base := "a {\n\treturn nil\n}\nb\nc {\n\treturn nil\n}\n"
	now := "a\nb {\n\treturn nil\n}\nc\n"
	p := provenance.Project(provenance.History{Base: &base, Edits: []provenance.Edit{{Step: 1, Whole: &now}}})
	for _, id := range p.Lines() {
		if p.Ident(id).Kind == provenance.Move {
			t.Errorf("%q moved", p.Text(id))
		}
	}
}

func TestMoveBetweenFiles(t *testing.T) {
	parts := strings.SplitAfter(twoFunctions, "\n\n")
	whole, rest, other := twoFunctions, parts[0], "package other\n\n"
	split := other + strings.ReplaceAll(parts[1], "\t", "    ")
	from := provenance.Project(provenance.History{Edits: []provenance.Edit{{Step: 1, Whole: &whole, Creates: true}, {Step: 2, Whole: &rest}}})
	to := provenance.Project(provenance.History{Base: &other, Edits: []provenance.Edit{{Step: 2, Whole: &split}}})
	var got []string
	for _, m := range provenance.MovedBetween(2, []*provenance.Projection{from, to}) {
		got = append(got, fmt.Sprintf("%d>%d %s", m.From, m.To, strings.TrimSpace(to.Text(m.ToLine))))
		if i := from.Ident(m.FromLine); i.Step != 1 {
			t.Errorf("%q is of step %d", from.Text(m.FromLine), i.Step)
		}
	}
	if want := "0>1 func second() {, 0>1 prepare(the, second), 0>1 stop(at, once), 0>1 }"; strings.Join(got, ", ") != want {
		t.Errorf("got %s", strings.Join(got, ", "))
	}
	if moved := provenance.MovedBetween(1, []*provenance.Projection{from, to}); moved != nil {
		t.Errorf("step 1 moved %v", moved)
	}
}

// deletions writes down what is gone before each line, as `line: step text`.
func deletions(p *provenance.Projection, n int, before func(i int) []provenance.Deletion) string {
	var b strings.Builder
	for i := range n + 1 {
		for _, d := range before(i) {
			fmt.Fprintf(&b, "%d: %d %s %s\n", i, d.By, d.Grade, p.Text(d.ID))
		}
	}
	return b.String()
}

func TestDeletedLines(t *testing.T) {
	base := "one\ntwo\nthree\nfour\nfive\n"
	diff := func(step provenance.StepID, raw string) provenance.Edit {
		return provenance.Edit{Step: step, Raw: raw, HasRaw: true}
	}
	for _, tc := range []struct {
		name   string
		edits  []provenance.Edit
		buffer string
		want   string
	}{
		{"one line", []provenance.Edit{diff(1, "@@ -2 +1,0 @@\n-two\n")}, "one\nthree\nfour\nfive\n", "1: 1 exact two\n"},
		{"the first and the last", []provenance.Edit{diff(1, "@@ -1 +0,0 @@\n-one\n@@ -5 +3,0 @@\n-five\n")}, "two\nthree\nfour\n", "0: 1 exact one\n3: 1 exact five\n"},
		{"a replaced line is in the chain and not here", []provenance.Edit{diff(1, "@@ -2 +2 @@\n-two\n+zwei\n")}, "one\nzwei\nthree\nfour\nfive\n", ""},
		{"a line that came and went", []provenance.Edit{diff(1, "@@ -2,0 +3 @@\n+two and a half\n"), diff(2, "@@ -3 +2,0 @@\n-two and a half\n")}, base, "2: 2 exact two and a half\n"},
		{"in the order in which they stood", []provenance.Edit{diff(1, "@@ -3 +2,0 @@\n-three\n"), diff(2, "@@ -2 +1,0 @@\n-two\n"), diff(3, "@@ -2 +1,0 @@\n-four\n")}, "one\nfive\n", "1: 2 exact two\n1: 1 exact three\n1: 3 exact four\n"},
		{"a line written where another was", []provenance.Edit{diff(1, "@@ -3 +2,0 @@\n-three\n"), diff(2, "@@ -2,0 +3 @@\n+drei\n")}, "one\ntwo\ndrei\nfour\nfive\n", "3: 1 exact three\n"},
		{"since the head", nil, "one\nfour\nfive\n", "1: 0 unrecorded two\n1: 0 unrecorded three\n"},
		{"the whole file", []provenance.Edit{{Step: 1, Delete: true}, {Step: 2, Raw: "@@ -0,0 +1 @@\n+new\n", HasRaw: true, Creates: true}}, "new\n", "1: 1 exact one\n1: 1 exact two\n1: 1 exact three\n1: 1 exact four\n1: 1 exact five\n"},
		{"behind an edit that does not apply", []provenance.Edit{diff(1, "@@ -9,2 +9,2 @@\n-no such line here\n+nor this line\n"), diff(2, "@@ -2,3 +2,2 @@\n two\n-three\n four\n")}, "one\ntwo\nfour\nfive\n", "2: 2 fuzzy three\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h := provenance.History{Base: &base, Edits: tc.edits}
			p := provenance.Project(h).Recover(h, tc.buffer)
			o := p.Overlay([]byte(tc.buffer))
			if got := deletions(p, o.Len(), o.DeletedBefore); got != tc.want {
				t.Errorf("got\n%swant\n%s", got, tc.want)
			}
		})
	}
}
