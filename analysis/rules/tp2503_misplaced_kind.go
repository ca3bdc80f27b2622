package rules

import (
	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
)

var misplacedKind = &analysis.Rule{
	ID: "TP2503", Name: "misplaced-kind", Severity: analysis.Warning,
	Doc: `A kind stands where no path is

Only paths have a kind (RFC, "Meta Object"). In the metadata of a step or of the graph it is an
unknown key that says nothing.

## Bad

    {"step": {"id": "step-001", …}, "meta": {"kind": "https://toolpath.net/kinds/agent-coding-session/v1.1.0"}}

## Good

    {"path": {"id": "pr-1", …}, "meta": {"kind": "https://toolpath.net/kinds/agent-coding-session/v1.1.0"}}
`,
	Step: func(p *analysis.StepPass) {
		reportKind(p.Report, p.Step.Value(p.Step.Nodes.Meta), "a step")
	},
	Document: func(p *analysis.Pass) {
		if p.Model != nil {
			reportKind(reporting(p), p.Model.Meta, "a graph")
		}
	},
}

func reportKind(report reporter, meta jsonsrc.Value, of string) {
	key, _ := meta.Member("kind")
	if !key.Valid() {
		return
	}
	d := report(key, of+` has no kind: "kind" belongs in the metadata of a path`)
	if e, ok := removeMember(meta, "kind"); ok {
		d.Fix(analysis.Fix{Title: `Remove "kind"`, Edits: []analysis.TextEdit{e}})
	}
}
