package rules

import (
	"fmt"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

var snippetDiff = &analysis.Rule{
	ID: "TP3009", Name: "snippet-diff", Severity: analysis.Hint,
	Doc: `The diff of an edit counts its lines from the text that was replaced

The deriver of Claude sessions writes the diff of a tool that replaces one text by another (Edit,
MultiEdit) without the file around it: its line numbers start at 1, and its no-newline markers
speak of the end of the text. Blame looks for the replaced text instead. Only the first such
diff of a session is shown.

## Bad

    {"raw": "@@ -1 +1 @@\n-old\n\\ No newline at end of file\n+new\n\\ No newline at end of file",
     "structural": {"type": "file.write", "tool": "Edit"}}

## Good

    {"raw": "@@ -41,3 +41,3 @@\n before\n-old\n+new\n after", "structural": {"type": "file.write", "tool": "Edit"}}
`,
	Needs:    diffFaults,
	Step:     diffRule("TP3009"),
	Document: oncePerSession("TP3009"),
}

func (in *inspection) snippet() {
	tool := in.change.Get("structural").Get("tool")
	if !in.session || len(in.Hunks) == 0 || in.Hunks[0].Old.Start > 1 || !tool.Is("Edit") && !tool.Is("MultiEdit") {
		return
	}
	body := in.Lines(&in.Hunks[len(in.Hunks)-1])
	if len(body) == 0 || !body[len(body)-1].NoEOL {
		return // it may be at the start of the file
	}
	in.add("TP3009", in.Hunks[0].Header, fmt.Sprintf("the diffs of the tool %s count from the text that was replaced, not from the start of the file, and their no-newline markers mean its end",
		tool.Text()))
}
