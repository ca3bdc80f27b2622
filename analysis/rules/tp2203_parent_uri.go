package rules

import (
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

var parentURI = &analysis.Rule{
	ID: "TP2203", Name: "parent-uri", Severity: analysis.Warning,
	Doc: `The uri of a path's parent has a fragment

path.parent names a document by its uri, without a fragment, and the path and step in it by
fields of their own (RFC, "Path Parent").

## Bad

    "parent": {"uri": "a.path.json#p1", "path": "p1", "step": "s17"}

## Good

    "parent": {"uri": "a.path.json", "path": "p1", "step": "s17"}
`,
	Document: func(p *analysis.Pass) {
		if p.Model == nil {
			return
		}
		for _, path := range p.Model.Paths {
			v := path.Parent().Get("uri")
			if i := strings.IndexByte(v.Text(), '#'); i >= 0 {
				s := v.Decode()
				start, end := s.Offset(i), s.Offset(len(s.Value))
				p.ReportAt(start, end, "the uri of a parent has no fragment: \"path\" and \"step\" say what is meant in the document").
					Fix(analysis.Fix{Title: "Remove the fragment", Edits: []analysis.TextEdit{{Start: start, End: end}}, Safe: true})
			}
		}
	},
}
