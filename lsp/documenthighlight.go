package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// documentHighlight marks what references lists: definitions as written, the others as
// read (LSP 3.18, textDocument/documentHighlight).
func documentHighlight(ctx context.Context, s *session, snap *analysis.Snapshot, p *protocol.DocumentHighlightParams) ([]protocol.DocumentHighlight, error) {
	all := []protocol.DocumentHighlight{}
	doc := snap.Document(string(p.TextDocument.URI))
	if doc == nil {
		return all, nil
	}
	if doc.Kind() == analysis.Other {
		s.moveCursor(doc.URI, p.Position.Line)
	}
	off := s.offset(doc.Text, p.Position)
	mentions, err := ask(ctx, s, snap, func(snap *analysis.Snapshot) ([]analysis.Mention, []analysis.Need) {
		return snap.Highlights(doc, off, cancelled(ctx))
	})
	if err != nil {
		return nil, err
	}
	c := &converter{text: doc.Text, encoding: s.encoding}
	for _, m := range mentions {
		kind := protocol.DocumentHighlightKindRead
		if m.Definition {
			kind = protocol.DocumentHighlightKindWrite
		}
		all = append(all, protocol.DocumentHighlight{Range: c.span(m.Start, m.End), Kind: kind})
	}
	return all, nil
}
