package rules

import (
	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/convert"
	"github.com/toolpath-ls/toolpath-ls/analysis/schema"
)

var oldForm = &analysis.Rule{
	ID: "TP2010", Name: "old-form", Severity: analysis.Error,
	Doc: `The root of the document is no graph

Every Toolpath document is a graph at its root (RFC, "Document Root"). Before May 2026 a document
was wrapped in {"Graph": …}, {"Path": …} or {"Step": …}; readers of today refuse that, and a path or
a step alone as well. The fix, like toolpath-ls convert, makes a graph of it. What is
inside is checked all the same; nobody is named for a line by it.

## Bad

    {"Path": {"path": {"id": "pr-42", …}, "steps": […]}}

## Good

    {"graph": {"id": "pr-42"}, "paths": [{"path": {"id": "pr-42", …}, "steps": […]}]}
`,
	Document: func(p *analysis.Pass) {
		old := func(c schema.Cause) bool { return c == schema.LegacyEnvelope || c == schema.BareRoot }
		if p.Model == nil || p.Model.Lines {
			return
		}
		report := func(at analysis.Span, message string) *analysis.Diagnostic {
			d := p.Report(at, message)
			if fix := upgradeFix(p); len(fix.Edits) > 0 {
				d.Fix(fix)
			}
			return d
		}
		for _, l := range p.Shared("schema", func() any { return checkDocument(p) }).([]located) {
			reportProblems(report, l.value, l.problems, old)
		}
	},
}

// upgradeFix is the fix that brings a document to the current form; without edits if that
// cannot be done, or not without a loss.
func upgradeFix(p *analysis.Pass) analysis.Fix {
	f := analysis.Fix{Title: "Make it a graph", Safe: true}
	edits, losses, err := convert.Upgrade(p.Doc.Tree())
	if err != nil || len(losses) > 0 {
		return f
	}
	for _, e := range edits {
		f.Edits = append(f.Edits, analysis.TextEdit{Start: e.Start, End: e.End, New: e.New})
	}
	return f
}
