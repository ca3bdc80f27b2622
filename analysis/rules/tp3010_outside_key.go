package rules

import (
	"fmt"
	"path"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

var outsideKey = &analysis.Rule{
	ID: "TP3010", Name: "outside-key", Severity: analysis.Warning,
	Doc: `An artifact key leads out of the repository

A relative key is a file below the root of the base (RFC, "Artifacts"). With ".." it leads out of
it: on another machine it names another file or none, and a tool that applies the diffs would
write there. In agent sessions, whose tools write such paths, it is an information.

## Bad

    "../other/a.go": {"raw": "…"}

## Good

    "file:///home/alex/other/a.go": {"raw": "…"}
`,
	Needs: artifacts,
	Step:  keepArtifacts,
	Document: func(p *analysis.Pass) {
		for _, k := range p.Kept["artifacts"] {
			for _, a := range k.Fact.([]artifact) {
				if !a.outside {
					continue
				}
				d := p.Report(k.At().Value(a.node), fmt.Sprintf("%q leads out of the repository: a relative key is a file below its root", clip(a.text)))
				if k.Path.IsAgentSession() {
					d.As(analysis.Information)
				}
			}
		}
	},
}

// leavesRoot says whether a relative key names something above the root.
func leavesRoot(key string) bool {
	if isAbsoluteKey(key) || strings.Contains(key, "://") {
		return false
	}
	key = path.Clean(strings.ReplaceAll(key, `\`, "/"))
	return key == ".." || strings.HasPrefix(key, "../")
}
