package lsp

import (
	"context"
	"strconv"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// foldingRange folds arrays and objects of several lines; the line of the closing bracket
// stays visible (LSP 3.18, textDocument/foldingRange). The answer is written as JSON while
// the document is read: a long one has some hundred thousand folds.
func foldingRange(ctx context.Context, s *session, snap *analysis.Snapshot, p *protocol.FoldingRangeParams) (jsonrpc2.RawMessage, error) {
	doc := snap.Document(string(p.TextDocument.URI))
	if doc == nil {
		return jsonrpc2.RawMessage("[]"), nil
	}
	out := append(uncleared(64+min(doc.Text.Len()*2/3, 64<<20)), '[') // as long as it will be, about
	for f := range doc.Folds(s.rangeLimit(), cancelled(ctx)) {
		if f.LastLine-1 <= f.FirstLine {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, `{"startLine":`...)
		out = strconv.AppendInt(out, int64(f.FirstLine), 10)
		out = append(out, `,"endLine":`...)
		out = strconv.AppendInt(out, int64(f.LastLine-1), 10)
		out = append(out, '}')
	}
	return append(out, ']'), ctx.Err()
}

// rangeLimit is how many folds the client wants, 0 for as many as there are.
func (s *session) rangeLimit() int {
	td := s.clientCaps.TextDocument
	if td == nil || td.FoldingRange == nil || td.FoldingRange.RangeLimit == nil {
		return 0
	}
	return int(*td.FoldingRange.RangeLimit)
}
