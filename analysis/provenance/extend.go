package provenance

import (
	"maps"
	"slices"
)

// Extend is the projection of a history that goes on: the first edits of h are
// those that p came of, as a list, and only what follows is replayed. p stays as it
// is. For a graph, and after a recovery or a stop, all of h is replayed.
func (p *Projection) Extend(h History) *Projection {
	if h.Parents != nil || p.replayed < 0 || p.replayed > len(h.Edits) {
		return Project(h)
	}
	r := &replay{p: &Projection{
		idents:   slices.Clip(p.idents),
		sources:  slices.Clip(p.sources),
		changes:  slices.Clip(p.changes),
		gone:     slices.Clip(p.gone),
		Problems: slices.Clone(p.Problems),
		Meanings: slices.Clone(p.Meanings),
		joined:   maps.Clone(p.joined),
	}, version: p.end, search: SearchLimit, layout: newLayout(h)}
	r.lines = append(make([]LineID, 0, len(p.head)+64), p.head...)
	r.list(h, p.replayed)
	return r.finish()
}
