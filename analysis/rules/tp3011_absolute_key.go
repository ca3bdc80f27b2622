package rules

import (
	"fmt"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
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
	Step: keepArtifacts,
	Document: func(p *analysis.Pass) {
		eachOddKey(p, func(path *toolpath.Path, change, key jsonsrc.Value, text string) {
			if !isAbsoluteKey(text) {
				return
			}
			d := p.Report(key, fmt.Sprintf("%q is an absolute path: a file of the project is named relative to the base, another one as file://", clip(text)))
			if name := analysis.ArtifactName(path, text); name != "" && !isAbsoluteKey(name) {
				offer(d, rewriteKey(change, key, "Name it relative to the base", name))
			} else if text[0] == '/' {
				offer(d, rewriteKey(change, key, "Write it as a file:// URL", analysis.FileURI(text)))
			}
		})
	},
}
