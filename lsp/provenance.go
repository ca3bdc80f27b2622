package lsp

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// firstLoad bounds the wait of a query for the first reading of the workspace's documents.
const firstLoad = 2 * time.Second

// provenance returns what the documents say about a file that the client has open: about
// this very version of it. It reads what must be read. It returns nil if the client has
// closed the file or changed it since. Steps of actors whom the user ignores do not count.
func (s *session) provenance(ctx context.Context, doc *analysis.Document) (*analysis.Provenance, error) {
	p, err := s.wholeProvenance(ctx, doc)
	if p != nil {
		p = p.Ignoring(s.settings.Load().Ignore)
	}
	return p, err
}

// wholeProvenance is provenance to a reader who ignores nobody.
func (s *session) wholeProvenance(ctx context.Context, doc *analysis.Document) (*analysis.Provenance, error) {
	if doc.Path == "" {
		return nil, nil
	}
	s.awaitLoad(ctx)
	if s.opts.Source == nil {
		p, _ := s.work.Snapshot().Provenance(doc.URI, doc.Text, nil)
		return p, ctx.Err()
	}
	_, p, err := s.work.ProvenanceOf(ctx, s.opts.Source, doc.URI, doc.Text)
	return p, err
}

// awaitLoad waits until the workspace's documents have been read once, but not for long.
func (s *session) awaitLoad(ctx context.Context) {
	timer := time.NewTimer(firstLoad)
	defer timer.Stop()
	select {
	case <-s.loading.first:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// stepJSON is a step in the arguments and results of the server's own commands.
type stepJSON struct {
	Step      string        `json:"step"`
	Path      string        `json:"path"`
	Document  string        `json:"document"`
	Actor     string        `json:"actor"`
	Timestamp string        `json:"timestamp"`
	Intent    string        `json:"intent"`
	Location  *locationJSON `json:"location,omitzero"`
}

type locationJSON struct {
	URI   string    `json:"uri"`
	Range rangeJSON `json:"range"`
}

type rangeJSON struct {
	Start positionJSON `json:"start"`
	End   positionJSON `json:"end"`
}

type positionJSON struct {
	Line      uint32 `json:"line"`
	Character uint32 `json:"character"`
}

// stepsJSON describes steps with their places. Places are looked for in the order of each
// document, so that those on one long line cost one pass over it.
func (s *session) stepsJSON(refs []analysis.StepRef) []stepJSON {
	order := make([]int, len(refs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(refs[a].At().Offset(), refs[b].At().Offset())
	})
	all := make([]stepJSON, len(refs))
	converters := map[*analysis.Document]*converter{}
	for _, i := range order {
		r := refs[i]
		c := converters[r.Doc]
		if c == nil {
			c = &converter{text: r.Doc.Text, encoding: s.encoding}
			converters[r.Doc] = c
		}
		v := r.At().IDValue()
		at := c.span(v.Start(), v.End())
		all[i] = s.stepJSON(r)
		all[i].Location = &locationJSON{s.spelling(r.Doc.URI), rangeJSON{
			positionJSON{at.Start.Line, at.Start.Character}, positionJSON{at.End.Line, at.End.Character}}}
	}
	return all
}

// stepJSON describes a step without its place.
func (s *session) stepJSON(r analysis.StepRef) stepJSON {
	at := r.At()
	return stepJSON{
		Step: at.ID, Path: r.Path.ID, Document: s.spelling(r.Doc.URI),
		Actor: at.Actor, Timestamp: at.Timestamp(), Intent: strings.ToValidUTF8(at.Intent(), "\ufffd"),
	}
}
