package rules

import (
	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/schema"
)

var unknownVersion = &analysis.Rule{
	ID: "TP2102", Name: "unknown-version", Severity: analysis.Warning,
	Doc: `A stream of a version that is not known

The one version of ".path.jsonl" is "1". A reader that meets another one reads on, but may
misread.

## Bad

    {"PathOpen": {"version": "2", "id": "p"}}

## Good

    {"PathOpen": {"version": "1", "id": "p"}}
`,
	Document: func(p *analysis.Pass) { documentProblems(p, only(schema.UnknownVersion)) },
	Needs:    misshapen,
	Step:     func(p *analysis.StepPass) { stepProblems(p, only(schema.UnknownVersion)) },
}
