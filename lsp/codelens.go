package lsp

import (
	"context"
	"time"

	"go.lsp.dev/protocol"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// showStepsArgument is the argument of the command toolpath.showSteps.
type showStepsArgument struct {
	URI   string     `json:"uri"`
	Steps []stepJSON `json:"steps"`
}

// maxLensSteps bounds the steps in a lens's argument: the last ones.
const maxLensSteps = 200

// codeLens puts one lens at the top of a source file that documents or logs speak of, with the
// setting codeLens.entities one at each of its functions and types, and with codeLens.steps
// some at the steps of a document; they come resolved, so that nothing flickers (LSP 3.18,
// textDocument/codeLens).
func codeLens(ctx context.Context, s *session, snap *analysis.Snapshot, p *protocol.CodeLensParams) ([]protocol.CodeLens, error) {
	doc := snap.Document(string(p.TextDocument.URI))
	if doc != nil && doc.Kind() != analysis.Other {
		all, err := s.stepLenses(ctx, snap, doc)
		if err != nil {
			return nil, err
		}
		signed, err := s.signatureLenses(ctx, snap, doc)
		return append(all, signed...), err
	}
	set := s.settings.Load()
	if doc == nil || !set.CodeLensFile && !set.CodeLensEntities {
		return []protocol.CodeLens{}, nil
	}
	if r := s.lineageLog(ctx, doc); r != nil {
		return s.lineageLens(doc, r)
	}
	var fromLogs []protocol.CodeLens
	if set.CodeLensFile {
		var err error
		if fromLogs, err = s.recordedLens(ctx, doc); err != nil {
			return nil, err
		}
	}
	prov, err := s.provenance(ctx, doc)
	if err != nil || prov == nil || len(prov.Accounts) == 0 {
		return append([]protocol.CodeLens{}, fromLogs...), err
	}
	all := []protocol.CodeLens{}
	c := &converter{text: doc.Text, encoding: s.encoding}
	add := func(start, end int, title string, steps []analysis.StepRef) {
		raw, failed := argument(showStepsArgument{URI: s.spelling(doc.URI), Steps: s.stepsJSON(steps[max(0, len(steps)-maxLensSteps):])})
		if failed != nil {
			err = failed
			return
		}
		all = append(all, protocol.CodeLens{Range: c.span(start, end),
			Command: protocol.Command{Title: title, Command: commandShowSteps, Arguments: []protocol.LSPAny{raw}}})
	}
	if set.CodeLensFile {
		sum := prov.Summary()
		add(0, 0, sum.Title(), sum.Steps)
	}
	if set.CodeLensEntities {
		for _, l := range snap.EntityLenses(prov, doc.Path) {
			add(l.Start, l.End, l.Title, l.Steps)
		}
	}
	return append(all, fromLogs...), err
}

// stepLenses puts lenses at the paths and steps of a document.
func (s *session) stepLenses(ctx context.Context, snap *analysis.Snapshot, doc *analysis.Document) ([]protocol.CodeLens, error) {
	all := []protocol.CodeLens{}
	if !s.settings.Load().CodeLensSteps {
		return all, nil
	}
	paths, err := ask(ctx, s, snap, func(snap *analysis.Snapshot) ([]analysis.PathLens, []analysis.Need) {
		return snap.Lenses(doc, cancelled(ctx))
	})
	if err != nil {
		return nil, err
	}
	c := &converter{text: doc.Text, encoding: s.encoding}
	add := func(start, end int, title, command string, arg any) {
		raw, failed := argument(arg)
		if failed != nil {
			err = failed
			return
		}
		all = append(all, protocol.CodeLens{Range: c.span(start, end),
			Command: protocol.Command{Title: title, Command: command, Arguments: []protocol.LSPAny{raw}}})
	}
	for _, p := range paths {
		add(p.Start, p.End, p.Title, commandShow, showArgument{URI: s.spelling(doc.URI), Range: rangeOf(c.span(p.Start, p.End))})
		for _, l := range p.Steps {
			steps := showStepsArgument{URI: s.spelling(doc.URI), Steps: s.stepsJSON(l.Children[:min(len(l.Children), maxLensSteps)])}
			add(l.Start, l.End, l.Title, commandShowSteps, steps)
			if l.HasDiff {
				add(l.Start, l.End, "show diff", commandShow, showArgument{URI: s.diffURI(l.Step)})
			}
			if l.Parent != nil {
				at := s.stepLocation(*l.Parent)
				add(l.Start, l.End, "go to parent", commandShow, showArgument{URI: string(at.URI), Range: rangeOf(at.Range)})
			}
		}
	}
	return all, err
}

// signatureLenses puts a lens at each signature of a document.
func (s *session) signatureLenses(ctx context.Context, snap *analysis.Snapshot, doc *analysis.Document) (all []protocol.CodeLens, err error) {
	if !s.settings.Load().CodeLensSignatures {
		return nil, nil
	}
	c := &converter{text: doc.Text, encoding: s.encoding}
	lenses := snap.SignatureLenses(doc, time.Now(), cancelled(ctx))
	if s.keys.settle(ctx) {
		lenses = s.work.Snapshot().SignatureLenses(doc, time.Now(), cancelled(ctx))
	}
	for _, l := range lenses {
		at := c.span(l.Start, l.End)
		raw, err := argument(showArgument{URI: s.spelling(doc.URI), Range: rangeOf(at)})
		if err != nil {
			return nil, err
		}
		all = append(all, protocol.CodeLens{Range: at, Command: protocol.Command{Title: l.Title, Command: commandShow, Arguments: []protocol.LSPAny{raw}}})
	}
	return all, ctx.Err()
}
