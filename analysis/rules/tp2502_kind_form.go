package rules

import (
	"fmt"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

var kindForm = &analysis.Rule{
	ID: "TP2502", Name: "kind-form", Severity: analysis.Warning,
	Doc: `The kind of a path is no URI

meta.kind is a URI that names a specification and its version (RFC, "Document Kind"). Readers
compare it as it is, so that a name alone is understood by none.

## Bad

    "kind": "agent-coding-session"

## Good

    "kind": "https://toolpath.net/kinds/agent-coding-session/v1.1.0"
`,
	Document: func(p *analysis.Pass) {
		for _, v := range kindValues(p.Model) {
			kind := v.Text()
			if isURI(kind) {
				continue
			}
			d := p.Report(v, fmt.Sprintf("the kind %q is no URI; a kind is written as https://toolpath.net/kinds/agent-coding-session/v1.1.0, with its version", clip(kind)))
			offerKinds(d, v, kindsMeant(kind))
		}
	},
}

// isURI says whether s has a scheme, something behind it, and only characters that a URI
// has (RFC 3986).
func isURI(s string) bool {
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok || scheme == "" || rest == "" || !isLetter(scheme[0]) {
		return false
	}
	for _, c := range []byte(scheme) {
		if !isLetter(c) && (c < '0' || c > '9') && c != '+' && c != '-' && c != '.' {
			return false
		}
	}
	return strings.IndexFunc(rest, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune("\"<>\\^`{|}", r)
	}) < 0
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
