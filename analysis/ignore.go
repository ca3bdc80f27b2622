package analysis

import (
	"fmt"
	"slices"

	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
	"github.com/toolpath-ls/toolpath-ls/analysis/query"
)

// Ignore is a set of actors of whose steps a reader does not want to hear, such as
// formatters: a line belongs to the last step of somebody else. nil ignores nobody. It is
// immutable and safe for concurrent use.
type Ignore struct{ globs []query.Glob }

// maxIgnored bounds the patterns of an Ignore.
const maxIgnored = 100

// NewIgnore reads patterns of actors such as "tool:*" (query.NewActorGlob).
func NewIgnore(patterns []string) (*Ignore, error) {
	if len(patterns) == 0 {
		return nil, nil
	}
	if len(patterns) > maxIgnored {
		return nil, fmt.Errorf("there are %d patterns; at most %d can be used", len(patterns), maxIgnored)
	}
	g := &Ignore{}
	for _, p := range patterns {
		glob, err := query.NewActorGlob(p)
		if err != nil {
			return nil, err
		}
		g.globs = append(g.globs, glob)
	}
	return g, nil
}

// Actor says whether the steps of an actor are ignored.
func (g *Ignore) Actor(actor string) bool {
	return g != nil && slices.ContainsFunc(g.globs, func(glob query.Glob) bool { return glob.Match(actor) })
}

// Patterns returns what the set was made of.
func (g *Ignore) Patterns() []string {
	if g == nil {
		return nil
	}
	all := make([]string, len(g.globs))
	for i, glob := range g.globs {
		all[i] = glob.String()
	}
	return all
}

// Ignoring returns what p says to a reader who ignores some actors. Nothing is replayed or
// compared for it, and chains are the same. A line that only ignored actors touched stays
// with the last one of them.
func (p *Provenance) Ignoring(g *Ignore) *Provenance {
	if p.ignore == g {
		return p
	}
	q := *p
	q.ignore = g
	return &q
}

// owner returns the line of the record to which a buffer line belongs, with the state and
// the grade of that.
func (p *Provenance) owner(a *Account, b provenance.BufferLine) (provenance.LineID, provenance.State, provenance.Grade) {
	if p.ignore == nil || b.Head == 0 {
		return b.ID, b.State, b.Grade
	}
	id, grade := a.projection.OwnerBut(b.Head, func(s provenance.StepID) bool {
		return s > 0 && p.ignore.Actor(a.ref(s).At().Actor)
	})
	return id, provenance.StateOf(a.projection.Ident(id).Kind), grade
}
