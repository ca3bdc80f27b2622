package lsp

import (
	"context"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// definition leads from a parent or head to the step, from an actor to its definition,
// and from an artifact key to the file (LSP 3.18, textDocument/definition).
func definition(ctx context.Context, s *session, snap *analysis.Snapshot, p *protocol.DefinitionParams) (protocol.DefinitionResult, error) {
	doc := snap.Document(string(p.TextDocument.URI))
	if doc == nil {
		return nil, nil
	}
	off := s.offset(doc.Text, p.Position)
	if r := s.lineageLog(ctx, doc); r != nil {
		return s.lineageDefinition(doc, r, off)
	}
	var origin analysis.Span
	targets, err := ask(ctx, s, snap, func(snap *analysis.Snapshot) (targets []analysis.Location, needs []analysis.Need) {
		origin, targets, needs = snap.Definition(doc, off)
		return targets, needs
	})
	if len(targets) == 0 || err != nil {
		return nil, err
	}
	if s.links() {
		from := s.span(doc.Text, origin.Start(), origin.End())
		var links protocol.DefinitionLinkSlice
		for _, t := range targets {
			l := s.location(t)
			links = append(links, protocol.DefinitionLink{OriginSelectionRange: &from,
				TargetURI: uri.URI(l.URI), TargetRange: l.Range, TargetSelectionRange: l.Range})
		}
		return links, nil
	}
	var all protocol.LocationSlice
	for _, t := range targets {
		all = append(all, s.location(t))
	}
	return all, nil
}

func (s *session) links() bool {
	td := s.clientCaps.TextDocument
	return td != nil && td.Definition != nil && isTrue(td.Definition.LinkSupport)
}
