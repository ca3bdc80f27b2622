package rules

import (
	"fmt"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

var toolpathBase = &analysis.Rule{
	ID: "TP2205", Name: "toolpath-base", Severity: analysis.Warning,
	Doc: `A toolpath: base has a ref, or names no step

A base whose uri is "toolpath:<path>/<step>" is the state of the project at a step; it has no ref
beside it (RFC, "Toolpath Base"). If the path is in this graph, the step must be in the path.

## Bad

    "base": {"uri": "toolpath:path-main/step-005", "ref": "abc123"}

## Good

    "base": {"uri": "toolpath:path-main/step-005"}
`,
	Document: func(p *analysis.Pass) {
		if p.Model == nil {
			return
		}
		for _, path := range p.Model.Paths {
			base := path.Base()
			uri := base.Get("uri")
			name, ok := strings.CutPrefix(uri.Text(), "toolpath:")
			if !ok {
				continue
			}
			if key, ref := base.Member("ref"); ref.Valid() {
				d := p.Report(key, "a toolpath: base has no ref: the step in its uri is the state")
				if e, ok := removeMember(base, "ref"); ok {
					d.Fix(analysis.Fix{Title: "Remove ref", Edits: []analysis.TextEdit{e}, Safe: true})
				}
			}
			if fault := toolpathTarget(p.Doc, name); fault != "" {
				p.Report(uri, fault)
			}
		}
	},
}

// toolpathTarget says what is wrong with a "<path>/<step>" or "<path>" that is resolved in
// a graph, "" if nothing is or the path is not in it.
func toolpathTarget(d *analysis.Document, name string) string {
	path, step, ok := d.SplitName(name)
	if !ok || path == name {
		return ""
	}
	if d.Model().Find(path).Find(step) >= 0 {
		return ""
	}
	return fmt.Sprintf("the path %q has no step %q", clip(path), clip(step))
}
