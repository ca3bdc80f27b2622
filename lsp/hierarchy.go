package lsp

import (
	"context"
	"strings"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// The lineage of steps is shown as both of LSP's hierarchies, since editors have views for
// one or the other: parents are callers and supertypes, children are callees and subtypes.

// stepData names a step in the data of an item, across edits and documents.
type stepData struct {
	URI  string `json:"uri"`
	Path string `json:"path"`
	Step string `json:"step"`
}

// item is what both hierarchies have in common.
type item struct {
	name, detail     string
	uri              uri.URI
	whole, selection protocol.Range
	data             protocol.LSPAny
}

func (s *session) item(r analysis.StepRef) (item, error) {
	at := r.At()
	data, err := argument(stepData{r.Doc.URI, r.Path.ID, at.ID})
	if err != nil {
		return item{}, err
	}
	self, id := at.Self(), at.IDValue()
	detail := at.Actor
	if intent := at.Intent(); intent != "" {
		detail += " · " + strings.Join(strings.Fields(intent), " ")
	}
	return item{at.ID, detail, uri.URI(s.spelling(r.Doc.URI)),
		s.span(r.Doc.Text, self.Start(), self.End()), s.span(r.Doc.Text, id.Start(), id.End()), data}, nil
}

func (i item) call() protocol.CallHierarchyItem {
	return protocol.CallHierarchyItem{Name: i.name, Kind: protocol.SymbolKindMethod, Detail: optional(i.detail),
		URI: i.uri, Range: i.whole, SelectionRange: i.selection, Data: i.data}
}

func (i item) kind() protocol.TypeHierarchyItem {
	return protocol.TypeHierarchyItem{Name: i.name, Kind: protocol.SymbolKindMethod, Detail: optional(i.detail),
		URI: i.uri, Range: i.whole, SelectionRange: i.selection, Data: i.data}
}

// stepAtPosition returns the item of the step at a position.
func (s *session) stepAtPosition(snap *analysis.Snapshot, key string, at protocol.Position) (*item, error) {
	doc := snap.Document(key)
	if doc == nil {
		return nil, nil
	}
	r, ok := doc.StepAt(s.offset(doc.Text, at))
	if !ok {
		return nil, nil
	}
	i, err := s.item(r)
	return &i, err
}

// stepOf finds the step that an item's data names, in the newest text of its document.
func (s *session) stepOf(ctx context.Context, data protocol.LSPAny) (analysis.StepRef, bool, error) {
	var d stepData
	if err := json.Unmarshal(data, &d, lenient); err != nil {
		return analysis.StepRef{}, false, err
	}
	return s.findStep(ctx, d)
}

func (s *session) findStep(ctx context.Context, d stepData) (analysis.StepRef, bool, error) {
	doc, err := s.document(ctx, d.URI)
	if doc == nil || err != nil {
		return analysis.StepRef{}, false, err
	}
	r, ok := doc.FindStep(d.Path, d.Step)
	return r, ok, nil
}

// document returns a document by its URI, reading it if the client does not have it open;
// nil if there is none.
func (s *session) document(ctx context.Context, key string) (*analysis.Document, error) {
	doc := s.work.Snapshot().Document(key)
	if path := analysis.FilePath(key); doc == nil && path != "" && s.opts.Source != nil {
		if err := s.work.Fetch(ctx, s.opts.Source, []analysis.Need{{Document: path}}); err != nil {
			return nil, err
		}
		doc = s.work.Snapshot().Held(path)
	}
	return doc, nil
}

// parents returns the items of a step's parents, reading other documents for that.
func (s *session) parents(ctx context.Context, data protocol.LSPAny) ([]item, error) {
	r, ok, err := s.stepOf(ctx, data)
	if !ok || err != nil {
		return nil, err
	}
	steps, err := ask(ctx, s, s.work.Snapshot(), func(snap *analysis.Snapshot) ([]analysis.StepRef, []analysis.Need) { return snap.Parents(r) })
	if err != nil {
		return nil, err
	}
	return s.items(steps)
}

func (s *session) children(ctx context.Context, data protocol.LSPAny) ([]item, error) {
	r, ok, err := s.stepOf(ctx, data)
	if !ok || err != nil {
		return nil, err
	}
	s.awaitLoad(ctx)
	steps, err := ask(ctx, s, s.work.Snapshot(), func(snap *analysis.Snapshot) ([]analysis.StepRef, []analysis.Need) { return snap.Children(r) })
	if err != nil {
		return nil, err
	}
	return s.items(steps)
}

func (s *session) items(steps []analysis.StepRef) ([]item, error) {
	var all []item
	for _, r := range steps {
		i, err := s.item(r)
		if err != nil {
			return nil, err
		}
		all = append(all, i)
	}
	return all, nil
}
