package rules

import (
	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust"
)

var noDefinedPayload = &analysis.Rule{
	ID: "TP4105", Name: "no-payload", Severity: analysis.Information,
	Doc: `It is not defined what a signature signs

The RFC says what the author of a step, the author of a path and the reviewer of a path sign, and
nothing of other scopes, of reviewers of steps and of graphs. Nor is anything signed where readers
may disagree on what is written: a key twice, a number that a double does not hold. Such a
signature is never valid.

## Bad

    {"signer": "ci:build", "key": "gpg:EFGH5678…", "scope": "ci", "sig": "…"}

## Good

    {"signer": "human:alex", "key": "gpg:EFGH5678…", "scope": "author", "sig": "…"}
`,
	Document: func(p *analysis.Pass) {
		assessed(p, trust.NoPayload, func(s trust.Signature, r trust.Result) {
			if s.Step < 0 && s.Scope() == trust.Reviewer && !s.Value.Get("timestamp").Valid() || s.Path == nil && p.Model.Lines {
				return // other rules say so
			}
			p.Report(orSignature(s, "scope"), "the signature of "+s.Target()+" cannot be verified: "+r.Reason)
		})
	},
}
