package analysis

import (
	"fmt"
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
	// Artifact is the key of the file after the step, "" if the step has none.
	Artifact string
}

// accountOf returns the account that line i was given to, nil if there is none that knows
// the file.
func (p *Provenance) accountOf(i int) *Account {
	if i < 0 || i >= len(p.lines) {
		return nil
	}
	k := p.decided(i).account
	if k < 0 || p.Accounts[k].overlay == nil {
		return nil
	}
	return p.Accounts[k]
}

// Deleted is a line that is gone.
type Deleted struct {
	Text  string
	Wrote *StepRef // nil: it was older than the first step, or that is not known
	By    *StepRef // who took it away; nil: nobody on record
	Grade provenance.Grade
}

// DeletedBefore returns the lines that once stood above line i (below the last one if i is
// their number) and were taken away without anything in their place, as the account tells
// that knows the line.
func (p *Provenance) DeletedBefore(i int) []Deleted {
	a := p.accountOf(i)
	if a == nil && i == len(p.lines) {
		a = p.accountOf(i - 1)
		if i == 0 && len(p.Accounts) == 1 && p.Accounts[0].overlay != nil {
			a = p.Accounts[0] // of a file that is empty now
		}
	}
	if a == nil {
		return nil
	}
	var all []Deleted
	for _, d := range a.overlay.DeletedBefore(i) {
		gone := Deleted{Text: strings.TrimSuffix(a.projection.Text(d.ID), "\r"), Grade: d.Grade}
		if ident := a.projection.Ident(a.projection.Owner(d.ID)); ident.Step > 0 && a.projection.Grade(d.ID) > provenance.GradeInferred {
			gone.Wrote = a.ref(ident.Step)
		}
		if d.By > 0 && d.Grade > provenance.GradeInferred {
			gone.By = a.ref(d.By)
		}
		all = append(all, gone)
	}
	return all
}

// DeletedText writes lines that once stood above line i of a file, 0-based, in the form of a
// diff: at most so many of them, the last ones. Lines that begin with "#" say who took them
// away.
func DeletedText(name string, i int, gone []Deleted, most int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# deleted above line %d of %s\n", i+1, oneLine(name))
	if more := len(gone) - most; more > 0 {
		fmt.Fprintf(&b, "# %s before these\n", plural(more, "line"))
		gone = gone[more:]
	}
	for k, d := range gone {
		if k == 0 || !sameStep(d.By, gone[k-1].By) {
			b.WriteString("# " + deletedBy(d.By) + "\n")
		}
		b.WriteString("-" + strings.ToValidUTF8(d.Text, "\ufffd") + "\n")
	}
	return b.String()
}

func sameStep(a, b *StepRef) bool { return a == b || a != nil && b != nil && *a == *b }

func deletedBy(by *StepRef) string {
	if by == nil {
		return "it is not on record who deleted this"
	}
	s := by.At()
	words := "deleted by " + displayName(by.Path, s, s.Actor) + " in " + s.ID + ", " + day(s)
	if intent := s.Intent(); intent != "" {
		words += ": " + intent
	}
	return oneLine(words)
}

// Chain returns the steps that touched line i, the last one first. Of a line that was
// changed after the last recorded step it is the chain of the line that was there.
func (p *Provenance) Chain(i int) []Touch {
	a := p.accountOf(i)
	if a == nil {
		return nil
	}
	return slices.Collect(a.touches(a.overlay.Chain(i)))
}

// touches yields the touches of a line that are of steps, the last one first.
func (a *Account) touches(chain []provenance.Touch) iter.Seq[Touch] {
	return func(yield func(Touch) bool) {
		for k, t := range chain {
			if !isOfStep(t) {
				continue
			}
			touch := Touch{StepRef: *a.ref(t.Step), Text: strings.TrimSuffix(a.projection.Text(t.ID), "\r"), Kind: t.Kind,
				Overwritten: t.Flags&provenance.Overwrite != 0, Grade: a.projection.TouchGrade(t.ID)}
			if e := t.Edit(); e >= 0 && a.changes.at(e).key.Valid() {
				touch.Artifact = a.nameAfter(a.changes.at(e))
			}
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

// isOfStep says that a step made a touch.
func isOfStep(t provenance.Touch) bool { return t.Step != 0 && t.Kind != provenance.Unrecorded }

const formatted = "formatted"

// verb is what a touch did to a line that was something before.
func verb(t Touch, was string) string {
	switch {
	case t.Overwritten:
		return "wrote the whole file in"
	case t.Kind == provenance.Format:
		return formatted
	case t.Kind == provenance.Move, t.Kind == provenance.Reorder:
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
