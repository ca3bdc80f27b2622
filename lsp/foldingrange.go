package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// foldingRange folds arrays and objects of several lines; the line of the closing bracket
// stays visible (LSP 3.18, textDocument/foldingRange).
func foldingRange(ctx context.Context, s *session, snap *analysis.Snapshot, p *protocol.FoldingRangeParams) ([]protocol.FoldingRange, error) {
	all := []protocol.FoldingRange{}
	doc := snap.Document(string(p.TextDocument.URI))
	if doc == nil {
		return all, nil
	}
	folds := doc.Folds(s.rangeLimit(), cancelled(ctx))
	all = make([]protocol.FoldingRange, 0, len(folds))
	for _, f := range folds {
		start, end := doc.Text.Line(f.Start), doc.Text.Line(f.End)-1
		if end > start {
			all = append(all, protocol.FoldingRange{StartLine: uint32(start), EndLine: uint32(end)})
		}
	}
	return all, ctx.Err()
}

// rangeLimit is how many folds the client wants, 0 for as many as there are.
func (s *session) rangeLimit() int {
	td := s.clientCaps.TextDocument
	if td == nil || td.FoldingRange == nil || td.FoldingRange.RangeLimit == nil {
		return 0
	}
	return int(*td.FoldingRange.RangeLimit)
}
