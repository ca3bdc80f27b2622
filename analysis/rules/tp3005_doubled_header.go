package rules

import (
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/udiff"
)

var doubledHeader = &analysis.Rule{
	ID: "TP3005", Name: "doubled-header", Severity: analysis.Hint,
	Doc: `A diff has its file header twice

A diff has one pair of --- and +++ lines before its hunks. Some derivers write a second pair
without names; patch and git apply refuse such a diff. Blame reads over it. In an agent session
only the first one is shown.

## Bad

    "raw": "--- a/x\n+++ b/x\n--- \n+++ \n@@ -1 +1 @@\n-x\n+y"

## Good

    "raw": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-x\n+y"
`,
	Needs:    diffFaults,
	Step:     diffRule("TP3005"),
	Document: oncePerSession("TP3005"),
}

// doubledHeader looks at the lines before the first hunk.
func (in *inspection) doubledHeader() {
	end := len(in.Raw)
	if len(in.Hunks) > 0 {
		end = in.Hunks[0].Header.Start
	}
	pairs := 0
	for i := 0; i < end; {
		line, next := in.lineAt(i)
		second, after := in.lineAt(min(next, end))
		if isFileHeader(in.Slice(line), "---") && next < end && isFileHeader(in.Slice(second), "+++") {
			if pairs++; pairs == 2 {
				f := in.add("TP3005", udiff.Span{Start: line.Start, End: second.End}, "the header of the file stands here once more")
				if in.Slice(line) == "--- " && in.Slice(second) == "+++ " {
					f.fix = &analysis.Fix{Title: "Remove the second header", Edits: []analysis.TextEdit{in.edit(udiff.Span{Start: line.Start, End: after}, "")}}
				}
				return
			}
			next = after
		}
		i = next
	}
}

func isFileHeader(line, mark string) bool {
	return strings.HasPrefix(line, mark) && (len(line) == len(mark) || line[len(mark)] == ' ' || line[len(mark)] == '\t')
}
