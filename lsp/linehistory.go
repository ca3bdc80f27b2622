package lsp

import (
	"context"
	"errors"
	"strings"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/jsonrpc2"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// lineParams name a line of a source file, open or as of a step.
type lineParams struct {
	TextDocument struct {
		URI string `json:"uri"`
	} `json:"textDocument"`
	Position *positionJSON `json:"position"`
}

func (p *lineParams) decodeParams(raw jsonrpc2.RawMessage) error {
	if err := json.Unmarshal(raw, p, lenient); err != nil {
		return err
	}
	if p.TextDocument.URI == "" || p.Position == nil {
		return errors.New("textDocument.uri and position are needed")
	}
	return nil
}

// provenanceAt returns what is known of the document that params name, nil if nothing is, and
// the line; version is nil and now that of the file as it is for a file as of a step.
func (s *session) provenanceAt(ctx context.Context, snap *analysis.Snapshot, p *lineParams) (version *int32, now string, prov *analysis.Provenance, line int, err error) {
	prov, data, ok, err := s.past(ctx, p.TextDocument.URI)
	if now = data.Now; !ok {
		key, err := canonical(p.TextDocument.URI)
		if err != nil {
			return nil, "", nil, 0, err
		}
		doc := snap.Document(key)
		if doc == nil {
			return nil, "", nil, 0, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s is not open", p.TextDocument.URI)
		}
		version, now = &doc.Version, doc.URI
		if doc.Kind() == analysis.Other {
			prov, err = s.provenance(ctx, doc)
		}
		if err != nil {
			return nil, "", nil, 0, err
		}
	}
	if prov != nil {
		line = prov.LineOf(s.offset(prov.Text, position(*p.Position)))
	}
	return version, now, prov, line, err
}

// validText makes a line of a file one that JSON can hold.
func validText(s string) string { return strings.ToValidUTF8(s, "\ufffd") }

// lineHistoryResult is that of toolpath/lineHistory: every touch of a line, the last first.
type lineHistoryResult struct {
	URI     string     `json:"uri"`
	Version *int32     `json:"version"` // null of a file as of a step
	Line    int        `json:"line"`    // 0-based
	State   string     `json:"state"`
	Grade   string     `json:"grade"`
	Touches []touchOut `json:"touches"`
	// Older is the line as it was before the first step; null if it did not exist or that is
	// not known.
	Older *string `json:"older"`
}

type touchOut struct {
	stepJSON
	Verb  string  `json:"verb"` // wrote, edited, formatted, moved, merged
	Grade string  `json:"grade"`
	Text  string  `json:"text"` // the line as the step left it, without its line end
	Diff  string  `json:"diff"` // the URI of what the step did
	File  *string `json:"file"` // the URI of the file as of the step
}

func lineHistory(ctx context.Context, s *session, snap *analysis.Snapshot, p *lineParams) (*lineHistoryResult, error) {
	version, now, prov, line, err := s.provenanceAt(ctx, snap, p)
	if err != nil {
		return nil, err
	}
	result := &lineHistoryResult{URI: p.TextDocument.URI, Version: version, Line: int(p.Position.Line), State: "unrecorded", Grade: "unrecorded", Touches: []touchOut{}}
	if prov == nil || line >= prov.Len() {
		return result, nil
	}
	l := prov.Line(line)
	result.State, result.Grade = analysis.StateName(l.State), l.Grade.String()
	life, err := s.lifeOf(ctx, prov, line)
	if err != nil {
		return nil, err
	}
	chain := life.Touches
	refs := make([]analysis.StepRef, len(chain))
	for i, t := range chain {
		refs[i] = t.StepRef
	}
	for i, j := range s.stepsJSON(refs) {
		t := chain[i]
		out := touchOut{stepJSON: j, Verb: t.Verb, Grade: t.Grade.String(), Text: validText(t.Text), Diff: s.diffURI(t.StepRef)}
		if t.Artifact != "" {
			out.File = new(s.fileURI(contentAt, t.StepRef, t.Artifact, now))
		}
		result.Touches = append(result.Touches, out)
	}
	if life.Older != nil {
		result.Older = new(validText(*life.Older))
	}
	return result, nil
}
