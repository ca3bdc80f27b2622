package rules

import (
	"fmt"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/schema"
)

var unknownKind = &analysis.Rule{
	ID: "TP2501", Name: "unknown-kind", Severity: analysis.Information,
	Doc: `The kind of a path is not known

A path of a kind that is not known is treated as a generic path (RFC, "Document Kind"): nothing
is checked beyond the base format. Known are the versions 1.0.0, 1.1.0 and 1.2.0 of
https://toolpath.net/kinds/agent-coding-session/. A kind is known by its exact URI: another
host or a slash at the end makes it another kind.

## Bad

    "kind": "https://toolpath.dev/kinds/agent-coding-session/v1.0.0"

## Good

    "kind": "https://toolpath.net/kinds/agent-coding-session/v1.0.0"
`,
	Document: func(p *analysis.Pass) {
		for _, v := range kindValues(p.Model) {
			kind := v.Text()
			if !isURI(kind) || schema.SessionOf(kind) != schema.NoSession {
				continue
			}
			message := fmt.Sprintf("the kind %q is not known, so that this is treated as a path of no kind", clip(kind))
			meant := kindsMeant(kind)
			if len(meant) > 0 {
				message += "; did you mean " + meant[len(meant)-1] + "?"
			}
			offerKinds(p.Report(v, message), v, meant)
		}
	},
}
