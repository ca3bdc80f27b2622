package lsp

import (
	"context"
	"path"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/drawing"
	"github.com/toolpath-ls/toolpath-ls/analysis/text"
)

// graphArgument is the argument of the command toolpath.graph.
type graphArgument struct {
	Document string `json:"document"` // URI
	// Page asks for the page that shows the drawing, and not for what a page that is there
	// already is to show now.
	Page bool `json:"page"`
	// Diffs asks for the diffs of the steps too, as far as a page has room for them. A page
	// always has them.
	Diffs bool `json:"diffs"`
	// Text asks for lines of text in place of all that.
	Text bool `json:"text"`
}

// graphResult is its result. Drawing is what the page takes as a message {drawing}.
type graphResult struct {
	Document string           `json:"document"`
	HTML     *string          `json:"html"`
	Drawing  *drawing.Drawing `json:"drawing"`
	Text     *string          `json:"text,omitzero"`
	// Steps are where the text has them, by line.
	Steps []drawnStep `json:"steps,omitzero"`
}

// drawnStep is a step of a drawing in text.
type drawnStep struct {
	Mark  positionJSON `json:"mark"` // of the one character in its lane
	Path  string       `json:"path"`
	Step  string       `json:"step"`
	Actor string       `json:"actor"`
	Color int          `json:"color"` // [0, 8)
	Dead  bool         `json:"dead"`
}

// graph answers a drawing of the steps of a document, open or not: as a page that is
// complete in itself, as data for one, or as text. Null if there is no such document.
func graph(ctx context.Context, s *session, _ *analysis.Snapshot, arg protocol.LSPAny) (any, error) {
	var p graphArgument
	if err := json.Unmarshal(arg, &p, lenient); err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "the argument: %v", err)
	}
	key, err := canonical(p.Document)
	if err != nil {
		return nil, err
	}
	doc, err := s.document(ctx, key)
	if doc == nil || doc.Model() == nil || err != nil {
		return nil, err
	}
	options := drawing.Options{}
	if p.Page || p.Diffs {
		options.Diffs = drawing.DefaultDiffs
	}
	d := drawing.Of(doc, options, cancelled(ctx))
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d.URI = s.spelling(doc.URI)
	if p.Text {
		return s.graphText(d), nil
	}
	if !p.Page {
		return graphResult{Document: d.URI, Drawing: d}, nil
	}
	page, err := d.HTML()
	if err != nil {
		return nil, err
	}
	return graphResult{Document: d.URI, HTML: new(string(page))}, nil
}

func (s *session) graphText(d *drawing.Drawing) graphResult {
	drawn, marks := d.Text()
	result := graphResult{Document: d.URI, Text: &drawn, Steps: make([]drawnStep, len(marks))}
	c := &converter{text: text.New([]byte(drawn)), encoding: s.encoding}
	for i, m := range marks {
		p := &d.Paths[m.Path]
		step := &p.Steps[m.Step]
		actor := &p.Actors[step.Actor]
		at := c.at(m.Start)
		result.Steps[i] = drawnStep{positionJSON{at.Line, at.Character}, p.ID, step.ID, actor.Actor, actor.Color, step.Dead}
	}
	return result
}

// workspaceDocument is a document in the result of the command toolpath.documents.
type workspaceDocument struct {
	URI   string `json:"uri"`
	Name  string `json:"name"` // its file's name
	Steps int    `json:"steps"`
}

// workspaceDocuments answers the documents of the workspace, open or not, ordered by path.
func workspaceDocuments(ctx context.Context, s *session, _ *analysis.Snapshot, _ protocol.LSPAny) (any, error) {
	s.awaitLoad(ctx)
	all := []workspaceDocument{}
	for _, d := range s.work.Snapshot().DocumentIndex() {
		all = append(all, workspaceDocument{s.spelling(d.URI), path.Base(d.URI), d.Steps})
	}
	return all, ctx.Err()
}
