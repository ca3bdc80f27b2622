package provenance_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
)

// recorded is the projection of a file whose only step wrote it.
func recorded(text string) *provenance.Projection {
	return provenance.Project(provenance.History{Edits: []provenance.Edit{{Step: 1, Whole: &text, Creates: true}}})
}

// states has a letter for each line: r recorded, b base, c changed, u unrecorded.
func states(o *provenance.Overlay) string {
	var b strings.Builder
	for i := range o.Len() {
		b.WriteByte(stateNames[o.Line(i).State][0])
	}
	return b.String()
}

func TestSplice(t *testing.T) {
	const text = "a\nb\nc\nd\n"
	type edit struct {
		start, end int
		lines      []string
	}
	for _, tc := range []struct {
		name  string
		edits []edit
		want  string
	}{
		{"nothing", nil, "rrrr"},
		{"a line is edited", []edit{{1, 2, []string{"B"}}}, "rcrr"},
		{"and the edit undone", []edit{{1, 2, []string{"B"}}, {1, 2, []string{"b"}}}, "rrrr"},
		{"and edited again, back to what it was", []edit{{1, 2, []string{"B"}}, {1, 2, []string{"BB"}}, {1, 2, []string{"b"}}}, "rrrr"},
		{"a line is deleted", []edit{{1, 2, nil}}, "rrr"},
		{"and comes back", []edit{{1, 2, nil}, {1, 1, []string{"b"}}}, "rrrr"},
		{"all is deleted", []edit{{0, 5, []string{""}}}, ""},
		{"and comes back", []edit{{0, 5, []string{""}}, {0, 1, []string{"a", "b", "c", "d", ""}}}, "rrrr"},
		{"and half of it comes back", []edit{{0, 5, []string{""}}, {0, 1, []string{"b", "x", "d", ""}}}, "rcr"},
		{"a line is split", []edit{{1, 2, []string{"b1", "b2"}}}, "rccrr"},
		{"two lines are joined", []edit{{1, 3, []string{"bc"}}}, "rcr"},
		{"and split again", []edit{{1, 3, []string{"bc"}}, {1, 2, []string{"b", "c"}}}, "rrrr"},
		{"a line is typed at the end", []edit{{4, 5, []string{"e"}}}, "rrrrc"},
		{"with its line feed", []edit{{4, 5, []string{"e", ""}}}, "rrrrc"},
		{"the last line feed goes", []edit{{3, 5, []string{"d"}}}, "rrrr"},
		{"all lines get CRLF", []edit{{0, 4, []string{"a\r", "b\r\n", "c\r\n", "d\r"}}}, "rrrr"},
		{"the same text in another place is another line", []edit{{0, 0, []string{"d"}}}, "crrrr"},
		{"positions past the end", []edit{{7, 9, []string{"z"}}}, "rrrrcc"},
		{"positions the wrong way round", []edit{{2, 1, []string{"z"}}}, "rrcrr"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := recorded(text).Overlay([]byte(text))
			for _, e := range tc.edits {
				o = o.Splice(e.start, e.end, e.lines)
			}
			if got := states(o); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

// The line under the cursor keeps the one that it was made from.
func TestChangedLineRemembersWhatItWas(t *testing.T) {
	p := recorded("a\nreturn one\nc\n")
	o := p.Overlay([]byte("a\nreturn one\nc\n"))
	for _, text := range []string{"return on", "return o", "return two"} {
		o = o.Splice(1, 2, []string{text})
		if line := o.Line(1); line.State != provenance.StateChanged || p.Text(line.Was) != "return one" || len(o.Chain(1)) != 1 {
			t.Fatalf("%q: %+v", text, line)
		}
	}
}

// Overlays are values: an edit leaves the one before it alone.
func TestSpliceLeavesTheOldOverlay(t *testing.T) {
	o := recorded("a\nb\n").Overlay([]byte("a\nb\n"))
	o.Splice(0, 1, []string{"x", "y"})
	if got := states(o); got != "rr" {
		t.Errorf("got %s", got)
	}
}

// Whatever is typed: a line that is called recorded has the recorded text, the
// recorded lines are in order, and undoing everything brings everything back.
func TestTypingAndUndo(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 2))
		w := writer{r}
		var lines []string
		for range 40 {
			lines = append(lines, w.line())
		}
		text := strings.Join(lines, "\n")
		p := recorded(text)
		o := p.Overlay([]byte(text))
		type undo struct {
			start, end int
			lines      []string
		}
		var undos []undo
		buffer := strings.Split(text, "\n")
		for range 50 {
			start := r.IntN(len(buffer))
			end := min(len(buffer), start+1+r.IntN(4))
			fresh := make([]string, 1+r.IntN(4))
			for i := range fresh {
				fresh[i] = w.line()
			}
			undos = append(undos, undo{start, start + len(fresh), slices.Clone(buffer[start:end])})
			o = o.Splice(start, end, fresh)
			buffer = slices.Replace(buffer, start, end, fresh...)
			sound(t, p, o, buffer)
		}
		for _, u := range slices.Backward(undos) {
			o = o.Splice(u.start, u.end, u.lines)
			buffer = slices.Replace(buffer, u.start, u.end, u.lines...)
			sound(t, p, o, buffer)
		}
		for i := range o.Len() {
			if line := o.Line(i); line.State != provenance.StateRecorded {
				t.Fatalf("seed %d: after undoing all, line %d (%q) is %s", seed, i, buffer[i], stateNames[line.State])
			}
		}
	}
}

