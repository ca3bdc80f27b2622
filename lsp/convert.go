package lsp

import (
	"context"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/text"
)

// ask answers a question about a snapshot and what the workspace has besides, reading what
// it needs. It does not wait for the first reading of the workspace: a question about all
// documents calls awaitLoad before.
func ask[T any](ctx context.Context, s *session, snap *analysis.Snapshot, question func(*analysis.Snapshot) (T, []analysis.Need)) (T, error) {
	return analysis.Ask(ctx, s.work, s.opts.Source, snap, question)
}

// cancelled returns the function that tells the analysis to stop.
func cancelled(ctx context.Context) func() bool { return func() bool { return ctx.Err() != nil } }

// offset returns the offset of a client's position, clamped to the text.
func (s *session) offset(t *text.Text, p protocol.Position) int {
	off, _ := t.Offset(text.Pos{Line: int(min(p.Line, 1<<30)), Column: int(min(p.Character, 1<<30))}, s.encoding)
	return off
}

// span converts the offsets [start, end) of a text.
func (s *session) span(t *text.Text, start, end int) protocol.Range {
	c := converter{text: t, encoding: s.encoding}
	return c.span(start, end)
}

// lines returns the range of the lines [from, to), line ends included.
func (s *session) lines(t *text.Text, from, to int) protocol.Range {
	return s.span(t, t.LineStart(from), t.LineStart(to))
}

// location converts a place; one in a file that nobody read is the file's start.
func (s *session) location(l analysis.Location) protocol.Location {
	if l.Doc == nil {
		return protocol.Location{URI: uri.File(l.Path)}
	}
	return protocol.Location{URI: uri.URI(s.spelling(l.Doc.URI)), Range: s.span(l.Doc.Text, l.Start, l.End)}
}

// markup renders prose as the client can show it.
func (s *session) markup(p *analysis.Prose) *protocol.MarkupContent {
	if !s.markdown() {
		return &protocol.MarkupContent{Kind: protocol.MarkupKindPlainText, Value: p.Plain()}
	}
	return &protocol.MarkupContent{Kind: protocol.MarkupKindMarkdown, Value: p.Markdown()}
}

// markdown says whether the client shows Markdown in hovers. One that says nothing of it
// gets plain text.
func (s *session) markdown() bool {
	td := s.clientCaps.TextDocument
	if td == nil || td.Hover == nil {
		return false
	}
	for _, k := range td.Hover.ContentFormat {
		if k == protocol.MarkupKindMarkdown {
			return true
		}
	}
	return false
}

// argument encodes a command's argument.
func argument(v any) (protocol.LSPAny, error) {
	raw, err := encodeParams(v)
	if err != nil {
		return nil, fmt.Errorf("a command's argument: %w", err)
	}
	return protocol.LSPAny(raw), nil
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return new(strings.Clone(s))
}
