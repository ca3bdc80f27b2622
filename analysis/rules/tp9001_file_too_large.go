package rules

import (
	"fmt"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

var fileTooLarge = &analysis.Rule{
	ID: "TP9001", Name: "file-too-large", Severity: analysis.Warning,
	Doc: `The document was skipped because of its size

Documents over the size limit (setting limits.fileSize, 64 MB by default) are not read, so
that one file cannot exhaust the machine's memory. Nothing in it was checked, and no line is
attributed by it. Raise the limit, or split the session into several paths.

## Bad

A document of 100 MB with the default limit.

## Good

Two documents, the second of which continues the first (path.parent).
`,
	Document: func(p *analysis.Pass) {
		if !p.Doc.TooLarge() {
			return
		}
		p.ReportAt(0, 0, fmt.Sprintf("this document has %.1f MB, more than the limit of %.1f MB: nothing in it was checked (setting limits.fileSize)",
			float64(p.Doc.Text.Len())/(1<<20), float64(p.Doc.Limit())/(1<<20)))
	},
}
