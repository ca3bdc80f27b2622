package rules

import (
	"fmt"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/udiff"
)

var gluedMarker = &analysis.Rule{
	ID: "TP3008", Name: "glued-marker", Severity: analysis.Hint,
	Doc: `A character of the deriver is glued to the last line of a file

Where a file has no line end at its end, a deriver of git histories writes one character too
much before the no-newline marker: ">" behind a removed line, "<" behind an added one. Blame tries
the line with and without it. A line that really ends so looks the same.

## Bad

    "raw": "@@ -1 +1 @@\n-x>\n\\ No newline at end of file\n+y"   (of a step with source type git)

## Good

    "raw": "@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+y"
`,
	Needs: diffFaults,
	Step:  loudDiffRule("TP3008"),
}

func (in *inspection) glued(l udiff.Line) {
	if _, ok := in.Unglued(l); !ok || !in.step.Value(in.step.Nodes.Meta).Get("source").Get("type").Is("git") {
		return
	}
	at := udiff.Span{Start: l.Span().End - 1, End: l.Span().End}
	f := in.add("TP3008", at, fmt.Sprintf("this %q is probably not of the file: a deriver of git histories glues it to a last line without line end", in.Slice(at)))
	f.fix = &analysis.Fix{Title: "Remove the character", Edits: []analysis.TextEdit{in.edit(at, "")}}
}
