package rules

import (
	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
)

var emptyPath = &analysis.Rule{
	ID: "TP2403", Name: "empty-path", Severity: analysis.Hint,
	Doc: `A path has no steps

A path without steps says nothing of any file. Derivers write one for a session in which nothing
happened.

## Bad

    {"path": {"id": "p", "head": ""}, "steps": []}

## Good

    {"path": {"id": "p", "head": "s1"}, "steps": [{"step": {"id": "s1", …}, …}]}
`,
	Document: func(p *analysis.Pass) {
		if p.Model == nil || p.Model.Lines {
			return
		}
		for _, path := range p.Model.Paths {
			if steps := path.Value.Get("steps"); steps.Kind() == jsonsrc.Array && path.Steps.Len() == 0 {
				p.Report(steps, "this path has no steps")
			}
		}
	},
}
