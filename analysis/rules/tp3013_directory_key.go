package rules

import (
	"fmt"
	"path"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

var directoryKey = &analysis.Rule{
	ID: "TP3013", Name: "directory-key", Severity: analysis.Hint,
	Doc: `An artifact key names a folder or nothing

A change is of one artifact, such as a file (RFC, "Artifacts"). A folder has no lines; the files
in it that changed each have a key. In agent sessions nothing is said.

## Bad

    "src/": {"raw": "…"}

## Good

    "src/a.go": {"raw": "…"}
`,
	Needs: artifacts,
	Step:  keepArtifacts,
	Document: func(p *analysis.Pass) {
		eachOddKey(p, func(k oddKey) {
			switch name := strings.ReplaceAll(k.text, `\`, "/"); {
			case name == "":
				p.Report(k.key, "an empty artifact key names nothing")
			case namesFolder(name):
				p.Report(k.key, fmt.Sprintf("%q names a folder: a change is of one file", clip(k.text)))
			}
		})
	},
}

// namesFolder says whether a key can only name a folder, whatever is there.
func namesFolder(name string) bool {
	return strings.HasSuffix(name, "/") || path.Base(name) == "." || path.Base(name) == ".." && !leavesRoot(name)
}
