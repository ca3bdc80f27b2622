package rules

import (
	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

var reviewWithoutTime = &analysis.Rule{
	ID: "TP4007", Name: "review-without-time", Severity: analysis.Warning,
	Doc: `A reviewer's signature has no timestamp

What a reviewer signs is {head, path_id, reviewed_at}, and reviewed_at is the timestamp of the
signature (RFC, "Path Signature (Reviewer)"). Without it the signature cannot be verified.

## Bad

    {"signer": "human:bob", "key": "gpg:EFGH5678", "scope": "reviewer", "sig": "…"}

## Good

    {"signer": "human:bob", "key": "gpg:EFGH5678", "scope": "reviewer", "timestamp": "2026-01-29T16:00:00Z", "sig": "…"}
`,
	Document: func(p *analysis.Pass) {
		eachSignature(p.Model, func(_ *toolpath.Path, sig jsonsrc.Value, _ toolpath.ActorDefinition, _ bool) {
			if scope := sig.Get("scope"); scope.Is("reviewer") && !sig.Get("timestamp").Valid() {
				p.Report(scope, "a reviewer signs the time of the review: without a timestamp this signature cannot be verified")
			}
		})
	},
}
