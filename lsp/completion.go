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
	analysis.FolderCompletion:  protocol.CompletionItemKindFolder,
	analysis.SnippetCompletion: protocol.CompletionItemKindSnippet,
}

// completion offers keys, ids, actors, values, files and new steps (LSP 3.18,
// textDocument/completion).
func completion(ctx context.Context, s *session, snap *analysis.Snapshot, p *protocol.CompletionParams) (*protocol.CompletionList, error) {
	list := &protocol.CompletionList{Items: []protocol.CompletionItem{}}
	doc := snap.Document(string(p.TextDocument.URI))
	if doc == nil {
		return list, nil
	}
	off := s.offset(doc.Text, p.Position)
	around := analysis.Around{Now: time.Now().UTC().Format(time.RFC3339), Files: s.filesAround(ctx, snap, doc, off)}
	found, err := ask(ctx, s, snap, func(snap *analysis.Snapshot) ([]analysis.Completion, []analysis.Need) {
		found, more, needs := snap.Completions(doc, off, around)
		list.IsIncomplete = more || !ended(s.loading.first)
		return found, needs
	})
	if err != nil {
		return nil, err
	}
	c := &converter{text: doc.Text, encoding: s.encoding}
	for i, f := range found {
		list.Items = append(list.Items, s.completionItem(c, i, f))
	}
	return list, ctx.Err()
}

// filesAround lists the folder that the artifact key at an offset is about to name a file of.
func (s *session) filesAround(ctx context.Context, snap *analysis.Snapshot, doc *analysis.Document, off int) []string {
	source, ok := s.opts.Source.(analysis.FolderSource)
	if !ok {
		return nil
	}
	folder, _, ok := snap.TypedFolder(doc, off)
	if !ok {
		return nil
	}
	names, err := source.ReadFolder(ctx, folder)
	if err != nil {
		s.log.Debug("a folder is not listed", "folder", folder, "reason", err)
	}
	return names
}

func (s *session) completionItem(c *converter, i int, f analysis.Completion) protocol.CompletionItem {
	item := protocol.CompletionItem{
		Label: f.Label, Kind: completionKinds[f.Kind],
		SortText:   protocol.NewOptional(fmt.Sprintf("%04d", i)),
		FilterText: protocol.NewOptional(f.Label),
	}
	if f.Start < f.End && c.text.Slice(f.Start, f.Start+1)[0] == '"' {
		// Editors filter by what stands there, which starts with the quote.
		item.FilterText = protocol.NewOptional(`"` + f.Label)
	}
	if f.Detail != "" {
		item.Detail = protocol.NewOptional(f.Detail)
	}
	if f.Doc != "" {
		item.Documentation = protocol.String(f.Doc)
	}
	text := f.New
	if s.snippets() {
		text, item.InsertTextFormat = f.Snippet, protocol.InsertTextFormatSnippet
	}
	item.TextEdit = &protocol.TextEdit{Range: c.span(f.Start, f.End), NewText: text}
	return item
}

func (s *session) snippets() bool {
	td := s.clientCaps.TextDocument
	return td != nil && td.Completion != nil && td.Completion.CompletionItem != nil && isTrue(td.Completion.CompletionItem.SnippetSupport)
}