func sound(t *testing.T, p *provenance.Projection, o *provenance.Overlay, buffer []string) {
	t.Helper()
	want := len(buffer)
	if buffer[want-1] == "" {
		want-- // the place to type behind the last line feed
	}
	if o.Len() != want {
		t.Fatalf("%d lines, want %d of %q", o.Len(), want, buffer)
	}
	last := -1
	for i := range o.Len() {
		line := o.Line(i)
		if line.Head == 0 {
			continue
		}
		if got := p.Text(line.Head); strings.TrimSuffix(got, "\r") != strings.TrimSuffix(buffer[i], "\r") {
			t.Fatalf("line %d is %q, not %q", i, buffer[i], got)
		}
		at := slices.Index(p.Lines(), line.Head)
		if at <= last {
			t.Fatalf("line %d (%q) is out of order", i, buffer[i])
		}
		last = at
	}
}

func TestOverlayOfNothing(t *testing.T) {
	for _, text := range []string{"", "\n", "a", "a\n", "\x00\xff\n"} {
		for _, buffer := range []string{"", "\n", "a", "a\n", "\r\n\r\n", "b\xff"} {
			o := recorded(text).Overlay([]byte(buffer))
			want := strings.Count(buffer, "\n")
			if buffer != "" && !strings.HasSuffix(buffer, "\n") {
				want++
			}
			if o.Len() != want || o.InHead() != strings.Count(states(o), "r") {
				t.Errorf("%q has %d lines, %d in the head, want %d", buffer, o.Len(), o.InHead(), want)
			}
			if line := o.Line(want); line != (provenance.BufferLine{}) {
				t.Errorf("%q has a line %d: %+v", buffer, want, line)
			}
		}
	}
}

// A file with few telling lines is never taken for another one.
func TestSmallFilesAreNotJudged(t *testing.T) {
	o := recorded("alpha beta\ngamma delta\n").Overlay([]byte("quite another\nkind of text\n"))
	if problem, ok := o.Problem(); ok || states(o) != "cc" {
		t.Errorf("got %s, %v", states(o), problem)
	}
}

// A file that was rewritten in large parts is still that file.
func TestRewrittenFileIsNotAnotherFile(t *testing.T) {
	var head, buffer strings.Builder
	for i := range 100 {
		fmt.Fprintf(&head, "statement number %d\n", i)
		if i%3 == 0 {
			fmt.Fprintf(&buffer, "statement number %d\n", i)
		} else {
			fmt.Fprintf(&buffer, "rewritten as %d\n", i*i)
		}
	}
	o := recorded(head.String()).Overlay([]byte(buffer.String()))
	if problem, ok := o.Problem(); ok {
		t.Fatal(problem)
	}
	if got := strings.Count(states(o), "r"); got != 34 {
		t.Errorf("%d lines recorded, want 34", got)
	}
}

// A marker in the middle of a file, as diffs of snippets have it, says nothing
// about the file.
func TestFalseMarkerIsForgotten(t *testing.T) {
	base := "a\nb\n"
	p := provenance.Project(provenance.History{Base: &base, Edits: []provenance.Edit{
		{Step: 1, HasRaw: true, Raw: "@@ -1 +1 @@\n-a\n\\ No newline\n+A\n\\ No newline\n"},
		{Step: 2, HasRaw: true, Raw: "@@ -1,2 +1 @@\n A\n-b\n"},
	}})
	if got := p.HeadText(); got != "A\n" {
		t.Errorf("head %q", got)
	}
}
