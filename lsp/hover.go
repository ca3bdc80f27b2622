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
	if r := s.lineageLog(ctx, doc); r != nil {
		return s.lineageHover(ctx, doc, r, off), nil
	}
	if doc.Kind() == analysis.Other {
		return s.hoverLine(ctx, doc, doc.Text.Line(off))
	}
	question := func(snap *analysis.Snapshot) (*analysis.Hover, []analysis.Need) {
		return snap.Hover(doc, off, time.Now())
	}
	h, err := ask(ctx, s, snap, question)
	if err == nil && s.keys.settle(ctx) {
		h, err = ask(ctx, s, s.work.Snapshot(), question)
	}
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
	if err != nil {
		return nil, err
	}
	var prose *analysis.Prose
	var step *analysis.StepRef // that wrote the line
	if p != nil {
		p = s.commits.with(ctx, doc, p)
		at := p.LineOf(doc.Text.LineStart(line))
		if p.HoverLine(at) != nil {
			life, err := s.lifeOf(ctx, p, at)
			if err != nil {
				return nil, err
			}
			question := func(snap *analysis.Snapshot) (*analysis.Prose, []analysis.Need) {
				return snap.DescribeLine(p, doc.Path, at, life, time.Now(), cancelled(ctx))
			}
			prose, err = ask(ctx, s, s.work.Snapshot(), question)
			if err == nil && s.keys.settle(ctx) {
				prose, err = ask(ctx, s, s.work.Snapshot(), question)
			}
			if err != nil {
				return nil, err
			}
			if l := p.Line(at); l.State == provenance.StateRecorded {
				step = l.Step
			}
		}
	}
	found, hash := s.recorded(ctx, doc)
	if prose = prose.Recordings(found, hash); prose == nil {
		return nil, nil
	}
	contents := s.markup(prose)
	if step != nil {
		s.addLinks(contents, *step, s.spelling(doc.URI))
	}
	return &protocol.Hover{Contents: contents, Range: new(s.span(doc.Text, doc.Text.LineStart(line), doc.Text.LineEnd(line)))}, nil
}

// lifeOf is the life of a line, through the files that it was moved between.
func (s *session) lifeOf(ctx context.Context, p *analysis.Provenance, line int) (*analysis.Life, error) {
	life, err := ask(ctx, s, s.work.Snapshot(), func(snap *analysis.Snapshot) (*analysis.Life, []analysis.Need) {
		return snap.Life(p, line, cancelled(ctx))
	})
	if life == nil {
		life = p.Life(line)
	}
	return life, err
}
