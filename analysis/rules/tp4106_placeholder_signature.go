package rules

import (
	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust"
)

var placeholderSignature = &analysis.Rule{
	ID: "TP4106", Name: "placeholder-signature", Severity: analysis.Hint,
	Doc: `A signature is a placeholder

Nothing, dots, or a text that was cut short stands where a signature would be. Nobody has signed.

## Bad

    "sig": "-----BEGIN PGP SIGNATURE-----\n..."

## Good

    "sig": "-----BEGIN PGP SIGNATURE-----\n\niHUEABYKAB0WIQ…\n-----END PGP SIGNATURE-----\n"
`,
	Document: func(p *analysis.Pass) {
		assessed(p, trust.Placeholder, func(s trust.Signature, _ trust.Result) {
			p.Report(sigKey(s), "this is the place of a signature, not one: nobody has signed "+s.Target())
		})
	},
}
