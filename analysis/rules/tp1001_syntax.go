package rules

import (
	"bytes"
	"strconv"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

var syntax = &analysis.Rule{
	ID: "TP1001", Name: "syntax", Severity: analysis.Error,
	Doc: `The text is not JSON

A ".path.json" document is one JSON value (RFC 8259); every line of a ".path.jsonl" stream is
one. Every fault is reported, not only the first, and the rest of the document is still
checked. What readers of the format refuse is a fault here too: a byte order mark, bytes that
are no UTF-8, half a surrogate pair, a number that no double can hold, nesting deeper than
512 levels.

A string in which somebody pressed Enter is one fault: it is read on to its closing quote, and
the fix writes \n, or joins the lines if they are one word. Where the closing quote is missing,
as while it is being typed, the string ends with its line.

## Bad

    {"step": {"id": "step-001" "actor": "human:alex",}}

## Good

    {"step": {"id": "step-001", "actor": "human:alex"}}
`,
	Document: func(p *analysis.Pass) {
		if p.Doc.TooLarge() {
			return
		}
		if p.Doc.Text.IsBlank() {
			p.ReportAt(0, p.Doc.Text.Len(), `the document is empty: a Toolpath document is a graph, {"graph": {"id": …}, "paths": […]}, or a stream that starts with a PathOpen line`)
			return
		}
		reportErrors(p, func(c jsonsrc.Code) bool { return c != jsonsrc.DuplicateKey && c != jsonsrc.DeepNesting })
	},
}

// reportErrors reports the parser's errors of some codes.
func reportErrors(p *analysis.Pass, of func(jsonsrc.Code) bool) {
	if p.Doc.TooLarge() || isGraphInStream(p.Doc) {
		return
	}
	cutOff := p.Doc.Text.Len()
	if i := toolpath.CutOff(p.Doc.Tree()); i >= 0 {
		cutOff = p.Doc.Tree().ChunkAt(i).Off // a writer is at work there
	}
	stream := isStreamInGraph(p.Doc)
	repeated := 0
	for e := range p.Doc.Tree().Errors() {
		if !of(e.Code) || e.Start >= cutOff && cutOff < p.Doc.Text.Len() || stream && e.Code == jsonsrc.Unexpected {
			continue
		}
		var related []analysis.Related
		if e.RelatedEnd > 0 {
			what := "opened here"
			if e.Code == jsonsrc.DuplicateKey {
				what = "the first one"
			}
			related = []analysis.Related{{Start: e.RelatedStart, End: e.RelatedEnd, Message: what}}
		}
		d := p.ReportAt(e.Start, e.End, e.Message, related...)
		if e.Code == jsonsrc.DuplicateKey && repeated < maxParentFixes {
			repeated++
			if fix, ok := removeOverridden(p.Doc.Tree(), e.RelatedStart, e.Start); ok {
				d.Fix(fix)
			}
		}
		repairs := [][]jsonsrc.Replacement{e.Repair}
		if len(e.Alternative) > 0 && inProse(p.Doc.Tree(), e.Start) {
			repairs = [][]jsonsrc.Replacement{e.Alternative, e.Repair}
		}
		for _, repair := range repairs {
			if len(repair) > 0 {
				d.Fix(repairFix(p.Doc.Text.Bytes(), repair, len(repairs) == 1))
			}
		}
	}
}

// inProse says whether the string at off may have several lines: it is the value of a field for
// text, or of an operation, whose fields the format leaves open.
func inProse(t *jsonsrc.Tree, off int) bool {
	path := t.Path(off + 1)
	for i, f := range path {
		switch key := f.Key.Text(); {
		case key == "structural" && i < len(path)-1:
			return path[len(path)-1].Value.Start() == off
		case key == "raw" || key == "intent" || key == "title":
			return f.Value.Start() == off
		}
	}
	return false
}

// removeOverridden is the fix for a key that stands twice: of the first one readers that
// take the document at all see nothing.
func removeOverridden(t *jsonsrc.Tree, first, second int) (f analysis.Fix, ok bool) {
	a, b := t.Path(first+1), t.Path(second+1)
	if len(a) < 2 || len(b) < 2 {
		return f, false
	}
	one, other, object := a[len(a)-1], b[len(b)-1], a[len(a)-2].Value
	if !one.Key.Valid() || one.Key.Start() != first || !other.Key.Valid() || other.Key.Start() != second {
		return f, false
	}
	edit, ok := removeMember(object, one.Key.Text())
	f = analysis.Fix{Title: "Remove the first one, which readers pass over", Edits: []analysis.TextEdit{edit}}
	if bytes.Equal(one.Value.Bytes(), other.Value.Bytes()) {
		f.Title, f.Safe = "Remove the first one, which is equal", true
	}
	return f, ok
}

func repairFix(src []byte, all []jsonsrc.Replacement, sure bool) analysis.Fix {
	f := analysis.Fix{Title: repairTitle(src, all), Safe: sure}
	for _, r := range all {
		f.Edits = append(f.Edits, analysis.TextEdit{Start: r.Start, End: r.End, New: r.New})
	}
	return f
}

func repairTitle(src []byte, all []jsonsrc.Replacement) string {
	r := all[0]
	switch {
	case len(all) > 1:
		return "Write " + r.New + " in place of each line break"
	case r.New == "" && (src[r.Start] == '\r' || src[r.Start] == '\n'):
		return "Join the lines"
	case r.New == "":
		return "Remove it"
	case r.Start == r.End:
		return "Insert " + strconv.Quote(r.New)
	}
	return "Write " + r.New
}
