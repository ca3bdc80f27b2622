package lsp

import (
	"context"
	"strings"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// firstLoad bounds the wait of a query for the first reading of the workspace's documents.
const firstLoad = 2 * time.Second

// provenance returns what the documents say about a file that the client has open: about
// this very version of it. It reads what must be read. It returns nil if the client has
// closed the file or changed it since.
func (s *session) provenance(ctx context.Context, doc *analysis.Document) (*analysis.Provenance, error) {
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
	Step      string       `json:"step"`
	Path      string       `json:"path"`
	Document  string       `json:"document"`
	Actor     string       `json:"actor"`
	Timestamp string       `json:"timestamp"`
	Intent    string       `json:"intent"`
	Location  locationJSON `json:"location"`
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

func (s *session) stepJSON(r analysis.StepRef) stepJSON {
	at := r.At()
	v := at.IDValue()
	l := s.location(analysis.Location{Doc: r.Doc, Path: r.Doc.Path, Start: v.Start(), End: v.End()})
	return stepJSON{
		Step: at.ID, Path: r.Path.ID, Document: s.spelling(r.Doc.URI),
		Actor: at.Actor, Timestamp: at.Timestamp, Intent: strings.ToValidUTF8(at.Intent, "\ufffd"),
		Location: locationJSON{string(l.URI), rangeJSON{
			positionJSON{l.Range.Start.Line, l.Range.Start.Character},
			positionJSON{l.Range.End.Line, l.Range.End.Character}}},
	}
}
