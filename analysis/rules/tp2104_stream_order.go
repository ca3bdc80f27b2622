package rules

import (
	"bytes"

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
		for i := range p.Doc.Tree().NumChunks() {
			line := p.Doc.Tree().Chunk(i)
			key, _ := toolpath.Variant(line)
			if !line.Valid() {
				continue
			}
			if closed.Valid() {
				d := p.Report(lineStart(line), "nothing can follow the PathClose line", analysis.RelatedTo(closed, "the stream is closed here"))
				if n := p.Doc.Text.Len(); p.Doc.Text.EndsWith(n, "\n") {
					d.Fix(analysis.Fix{Title: "Move PathClose to the end", Edits: []analysis.TextEdit{
						removeLine(p.Doc, closed.ChunkIndex()), {Start: n, End: n, New: "{\"PathClose\": {}}\n"}}})
				}
				return
			}
			switch {
			case first && !key.Is("PathOpen"):
				d := p.Report(lineStart(line), "the first line of a stream must be PathOpen, which names the path")
				if fix, ok := openFirst(p.Doc, line.Start()); ok {
					d.Fix(fix)
				}
			case key.Is("PathOpen") && open.Valid():
				d := p.Report(key, "a stream has one PathOpen line: a second path needs a second file", analysis.RelatedTo(open, "the first one"))
				if bytes.Equal(line.Bytes(), p.Doc.Tree().Chunk(open.ChunkIndex()).Bytes()) {
					d.Fix(analysis.Fix{Title: "Remove it, which is equal to the first", Safe: true, Edits: []analysis.TextEdit{removeLine(p.Doc, i)}})
				}
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

// openFirst is the fix that moves the one PathOpen line of a stream to an offset before it.
func openFirst(d *analysis.Document, at int) (f analysis.Fix, ok bool) {
	opening := -1
	for i := range d.Tree().NumChunks() {
		if key, _ := toolpath.Variant(d.Tree().Chunk(i)); key.Is("PathOpen") {
			if opening >= 0 {
				return f, false
			}
			opening = i
		}
	}
	if opening < 0 {
		return f, false
	}
	line := string(d.Tree().Chunk(opening).Bytes()) + "\n"
	return analysis.Fix{Title: "Move PathOpen to the front", Edits: []analysis.TextEdit{{Start: at, End: at, New: line}, removeLine(d, opening)}}, true
}

// lineStart is the place of a line's variant, or of its first byte.
func lineStart(line jsonsrc.Value) analysis.Span {
	if key, _ := toolpath.Variant(line); key.Valid() {
		return key
	}
	return opening{line}
}
