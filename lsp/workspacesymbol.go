package lsp

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// maxWorkspaceSymbols bounds the answer; the best matches come first.
const maxWorkspaceSymbols = 200

// workspaceSymbol finds steps of all documents by id, intent or actor (LSP 3.18,
// workspace/symbol). A step of a document that is not open is located by its line.
func workspaceSymbol(ctx context.Context, s *session, _ *analysis.Snapshot, p *protocol.WorkspaceSymbolParams) (protocol.WorkspaceSymbolResult, error) {
	all := protocol.SymbolInformationSlice{}
	s.awaitLoad(ctx)
	for _, f := range s.work.Snapshot().FindSteps(p.Query, maxWorkspaceSymbols, func() bool { return ctx.Err() != nil }) {
		container := f.Actor
		if f.Intent != "" {
			container += " · " + strings.Join(strings.Fields(f.Intent), " ")
		}
		at := protocol.Range{Start: protocol.Position{Line: uint32(f.Line)}, End: protocol.Position{Line: uint32(f.Line)}}
		if f.Doc != nil {
			at = s.span(f.Doc.Text, f.Start, f.End)
		}
		all = append(all, protocol.SymbolInformation{
			BaseSymbolInformation: protocol.BaseSymbolInformation{Name: f.ID, Kind: protocol.SymbolKindMethod, ContainerName: optional(container)},
			Location:              protocol.Location{URI: uri.URI(s.spelling(f.URI)), Range: at}})
	}
	return all, ctx.Err()
}
