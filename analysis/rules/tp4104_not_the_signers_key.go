package rules

import (
	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust"
)

var notTheSignersKey = &analysis.Rule{
	ID: "TP4104", Name: "not-the-signers-key", Severity: analysis.Warning,
	Doc: `A signature is by a key that is not given to its signer

The signature matches, but the document names the key by its last 8 digits only, which others can
imitate, or allowed_signers gives the key to somebody else. A key that the document does not list
for the signer at all is reported by TP4006.

## Bad

    "actors": {"human:alex": {"keys": [{"type": "gpg", "fingerprint": "ABCD1234"}]}}

## Good

    "actors": {"human:alex": {"keys": [{"type": "gpg", "fingerprint": "0123456789ABCDEF0123456789ABCDEFABCD1234"}]}}
`,
	Document: func(p *analysis.Pass) {
		assessed(p, trust.KeyNotOfSigner, func(s trust.Signature, r trust.Result) {
			if _, def, _ := s.Signer(); newKeyRing(def.Value.Get("keys")).has(s.Value.Get("key").Text()) { // else TP4006
				p.Report(orSignature(s, "signer"), "the signature of "+s.Target()+" is not the signer's: "+r.Reason)
			}
		})
	},
}
