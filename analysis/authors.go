package analysis

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
	"github.com/toolpath-ls/toolpath-ls/analysis/text"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// isNoise says whether a touch left the line what it was. That only blanks differ does not show
// that: they may stand in a string, or be the indentation that a language goes by.
func (t Touch) isNoise() bool { return t.Kind.Keeps() }

// Author returns what is known of line i once formatting and the steps that skip names are
// taken away: the last step that gave the line more than another layout. skip may be nil. A line of which
// nothing else is left belongs to the oldest step, or to the base.
func (p *Provenance) Author(i int, skip func(Touch) bool) Line {
	l := p.Ignoring(nil).Line(i)
	if l.State != provenance.StateRecorded {
		return l
	}
	grade := provenance.GradeExact
	chain := l.Account.overlay.Chain(i)
	for t := range l.Account.touches(chain) {
		grade = min(grade, t.Grade)
		if t.isNoise() || skip != nil && skip(t) {
			continue
		}
		l.Step, l.Grade = &t.StepRef, grade
		if t.Overwritten || grade == provenance.GradeInferred {
			l.State = provenance.StateUnrecorded
		}
		return l
	}
	if chain[len(chain)-1].Kind == provenance.Base {
		l.State, l.Grade, l.Step = provenance.StateBase, provenance.GradeBase, nil
	}
	return l
}

// Unreviewed returns the runs of the lines [from, to), clamped to the text, whose last author,
// tools and CI left out, is an agent, which no human step touched afterwards, and which are not among
// the reviews; those may be nil. Lines that were changed since the last step, and those of which
// the author is not known or only likely, are not among them.
func (p *Provenance) Unreviewed(from, to int, reviews *Reviews) []Run {
	var runs []Run
	for i := max(from, 0); i < min(to, p.Len()); i++ {
		l := p.Author(i, func(t Touch) bool {
			kind := toolpath.ActorKind(t.At().Actor)
			return kind != "human" && kind != "agent"
		})
		if l.State != provenance.StateRecorded || l.Step == nil || toolpath.ActorKind(l.Step.At().Actor) != "agent" {
			continue
		}
		if reviews.Of(*l.Step) != nil || reviews.approved(l.Account, l.Account.overlay.Chain(i), *l.Step) != nil {
			continue
		}
		if n := len(runs); n > 0 && runs[n-1].End == i && runs[n-1].Line.same(l) {
			runs[n-1].End++
			continue
		}
		runs = append(runs, Run{i, i + 1, l})
	}
	return runs
}

// Tally counts lines by who wrote them, formatting left out.
type Tally struct {
	Files, Lines int
	Rows         map[string]*TallyRow // by name: an actor, a kind of actors or a file
	// Base, Changed and Unrecorded are the lines of which no step is known.
	Base, Changed, Unrecorded int
}

// TallyRow is a row of a tally.
type TallyRow struct {
	Name  string
	Lines int
	// Grades are the lines by how sure it is that the step wrote them.
	Grades map[string]int
}

// NewTally returns an empty tally.
func NewTally() *Tally { return &Tally{Rows: map[string]*TallyRow{}} }

// Add counts the lines of a file. name gives the row that a line of an actor counts for.
func (t *Tally) Add(p *Provenance, name func(actor string) string) {
	t.Files++
	for i := range p.Len() {
		t.Lines++
		l := p.Author(i, func(touch Touch) bool { return p.ignore.Actor(touch.At().Actor) })
		switch l.State {
		case provenance.StateBase:
			t.Base++
		case provenance.StateChanged:
			t.Changed++
		case provenance.StateRecorded:
			n := name(l.Step.At().Actor)
			if t.Rows[n] == nil {
				t.Rows[n] = &TallyRow{Name: n, Grades: map[string]int{}}
			}
			t.Rows[n].Lines++
			t.Rows[n].Grades[l.Grade.String()]++
		default:
			t.Unrecorded++
		}
	}
}

// Sorted returns the rows, the largest first.
func (t *Tally) Sorted() []*TallyRow {
	return slices.SortedFunc(maps.Values(t.Rows), func(a, b *TallyRow) int {
		if a.Lines != b.Lines {
			return b.Lines - a.Lines
		}
		return strings.Compare(a.Name, b.Name)
	})
}

// Percent is the share of a whole, rounded, but neither 0 of something nor 100 of not all.
func Percent(part, whole int) int { return percent(part, whole) }

// TouchedFiles returns the absolute paths of the files below a folder that documents speak
// of, in order. They need not exist.
func (s *Snapshot) TouchedFiles(folder string) []string {
	all := map[string]bool{}
	folder = s.others.realFolder(folder)
	add := func(x *touchIndex, at site) {
		for _, p := range x.paths {
			for name := range p.names {
				file := at.fileOf(name, p.base)
				if _, ok := within(folder, file); ok || file == folder {
					all[file] = true
				}
			}
		}
	}
	open := map[string]bool{}
	for _, d := range s.docs {
		open[d.Path] = true
		if d.Kind() != Other {
			add(d.findTouches(), s.siteOf(d))
		}
	}
	for path, e := range s.closed.all() {
		if !open[path] {
			add(e.touches, site{e.root, s.others})
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// ReadAs is Read of a file that documents speak of by some name, and returns the one that it
// has in its folder. What lies outside of a folder, to which a link may lead, counts as not
// there; "" is no such bound.
func (w *Workspace) ReadAs(ctx context.Context, src Source, file, within string) (name string, p *Provenance, err error) {
	names, err := Ask(ctx, w, src, w.Snapshot(), func(s *Snapshot) (*otherNames, []Need) {
		return s.namesFor(file, func() bool { return ctx.Err() != nil })
	})
	if err != nil {
		return file, nil, err
	}
	file = names.real(file)
	if !liesWithin(src, within, file) {
		return file, nil, nil
	}
	p, err = w.Read(ctx, src, file)
	spelled, ok := src.(SpellingSource)
	if !ok || p != nil || err != nil {
		return file, p, err
	}
	there, err := spelled.Spellings(ctx, file)
	if err != nil || len(there) != 1 {
		return file, nil, ctx.Err()
	}
	if file = dir(file) + "/" + there[0]; !liesWithin(src, within, file) {
		return file, nil, nil
	}
	p, err = w.Read(ctx, src, file)
	return file, p, err
}

// Read returns what the workspace says of a file: of its text in an editor, else of the one
// on disk. It is nil if there is no such file.
func (w *Workspace) Read(ctx context.Context, src Source, file string) (*Provenance, error) {
	var content *text.Text
	uri := FileURI(file)
	if d := w.Snapshot().Document(uri); d != nil {
		content = d.Text
	} else {
		b, err := src.ReadFile(ctx, file)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		content = text.New(b)
	}
	_, p, err := w.ProvenanceOf(ctx, src, uri, content)
	return p, err
}
