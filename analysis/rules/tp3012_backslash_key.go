package rules

import (
	"fmt"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

var backslashKey = &analysis.Rule{
	ID: "TP3012", Name: "backslash-key", Severity: analysis.Hint,
	Doc: `An artifact key has backslashes

Artifact keys are URLs and paths with slashes (RFC, "Artifacts"). With backslashes a file of the
project has another name on every other system. In agent sessions nothing is said.

## Bad

    "src\\main.rs": {"raw": "…"}

## Good

    "src/main.rs": {"raw": "…"}
`,
	Needs: artifacts,
	Step:  keepArtifacts,
	Document: func(p *analysis.Pass) {
		eachOddKey(p, func(k oddKey) {
			if !strings.Contains(k.text, `\`) || isAbsoluteKey(k.text) {
				return
			}
			d := p.Report(k.key, fmt.Sprintf("the key %q has backslashes: paths are written with slashes", clip(k.text)))
			offer(d, k.rewrite("Write slashes", strings.ReplaceAll(k.text, `\`, "/")))
		})
	},
}
