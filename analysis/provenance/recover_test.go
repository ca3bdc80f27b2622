package provenance_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
	"github.com/toolpath-ls/toolpath-ls/internal/gosource"
)

// recovered is the overlay of what comes of a history and the text after it.
func recovered(h provenance.History, text string) *provenance.Overlay {
	return provenance.Project(h).Recover(h, text).Overlay([]byte(text))
}

func TestRecover(t *testing.T) {
	diff := func(step provenance.StepID, raw string) provenance.Edit {
		return provenance.Edit{Step: step, Raw: raw, HasRaw: true}
	}
	snippet := func(step provenance.StepID, raw string) provenance.Edit {
		e := diff(step, raw)
		e.Snippet = true
		return e
	}
	file := "package a\n\nfunc one() int {\n\treturn 1\n}\n\nfunc two() int {\n\treturn 2\n}\n"
	for _, tc := range []struct {
		name string
		h    provenance.History
		text string
		want string // a chain and a grade for each line that is not simply unrecorded or of the base
	}{
		{
			"an agent's edit without a base",
			provenance.History{Edits: []provenance.Edit{snippet(1, "@@ -1,3 +1,3 @@\n func one() int {\n-\treturn 0\n+\treturn 1\n }\n")}},
			file, "4:1@ fuzzy",
		},
		{
			"a replacement inside of a line without a base",
			provenance.History{Edits: []provenance.Edit{snippet(1, "@@ -1 +1 @@\n-func zwei() int\n\\ No newline\n+func two() int\n\\ No newline\n")}},
			file, "7:1@ fuzzy",
		},
		{
			"the line that a line replaced",
			provenance.History{Edits: []provenance.Edit{
				snippet(1, "@@ -1,2 +1,2 @@\n func two() int {\n-\treturn 0\n+\treturn 1 + 1\n"),
				snippet(2, "@@ -1,2 +1,2 @@\n func two() int {\n-\treturn 1 + 1\n+\treturn 2\n"),
			}},
			file, "8:2@<1@ fuzzy",
		},
		{
			"an edit behind one that does not apply",
			provenance.History{Base: &file, Edits: []provenance.Edit{
				diff(1, "@@ -4 +4 @@\n-\treturn something else entirely\n+\treturn 1\n"),
				diff(2, "@@ -7,2 +7,3 @@\n func two() int {\n+\t// Twice one.\n \treturn 2\n"),
			}},
			"package a\n\nfunc one() int {\n\treturn 1\n}\n\nfunc two() int {\n\t// Twice one.\n\treturn 2\n}\n",
			"8:2 exact",
		},
		{
			"a part of what a step wrote was written again",
			provenance.History{Edits: []provenance.Edit{diff(1, "@@\n func one() int {\n-\treturn 0\n+\t// One is the first number.\n+\tprintln(\"one\")\n+\treturn 0 + 1\n }\n")}},
			"package a\n\nfunc one() int {\n\t// One is the first number.\n\tprintln(\"one\")\n\treturn 1\n}\n",
			"4:1@ fuzzy 5:1@ fuzzy",
		},
		{
			"the lines of a diff that was cut short",
			provenance.History{Edits: []provenance.Edit{diff(1, "@@ -3,3 +3,9 @@\n func one() int {\n+\t// One is the first number.\n+\tprintln(\"one\")\n...")}},
			"package a\n\nfunc one() int {\n\t// One is the first number.\n\tprintln(\"one\")\n\treturn 1\n}\n",
			"4:1 fuzzy 5:1 fuzzy",
		},
		{
			"a text that is at two places",
			provenance.History{Edits: []provenance.Edit{diff(1, "@@\n-\treturn nil\n+\treturn err\n")}},
			"func a() {\n\treturn err\n}\n\nfunc b() {\n\treturn err\n}\n",
			"",
		},
		{
			"a whole file of unknown origin that an edit followed",
			provenance.History{Edits: []provenance.Edit{
				{Step: 1, Whole: &file}, {Step: 2},
				snippet(3, "@@ -1,2 +1,2 @@\n func two() int {\n-\treturn 2\n+\treturn one() + one()\n"),
			}},
			strings.Replace(file, "return 2", "return one() + one()", 1),
			"1:1~ inferred 2:1~ inferred 3:1~ inferred 4:1~ inferred 5:1~ inferred 6:1~ inferred 7:1~ inferred 8:3@<1~ fuzzy 9:1~ inferred",
		},
		{
			"a whole file after a step that does not say what it did",
			provenance.History{Base: new(string), Edits: []provenance.Edit{{Step: 1}, {Step: 2, Whole: &file, Creates: true}, {Step: 3}}},
			"package a\n", "1:2~ inferred",
		},
		{
			"a replacement that was made everywhere",
			provenance.History{Base: &file, Edits: []provenance.Edit{snippet(1, "@@ -1 +1 @@\n-() int\n\\ No newline\n+() int64\n\\ No newline\n")}},
			strings.ReplaceAll(file, "() int", "() int64"), "3:1 fuzzy 7:1 fuzzy",
		},
		{
			"one line of a long file without a base",
			provenance.History{Edits: []provenance.Edit{diff(1, "@@ -3,3 +3,3 @@\n the third line of a long file\n-the fourth one as it was\n+the fourth one as it is now\n the fifth line of a long file\n")}},
			"the first line of a long file\nthe second line of a long file\nthe third line of a long file\nthe fourth one as it is now\nthe fifth line of a long file\n" + strings.Repeat("and so it goes on for long\n", 30),
			"4:1 fuzzy",
		},
		{
			"a blank line among hundreds, of which the numbers tell which it is",
			provenance.History{Edits: []provenance.Edit{diff(1, "@@ -1 +1 @@\n-a headline\n+another headline over the whole text\n@@ -601,0 +602 @@\n+\n")}},
			"another headline over the whole text\n" + strings.Repeat("some text\n\n", 300) + "\n" + strings.Repeat("some text\n\n", 50),
			"1:1 fuzzy 602:1 fuzzy",
		},
		{
			"as many places as the step has edits of the same text",
			provenance.History{Edits: []provenance.Edit{snippet(1, "# edit 1/2\n@@ -1 +1 @@\n-one_sum\n\\ No newline\n+sum.\n\\ No newline\n# edit 2/2\n@@ -1 +1 @@\n-other_sum\n\\ No newline\n+sum.\n\\ No newline\n")}},
			"a := sum.of(1)\nb := 2\nc := sum.of(3)\n",
			"1:1@ fuzzy 3:1@ fuzzy",
		},
		{
			"not the place that another edit of the step explains",
			provenance.History{Edits: []provenance.Edit{snippet(1, "# edit 1/2\n@@ -1,2 +1,2 @@\n // The sum of all that was bought.\n-total := sum(all)\n+total := all.sum()\n# edit 2/2\n@@ -1 +1 @@\n-sum(all)\n\\ No newline\n+all.sum()\n\\ No newline\n")}},
			"print(all.sum())\n\n// The sum of all that was bought.\ntotal := all.sum()\n",
			"1:1@ fuzzy 4:1@ fuzzy",
		},
		{
			"the place between the hunks above and below",
			provenance.History{Edits: []provenance.Edit{diff(1, "@@\n+// The first of the three functions.\n@@\n-\treturn\n+\treturn nil\n@@\n+// The last of the three functions.\n")}},
			"func a() {\n\treturn nil\n}\n\n// The first of the three functions.\nfunc b() {\n\treturn nil\n}\n\n// The last of the three functions.\nfunc c() {\n\treturn nil\n}\n",
			"5:1 fuzzy 7:1 fuzzy 10:1 fuzzy",
		},
		{
			"nothing of a record about another file",
			provenance.History{Base: &file, Edits: []provenance.Edit{{Step: 1}, diff(2, "@@ -1 +1 @@\n-a\n+b\n")}},
			strings.Repeat("quite another kind of text\n", 20),
			"",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := recovered(tc.h, tc.text)
			if got := named(o); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

// named says who is named for the lines of the buffer, and how surely.
func named(o *provenance.Overlay) string {
	var words []string
	for i := range o.Len() {
		if line := o.Line(i); line.State == provenance.StateRecorded {
			words = append(words, fmt.Sprintf("%d:%s %s", i+1, chain(withoutUnknown(o.Chain(i))), line.Grade))
		}
	}
	return strings.Join(words, " ")
}

func withoutUnknown(touches []provenance.Touch) []provenance.Touch {
	var known []provenance.Touch
	for _, touch := range touches {
		if touch.Step > 0 {
			known = append(known, touch)
		}
	}
	return known
}

// Where something that is not on record changed the indentation of what steps
// wrote, that is unrecorded, and the steps are still told behind it.
func TestRecoverReindented(t *testing.T) {
	base := "package a\n\nvar x = 1\n"
	h := provenance.History{Base: &base, Edits: []provenance.Edit{
		{Step: 1, HasRaw: true, Raw: "@@ -3 +3,5 @@\n var x = 1\n+func one() int {\n+  println(\"one\")\n+  return 1\n+}\n"},
		{Step: 2, HasRaw: true, Raw: "@@ -5,2 +5,2 @@\n \tprintln(\"one\")\n-\treturn 1\n+\treturn 2 - 1\n"},
	}}
	text := "package a\n\nvar x = 1\nfunc one() int {\n\tprintln(\"one\")\n\treturn 2 - 1\n}\n"
	o := recovered(h, text)
	want := "base base base fuzzy unrecorded fuzzy inferred"
	if got := grades(o); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := chain(withoutUnknown(o.Chain(4))); got != "1" {
		t.Errorf("the line with another indentation comes from %q", got)
	}
	if got := chain(withoutUnknown(o.Chain(5))); got != "2<1" {
		t.Errorf("the line that replaced one comes from %q", got)
	}
}

// A recovery can be stopped, at any time.
func TestRecoverStops(t *testing.T) {
	l := grow("builder.go", gosource.Read(t, "strings/builder.go"), 20, rand.New(rand.NewPCG(1, 1)))
	for _, base := range []bool{false, true} {
		h, _ := l.record(dialects[5], .2, base, 1)
		text := l.versions[len(l.versions)-1]
		p := provenance.Project(h)
		for n := range 3 * len(h.Edits) {
			asked := 0
			h.Done = func() bool { asked++; return asked > n }
			if o := p.Recover(h, text).Overlay([]byte(text)); o.Len() != strings.Count(text, "\n") {
				t.Fatalf("stopped at question %d: %d lines", n, o.Len())
			}
		}
	}
}

// What lost nothing needs no recovery.
func TestRecoverLeavesTheExactAlone(t *testing.T) {
	base := "a\n"
	h := provenance.History{Base: &base, Edits: []provenance.Edit{{Step: 1, Raw: "@@ -1 +1 @@\n-a\n+b\n", HasRaw: true}}}
	p := provenance.Project(h)
	if p.Recover(h, "b\nc\n") != p {
		t.Error("made something new")
	}
}

// On histories that are in step the backward replay, which does not look at the
// base, names whom the forward replay names.
func TestBackwardIsForward(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 3))
		l := grow("builder.go", gosource.Read(t, "strings/builder.go"), 25, r)
		h, _ := l.record(dialects[0], 0, true, seed)
		want := steps(provenance.Project(h))
		h.Base = nil
		text := l.versions[len(l.versions)-1]
		if got := steps(provenance.Project(h).Recover(h, text)); !slices.Equal(got, want) {
			t.Errorf("seed %d: got %v\nwant %v", seed, got, want)
		}
	}
}

