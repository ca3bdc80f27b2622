package rules

import (
	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust"
)

var keyNotInForce = &analysis.Rule{
	ID: "TP4103", Name: "key-not-in-force", Severity: analysis.Warning,
	Doc: `The key of a signature has expired or was revoked

The signature matches what the document says, but its key, its line in allowed_signers or the
signature itself is not in force today, or the key was revoked. When it was made nobody can prove,
so that it counts no more.

## Bad

    {"signer": "human:bob", "key": "gpg:EFGH5678…", …}   (a key that expired last year)

## Good

Have the signer extend the key, or sign again with one that is in force.
`,
	Document: func(p *analysis.Pass) {
		report := func(s trust.Signature, r trust.Result) {
			p.Report(orSignature(s, "key"), "the signature of "+s.Target()+" matches, but "+r.Reason)
		}
		assessed(p, trust.Expired, report)
		assessed(p, trust.Revoked, report)
	},
}
