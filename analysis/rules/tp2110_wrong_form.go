package rules

import (
	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/convert"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

var wrongForm = &analysis.Rule{
	ID: "TP2110", Name: "wrong-form", Severity: analysis.Error,
	Doc: `The content is of the other form than the name says

A ".path.json" holds one graph, a ".path.jsonl" one line per fact. Readers choose by the name,
and refuse what is of the other form. toolpath-ls convert turns one into the other.

## Bad

    a.path.json:
    
    {"PathOpen": {"version": "1", "id": "p"}}
    {"Step": {…}}

## Good

    a.path.jsonl:
    
    {"PathOpen": {"version": "1", "id": "p"}}
    {"Step": {…}}
`,
	Document: func(p *analysis.Pass) {
		switch {
		case p.Model == nil:
		case isStreamInGraph(p.Doc):
			key, _ := toolpath.Variant(p.Doc.Tree().Root())
			offer(p.Report(key, "this is a stream of lines: it belongs in a .path.jsonl file"), rewriteAs(p.Doc, convert.Stream, convert.Document))
		case isGraphInStream(p.Doc):
			offer(p.ReportAt(0, min(1, p.Doc.Text.Len()), "this is one graph, not a stream of lines: it belongs in a .path.json file"), rewriteAs(p.Doc, convert.Document, convert.Stream))
		}
	},
}

// rewriteAs is the fix that gives the text the form that its name says; nil if that form
// cannot hold all of it.
func rewriteAs(d *analysis.Document, from, to convert.Form) *analysis.Fix {
	const most = 1 << 20 // bytes that are converted to offer it
	src := d.Text.Bytes()
	if len(src) > most {
		return nil
	}
	r, err := convert.Convert(src, from, to)
	if err != nil || len(r.Losses) > 0 {
		return nil
	}
	return &analysis.Fix{Title: "Write it in the form that its name says", Edits: []analysis.TextEdit{{Start: 0, End: len(src), New: string(r.Text)}}}
}

// isStreamInGraph says whether a document that is named as a graph holds a stream.
func isStreamInGraph(d *analysis.Document) bool {
	return d.Kind() == analysis.Canonical && toolpath.IsStream(d.Head())
}

// isGraphInStream says whether a document that is named as a stream holds a graph.
func isGraphInStream(d *analysis.Document) bool {
	if d.Kind() != analysis.Stream || toolpath.IsStream(d.Head()) || !toolpath.MayBeToolpath(d.Text) {
		return false
	}
	return toolpath.IsToolpath(jsonsrc.Parse(d.Text.Bytes(), toolpath.Layout))
}
