package rules

import (
	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

var streamOrder = &analysis.Rule{
	ID: "TP2104", Name: "stream-order", Severity: analysis.Error,
	Doc: `A line of a stream stands where it cannot

The first line of a ".path.jsonl" is PathOpen, and no other one is; nothing follows PathClose.
Readers refuse the whole stream otherwise.

## Bad

    {"Step": {…}}
    {"PathOpen": {"version": "1", "id": "p"}}

## Good

    {"PathOpen": {"version": "1", "id": "p"}}
    {"Step": {…}}
    {"PathClose": {}}
`,
	Document: func(p *analysis.Pass) {
		if p.Model == nil || !p.Model.Lines || isGraphInStream(p.Doc) {
			return
		}
		var open, closed jsonsrc.Value
		first := true
		for i := range p.Doc.Tree().Chunks() {
			line := p.Doc.Tree().Chunk(i)
			key, _ := toolpath.Variant(line)
			if !line.Valid() {
				continue
			}
			if closed.Valid() {
				p.Report(lineStart(line), "nothing can follow the PathClose line", analysis.RelatedTo(closed, "the stream is closed here"))
				return
			}
			switch {
			case first && !key.Is("PathOpen"):
				p.Report(lineStart(line), "the first line of a stream must be PathOpen, which names the path")
			case key.Is("PathOpen") && open.Valid():
				p.Report(key, "a stream has one PathOpen line: a second path needs a second file", analysis.RelatedTo(open, "the first one"))
			case key.Is("PathClose"):
				closed = key
			}
			if key.Is("PathOpen") && !open.Valid() {
				open = key
			}
			first = false
		}
	},
}

// lineStart is the place of a line's variant, or of its first byte.
func lineStart(line jsonsrc.Value) analysis.Span {
	if key, _ := toolpath.Variant(line); key.Valid() {
		return key
	}
	return opening{line}
}
