package rules

import (
	"strings"

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
				d := p.Report(key, "readers keep this as a key named \"extra\": free keys stand in the patch itself")
				if inner := strings.TrimSpace(string(v.Bytes())); v.Closed() && len(inner) > 2 && strings.TrimSpace(inner[1:len(inner)-1]) != "" && !shareKey(v, body.Get("patch")) {
					d.Fix(analysis.Fix{Title: "Lift the keys out of it", Edits: []analysis.TextEdit{
						{Start: key.Start(), End: v.End(), New: strings.TrimSpace(inner[1 : len(inner)-1])}}})
				}
			}
		})
	},
}

// shareKey says whether two objects have a key in common.
func shareKey(a, b jsonsrc.Value) bool {
	keys := map[string]bool{}
	for k := range a.Members() {
		keys[k.Text()] = true
	}
	for k := range b.Members() {
		if keys[k.Text()] {
			return true
		}
	}
	return false
}
