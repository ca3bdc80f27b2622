package rules

import (
	"fmt"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
)

var unreachable = &analysis.Rule{
	ID: "TP2207", Name: "unreachable-document", Severity: analysis.Information,
	Doc: `A document that is referred to is not on this machine

A $ref or the uri of a path's parent names a file that is not there or cannot be read. It may be
on another machine; what it is referred to for was not checked. References to the network are
never followed, and not reported.

## Bad

    "parent": {"uri": "file:///archive/p1.path.json", "path": "p1", "step": "s17"}   (no such file)

## Good

    "parent": {"uri": "p1.path.json", "path": "p1", "step": "s17"}   (a file beside this one)
`,
	Workspace: func(p *analysis.WorkspacePass) {
		for _, path := range p.Model.Paths {
			for _, v := range []jsonsrc.Value{path.Ref, path.Parent().Get("uri")} {
				if _, reach := p.Follow(v.Text()); reach == analysis.Absent {
					p.Report(v, fmt.Sprintf("there is no file %q here, or it cannot be read", clip(v.Text())))
				}
			}
		}
	},
}
