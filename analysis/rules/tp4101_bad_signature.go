package rules

import (
	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust"
)

var badSignature = &analysis.Rule{
	ID: "TP4101", Name: "bad-signature", Severity: analysis.Error,
	Doc: `A signature is not one of what the document says

The content that is signed was changed after it was signed, or the signature was; or the
signature was made by another key than it names, or cannot be read. What is signed, and how, is in
docs/trust.md.

## Bad

    "change": {"a.txt": {"raw": "…edited since…"}}, "meta": {"signatures": [{"scope": "author", …}]}

## Good

Take the change back, or have the signer sign again: ` + "`toolpath-ls sign`" + `.
`,
	Document: func(p *analysis.Pass) {
		assessed(p, trust.Bad, func(s trust.Signature, r trust.Result) {
			p.Report(sigKey(s), "the signature of "+s.Target()+" is bad: "+r.Reason)
		})
	},
}
