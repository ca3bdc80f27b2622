package rules

import (
	"fmt"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

var unknownHead = &analysis.Rule{
	ID: "TP2006", Name: "unknown-head", Severity: analysis.Error,
	Doc: `The head names no step of the path

path.head is the step that the path has come to (RFC, "Path Object"). Without it nothing is
active: every step would be a dead end, and nothing can be said of who wrote what.

## Bad

    {"path": {"id": "pr-1", "head": "step-9"}, "steps": [{"step": {"id": "step-001", …}, …}]}

## Good

    {"path": {"id": "pr-1", "head": "step-001"}, "steps": [{"step": {"id": "step-001", …}, …}]}
`,
	Document: func(p *analysis.Pass) {
		if p.Model == nil {
			return
		}
		guesses := 100_000
		for _, path := range p.Model.Paths {
			if !path.HeadVal.Valid() || path.DAG().Head >= 0 {
				continue
			}
			if path.Steps.Len() == 0 {
				p.Report(path.HeadVal, fmt.Sprintf("the head %q names no step: the path has none", path.Head))
				continue
			}
			message, near, _ := unknownStep("head", path.Head, path, guesses > 0)
			d := p.Report(path.HeadVal, message)
			if near == "" {
				near = inferredHead(path)
			}
			if near != "" {
				d.Fix(writeInstead(path.HeadVal, near))
			}
			guesses -= min(path.Steps.Len(), maxCandidates)
		}
	},
}

// inferredHead is the id of the one step that no other has as a parent, "" if there are several or none.
func inferredHead(path *toolpath.Path) string {
	if tips := path.Tips(); len(tips) == 1 {
		return path.Steps.At(tips[0]).ID
	}
	return ""
}
