package rules

import (
	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

var unfinishedLine = &analysis.Rule{
	ID: "TP2108", Name: "unfinished-line", Severity: analysis.Information,
	Doc: `The last line of a stream has no end

A writer that is at work, or one that was interrupted, leaves a last line without its line
feed. What is there already was read if it is complete; a part of a line was not.

## Bad

    {"PathOpen": {"version": "1", "id": "p"}}
    {"Step": {"step": {"id": "s1", "act

## Good

    {"PathOpen": {"version": "1", "id": "p"}}
    {"Step": {"step": {"id": "s1", …}, …}}
`,
	Document: func(p *analysis.Pass) {
		if p.Model == nil || !p.Model.Lines {
			return
		}
		i := unfinished(p.Doc.Tree())
		if i < 0 {
			return
		}
		c := p.Doc.Tree().ChunkAt(i)
		message := "the last line has no line feed: its writer may still be at work"
		if toolpath.CutOff(p.Doc.Tree()) >= 0 {
			message = "the last line is not finished, so that it was not read: its writer may still be at work, or was interrupted"
		}
		p.ReportAt(c.Off+c.Size(), c.Off+c.Size(), message)
	},
}

// unfinished returns the line that has no line feed, -1 if there is none.
func unfinished(t *jsonsrc.Tree) int {
	n := t.NumChunks()
	if !t.IsLines() || n == 0 || !t.Chunk(n-1).Valid() || t.EndsWith("\n") {
		return -1
	}
	return n - 1
}
