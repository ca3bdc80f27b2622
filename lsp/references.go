package lsp

import (
	"context"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// references lists the places that name the step, path, actor or artifact at a position, in
// all documents of the workspace (LSP 3.18, textDocument/references).
func references(ctx context.Context, s *session, snap *analysis.Snapshot, p *protocol.ReferenceParams) ([]protocol.Location, error) {
	all := []protocol.Location{}
	doc := snap.Document(string(p.TextDocument.URI))
	if doc == nil {
		return all, nil
	}
	off := s.offset(doc.Text, p.Position)
	if r := s.lineageLog(ctx, doc); r != nil {
		return s.lineageReferences(doc, r, off, p.Context.IncludeDeclaration), nil
	}
	s.awaitLoad(ctx)
	mentions, err := ask(ctx, s, snap, func(snap *analysis.Snapshot) ([]analysis.Mention, []analysis.Need) {
		return snap.References(doc, off, cancelled(ctx))
	})
	if err != nil {
		return nil, err
	}
	c := &converter{}
	for _, m := range mentions {
		if m.Doc.Text != c.text {
			c = &converter{text: m.Doc.Text, encoding: s.encoding}
		}
		if m.Definition && !p.Context.IncludeDeclaration {
			continue
		}
		all = append(all, protocol.Location{URI: uri.URI(s.spelling(m.Doc.URI)), Range: c.span(m.Start, m.End)})
	}
	return all, nil
}
