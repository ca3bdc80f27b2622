package lsp

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust"
)

// Signer signs steps and paths. It may run programs that ask the user for a passphrase.
type Signer interface {
	// Sign returns the text of the document with a signature of a step of a path, or of the
	// path for step -1. The warning says why the signature does not count, "" if it does.
	Sign(ctx context.Context, m *toolpath.Document, path, step int, scope, key string) (text []byte, warning string, err error)
}

// signKind is that of the actions that sign.
const signKind = protocol.CodeActionKind("refactor.sign")

// commandSign signs a step, or a path without one, with the key of the setting signing.key,
// and has the client apply the edit. Its argument is a signArgument, its result null.
const commandSign = "toolpath.sign"

// signArgument names what is signed, by its place in the document.
type signArgument struct {
	URI   string `json:"uri"`
	Path  int    `json:"path"` // index
	Step  *int   `json:"step"` // index; null: the path
	Scope string `json:"scope"`
}

// signActions offers to sign the step or the path that a range starts in.
func (s *session) signActions(doc *analysis.Document, r protocol.Range) (actions []protocol.CommandOrCodeAction, err error) {
	key := s.settings.Load().SigningKey
	if s.opts.Signer == nil || key == "" {
		return nil, nil
	}
	path, step, ok := doc.SignTarget(s.offset(doc.Text, r.Start))
	if !ok {
		return nil, nil
	}
	p := doc.Model().Paths[path]
	add := func(title, scope string, step *int) {
		raw, failed := argument(signArgument{s.spelling(doc.URI), path, step, scope})
		if failed != nil {
			err = failed
			return
		}
		actions = append(actions, &protocol.CodeAction{Title: title, Kind: new(signKind),
			Command: protocol.Command{Title: title, Command: commandSign, Arguments: []protocol.LSPAny{raw}}})
	}
	short := string(clip([]byte(key), 60))
	if step >= 0 {
		add(fmt.Sprintf("Sign step %s as %s with %s", clip([]byte(p.Steps.At(step).ID), 60), clip([]byte(p.Steps.At(step).Actor), 60), short), trust.Author, &step)
		return actions, err
	}
	add(fmt.Sprintf("Sign path %s as its author with %s", clip([]byte(p.ID), 60), short), trust.Author, nil)
	add(fmt.Sprintf("Sign path %s as its reviewer with %s", clip([]byte(p.ID), 60), short), trust.Reviewer, nil)
	return actions, err
}

// sign runs commandSign.
func sign(ctx context.Context, s *session, snap *analysis.Snapshot, arg protocol.LSPAny) (any, error) {
	var a signArgument
	if err := json.Unmarshal(arg, &a, lenient); err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "the argument: %v", err)
	}
	key, err := canonical(a.URI)
	if err != nil {
		return nil, err
	}
	signingKey := s.settings.Load().SigningKey
	doc := snap.Document(key)
	step := -1
	if a.Step != nil {
		step = *a.Step
	}
	switch {
	case s.opts.Signer == nil || signingKey == "":
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "no key is named that signs: see the setting toolpath.signing.key")
	case doc == nil || doc.Model() == nil:
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s is not open, or no Toolpath document", clip([]byte(a.URI), 200))
	case a.Path < 0 || a.Path >= len(doc.Model().Paths) || step >= doc.Model().Paths[a.Path].Steps.Len():
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "the document has no such step or path")
	}
	signed, warning, err := s.opts.Signer.Sign(ctx, doc.Model(), a.Path, step, a.Scope, signingKey)
	if err != nil {
		s.client.showMessage(protocol.MessageTypeError, fmt.Sprintf("Not signed: %v", err))
		return nil, nil
	}
	if warning != "" {
		s.client.showMessage(protocol.MessageTypeWarning, warning)
	}
	edit := s.workspaceEdit(doc, []analysis.TextEdit{analysis.Difference(doc.Text.Bytes(), signed)})
	s.client.post(protocol.MethodWorkspaceApplyEdit, func(ctx context.Context, c *client) error {
		return c.call(ctx, protocol.MethodWorkspaceApplyEdit, &protocol.ApplyWorkspaceEditParams{Edit: *edit}, nil)
	})
	return nil, nil
}
