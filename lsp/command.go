package lsp

import (
	"context"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
)

// The commands of workspace/executeCommand. Those that ask for a step take one argument,
// {textDocument: {uri}, position}, and answer a Location, a list of them, or null. In a
// source file the step is the one that wrote the line.
const (
	commandParentStep = "toolpath.parentStep"
	commandChildSteps = "toolpath.childSteps"
	commandHeadStep   = "toolpath.headStep"
	// commandShowSteps is that of the lens. A client that has a better view of steps
	// handles it itself; else the server has the last step shown.
	commandShowSteps = "toolpath.showSteps"
)

var commands = map[string]func(ctx context.Context, s *session, snap *analysis.Snapshot, arg protocol.LSPAny) (any, error){
	commandParentStep: parentStep,
	commandChildSteps: childSteps,
	commandHeadStep:   headStep,
	commandShowSteps:  showSteps,
}

func commandNames() []string {
	return []string{commandParentStep, commandChildSteps, commandHeadStep, commandShowSteps}
}

// executeCommand runs one of the server's commands (LSP 3.18, workspace/executeCommand).
func executeCommand(ctx context.Context, s *session, snap *analysis.Snapshot, p *protocol.ExecuteCommandParams) (any, error) {
	run, ok := commands[p.Command]
	if !ok {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "there is no command %q", clip([]byte(p.Command), 80))
	}
	if len(p.Arguments) != 1 {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "the command %s takes one argument, not %d", p.Command, len(p.Arguments))
	}
	return run(ctx, s, snap, p.Arguments[0])
}

// placeArgument is a position in a document.
type placeArgument struct {
	TextDocument struct {
		URI string `json:"uri"`
	} `json:"textDocument"`
	Position positionJSON `json:"position"`
}

// place decodes a placeArgument; doc is nil if the document is not open.
func (s *session) place(snap *analysis.Snapshot, arg protocol.LSPAny) (doc *analysis.Document, off int, err error) {
	var p placeArgument
	if err := json.Unmarshal(arg, &p, lenient); err != nil {
		return nil, 0, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "the argument: %v", err)
	}
	key, err := canonical(p.TextDocument.URI)
	if err != nil {
		return nil, 0, err
	}
	if doc = snap.Document(key); doc == nil {
		return nil, 0, nil
	}
	return doc, s.offset(doc.Text, position(p.Position)), nil
}

func parentStep(ctx context.Context, s *session, snap *analysis.Snapshot, arg protocol.LSPAny) (any, error) {
	doc, off, err := s.place(snap, arg)
	if doc == nil || err != nil {
		return nil, err
	}
	if doc.Kind() == analysis.Other {
		return s.stepOfLine(ctx, doc, off)
	}
	l, ok := doc.ParentStep(off)
	return s.locationOrNull(l, ok), nil
}

func (s *session) locationOrNull(l analysis.Location, ok bool) any {
	if !ok {
		return nil
	}
	return new(s.location(l))
}

// stepOfLine answers the step that last wrote the line at the offset.
func (s *session) stepOfLine(ctx context.Context, doc *analysis.Document, off int) (any, error) {
	prov, err := s.provenance(ctx, doc)
	if err != nil || prov == nil {
		return nil, err
	}
	l := prov.Line(prov.LineOf(off))
	if l.Step == nil || l.State != provenance.StateRecorded {
		return nil, nil
	}
	v := l.Step.At().IDValue()
	return new(s.location(analysis.Location{Doc: l.Step.Doc, Start: v.Start(), End: v.End()})), nil
}

func childSteps(_ context.Context, s *session, snap *analysis.Snapshot, arg protocol.LSPAny) (any, error) {
	doc, off, err := s.place(snap, arg)
	if doc == nil || err != nil {
		return nil, err
	}
	all := []protocol.Location{}
	for _, l := range doc.ChildSteps(off) {
		all = append(all, s.location(l))
	}
	return all, nil
}

func headStep(_ context.Context, s *session, snap *analysis.Snapshot, arg protocol.LSPAny) (any, error) {
	doc, off, err := s.place(snap, arg)
	if doc == nil || err != nil {
		return nil, err
	}
	l, ok := doc.HeadStep(off)
	return s.locationOrNull(l, ok), nil
}

// showSteps has the client show the last step of the lens that was clicked.
func showSteps(_ context.Context, s *session, _ *analysis.Snapshot, arg protocol.LSPAny) (any, error) {
	var p showStepsArgument
	if err := json.Unmarshal(arg, &p, lenient); err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "the argument: %v", err)
	}
	if len(p.Steps) == 0 {
		return nil, nil
	}
	w := s.clientCaps.Window
	if w == nil || w.ShowDocument == nil || !w.ShowDocument.Support {
		return p.Steps, nil
	}
	l := p.Steps[len(p.Steps)-1].Location
	params := &protocol.ShowDocumentParams{URI: uri.URI(l.URI), TakeFocus: new(true), Selection: &protocol.Range{
		Start: position(l.Range.Start), End: position(l.Range.End)}}
	s.client.post(protocol.MethodWindowShowDocument, func(ctx context.Context, c *client) error {
		return c.call(ctx, protocol.MethodWindowShowDocument, params, nil)
	})
	return p.Steps, nil
}
