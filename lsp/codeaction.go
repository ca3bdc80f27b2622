package lsp

import (
	"context"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// fixAllKind is that of the action that applies every safe fix.
const fixAllKind = protocol.CodeActionKind("source.fixAll.toolpath")

// codeAction offers the fixes of the findings in a range, and one action that applies all
// safe ones of the document; in a source file the way from an agent change to the next one,
// and what was deleted (LSP 3.18, textDocument/codeAction).
func codeAction(ctx context.Context, s *session, snap *analysis.Snapshot, p *protocol.CodeActionParams) ([]protocol.CommandOrCodeAction, error) {
	actions := []protocol.CommandOrCodeAction{}
	doc := snap.Document(string(p.TextDocument.URI))
	if doc != nil && doc.Kind() == analysis.Other {
		return s.sourceActions(ctx, doc, p)
	}
	if doc == nil || doc.TooLarge() {
		return actions, nil
	}
	found := analysis.Merge(snap.Check(doc.URI, func() bool { return ctx.Err() != nil }), s.replays.of(doc))
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if wanted(p.Context.Only, protocol.CodeActionKindQuickFix) {
		from, to := s.offset(doc.Text, p.Range.Start), s.offset(doc.Text, p.Range.End)
		c := &converter{text: doc.Text, encoding: s.encoding}
		for _, d := range found {
			if d.End < from || d.Start > to {
				continue
			}
			for _, f := range d.Fixes {
				actions = append(actions, &protocol.CodeAction{
					Title: f.Title, Kind: new(protocol.CodeActionKindQuickFix), IsPreferred: new(f.Safe),
					Diagnostics: []protocol.Diagnostic{s.diagnostic(doc.URI, c, d)},
					Edit:        s.workspaceEdit(doc, f.Edits),
				})
			}
		}
	}
	if wanted(p.Context.Only, signKind) {
		signing, err := s.signActions(doc, p.Range)
		if err != nil {
			return nil, err
		}
		actions = append(actions, signing...)
	}
	// It costs two replays and two parses, so not for a light bulb that follows the cursor.
	invoked := p.Context.TriggerKind != protocol.CodeActionTriggerKindAutomatic
	if invoked && wanted(p.Context.Only, protocol.CodeActionKindRefactorRewrite) {
		fix, err := ask(ctx, s, snap, func(snap *analysis.Snapshot) (*analysis.Fix, []analysis.Need) {
			fix, needs, err := snap.StructuralPerspective(doc, s.offset(doc.Text, p.Range.Start), func() bool { return ctx.Err() != nil })
			if err != nil {
				return nil, nil // there is none to offer
			}
			return &fix, needs
		})
		if err != nil {
			return nil, err
		}
		if fix != nil && len(fix.Edits) > 0 {
			actions = append(actions, &protocol.CodeAction{Title: fix.Title, Kind: new(protocol.CodeActionKindRefactorRewrite), Edit: s.workspaceEdit(doc, fix.Edits)})
		}
	}
	if slices.ContainsFunc(p.Context.Only, func(k protocol.CodeActionKind) bool { return covers(k, fixAllKind) }) {
		if edits := analysis.SafeFixes(doc, found); len(edits) > 0 {
			actions = append(actions, &protocol.CodeAction{Title: "Fix all that has one right answer", Kind: new(fixAllKind), Edit: s.workspaceEdit(doc, edits)})
		}
	}
	return actions, nil
}

// sourceActions are those of a source file.
func (s *session) sourceActions(ctx context.Context, doc *analysis.Document, p *protocol.CodeActionParams) ([]protocol.CommandOrCodeAction, error) {
	actions := []protocol.CommandOrCodeAction{}
	if wanted(p.Context.Only, unreviewedKind) {
		action, err := s.unreviewedAction(ctx, doc, p.Range)
		if err != nil {
			return nil, err
		}
		if action != nil {
			actions = append(actions, action)
		}
	}
	if wanted(p.Context.Only, reviewKind) {
		action, err := s.markReviewedAction(ctx, doc, p.Range)
		if err != nil {
			return nil, err
		}
		if action != nil {
			actions = append(actions, action)
		}
	}
	if wanted(p.Context.Only, deletedKind) {
		action, err := s.deletedAction(ctx, doc, p.Range.Start)
		if err != nil {
			return nil, err
		}
		if action != nil {
			actions = append(actions, action)
		}
	}
	return actions, nil
}

// wanted says whether a client that asks for these kinds only wants the kind; no kinds at
// all are all of them.
func wanted(only []protocol.CodeActionKind, kind protocol.CodeActionKind) bool {
	return len(only) == 0 || slices.ContainsFunc(only, func(k protocol.CodeActionKind) bool { return covers(k, kind) })
}

// covers says whether a kind is the other one or one above it: "source" covers
// "source.fixAll".
func covers(k, kind protocol.CodeActionKind) bool {
	return k == kind || strings.HasPrefix(string(kind), string(k)+".")
}

// workspaceEdit makes edits of one document the client's, for the version that they were
// made from if the client can take that.
func (s *session) workspaceEdit(doc *analysis.Document, edits []analysis.TextEdit) *protocol.WorkspaceEdit {
	c := &converter{text: doc.Text, encoding: s.encoding}
	var list []protocol.TextEdit
	for _, e := range edits {
		list = append(list, protocol.TextEdit{Range: c.span(e.Start, e.End), NewText: e.New})
	}
	name := uri.URI(s.spelling(doc.URI))
	w := s.clientCaps.Workspace
	if w == nil || w.WorkspaceEdit == nil || !isTrue(w.WorkspaceEdit.DocumentChanges) {
		return &protocol.WorkspaceEdit{Changes: map[uri.URI][]protocol.TextEdit{name: list}}
	}
	change := &protocol.TextDocumentEdit{TextDocument: protocol.OptionalVersionedTextDocumentIdentifier{
		TextDocumentIdentifier: protocol.TextDocumentIdentifier{URI: name}}}
	if doc.Open {
		change.TextDocument.Version = new(doc.Version)
	}
	for i := range list {
		change.Edits = append(change.Edits, &list[i])
	}
	return &protocol.WorkspaceEdit{DocumentChanges: []protocol.DocumentChange{change}}
}

// workspaceEdits is workspaceEdit of several documents.
func (s *session) workspaceEdits(docs []analysis.DocumentEdits) *protocol.WorkspaceEdit {
	all := &protocol.WorkspaceEdit{}
	for _, d := range docs {
		one := s.workspaceEdit(d.Doc, d.Edits)
		all.DocumentChanges = append(all.DocumentChanges, one.DocumentChanges...)
		for name, edits := range one.Changes {
			if all.Changes == nil {
				all.Changes = map[uri.URI][]protocol.TextEdit{}
			}
			all.Changes[name] = edits
		}
	}
	return all
}
