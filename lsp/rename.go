package lsp

import (
	"cmp"
	"context"

	"go.lsp.dev/protocol"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// prepareRename answers what would be renamed, or why nothing can be (LSP 3.18,
// textDocument/prepareRename).
func prepareRename(ctx context.Context, s *session, snap *analysis.Snapshot, p *protocol.PrepareRenameParams) (*protocol.Range, error) {
	doc := snap.Document(string(p.TextDocument.URI))
	if doc == nil || doc.Model() == nil {
		return nil, nil
	}
	off := s.offset(doc.Text, p.Position)
	var refusal error
	span, err := ask(ctx, s, snap, func(snap *analysis.Snapshot) (protocol.Range, []analysis.Need) {
		start, end, needs, err := snap.Renameable(doc, off)
		refusal = err
		return s.span(doc.Text, start, end), needs
	})
	if err = cmp.Or(err, refusal); err != nil {
		return nil, err
	}
	return &span, nil
}

// rename gives a step, path or actor another name everywhere (LSP 3.18,
// textDocument/rename).
func rename(ctx context.Context, s *session, snap *analysis.Snapshot, p *protocol.RenameParams) (*protocol.WorkspaceEdit, error) {
	doc := snap.Document(string(p.TextDocument.URI))
	if doc == nil || doc.Model() == nil {
		return nil, nil
	}
	off := s.offset(doc.Text, p.Position)
	var refusal error
	if s.awaitLoad(ctx); !ended(s.loading.first) {
		return nil, analysis.Refusal("the documents of the workspace are still being read: some of them may name it; try again in a moment")
	}
	docs, err := ask(ctx, s, snap, func(snap *analysis.Snapshot) (docs []analysis.DocumentEdits, needs []analysis.Need) {
		docs, needs, refusal = snap.Rename(doc, off, p.NewName, cancelled(ctx))
		return docs, needs
	})
	if err = cmp.Or(err, refusal); err != nil {
		return nil, err
	}
	return s.workspaceEdits(docs), nil
}
