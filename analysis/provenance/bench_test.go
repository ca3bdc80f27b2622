package provenance_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
)

// session is a history of so many steps on a file of so many lines, two hunks a
// step with three lines of context, as projection benchmarks elsewhere have it.
func session(lines, steps int, snippet bool) (provenance.History, string) {
	r := rand.New(rand.NewPCG(uint64(lines), uint64(steps)))
	text := make([]string, lines)
	for i := range text {
		text[i] = fmt.Sprintf("\tline %d of the base, value %d", i, r.IntN(1000))
	}
	base := strings.Join(text, "\n") + "\n"
	h := provenance.History{Base: &base}
	for step := range steps {
		var raw strings.Builder
		shift := 0
		hunks := 2
		if snippet {
			hunks = 1
		}
		for i := range hunks {
			at := 3 + i*len(text)/2 + r.IntN(len(text)/2-10)
			removed := 1 + r.IntN(2)
			added := []string{fmt.Sprintf("\tstep %d wrote this, value %d", step, r.IntN(1000)), fmt.Sprintf("\tand this, value %d", r.IntN(1e9))}[:1+r.IntN(2)]
			was := at
			if snippet {
				was = 3
			}
			fmt.Fprintf(&raw, "@@ -%d,%d +%d,%d @@\n", was-2, removed+6, was-2+shift, len(added)+6)
			for _, l := range text[at-3 : at] {
				raw.WriteString(" " + l + "\n")
			}
			for _, l := range text[at : at+removed] {
				raw.WriteString("-" + l + "\n")
			}
			for _, l := range added {
				raw.WriteString("+" + l + "\n")
			}
			for _, l := range text[at+removed : at+removed+3] {
				raw.WriteString(" " + l + "\n")
			}
			text = slices.Replace(text, at, at+removed, added...)
			shift += len(added) - removed
			if i == 0 && !snippet {
				// The second hunk's old numbers are those before the first.
				shiftNumbers := shift
				shift = 0
				at := 3 + len(text)/2 + r.IntN(len(text)/2-10)
				writeSecond(&raw, text, at, shiftNumbers)
				text[at] = "\tsecond hunk"
				break
			}
		}
		h.Edits = append(h.Edits, provenance.Edit{Step: provenance.StepID(step + 1), Raw: raw.String(), HasRaw: true, Snippet: snippet})
	}
	return h, strings.Join(text, "\n") + "\n"
}

func writeSecond(raw *strings.Builder, text []string, at, shift int) {
	fmt.Fprintf(raw, "@@ -%d,7 +%d,7 @@\n", at-2-shift, at-2)
	for _, l := range text[at-3 : at] {
		raw.WriteString(" " + l + "\n")
	}
	raw.WriteString("-" + text[at] + "\n+\tsecond hunk\n")
	for _, l := range text[at+1 : at+4] {
		raw.WriteString(" " + l + "\n")
	}
}

func BenchmarkProject(b *testing.B) {
	for _, bc := range []struct {
		lines, steps int
		snippet      bool
	}{{10_000, 1000, false}, {10_000, 5000, false}, {10_000, 5000, true}, {10_000, 100_000, false}, {200_000, 5000, false}} {
		name := fmt.Sprintf("%d lines %d steps", bc.lines, bc.steps)
		if bc.snippet {
			name += " without numbers"
		}
		h, text := session(bc.lines, bc.steps, bc.snippet)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p := provenance.Project(h)
				if len(p.Problems) > 0 {
					b.Fatal(p.Problems[0])
				}
				if p.HeadText() != text {
					b.Fatal("wrong head")
				}
			}
		})
	}
}

func BenchmarkOverlay(b *testing.B) {
	h, text := session(10_000, 1000, false)
	p := provenance.Project(h)
	buffer := []byte(strings.Replace(text, "second hunk", "typed by hand", 20))
	b.ReportAllocs()
	for b.Loop() {
		p.Overlay(buffer)
	}
}

func BenchmarkKeystroke(b *testing.B) {
	h, text := session(10_000, 1000, false)
	o := provenance.Project(h).Overlay([]byte(text))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		o = o.Splice(5000, 5001, []string{fmt.Sprintf("\ttyped %d", i)})
	}
}

// A session on a file whose base is not known, and one with every twentieth step
// missing.
func BenchmarkRecover(b *testing.B) {
	for _, bc := range []struct {
		lines, steps int
		snippet      bool
		missing      bool
	}{{2000, 500, true, false}, {10_000, 5000, true, false}, {10_000, 5000, false, true}, {10_000, 100_000, false, true}} {
		h, text := session(bc.lines, bc.steps, bc.snippet)
		if bc.missing {
			kept := h.Edits[:0:0]
			for i, e := range h.Edits {
				if i%20 != 7 {
					kept = append(kept, e)
				}
			}
			h.Edits = kept
		} else {
			h.Base = nil
		}
		p := provenance.Project(h)
		b.Run(fmt.Sprintf("%d lines %d steps snippets %v missing %v", bc.lines, bc.steps, bc.snippet, bc.missing), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p.Recover(h, text)
			}
		})
	}
}

// A step is appended to a long session.
func BenchmarkExtend(b *testing.B) {
	h, _ := session(10_000, 5001, false)
	last := h
	last.Edits = h.Edits[:5000]
	p := provenance.Project(last)
	b.ReportAllocs()
	for b.Loop() {
		p.Extend(h)
	}
}
