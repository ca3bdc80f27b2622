package provenance

import (
	"maps"
	"slices"
)

// Extend is the projection of a history that goes on: the edits of h follow upon those
// that p came of, as a list, and only they are replayed. p, of which Replayed is not
// negative, stays as it is. Indices of edits count those of p too.
//
// The first history that goes on from p has the memory behind what p made, so that
// nothing is copied.
func (p *Projection) Extend(h History) *Projection {
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
	r := &replay{p: q, version: p.end, search: SearchLimit, layout: newLayout(h), shared: len(p.idents), first: p.replayed}
	r.lines = append(make([]LineID, 0, len(p.head)+64), p.head...)
	r.list(h)
	return r.finish()
}

// Replayed is the number of edits after which [Projection.Extend] goes on. It is -1 if it
// cannot: after a graph, a recovery or a stop.
func (p *Projection) Replayed() int { return p.replayed }
