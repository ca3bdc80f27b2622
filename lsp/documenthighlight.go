package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// documentHighlight marks what references lists: definitions as written, the others as
// read (LSP 3.18, textDocument/documentHighlight).
func documentHighlight(_ context.Context, s *session, snap *analysis.Snapshot, p *protocol.DocumentHighlightParams) ([]protocol.DocumentHighlight, error) {
	all := []protocol.DocumentHighlight{}
	doc := snap.Document(string(p.TextDocument.URI))
	if doc == nil {
		return all, nil
	}
	c := &converter{text: doc.Text, encoding: s.encoding}
	for _, m := range doc.References(s.offset(doc.Text, p.Position)) {
		kind := protocol.DocumentHighlightKindRead
		if m.Definition {
			kind = protocol.DocumentHighlightKindWrite
		}
		all = append(all, protocol.DocumentHighlight{Range: c.span(m.Start, m.End), Kind: kind})
	}
	return all, nil
}
