package lsp

import (
	"context"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// references lists the places that name the step, actor or artifact at a position (LSP
// 3.18, textDocument/references).
func references(_ context.Context, s *session, snap *analysis.Snapshot, p *protocol.ReferenceParams) ([]protocol.Location, error) {
	all := []protocol.Location{}
	doc := snap.Document(string(p.TextDocument.URI))
	if doc == nil {
		return all, nil
	}
	c := &converter{text: doc.Text, encoding: s.encoding}
	for _, m := range doc.References(s.offset(doc.Text, p.Position)) {
		if m.Definition && !p.Context.IncludeDeclaration {
			continue
		}
		all = append(all, protocol.Location{URI: uri.URI(s.spelling(doc.URI)), Range: c.span(m.Start, m.End)})
	}
	return all, nil
}
