package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// inlayHint shows who wrote a run of lines at the run's end, if the setting
// inlayHints.blame is "run" (LSP 3.18, textDocument/inlayHint).
func inlayHint(ctx context.Context, s *session, snap *analysis.Snapshot, p *protocol.InlayHintParams) ([]protocol.InlayHint, error) {
	doc := snap.Document(string(p.TextDocument.URI))
	if doc == nil || doc.Kind() != analysis.Other || !s.settings.Load().InlayHintRuns {
		return []protocol.InlayHint{}, nil
	}
	prov, err := s.provenance(ctx, doc)
	if err != nil || prov == nil {
		return []protocol.InlayHint{}, err
	}
	from := prov.LineOf(s.offset(doc.Text, p.Range.Start))
	to := prov.LineOf(s.offset(doc.Text, p.Range.End)) + 1
	hints := []protocol.InlayHint{}
	for _, r := range prov.Runs(0, prov.Len()) {
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
