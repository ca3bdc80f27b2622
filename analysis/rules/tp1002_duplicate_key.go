package rules

import (
	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
)

var duplicateKey = &analysis.Rule{
	ID: "TP1002", Name: "duplicate-key", Severity: analysis.Error,
	Doc: `A key stands twice in one object

Readers of JSON keep one of the two values and drop the other without a word; which one,
differs. A signature over such an object means nothing.

## Bad

    {"change": {"src/a.go": {"raw": "…"}, "src/a.go": {"raw": "…"}}}

## Good

    {"change": {"src/a.go": {"raw": "…"}, "src/b.go": {"raw": "…"}}}
`,
	Document: func(p *analysis.Pass) {
		reportErrors(p, func(c jsonsrc.Code) bool { return c == jsonsrc.DuplicateKey })
	},
}
