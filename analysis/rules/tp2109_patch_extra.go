package rules

import (
	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
)

var patchExtra = &analysis.Rule{
	ID: "TP2109", Name: "patch-extra", Severity: analysis.Information,
	Doc: `Free keys stand below "extra"

An early example of the stream format put free keys of a PathMeta patch below "extra". Readers
take "extra" for a key of that name: free keys stand in the patch itself.

## Bad

    {"PathMeta": {"patch": {"extra": {"ticket": 7}}}}

## Good

    {"PathMeta": {"patch": {"ticket": 7}}}
`,
	Document: func(p *analysis.Pass) {
		eachVariant(p.Model, "PathMeta", func(body jsonsrc.Value) {
			if key, v := body.Get("patch").Member("extra"); v.Kind() == jsonsrc.Object {
				p.Report(key, "readers keep this as a key named \"extra\": free keys stand in the patch itself")
			}
		})
	},
}
