package lsp

import (
	"context"
	"errors"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// fileAtStepParams are the argument of the command toolpath.fileAtStep.
type fileAtStepParams struct{ argument protocol.LSPAny }

func (p *fileAtStepParams) decodeParams(raw jsonrpc2.RawMessage) error {
	if len(raw) == 0 {
		return errors.New("a place or a step is needed")
	}
	p.argument = protocol.LSPAny(raw)
	return nil
}

// fileTextAtStep is a file as of a step, with its text.
type fileTextAtStep struct {
	fileAtStepResult
	Text string `json:"text"`
}

// fileAtStepRequest answers what the command toolpath.fileAtStep does, and the text.
func fileAtStepRequest(ctx context.Context, s *session, snap *analysis.Snapshot, p *fileAtStepParams) (*fileTextAtStep, error) {
	found, err := fileAtStep(ctx, s, snap, p.argument)
	at, ok := found.(fileAtStepResult)
	if !ok || err != nil {
		return nil, err
	}
	text, err := s.content(ctx, at.URI)
	if err != nil {
		return nil, err
	}
	return &fileTextAtStep{at, validText(text)}, nil
}
