package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// prepareCallHierarchy returns the step at a position (LSP 3.18,
// textDocument/prepareCallHierarchy).
func prepareCallHierarchy(_ context.Context, s *session, snap *analysis.Snapshot, p *protocol.CallHierarchyPrepareParams) ([]protocol.CallHierarchyItem, error) {
	i, err := s.stepAtPosition(snap, string(p.TextDocument.URI), p.Position)
	if i == nil || err != nil {
		return nil, err
	}
	return []protocol.CallHierarchyItem{i.call()}, nil
}

// incomingCalls returns a step's parents.
func incomingCalls(ctx context.Context, s *session, _ *analysis.Snapshot, p *protocol.CallHierarchyIncomingCallsParams) ([]protocol.CallHierarchyIncomingCall, error) {
	items, err := s.parents(ctx, p.Item.Data)
	all := []protocol.CallHierarchyIncomingCall{}
	for _, i := range items {
		all = append(all, protocol.CallHierarchyIncomingCall{From: i.call(), FromRanges: []protocol.Range{i.selection}})
	}
	return all, err
}

// outgoingCalls returns a step's children.
func outgoingCalls(ctx context.Context, s *session, _ *analysis.Snapshot, p *protocol.CallHierarchyOutgoingCallsParams) ([]protocol.CallHierarchyOutgoingCall, error) {
	items, err := s.children(ctx, p.Item.Data)
	all := []protocol.CallHierarchyOutgoingCall{}
	for _, i := range items {
		all = append(all, protocol.CallHierarchyOutgoingCall{To: i.call(), FromRanges: []protocol.Range{p.Item.SelectionRange}})
	}
	return all, err
}
