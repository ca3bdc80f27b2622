package rules

import (
	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust"
)

var signedOtherwise = &analysis.Rule{
	ID: "TP4107", Name: "signed-otherwise", Severity: analysis.Information,
	Doc: `A valid signature is not made as the RFC says

The RFC signs the SHA-256 of the canonical form, whose keys are sorted by UTF-8 bytes. This
signature is one of the canonical bytes themselves, or of keys sorted by UTF-16 units as RFC 8785
has it: it proves as much, but other verifiers may refuse it.

## Bad

    printf '{"change":…}' | gpg --detach-sign

## Good

    toolpath-ls digest DOC --step s1 --format digest | gpg --detach-sign
`,
	Document: func(p *analysis.Pass) {
		assessed(p, trust.Valid, func(s trust.Signature, r trust.Result) {
			for _, note := range r.Notes() {
				p.Report(sigKey(s), "the signature of "+s.Target()+" is valid, but "+note)
			}
		})
	},
}
