package rules

import (
	"fmt"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

var absoluteKey = &analysis.Rule{
	ID: "TP3011", Name: "absolute-key", Severity: analysis.Hint,
	Doc: `An artifact key is an absolute path

Files of the project are named relative to the root of the base, others by a URL, file:///… for
one of this machine (RFC, "Artifacts"). An absolute path is right on one machine only. In agent
sessions, whose tools use absolute paths, nothing is said.

## Bad

    "/home/alex/repo/src/a.go": {"raw": "…"}

## Good

    "src/a.go": {"raw": "…"}
`,
	Needs: artifacts,
	Step:  keepArtifacts,
	Document: func(p *analysis.Pass) {
		eachOddKey(p, func(k oddKey) {
			if !isAbsoluteKey(k.text) {
				return
			}
			d := p.Report(k.key, fmt.Sprintf("%q is an absolute path: a file of the project is named relative to the base, another one as file://", clip(k.text)))
			if name := analysis.ArtifactName(k.path, k.text); name != "" && !isAbsoluteKey(name) {
				offer(d, k.rewrite("Name it relative to the base", name))
			} else if k.text[0] == '/' {
				offer(d, k.rewrite("Write it as a file:// URL", analysis.FileURI(k.text)))
			}
		})
	},
}
