package lsp

import (
	"context"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// documentLink lists what leads out of a document: references, bases, commits, issues
// (LSP 3.18, textDocument/documentLink).
func documentLink(ctx context.Context, s *session, snap *analysis.Snapshot, p *protocol.DocumentLinkParams) ([]protocol.DocumentLink, error) {
	all := []protocol.DocumentLink{}
	doc := snap.Document(string(p.TextDocument.URI))
	if doc == nil {
		return all, nil
	}
	c := &converter{text: doc.Text, encoding: s.encoding}
	for _, l := range doc.Links(cancelled(ctx)) {
		all = append(all, protocol.DocumentLink{Range: c.span(l.Start, l.End), Target: new(uri.URI(l.Target)), Tooltip: optional(l.Tooltip)})
	}
	return all, ctx.Err()
}
