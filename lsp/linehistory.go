package lsp

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/jsonrpc2"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// lineHistoryParams are those of the request toolpath/lineHistory: a line of a source file.
type lineHistoryParams struct {
	TextDocument struct {
		URI string `json:"uri"`
	} `json:"textDocument"`
	Position positionJSON `json:"position"`
}

func (p *lineHistoryParams) decodeParams(raw jsonrpc2.RawMessage) error {
	if err := json.Unmarshal(raw, p, lenient); err != nil {
		return err
	}
	if p.TextDocument.URI == "" {
		return errors.New("textDocument.uri is missing")
	}
	return nil
}

// lineHistoryResult is its result.
type lineHistoryResult struct {
	Version int32       `json:"version"` // of the document
	Touches []touchJSON `json:"touches"` // the last one first
}

// touchJSON is what a step did to a line.
type touchJSON struct {
	stepJSON
	Verb  string `json:"verb"`  // wrote, edited, formatted, moved, merged
	Text  string `json:"text"`  // the line as the step left it
	Grade string `json:"grade"` // as in toolpath/blame
}

// maxTouches bounds an answer: the last ones.
const maxTouches = 200

// lineHistory answers the steps that touched a line of an open source file. Of a line that
// was changed after the last recorded step it is the history of the line that was there.
func lineHistory(ctx context.Context, s *session, snap *analysis.Snapshot, p *lineHistoryParams) (*lineHistoryResult, error) {
	key, err := canonical(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	doc := snap.Document(key)
	if doc == nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s is not open", p.TextDocument.URI)
	}
	result := &lineHistoryResult{Version: doc.Version, Touches: []touchJSON{}}
	if doc.Kind() != analysis.Other {
		return result, nil
	}
	prov, err := s.provenance(ctx, doc)
	if err != nil || prov == nil {
		return result, err
	}
	chain := prov.Chain(prov.LineOf(s.offset(doc.Text, position(p.Position))))
	chain = chain[:min(len(chain), maxTouches)]
	refs := make([]analysis.StepRef, len(chain))
	for i, t := range chain {
		refs[i] = t.StepRef
	}
	for i, step := range s.stepsJSON(refs) {
		result.Touches = append(result.Touches, touchJSON{step, chain[i].Verb, clip([]byte(chain[i].Text), 500), chain[i].Grade.String()})
	}
	return result, nil
}
