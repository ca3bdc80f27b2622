package lsp

import (
	"context"
	"time"

	"go.lsp.dev/protocol"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// inlayHint shows who wrote lines, at the end of the line with the cursor or of each run, as
// the setting inlayHints.blame has it, and in a document the notes that settings ask for
// (LSP 3.18, textDocument/inlayHint).
func inlayHint(ctx context.Context, s *session, snap *analysis.Snapshot, p *protocol.InlayHintParams) ([]protocol.InlayHint, error) {
	doc := snap.Document(string(p.TextDocument.URI))
	if doc != nil && doc.Kind() != analysis.Other {
		return s.notes(ctx, snap, doc, p.Range)
	}
	hints := []protocol.InlayHint{}
	mode := s.settings.Load().BlameHints
	if doc == nil || mode == hintsOff {
		return hints, nil
	}
	current, here := s.cursor.lineIn(doc.URI)
	if mode == hintsLine && !here {
		return hints, nil
	}
	prov, err := s.provenance(ctx, doc)
	if err != nil || prov == nil {
		return hints, err
	}
	from := prov.LineOf(s.offset(doc.Text, p.Range.Start))
	to := prov.LineOf(s.offset(doc.Text, p.Range.End)) + 1
	runs := prov.Runs(0, prov.Len())
	if mode == hintsLine {
		line := prov.LineOf(doc.Text.LineStart(int(current)))
		runs = prov.Runs(line, line+1)
	}
	for _, r := range runs {
		label := r.Hint()
		if last := r.End - 1; label == "" || last < from || last >= to {
			continue
		}
		end := prov.LineEnd(r.End - 1)
		hint := protocol.InlayHint{
			Position:    s.span(doc.Text, end, end).Start,
			Label:       protocol.String(label),
			PaddingLeft: new(true),
		}
		if prose := prov.HoverLine(r.Start); prose != nil {
			hint.Tooltip = s.markup(prose)
		}
		hints = append(hints, hint)
	}
	return hints, nil
}

// notes shows what is to be noted in a part of a document.
func (s *session) notes(ctx context.Context, snap *analysis.Snapshot, doc *analysis.Document, r protocol.Range) ([]protocol.InlayHint, error) {
	hints := []protocol.InlayHint{}
	want := s.settings.Load().Notes
	if want == (analysis.Notes{}) {
		return hints, nil
	}
	from, to := s.offset(doc.Text, r.Start), s.offset(doc.Text, r.End)
	notes, err := ask(ctx, s, snap, func(snap *analysis.Snapshot) ([]analysis.Note, []analysis.Need) {
		return snap.Notes(doc, from, to, want, time.Now(), cancelled(ctx))
	})
	if err != nil {
		return nil, err
	}
	c := &converter{text: doc.Text, encoding: s.encoding}
	for _, n := range notes {
		hints = append(hints, protocol.InlayHint{
			Position:    c.at(n.Offset),
			Label:       protocol.String(n.Text),
			PaddingLeft: new(true),
		})
	}
	return hints, nil
}
