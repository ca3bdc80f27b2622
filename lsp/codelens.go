package lsp

import (
	"context"

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

// codeLens puts one lens at the top of a source file that documents speak of; it comes
// resolved, so that nothing flickers (LSP 3.18, textDocument/codeLens).
func codeLens(ctx context.Context, s *session, snap *analysis.Snapshot, p *protocol.CodeLensParams) ([]protocol.CodeLens, error) {
	doc := snap.Document(string(p.TextDocument.URI))
	if doc == nil || doc.Kind() != analysis.Other || !s.settings.Load().CodeLensFile {
		return []protocol.CodeLens{}, nil
	}
	prov, err := s.provenance(ctx, doc)
	if err != nil || prov == nil || len(prov.Accounts) == 0 {
		return []protocol.CodeLens{}, err
	}
	sum := prov.Summary()
	arg := showStepsArgument{URI: s.spelling(doc.URI), Steps: []stepJSON{}}
	for _, r := range sum.Steps[max(0, len(sum.Steps)-maxLensSteps):] {
		arg.Steps = append(arg.Steps, s.stepJSON(r))
	}
	raw, err := argument(arg)
	if err != nil {
		return nil, err
	}
	return []protocol.CodeLens{{
		Range: s.span(doc.Text, 0, 0),
		Command: protocol.Command{Title: sum.Title(), Command: commandShowSteps,
			Arguments: []protocol.LSPAny{raw}},
	}}, nil
}
