package rules

import (
	"fmt"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

var foreignKey = &analysis.Rule{
	ID: "TP4006", Name: "foreign-key", Severity: analysis.Warning,
	Doc: `The key of a signature is none of its signer's

key names a key of the signer as "type:fingerprint". It is compared without white space, letter
case and "0x"; the short form of a fingerprint, its last digits, is accepted.

## Bad

    "key": "gpg:EFGH5678"   (and the signer's keys are ABCD1234)

## Good

    "key": "gpg:ABCD1234"
`,
	Document: func(p *analysis.Pass) {
		eachSignature(p.Model, func(sig jsonsrc.Value, def toolpath.ActorDefinition, defined bool) {
			key := sig.Get("key")
			keys := def.Value.Get("keys")
			if !defined || key.Kind() != jsonsrc.String || keys.Kind() != jsonsrc.Array {
				return
			}
			for _, k := range keys.Elements() {
				if sameFingerprint(key.Text(), k.Get("type").Text()+":"+k.Get("fingerprint").Text()) {
					return
				}
			}
			p.Report(key, fmt.Sprintf("%q is none of the keys that %s has in its definition", clip(key.Text()), clip(sig.Get("signer").Text())),
				analysis.RelatedTo(keys, "the signer's keys"))
		})
	},
}

// sameFingerprint compares two keys "type:fingerprint". The fingerprints of SSH keys are in
// base64, where case counts.
func sameFingerprint(a, b string) bool {
	ta, fa, _ := strings.Cut(a, ":")
	tb, fb, _ := strings.Cut(b, ":")
	if !strings.EqualFold(strings.TrimSpace(ta), strings.TrimSpace(tb)) {
		return false
	}
	if strings.EqualFold(strings.TrimSpace(ta), "ssh") {
		return strings.Join(strings.Fields(fa), "") == strings.Join(strings.Fields(fb), "")
	}
	fa, fb = bareFingerprint(fa), bareFingerprint(fb)
	const short = 8
	return fa == fb || len(fa) >= short && strings.HasSuffix(fb, fa) || len(fb) >= short && strings.HasSuffix(fa, fb)
}

func bareFingerprint(s string) string {
	s = strings.ToUpper(strings.NewReplacer(" ", "", "\t", "", ":", "").Replace(s))
	return strings.TrimPrefix(s, "0X")
}
