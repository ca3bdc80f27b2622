package rules

import (
	"github.com/toolpath-ls/toolpath-ls/analysis"
)

var emptyDiff = &analysis.Rule{
	ID: "TP3007", Name: "empty-diff", Severity: analysis.Hint,
	Doc: `A diff is empty

An empty raw says that something happened to the file and not what. Where the structural
perspective says it, raw is left out; a change that only touches a file has no diff.

## Bad

    "src/a.go": {"raw": "", "structural": {"type": "file.write", "operation": "add"}}

## Good

    "src/a.go": {"structural": {"type": "file.write", "operation": "add"}}
`,
	Needs:    diffFaults,
	Step:     diffRule("TP3007"),
	Document: oncePerSession("TP3007"),
}

func (in *inspection) emptyDiff() {
	f := fault{rule: "TP3007", start: in.raw.Start(), end: in.raw.End(), message: "the diff is empty: it does not say what changed"}
	if in.change.Get("structural").Valid() {
		if e, ok := removeMember(in.change, "raw"); ok {
			f.fix = &analysis.Fix{Title: `Leave "raw" out`, Edits: []analysis.TextEdit{e}}
		}
	}
	in.faults = append(in.faults, f)
}
