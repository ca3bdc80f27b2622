package lsp

import (
	"context"
	"fmt"
	"time"

	"go.lsp.dev/protocol"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

var completionKinds = map[analysis.CompletionKind]protocol.CompletionItemKind{
	analysis.KeyCompletion:     protocol.CompletionItemKindProperty,
	analysis.StepCompletion:    protocol.CompletionItemKindReference,
	analysis.ActorCompletion:   protocol.CompletionItemKindUnit,
	analysis.ValueCompletion:   protocol.CompletionItemKindValue,
	analysis.FileCompletion:    protocol.CompletionItemKindFile,
	analysis.SnippetCompletion: protocol.CompletionItemKindSnippet,
}

// completion offers keys, step ids, actors and values (LSP 3.18, textDocument/completion).
func completion(ctx context.Context, s *session, snap *analysis.Snapshot, p *protocol.CompletionParams) (*protocol.CompletionList, error) {
	list := &protocol.CompletionList{Items: []protocol.CompletionItem{}}
	doc := snap.Document(string(p.TextDocument.URI))
	if doc == nil {
		return list, nil
	}
	found, more := doc.Completions(s.offset(doc.Text, p.Position), time.Now().UTC().Format(time.RFC3339))
	list.IsIncomplete = more
	c := &converter{text: doc.Text, encoding: s.encoding}
	snippets := s.snippets()
	for i, f := range found {
		item := protocol.CompletionItem{
			Label: f.Label, Kind: completionKinds[f.Kind],
			SortText: protocol.NewOptional(fmt.Sprintf("%04d", i)),
			// Editors filter by what stands there, which starts with the quote.
			FilterText: protocol.NewOptional(string(doc.Text.Bytes()[f.Start:min(f.Start+1, f.End)]) + f.Label),
		}
		if f.End == f.Start || doc.Text.Bytes()[f.Start] != '"' {
			item.FilterText = protocol.NewOptional(f.Label)
		}
		if f.Detail != "" {
			item.Detail = protocol.NewOptional(f.Detail)
		}
		if f.Doc != "" {
			item.Documentation = protocol.String(f.Doc)
		}
		text := f.New
		if snippets {
			text, item.InsertTextFormat = f.Snippet, protocol.InsertTextFormatSnippet
		}
		item.TextEdit = &protocol.TextEdit{Range: c.span(f.Start, f.End), NewText: text}
		list.Items = append(list.Items, item)
	}
	return list, ctx.Err()
}

func (s *session) snippets() bool {
	td := s.clientCaps.TextDocument
	return td != nil && td.Completion != nil && td.Completion.CompletionItem != nil && isTrue(td.Completion.CompletionItem.SnippetSupport)
}
