package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// prepareTypeHierarchy returns the step at a position (LSP 3.18,
// textDocument/prepareTypeHierarchy).
func prepareTypeHierarchy(_ context.Context, s *session, snap *analysis.Snapshot, p *protocol.TypeHierarchyPrepareParams) ([]protocol.TypeHierarchyItem, error) {
	i, err := s.stepAtPosition(snap, string(p.TextDocument.URI), p.Position)
	if i == nil || err != nil {
		return nil, err
	}
	return []protocol.TypeHierarchyItem{i.kind()}, nil
}

// supertypes returns a step's parents.
func supertypes(ctx context.Context, s *session, _ *analysis.Snapshot, p *protocol.TypeHierarchySupertypesParams) ([]protocol.TypeHierarchyItem, error) {
	items, err := s.parents(ctx, p.Item.Data)
	return kinds(items), err
}

// subtypes returns a step's children.
func subtypes(ctx context.Context, s *session, _ *analysis.Snapshot, p *protocol.TypeHierarchySubtypesParams) ([]protocol.TypeHierarchyItem, error) {
	items, err := s.children(ctx, p.Item.Data)
	return kinds(items), err
}

func kinds(items []item) []protocol.TypeHierarchyItem {
	all := []protocol.TypeHierarchyItem{}
	for _, i := range items {
		all = append(all, i.kind())
	}
	return all
}
