package lsp

import (
	"context"
	"time"

	"go.lsp.dev/protocol"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
)

// hover tells of a field or value in a Toolpath document, and of a line in any other file (LSP 3.18, textDocument/hover).
func hover(ctx context.Context, s *session, snap *analysis.Snapshot, p *protocol.HoverParams) (*protocol.Hover, error) {
	doc := snap.Document(string(p.TextDocument.URI))
	if doc == nil {
		return nil, nil
	}
	off := s.offset(doc.Text, p.Position)
	if doc.Kind() == analysis.Other {
		return s.hoverLine(ctx, doc, doc.Text.Line(off))
	}
	h, err := ask(ctx, s, snap, func(snap *analysis.Snapshot) (*analysis.Hover, []analysis.Need) {
		return snap.Hover(doc, off, time.Now())
	})
	if h == nil || err != nil {
		return nil, err
	}
	contents := s.markup(h.Prose)
	if h.Step != nil {
		s.addLinks(contents, *h.Step, "")
	}
	return &protocol.Hover{Contents: contents, Range: new(s.span(doc.Text, h.Start, h.End))}, nil
}

func (s *session) hoverLine(ctx context.Context, doc *analysis.Document, line int) (*protocol.Hover, error) {
	if !s.settings.Load().HoverSource {
		return nil, nil
	}
	p, err := s.provenance(ctx, doc)
	if err != nil || p == nil {
		return nil, err
	}
	prose := p.HoverLine(p.LineOf(doc.Text.LineStart(line)))
	if prose == nil {
		return nil, nil
	}
	s.work.Snapshot().DescribeSigned(prose, p.Line(p.LineOf(doc.Text.LineStart(line))), time.Now())
	contents := s.markup(prose)
	if l := p.Line(p.LineOf(doc.Text.LineStart(line))); l.Step != nil && l.State == provenance.StateRecorded {
		s.addLinks(contents, *l.Step, s.spelling(doc.URI))
	}
	return &protocol.Hover{Contents: contents, Range: new(s.span(doc.Text, doc.Text.LineStart(line), doc.Text.LineEnd(line)))}, nil
}
