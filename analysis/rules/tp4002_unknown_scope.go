package rules

import (
	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/schema"
)

var unknownScope = &analysis.Rule{
	ID: "TP4002", Name: "unknown-scope", Severity: analysis.Warning,
	Doc: `A signature's scope is none that the format names

Scopes are author, reviewer, witness, ci and release. The RFC leaves the list open ("etc."),
but the published schema does not, and no verifier knows what a signature of another scope
signs.

## Bad

    {"signer": "human:bob", "key": "gpg:EFGH5678", "scope": "approver", "sig": "…"}

## Good

    {"signer": "human:bob", "key": "gpg:EFGH5678", "scope": "reviewer", "sig": "…"}
`,
	Document: func(p *analysis.Pass) { documentProblems(p, only(schema.UnknownScope)) },
	Needs:    misshapen,
	Step:     func(p *analysis.StepPass) { stepProblems(p, only(schema.UnknownScope)) },
}
