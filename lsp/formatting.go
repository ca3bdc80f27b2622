package lsp

import (
	"bytes"
	"context"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/format"
)

// maxFormatEdits bounds the edits of one answer: a text with more is replaced as a whole.
const maxFormatEdits = 10_000

// formatting lays a document out in the one canonical way; the client's options do not
// matter to it (LSP 3.18, textDocument/formatting). A text that is no JSON stays as it is:
// its diagnostics say why.
func formatting(ctx context.Context, s *session, snap *analysis.Snapshot, p *protocol.DocumentFormattingParams) ([]protocol.TextEdit, error) {
	doc := snap.Document(string(p.TextDocument.URI))
	if doc == nil || doc.Model() == nil {
		return nil, nil
	}
	edits, err := format.Edits(doc.Tree())
	if err != nil {
		return nil, nil //nolint:nilerr // see above
	}
	if len(edits) > maxFormatEdits {
		edits = []format.Edit{{Start: 0, End: doc.Text.Len(), New: string(format.Apply(doc.Text.Bytes(), edits))}}
	}
	return s.formatEdits(doc, edits), ctx.Err()
}

// rangeFormatting lays out the steps, or the lines of a stream, that a range touches (LSP
// 3.18, textDocument/rangeFormatting).
func rangeFormatting(ctx context.Context, s *session, snap *analysis.Snapshot, p *protocol.DocumentRangeFormattingParams) ([]protocol.TextEdit, error) {
	doc := snap.Document(string(p.TextDocument.URI))
	if doc == nil || doc.Model() == nil {
		return nil, nil
	}
	edits, err := format.Steps(doc.Tree(), s.offset(doc.Text, p.Range.Start), s.offset(doc.Text, p.Range.End))
	if err != nil {
		return nil, nil //nolint:nilerr // as in formatting
	}
	return s.formatEdits(doc, edits), ctx.Err()
}

// formatEdits converts edits. Line ends are the editor's: those of the text stay, and what
// is inserted has the same.
func (s *session) formatEdits(doc *analysis.Document, edits []format.Edit) []protocol.TextEdit {
	c := &converter{text: doc.Text, encoding: s.encoding}
	src := doc.Text.Bytes()
	crlf := bytes.Contains(src[:doc.Text.LineStart(1)], []byte("\r\n"))
	out := make([]protocol.TextEdit, 0, len(edits))
	for _, e := range edits {
		if crlf {
			e = withCRLF(src, e)
		}
		if string(src[e.Start:e.End]) != e.New {
			out = append(out, protocol.TextEdit{Range: c.span(e.Start, e.End), NewText: e.New})
		}
	}
	return out
}

// withCRLF makes an edit one that parts no line end, in a text where they are two
// characters: no position of LSP is between them.
func withCRLF(src []byte, e format.Edit) format.Edit {
	within := func(i int) bool { return i > 0 && i < len(src) && src[i-1] == '\r' && src[i] == '\n' }
	if within(e.Start) {
		e.Start, e.New = e.Start-1, "\r"+e.New
	}
	if within(e.End) {
		e.End, e.New = e.End+1, e.New+"\n"
	}
	e.New = strings.ReplaceAll(strings.ReplaceAll(e.New, "\r\n", "\n"), "\n", "\r\n")
	return e
}
