package rules

import (
	"fmt"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
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
	Step: keepArtifacts,
	Document: func(p *analysis.Pass) {
		eachOddKey(p, func(_ *toolpath.Path, change, key jsonsrc.Value, text string) {
			if !strings.Contains(text, `\`) || isAbsoluteKey(text) {
				return
			}
			d := p.Report(key, fmt.Sprintf("the key %q has backslashes: paths are written with slashes", clip(text)))
			offer(d, rewriteKey(change, key, "Write slashes", strings.ReplaceAll(text, `\`, "/")))
		})
	},
}
