package rules

import (
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/udiff"
)

var noReplay = &analysis.Rule{
	ID: "TP3002", Name: "no-replay", Severity: analysis.Hint,
	Doc: `A diff cannot be replayed

raw is a unified diff (RFC, "Change Perspectives"). Dots in place of lines, words in place of a
diff, a hunk header without numbers or without lines tell a reader what happened, but the file
after the step does not follow from them: from there on lines are shown as not recorded. In an
agent session only the first such diff is shown.

## Bad

    "raw": "@@ -1,5 +1,25 @@\n use std::error::Error;\n+..."

## Good

    "raw": "@@ -1,1 +1,2 @@\n use std::error::Error;\n+use std::fmt;"
`,
	Needs:    diffFaults,
	Step:     diffRule("TP3002"),
	Document: oncePerSession("TP3002"),
}

// unreplayableWords say what keeps a diff from being replayed. What is missing here has a
// rule of its own.
var unreplayableWords = map[udiff.IssueKind]string{
	udiff.TooLong:      "the diff is too long to be read",
	udiff.NoHunk:       "this is no unified diff: it has no hunk",
	udiff.EmptyHunk:    "this hunk has no lines",
	udiff.Elided:       "lines are left out here",
	udiff.Prose:        "this is no line of a diff",
	udiff.BinaryChange: "a binary file's content is not in the diff",
	udiff.Combined:     "a diff against several parents (@@@) has no one text before it",
}

func (in *inspection) unreplayable() {
	said := -1
	for _, issue := range in.Issues {
		words, ok := unreplayableWords[issue.Kind]
		if !ok {
			continue
		}
		if issue.Kind == udiff.EmptyHunk && in.Hunks[issue.Hunk].Numbers == udiff.NumbersAbsent {
			words = "this is no unified diff: it has neither line numbers nor lines"
		}
		in.add("TP3002", issue.Span, words+": the diff cannot be replayed")
		said = issue.Hunk
	}
	for i := range in.Hunks {
		h := &in.Hunks[i]
		if h.Numbers == udiff.NumbersStated || i == said || strings.HasPrefix(in.Slice(h.Header), "@@@") {
			continue
		}
		in.add("TP3002", h.Header, "this hunk header has no line numbers (@@ -1,3 +1,4 @@): the diff can be replayed only where its lines are found")
	}
}
