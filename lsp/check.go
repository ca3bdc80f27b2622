package lsp

import (
	"context"
	"fmt"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/text"
)

// rulePages is where the pages of the rules are.
const rulePages = "https://github.com/toolpath-ls/toolpath-ls/blob/main/docs/rules/"

// check is the session's checkFunc: it runs the rules and converts what they find.
func (s *session) check(ctx context.Context, snap *analysis.Snapshot, key string) []protocol.Diagnostic {
	doc := snap.Document(key)
	if doc != nil && doc.Prepare(ctx) != nil {
		return nil
	}
	found := snap.Check(key, func() bool { return ctx.Err() != nil })
	if doc == nil || ctx.Err() != nil {
		return nil
	}
	found = analysis.Merge(found, s.replays.of(doc))
	found = analysis.Merge(found, s.checkLineage(ctx, doc, snap.Options))
	kept, left := mostSevere(found, maxPublished, func(d analysis.Diagnostic) int { return int(d.Severity) })
	c := &converter{text: doc.Text, encoding: s.encoding}
	out := make([]protocol.Diagnostic, 0, len(kept)+1)
	for _, d := range kept {
		out = append(out, s.diagnostic(key, c, d))
	}
	if len(left) > 0 {
		out = append(out, leftOut(c.span(left[0].Start, left[0].End), len(left)))
	}
	return out
}

func (s *session) diagnostic(key string, c *converter, d analysis.Diagnostic) protocol.Diagnostic {
	out := newDiagnostic(c.span(d.Start, d.End), protocol.DiagnosticSeverity(d.Severity), d.Rule.ID, d.Message)
	if td := s.clientCaps.TextDocument; td != nil && td.PublishDiagnostics != nil && isTrue(td.PublishDiagnostics.CodeDescriptionSupport) {
		out.CodeDescription = protocol.CodeDescription{Href: uri.URI(rulePages + d.Rule.ID + ".md")}
	}
	if d.Unnecessary {
		out.Tags = protocol.NewDiagnosticTags(protocol.DiagnosticTagUnnecessary)
	}
	if td := s.clientCaps.TextDocument; td == nil || td.PublishDiagnostics == nil || !isTrue(td.PublishDiagnostics.RelatedInformation) {
		return out
	}
	for _, r := range d.Related {
		out.RelatedInformation = append(out.RelatedInformation, protocol.DiagnosticRelatedInformation{Location: s.related(key, c, r), Message: r.Message})
	}
	return out
}

// related is where a related place is; what has none of its own is in the document key.
func (s *session) related(key string, c *converter, r analysis.Related) protocol.Location {
	switch {
	case r.File != "":
		at := protocol.Position{Line: uint32(r.Line)}
		return protocol.Location{URI: uri.URI(s.spelling(r.File)), Range: protocol.Range{Start: at, End: at}}
	case r.Doc != nil && r.Doc.URI != key:
		there := converter{text: r.Doc.Text, encoding: s.encoding}
		return protocol.Location{URI: uri.URI(s.spelling(r.Doc.URI)), Range: there.span(r.Start, r.End)}
	}
	return protocol.Location{URI: uri.URI(s.spelling(key)), Range: c.span(r.Start, r.End)}
}

// spelling returns the URI of a document as the client writes it, if it has it open.
func (s *session) spelling(key string) string {
	if doc, open := s.docs.get(key); open {
		return doc.spelling
	}
	return key
}

// converter turns offsets into positions; those in ascending order cost one pass.
type converter struct {
	text     *text.Text
	encoding text.Encoding
	cursor   text.Cursor // of text, once one position was asked for
	begun    bool
}

func (c *converter) span(start, end int) protocol.Range {
	first := c.at(start)
	back := *c
	last := c.at(end)
	*c = back // the next span may begin within this one
	return protocol.Range{Start: first, End: last}
}

func (c *converter) at(offset int) protocol.Position {
	if !c.begun {
		c.cursor, c.begun = text.NewCursor(c.text, c.encoding), true
	}
	p := c.cursor.Pos(offset)
	return protocol.Position{Line: uint32(p.Line), Character: uint32(p.Column)}
}

// leftOut tells that n more diagnostics exist.
func leftOut(at protocol.Range, n int) protocol.Diagnostic {
	return newDiagnostic(at, protocol.DiagnosticSeverityInformation, codeLeftOut,
		fmt.Sprintf("%d more diagnostics are not shown; the first of them is here", n))
}
