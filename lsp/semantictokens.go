package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// The legend has standard names only, since themes know no others: a step is a function,
// and the four kinds of actors are told apart as four kinds of names.
var (
	tokenTypes = []string{
		analysis.StepToken:  "function",
		analysis.HumanToken: "enumMember",
		analysis.AgentToken: "class",
		analysis.ToolToken:  "macro",
		analysis.CIToken:    "namespace",
	}
	tokenModifiers = []string{"declaration", "deprecated", "readonly"}
)

const (
	modifierDeclaration = 1 << iota
	modifierDeadEnd     // shown as deprecated
	modifierHead        // shown as readonly
)

func semanticTokensFull(ctx context.Context, s *session, snap *analysis.Snapshot, p *protocol.SemanticTokensParams) (*protocol.SemanticTokens, error) {
	doc := snap.Document(string(p.TextDocument.URI))
	if doc == nil {
		return &protocol.SemanticTokens{Data: []uint32{}}, nil
	}
	return s.tokens(ctx, doc, 0, doc.Text.Len()), ctx.Err()
}

func semanticTokensRange(ctx context.Context, s *session, snap *analysis.Snapshot, p *protocol.SemanticTokensRangeParams) (*protocol.SemanticTokens, error) {
	doc := snap.Document(string(p.TextDocument.URI))
	if doc == nil {
		return &protocol.SemanticTokens{Data: []uint32{}}, nil
	}
	return s.tokens(ctx, doc, s.offset(doc.Text, p.Range.Start), s.offset(doc.Text, p.Range.End)), ctx.Err()
}

// tokens encodes the tokens between two offsets relative to each other (LSP 3.18,
// textDocument/semanticTokens).
func (s *session) tokens(ctx context.Context, doc *analysis.Document, from, to int) *protocol.SemanticTokens {
	tokens := doc.Tokens(from, to, cancelled(ctx))
	out := &protocol.SemanticTokens{Data: make([]uint32, 0, 5*len(tokens))}
	c := &converter{text: doc.Text, encoding: s.encoding}
	var last protocol.Position
	for i, t := range tokens {
		if i%4096 == 0 && ctx.Err() != nil {
			return out
		}
		span := c.span(t.Start, t.End)
		if span.End.Line != span.Start.Line {
			continue
		}
		line, column := span.Start.Line-last.Line, span.Start.Character
		if line == 0 {
			column -= last.Character
		}
		out.Data = append(out.Data, line, column, span.End.Character-span.Start.Character, uint32(t.Kind), modifiers(t))
		last = span.Start
	}
	return out
}

func modifiers(t analysis.Token) (bits uint32) {
	if t.Definition {
		bits |= modifierDeclaration
	}
	if t.DeadEnd {
		bits |= modifierDeadEnd
	}
	if t.Head {
		bits |= modifierHead
	}
	return bits
}
