package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// selectionRange widens a selection from a string's content to the document (LSP 3.18,
// textDocument/selectionRange).
func selectionRange(_ context.Context, s *session, snap *analysis.Snapshot, p *protocol.SelectionRangeParams) ([]protocol.SelectionRange, error) {
	all := []protocol.SelectionRange{}
	doc := snap.Document(string(p.TextDocument.URI))
	if doc == nil {
		return all, nil
	}
	for _, at := range p.Positions {
		off := s.offset(doc.Text, at)
		spans := doc.Selections(off)
		if len(spans) == 0 {
			spans = []analysis.Extent{{Start: off, End: off}}
		}
		var outer *protocol.SelectionRange
		for i := len(spans) - 1; i >= 0; i-- {
			outer = &protocol.SelectionRange{Range: s.span(doc.Text, spans[i].Start, spans[i].End), Parent: outer}
		}
		all = append(all, *outer)
	}
	return all, nil
}
