package rules

import (
	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/schema"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

var draftField = &analysis.Rule{
	ID: "TP2009", Name: "draft-field", Severity: analysis.Warning,
	Doc: `A field of an earlier draft of the format

Drafts of the format had "base.commit" (now "base.ref"), "base.from" (now "path.parent") and
"parent.relation" (which follows from the parent and is not declared). Readers of today drop
them silently.

## Bad

    {"id": "p1", "head": "s1", "base": {"uri": "github:org/repo", "commit": "abc123"}}

## Good

    {"id": "p1", "head": "s1", "base": {"uri": "github:org/repo", "ref": "abc123"}}
`,
	Document: func(p *analysis.Pass) {
		if p.Model == nil {
			return
		}
		report := func(at analysis.Span, message string) *analysis.Diagnostic {
			d := p.Report(at, message)
			if fix, ok := draftFix(p.Model, at.Start()); ok {
				d.Fix(fix)
			}
			return d
		}
		for _, l := range p.Shared("schema", func() any { return checkDocument(p) }).([]located) {
			reportProblems(report, l.value, l.problems, only(schema.DraftField))
		}
	},
}

// draftFix is the fix for the draft field whose key starts at an offset: "commit" is called
// "ref" today, and "relation" follows from the parent.
func draftFix(m *toolpath.Document, off int) (analysis.Fix, bool) {
	for _, path := range m.Paths {
		if key, _ := path.Base().Member("commit"); key.Valid() && key.Start() == off && !path.Base().Get("ref").Valid() {
			return analysis.Fix{Title: `Call it "ref"`, Edits: []analysis.TextEdit{{Start: key.Start(), End: key.End(), New: `"ref"`}}, Safe: true}, true
		}
		if key, _ := path.Parent().Member("relation"); key.Valid() && key.Start() == off {
			e, ok := removeMember(path.Parent(), "relation")
			return analysis.Fix{Title: "Remove it", Edits: []analysis.TextEdit{e}, Safe: true}, ok
		}
	}
	return analysis.Fix{}, false
}
