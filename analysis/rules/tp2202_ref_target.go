package rules

import (
	"fmt"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

var refTarget = &analysis.Rule{
	ID: "TP2202", Name: "ref-target", Severity: analysis.Warning,
	Doc: `A reference leads nowhere

The $ref of a graph names a document that holds one path. References to files are followed
(never those to the network): the file must be there, be a Toolpath document and hold a path.

## Bad

    {"$ref": "no-such-file.path.json"}

## Good

    {"$ref": "archive/path-pr-43.path.json"}
`,
	Workspace: func(p *analysis.WorkspacePass) {
		for _, path := range p.Model.Paths {
			if !path.Ref.Valid() {
				continue
			}
			if path.Ref.Is("") {
				p.Report(path.Ref, "an empty $ref names no document")
				continue
			}
			switch d, reach := p.Follow(path.Ref.Text()); {
			case reach == analysis.Reached && d.Model() == nil:
				p.Report(path.Ref, fmt.Sprintf("%s is no Toolpath document", d.Name()))
			case reach == analysis.Reached && d.Model().Form != toolpath.GraphForm:
				p.Report(path.Ref, fmt.Sprintf("%s has a form that readers refuse: its root is no graph", d.Name()))
			case reach == analysis.Reached && len(d.Model().Paths) == 0:
				p.Report(path.Ref, fmt.Sprintf("%s holds no path", d.Name()))
			case reach == analysis.Reached:
				reportRefCycle(p, path.Ref, d)
			}
		}
	},
}

// reportRefCycle follows the references of the documents that a reference leads to, and
// reports one that comes back to this document.
func reportRefCycle(p *analysis.WorkspacePass, at analysis.Span, to *analysis.Document) {
	const most = 100 // documents followed
	seen := map[string]bool{}
	for queue := []*analysis.Document{to}; len(queue) > 0 && len(seen) < most; queue = queue[1:] {
		d := queue[0]
		if d.Path == p.Doc.Path {
			p.Report(at, "this reference leads back to this document, so that the graph has no end")
			return
		}
		if seen[d.Path] || d.Model() == nil {
			continue
		}
		seen[d.Path] = true
		for _, path := range d.Model().Paths {
			if next, reach := p.FollowFrom(d, path.Ref.Text()); reach == analysis.Reached {
				queue = append(queue, next)
			}
		}
	}
}
