package rules

import (
	"bytes"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
)

var blankLine = &analysis.Rule{
	ID: "TP2107", Name: "blank-line", Severity: analysis.Warning,
	Doc: `A stream has a blank line or carriage returns

Every line of a ".path.jsonl" is one JSON object, ended by a line feed alone. Some readers pass
over blank lines and carriage returns, others refuse them.

## Bad

    {"PathOpen": {"version": "1", "id": "p"}}
    
    {"Step": {…}}

## Good

    {"PathOpen": {"version": "1", "id": "p"}}
    {"Step": {…}}
`,
	Document: func(p *analysis.Pass) {
		if p.Model == nil || !p.Model.Lines {
			return
		}
		t, returns := p.Doc.Tree(), 0
		for i := range t.NumChunks() {
			c := t.ChunkAt(i)
			end, in := c.Off+c.Size(), t.ChunkBytes(i)
			if endsInReturn(in) {
				if returns++; returns == 1 {
					p.ReportAt(end-1, end, "the lines of a stream end in a line feed alone, not in a carriage return and a line feed").
						Fix(analysis.Fix{Title: "End all lines in a line feed", Edits: withoutReturns(t), Safe: true})
				}
			}
			if line := t.Chunk(i); !line.Valid() && end < p.Doc.Text.Len() && len(bytes.TrimSpace(in)) == 0 {
				p.ReportAt(c.Off, end+1, "a blank line: each line of a stream is one JSON object").
					Fix(analysis.Fix{Title: "Remove the blank line", Edits: []analysis.TextEdit{{Start: c.Off, End: end + 1}}, Safe: true})
			}
		}
	},
}

func withoutReturns(t *jsonsrc.Tree) (edits []analysis.TextEdit) {
	for i := range t.NumChunks() {
		c := t.ChunkAt(i)
		if end := c.Off + c.Size(); endsInReturn(t.ChunkBytes(i)) {
			edits = append(edits, analysis.TextEdit{Start: end - 1, End: end + 1, New: "\n"})
		}
	}
	return edits
}

func endsInReturn(line []byte) bool { return len(line) > 0 && line[len(line)-1] == '\r' }
