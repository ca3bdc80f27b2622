package provenance_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/linediff"
	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
)

// unified writes the diff from a to b with n lines of context, as diff -u does,
// without file headers.
func unified(a, b string, n int) string {
	old, now := linediff.Split([]byte(a)), linediff.Split([]byte(b))
	hunks := linediff.Lines(old, now, linediff.Options{IndentHeuristic: true})
	var out strings.Builder
	for first := 0; first < len(hunks); {
		end := first + 1
		for end < len(hunks) && hunks[end].OldStart-hunks[end-1].OldEnd <= 2*n {
			end++
		}
		writeHunk(&out, old, now, hunks[first:end], n)
		first = end
	}
	return out.String()
}

func writeHunk(out *strings.Builder, old, now [][]byte, hunks []linediff.Hunk, n int) {
	head := min(n, hunks[0].OldStart)
	oldFrom, newFrom := hunks[0].OldStart-head, hunks[0].NewStart-head
	last := hunks[len(hunks)-1]
	tail := min(n, len(old)-last.OldEnd)
	oldTo, newTo := last.OldEnd+tail, last.NewEnd+tail
	fmt.Fprintf(out, "@@ -%s +%s @@\n", stated(oldFrom, oldTo), stated(newFrom, newTo))
	at := oldFrom
	for _, h := range hunks {
		writeLines(out, ' ', old[at:h.OldStart])
		writeLines(out, '-', old[h.OldStart:h.OldEnd])
		writeLines(out, '+', now[h.NewStart:h.NewEnd])
		at = h.OldEnd
	}
	writeLines(out, ' ', old[at:oldTo])
}

// stated is one side of a hunk header for the 0-based lines [from,to).
func stated(from, to int) string {
	switch to - from {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprint(from + 1)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}

func writeLines(out *strings.Builder, prefix byte, lines [][]byte) {
	for _, line := range lines {
		out.WriteByte(prefix)
		out.Write(line)
		if line[len(line)-1] != '\n' {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// after replays one diff.
func after(base, raw string, change func(e *provenance.Edit)) *provenance.Projection {
	e := provenance.Edit{Step: 1, Raw: raw, HasRaw: true}
	if change != nil {
		change(&e)
	}
	return provenance.Project(provenance.History{Base: &base, Edits: []provenance.Edit{e}})
}

// glued is what the git deriver makes of a diff.
func glued(raw string) string {
	var out []string
	for _, line := range strings.Split(raw, "\n") {
		if strings.HasPrefix(line, "\\") {
			before := &out[len(out)-1]
			switch (*before)[0] {
			case '-':
				*before += ">"
			case '+':
				*before += "<"
			default:
				continue
			}
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

func FuzzRoundTrip(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 3))
	w := writer{r}
	for range 40 {
		versions := w.history(2)
		if versions[1] != nil {
			f.Add(*versions[0], *versions[1], byte(r.IntN(4)))
		}
	}
	f.Add("a<\nb>", "a>\nb<", byte(1))
	f.Add("", "a", byte(3))
	f.Add("a\r\nb", "a\nb\n", byte(0))
	f.Add("\n\n\n", "\n\n", byte(0))
	f.Fuzz(func(t *testing.T, a, b string, context byte) {
		n := int(context % 4)
		raw := unified(a, b, n)
		dialects := map[string]func(e *provenance.Edit){
			"plain": nil,
			"CRLF":  func(e *provenance.Edit) { e.Raw = strings.ReplaceAll(e.Raw, "\n", "\r\n") },
			"whole": func(e *provenance.Edit) { e.Whole = &b },
			"whole with a diff of something else": func(e *provenance.Edit) {
				e.Whole, e.Raw = &b, "@@ -1 +1 @@\n-something\n+else\n"
			},
		}
		if n == 3 {
			dialects["git deriver"] = func(e *provenance.Edit) { e.Raw, e.GitDeriver = glued(e.Raw), true }
		}
		for name, dialect := range dialects {
			p := after(a, raw, dialect)
			if len(p.Problems) > 0 {
				t.Fatalf("%s: %s\nbase %q\nraw\n%s", name, p.Problems[0], a, raw)
			}
			if got := p.HeadText(); got != b {
				t.Fatalf("%s: base %q\nraw\n%s\n got %q\nwant %q", name, a, raw, got, b)
			}
			for _, id := range p.Lines() {
				if chain := p.Chain(id); len(chain) > 2 {
					t.Fatalf("%s: one step and the base make no chain of %d", name, len(chain))
				}
			}
			if o := p.Overlay([]byte(b)); strings.ContainsAny(states(o), "cu") {
				t.Fatalf("%s: the head laid over itself is %s", name, states(o))
			}
		}
	})
}

// Whatever the record and the buffer hold, there is an answer, and a line that is
// called recorded is in the text that was known last.
func FuzzProject(f *testing.F) {
	f.Add("a\nb\n", "@@ -1 +1 @@\n-a\n+c\n", "@@ -9 +9,2 @@\n b\n+d\n", "c\nb\nd\n", byte(0))
	f.Add("", "@@ -0,0 +1,2 @@\n+a\n+b\n", "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", "x", byte(1))
	f.Add("func a() {\n\tb()\n}\n", "@@ -1,2 +1 @@\n-a() {\n-\tb\n\\ No\n+c\n\\ No\n", "@@\n-c\n+d\n", "func c()\n", byte(6))
	f.Add("x\n", "@@ -1 +1 @@\n-x>\n\\ No\n+y<\n\\ No\n", "@@@ -1 -1 +1 @@@\n++y", "y", byte(10))
	f.Add("a\nb\nc\n", "@@ -1,4 +1,3 @@\n-a\n-b\n-c\n-\n+d\n+e\n+\n", "@@ -1,0 +1 @@\n+z\n", "d\ne\n", byte(33))
	f.Fuzz(func(t *testing.T, base, one, two, buffer string, bits byte) {
		edit := func(step provenance.StepID, raw string, bits byte) provenance.Edit {
			return provenance.Edit{Step: step, Raw: raw, HasRaw: true, GitDeriver: bits&1 > 0, Snippet: bits&2 > 0, Creates: bits&4 > 0}
		}
		h := provenance.History{Edits: []provenance.Edit{edit(1, one, bits>>1), edit(2, two, bits>>4), edit(3, one, bits>>2)}}
		if bits&1 == 0 {
			h.Base = &base
		}
		if bits&8 > 0 {
			h.Edits[1].Whole = &base
		}
		p := provenance.Project(h)
		o := p.Overlay([]byte(buffer))
		sound(t, p, o, strings.Split(buffer, "\n"))
		o = o.Splice(int(bits%5), int(bits%7), strings.Split(one, "\n"))
		for i := range o.Len() {
			line := o.Line(i)
			for j, touch := range o.Chain(i) {
				if touch.Prev >= touch.ID || j > 4 {
					t.Fatalf("line %d: chain of %d does not end", i, line.Head)
				}
			}
		}
	})
}