// Whatever the record and the text hold, there is an answer; its head is the text,
// and chains end.
func FuzzRecover(f *testing.F) {
	f.Add("a\nb\n", "@@ -1 +1 @@\n-a\n+c\n", "@@ -9 +9,2 @@\n b\n+d\n", "c\nb\nd\n", byte(0))
	f.Add("", "@@\n+a\n+b\n", "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", "x", byte(1))
	f.Add("func a() {\n\tb()\n}\n", "@@ -1,2 +1 @@\n-a() {\n-\tb\n\\ No\n+c\n\\ No\n", "@@\n-c\n+d\n", "func c()\n", byte(6))
	f.Add("a\nb\nc\n", "@@ -1,4 +1,3 @@\n-a\n-b\n-c\n-\n+d\n+e\n+...", "@@ -1,0 +1 @@\n+z\n", "d\r\ne\r\n", byte(41))
	f.Fuzz(func(t *testing.T, base, one, two, text string, bits byte) {
		edit := func(step provenance.StepID, raw string, bits byte) provenance.Edit {
			return provenance.Edit{Step: step, Raw: raw, HasRaw: true, GitDeriver: bits&1 > 0, Snippet: bits&2 > 0, Creates: bits&4 > 0}
		}
		h := provenance.History{Edits: []provenance.Edit{edit(1, one, bits>>1), {Step: 4}, edit(2, two, bits>>4), edit(3, one, bits>>2)}}
		if bits&1 == 0 {
			h.Base = &base
		}
		if bits&8 > 0 {
			h.Edits[1].Whole = &base
		}
		if bits&32 > 0 {
			h.Parents = [][]int{{provenance.BaseVersion}, {0}, {0}, {1, 2}}
		}
		p := provenance.Project(h)
		q := p.Recover(h, text)
		if q != p && !p.Known && q.HeadText() != text {
			t.Fatalf("the head is %q, not %q", q.HeadText(), text)
		}
		o := q.Overlay([]byte(text))
		sound(t, q, o, strings.Split(text, "\n"))
		for i := range o.Len() {
			for j, touch := range o.Chain(i) {
				if touch.Prev >= touch.ID || j > 9 {
					t.Fatalf("line %d: the chain does not end", i)
				}
			}
		}
	})
}

// Graphs with steps of which only the fact is on record, and files of so few
// different lines that every one is in many places: who is named exactly is right
// even so.
func TestRecoverGraph(t *testing.T) {
	var sum score
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 13))
		revisions := writer{r}.branches(60)
		h := graphHistory(revisions, false, 3)
		truth := steps(provenance.Project(h))
		missing := map[int]bool{}
		for i := range h.Edits {
			if r.IntN(20) == 0 {
				h.Edits[i] = provenance.Edit{Step: h.Edits[i].Step}
				missing[int(h.Edits[i].Step)] = true
			}
		}
		sum.add(judge(recovered(h, *revisions[len(revisions)-1].content), truth, missing))
	}
	if sum.named[provenance.GradeExact] == 0 || sum.namedRight[provenance.GradeExact] < sum.named[provenance.GradeExact] {
		t.Errorf("of %d lines called exact %d are right", sum.named[provenance.GradeExact], sum.namedRight[provenance.GradeExact])
	}
	if w := percent(sum.wrong, sum.lines); w > 8 {
		t.Errorf("%.1f %% wrong", w)
	}
}
