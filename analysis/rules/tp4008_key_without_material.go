package rules

import (
	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
)

var keyWithoutMaterial = &analysis.Rule{
	ID: "TP4008", Name: "key-without-material", Severity: analysis.Hint,
	Doc: `A key has no place to get it from

A key of an actor has a type and a fingerprint; href tells where the public key is. Without it a
verifier must have the key already.

## Bad

    {"type": "gpg", "fingerprint": "ABCD 1234"}

## Good

    {"type": "gpg", "fingerprint": "ABCD 1234", "href": "https://keys.openpgp.org/vks/v1/by-fingerprint/ABCD1234"}
`,
	Document: func(p *analysis.Pass) {
		for _, meta := range metas(p.Model) {
			for _, def := range meta.Get("actors").Members() {
				checkKeys(p, def)
			}
		}
		eachVariant(p.Model, "ActorDef", func(body jsonsrc.Value) { checkKeys(p, body.Get("definition")) })
	},
}

func checkKeys(p *analysis.Pass, def jsonsrc.Value) {
	for _, key := range def.Get("keys").Elements() {
		if fp := key.Get("fingerprint"); fp.Kind() == jsonsrc.String && !key.Get("href").Valid() && !key.Get("type").Is("sigstore") {
			p.Report(fp, "no href says where the public key can be had; a verifier must have it already")
		}
	}
}
