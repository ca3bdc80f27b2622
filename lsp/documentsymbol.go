package lsp

import (
	"context"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

var symbolKinds = map[analysis.SymbolKind]protocol.SymbolKind{
	analysis.GraphSymbol: protocol.SymbolKindModule,
	analysis.PathSymbol:  protocol.SymbolKindClass,
	analysis.StepSymbol:  protocol.SymbolKindMethod,
}

// documentSymbol outlines a Toolpath document: graph, paths, steps, with actor and intent
// (LSP 3.18, textDocument/documentSymbol).
func documentSymbol(ctx context.Context, s *session, snap *analysis.Snapshot, p *protocol.DocumentSymbolParams) (protocol.DocumentSymbolResult, error) {
	doc := snap.Document(string(p.TextDocument.URI))
	if doc == nil {
		return nil, nil
	}
	o := outliner{s, &converter{text: doc.Text, encoding: s.encoding}, ctx}
	if s.nestedSymbols() {
		return protocol.DocumentSymbolSlice(o.nested(doc.Symbols())), ctx.Err()
	}
	return protocol.SymbolInformationSlice(o.flat(nil, doc.Symbols(), "", uri.URI(s.spelling(doc.URI)))), ctx.Err()
}

func (s *session) nestedSymbols() bool {
	td := s.clientCaps.TextDocument
	return td != nil && td.DocumentSymbol != nil && isTrue(td.DocumentSymbol.HierarchicalDocumentSymbolSupport)
}

type outliner struct {
	*session
	c   *converter
	ctx context.Context
}

func (o *outliner) nested(symbols []analysis.Symbol) []protocol.DocumentSymbol {
	out := make([]protocol.DocumentSymbol, 0, len(symbols))
	for i := range symbols {
		if o.ctx.Err() != nil {
			return nil
		}
		sym := &symbols[i]
		d := protocol.DocumentSymbol{Name: sym.Name, Detail: optional(sym.Detail), Kind: symbolKinds[sym.Kind],
			Range: o.c.span(sym.Start, sym.End), SelectionRange: o.c.span(sym.NameStart, sym.NameEnd)}
		if sym.DeadEnd {
			d.Detail = new("dead end · " + sym.Detail)
		}
		if len(sym.Children) > 0 {
			d.Children = o.nested(sym.Children)
		}
		out = append(out, d)
	}
	return out
}

func (o *outliner) flat(out []protocol.SymbolInformation, symbols []analysis.Symbol, container string, doc uri.URI) []protocol.SymbolInformation {
	for i := range symbols {
		sym := &symbols[i]
		out = append(out, protocol.SymbolInformation{
			BaseSymbolInformation: protocol.BaseSymbolInformation{Name: sym.Name, Kind: symbolKinds[sym.Kind], ContainerName: optional(container)},
			Location:              protocol.Location{URI: doc, Range: o.c.span(sym.Start, sym.End)}})
		out = o.flat(out, sym.Children, sym.Name, doc)
	}
	return out
}
