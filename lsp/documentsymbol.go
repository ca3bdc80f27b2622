package lsp

import (
	"context"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
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
// (LSP 3.18, textDocument/documentSymbol). The answer is written as JSON while the outline
// is read: a session may have some hundred thousand steps.
func documentSymbol(ctx context.Context, s *session, snap *analysis.Snapshot, p *protocol.DocumentSymbolParams) (jsonrpc2.RawMessage, error) {
	doc := snap.Document(string(p.TextDocument.URI))
	if doc == nil {
		return jsonrpc2.RawMessage("null"), nil
	}
	const size = 280 // bytes of a step in JSON, about
	o := outliner{c: &converter{text: doc.Text, encoding: s.encoding}, out: uncleared(size * (8 + doc.StepCount()))}
	write := o.flat(uri.URI(s.spelling(doc.URI)))
	if s.nestedSymbols() {
		write = o.nested
	}
	o.out = append(o.out, '[')
	n := 0
	outline := doc.Outline()
	if r := s.lineageLog(ctx, doc); r != nil {
		outline = lineageOutline(r)
	}
	for depth, symbol := range outline {
		if n++; n%1024 == 0 && ctx.Err() != nil {
			break
		}
		write(depth, symbol)
	}
	o.close(0)
	o.out = append(o.out, ']')
	return o.out, ctx.Err()
}

func (s *session) nestedSymbols() bool {
	td := s.clientCaps.TextDocument
	return td != nil && td.DocumentSymbol != nil && isTrue(td.DocumentSymbol.HierarchicalDocumentSymbolSupport)
}

// outliner writes symbols as JSON.
type outliner struct {
	c    *converter
	out  []byte
	open int // nested symbols that are not closed yet, each the child of the one before
}

// nested writes a DocumentSymbol, and leaves it open for its children.
func (o *outliner) nested(depth int, sym analysis.Symbol) {
	switch {
	case depth == o.open && o.open > 0:
		o.text(`,"children":[`)
	default:
		o.close(depth)
		if last := o.out[len(o.out)-1]; last != '[' {
			o.text(",")
		}
	}
	o.text(`{"name":`)
	o.quote(sym.Name)
	detail := sym.Detail
	if sym.DeadEnd {
		detail = "dead end · " + detail
	}
	if detail != "" {
		o.text(`,"detail":`)
		o.quote(detail)
	}
	o.kind(sym.Kind)
	o.text(`,"range":`)
	o.span(sym.Start, sym.End)
	o.text(`,"selectionRange":`)
	o.span(sym.NameStart, sym.NameEnd)
	o.open = depth + 1
}

// close closes the symbols that are at least so deep.
func (o *outliner) close(depth int) {
	for ; o.open > depth; o.open-- {
		o.text("}")
		if o.open > depth+1 {
			o.text("]")
		}
	}
}

// flat writes SymbolInformation, for clients that know no other.
func (o *outliner) flat(doc uri.URI) func(int, analysis.Symbol) {
	var names []string // by depth
	return func(depth int, sym analysis.Symbol) {
		if len(o.out) > 1 {
			o.text(",")
		}
		o.text(`{"name":`)
		o.quote(sym.Name)
		o.kind(sym.Kind)
		if depth > 0 {
			o.text(`,"containerName":`)
			o.quote(names[depth-1])
		}
		o.text(`,"location":{"uri":`)
		o.quote(string(doc))
		o.text(`,"range":`)
		o.span(sym.Start, sym.End)
		o.text("}}")
		names = append(names[:depth], sym.Name)
	}
}

func (o *outliner) text(s string) { o.out = append(o.out, s...) }

func (o *outliner) kind(k analysis.SymbolKind) {
	o.text(`,"kind":`)
	o.out = strconv.AppendUint(o.out, uint64(symbolKinds[k]), 10)
}

func (o *outliner) quote(s string) {
	out, err := jsontext.AppendQuote(o.out, s)
	if err != nil {
		out, _ = jsontext.AppendQuote(o.out, strings.ToValidUTF8(s, "\ufffd"))
	}
	o.out = out
}

func (o *outliner) span(start, end int) {
	r := o.c.span(start, end)
	o.text(`{"start":`)
	o.position(r.Start)
	o.text(`,"end":`)
	o.position(r.End)
	o.text("}")
}

func (o *outliner) position(p protocol.Position) {
	o.text(`{"line":`)
	o.out = strconv.AppendUint(o.out, uint64(p.Line), 10)
	o.text(`,"character":`)
	o.out = strconv.AppendUint(o.out, uint64(p.Character), 10)
	o.text("}")
}
