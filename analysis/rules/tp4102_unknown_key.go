package rules

import (
	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust"
)

var unknownKey = &analysis.Rule{
	ID: "TP4102", Name: "unknown-key", Severity: analysis.Information,
	Doc: `The key of a signature is not known here

Without the public key a signature proves nothing. Keys are read from GnuPG's keyring, ~/.ssh,
allowed_signers, the setting toolpath.trust.keys, and .toolpath/keys of the repository; never from
the network by itself.

## Bad

    {"signer": "human:bob", "key": "gpg:EFGH5678…", …}   (and nobody has given that key)

## Good

    gpg --import bob.asc, or put bob.asc in .toolpath/keys, or: toolpath-ls keys fetch DOC
`,
	Document: func(p *analysis.Pass) {
		assessed(p, trust.KeyUnknown, func(s trust.Signature, r trust.Result) {
			p.Report(orSignature(s, "key"), "the signature of "+s.Target()+" is not verified: "+r.Reason)
		})
	},
}
