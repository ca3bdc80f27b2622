package rules

import (
	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
)

var deepNesting = &analysis.Rule{
	ID: "TP1003", Name: "deep-nesting", Severity: analysis.Warning,
	Doc: `Values are nested deeper than other readers take

The format's own parser refuses a document in which arrays and objects are nested deeper than
128 levels. Such depth is legal JSON, and this server reads up to 512 levels, but nobody else
may read the document.

## Bad

    {"meta": {"extra": [[[[ …more than 128 levels… ]]]]}}

## Good

    {"meta": {"extra": "a string that holds the deep value as JSON"}}
`,
	Document: func(p *analysis.Pass) {
		reportErrors(p, func(c jsonsrc.Code) bool { return c == jsonsrc.DeepNesting })
	},
}
