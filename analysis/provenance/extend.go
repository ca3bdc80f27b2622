package provenance

import (
	"maps"
	"slices"
)

// Extend is the projection of a history that goes on: the first edits of h are
// those that p came of, as a list, and only what follows is replayed. p stays as it
// is. For a graph, and after a recovery or a stop, all of h is replayed.
//
// The first history that goes on from p has the memory behind what p made, so that
// nothing is copied.
func (p *Projection) Extend(h History) *Projection {
	if !p.Extends(h) {
		return Project(h)
	}
	q := &Projection{
		idents:   p.idents,
		sources:  p.sources,
		changes:  p.changes,
		gone:     p.gone,
		Problems: slices.Clone(p.Problems),
		Meanings: slices.Clone(p.Meanings),
		joined:   maps.Clone(p.joined),
	}
	if !p.extended.CompareAndSwap(false, true) {
		q.idents, q.sources = slices.Clip(q.idents), slices.Clip(q.sources)
		q.changes, q.gone = slices.Clip(q.changes), slices.Clip(q.gone)
	}
	r := &replay{p: q, version: p.end, search: SearchLimit, layout: newLayout(h), shared: len(p.idents)}
	r.lines = append(make([]LineID, 0, len(p.head)+64), p.head...)
	r.list(h, p.replayed)
	return r.finish()
}

// Extends says whether the projection of a history that goes on needs only what is new.
func (p *Projection) Extends(h History) bool {
	return h.Parents == nil && p.replayed >= 0 && p.replayed <= len(h.Edits)
}

// Replayed is the number of edits after which [Projection.Extend] goes on, -1 if it cannot.
func (p *Projection) Replayed() int { return p.replayed }
