package lsp

import (
	"bytes"
	"context"
	"strings"
	"unicode/utf8"

	"go.lsp.dev/protocol"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/format"
)

// maxFormatEdits bounds the edits of one answer: more of them are made one.
const maxFormatEdits = 10_000

// formatting lays a document out in the one canonical way; the client's options do not
// matter to it (LSP 3.18, textDocument/formatting). A text that is no JSON stays as it is:
// its diagnostics say why.
func formatting(ctx context.Context, s *session, snap *analysis.Snapshot, p *protocol.DocumentFormattingParams) ([]protocol.TextEdit, error) {
	doc := snap.Document(string(p.TextDocument.URI))
	if doc == nil || doc.Model() == nil {
		return nil, nil
	}
	edits, err := layOut(ctx, doc)
	if err != nil {
		return nil, nil //nolint:nilerr // see above
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return s.formatEdits(doc, edits), nil
}

// maxFineFormat is the size in bytes over which a text gets one edit: many small ones would
// take many times its memory.
const maxFineFormat = 4 << 20

func layOut(ctx context.Context, doc *analysis.Document) ([]format.Edit, error) {
	if doc.Text.Len() <= maxFineFormat {
		return format.EditsUnless(doc.Tree(), cancelled(ctx))
	}
	text, err := format.TextUnless(doc.Tree(), cancelled(ctx))
	if err != nil || ctx.Err() != nil {
		return nil, err
	}
	src := doc.Text.Bytes()
	start, end := 0, 0
	for start < min(len(src), len(text)) && src[start] == text[start] {
		start++
	}
	for end < min(len(src), len(text))-start && src[len(src)-1-end] == text[len(text)-1-end] {
		end++
	}
	for start > 0 && (start < len(src) && !utf8.RuneStart(src[start]) || start < len(text) && !utf8.RuneStart(text[start])) {
		start--
	}
	for end > 0 && !utf8.RuneStart(src[len(src)-end]) {
		end--
	}
	if start+end == len(src) && len(src) == len(text) {
		return nil, nil
	}
	return []format.Edit{{Start: start, End: len(src) - end, New: string(text[start : len(text)-end])}}, nil
}

// rangeFormatting lays out the steps, or the lines of a stream, that a range touches (LSP
// 3.18, textDocument/rangeFormatting).
func rangeFormatting(ctx context.Context, s *session, snap *analysis.Snapshot, p *protocol.DocumentRangeFormattingParams) ([]protocol.TextEdit, error) {
	doc := snap.Document(string(p.TextDocument.URI))
	if doc == nil || doc.Model() == nil {
		return nil, nil
	}
	edits, err := format.StepsUnless(doc.Tree(), s.offset(doc.Text, p.Range.Start), s.offset(doc.Text, p.Range.End), cancelled(ctx))
	if err != nil {
		return nil, nil //nolint:nilerr // as in formatting
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return s.formatEdits(doc, edits), nil
}

// formatEdits converts edits. Line ends are the editor's: those of the text stay, and what
// is inserted has the same.
func (s *session) formatEdits(doc *analysis.Document, edits []format.Edit) []protocol.TextEdit {
	c := &converter{text: doc.Text, encoding: s.encoding}
	src := doc.Text.Bytes()
	if n := len(edits); n > maxFormatEdits {
		edits = []format.Edit{joined(src, edits)}
	}
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

// joined makes one edit of many ascending ones.
func joined(src []byte, edits []format.Edit) format.Edit {
	start, end := edits[0].Start, edits[len(edits)-1].End
	out := make([]byte, 0, 2*(end-start))
	pos := start
	for _, e := range edits {
		out = append(append(out, src[pos:e.Start]...), e.New...)
		pos = e.End
	}
	return format.Edit{Start: start, End: end, New: string(out)}
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
