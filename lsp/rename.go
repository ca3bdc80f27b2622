package lsp

import (
	"context"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// prepareRename answers what would be renamed, or why nothing can be (LSP 3.18,
// textDocument/prepareRename).
func prepareRename(_ context.Context, s *session, snap *analysis.Snapshot, p *protocol.PrepareRenameParams) (*protocol.Range, error) {
	doc := snap.Document(string(p.TextDocument.URI))
	if doc == nil || doc.Model() == nil {
		return nil, nil
	}
	start, end, err := doc.Renameable(s.offset(doc.Text, p.Position))
	if err != nil {
		return nil, err
	}
	return new(s.span(doc.Text, start, end)), nil
}

// rename gives a step, path or actor another name everywhere (LSP 3.18,
// textDocument/rename).
func rename(_ context.Context, s *session, snap *analysis.Snapshot, p *protocol.RenameParams) (*protocol.WorkspaceEdit, error) {
	doc := snap.Document(string(p.TextDocument.URI))
	if doc == nil || doc.Model() == nil {
		return nil, nil
	}
	docs, err := snap.Rename(doc, s.offset(doc.Text, p.Position), p.NewName)
	if err != nil {
		return nil, err
	}
	all := &protocol.WorkspaceEdit{}
	for _, d := range docs {
		one := s.workspaceEdit(d.Doc, d.Edits)
		all.DocumentChanges = append(all.DocumentChanges, one.DocumentChanges...)
		for name, edits := range one.Changes {
			if all.Changes == nil {
				all.Changes = map[uri.URI][]protocol.TextEdit{}
			}
			all.Changes[name] = edits
		}
	}
	return all, nil
}
