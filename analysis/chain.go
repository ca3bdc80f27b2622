package analysis

import (
	"iter"
	"slices"
	"strings"
	"unicode"

	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
)

// Touch is one step in the life of a line.
type Touch struct {
	StepRef
	Text string // the line as the step left it, without its line end
	Kind provenance.Kind
	// Verb is what the step did to the line: wrote, edited, formatted, moved, merged.
	Verb string
	// Overwritten says that the step wrote the whole file over one that nobody knows.
	Overwritten bool
	// Grade says how sure it is that the step did it.
	Grade provenance.Grade
}

// Chain returns the steps that touched line i, the last one first. Of a line that was
// changed after the last recorded step it is the chain of the line that was there.
func (p *Provenance) Chain(i int) []Touch {
	if i < 0 || i >= len(p.lines) || p.lines[i].account < 0 {
		return nil
	}
	a := p.Accounts[p.decided(i).account]
	if a.overlay == nil {
		return nil
	}
	return slices.Collect(a.touches(a.overlay.Chain(i)))
}

// touches yields the touches of a line that are of steps, the last one first.
func (a *Account) touches(chain []provenance.Touch) iter.Seq[Touch] {
	return func(yield func(Touch) bool) {
		for k, t := range chain {
			if t.Step == 0 || t.Kind == provenance.Unrecorded {
				continue
			}
			touch := Touch{StepRef: *a.ref(t.Step), Text: strings.TrimSuffix(a.projection.Text(t.ID), "\r"), Kind: t.Kind,
				Overwritten: t.Flags&provenance.Overwrite != 0, Grade: a.projection.TouchGrade(t.ID)}
			was := ""
			if k+1 < len(chain) {
				was = a.projection.Text(chain[k+1].ID)
			}
			touch.Verb = verb(touch, was)
			if !yield(touch) {
				return
			}
		}
	}
}

const formatted = "formatted"

// verb is what a touch did to a line that was something before.
func verb(t Touch, was string) string {
	switch {
	case t.Overwritten:
		return "wrote the whole file in"
	case t.Kind == provenance.Format:
		return formatted
	case t.Kind == provenance.Move:
		return "moved"
	case t.Kind == provenance.Merge:
		return "merged"
	case t.Kind != provenance.Modify:
		return "wrote"
	case letters(t.Text) == letters(was):
		return formatted
	}
	return "edited"
}

// letters is a line without its blanks.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}
