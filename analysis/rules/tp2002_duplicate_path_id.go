package rules

import (
	"fmt"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

var duplicatePathID = &analysis.Rule{
	ID: "TP2002", Name: "duplicate-path-id", Severity: analysis.Error,
	Doc: `Two paths of a graph have the same id

All path ids must be unique within the graph (RFC, "ID Uniqueness"): references to the path
could mean either.

## Bad

    {"graph": {"id": "g"}, "paths": [{"path": {"id": "pr-1", …}, …}, {"path": {"id": "pr-1", …}, …}]}

## Good

    {"graph": {"id": "g"}, "paths": [{"path": {"id": "pr-1", …}, …}, {"path": {"id": "pr-2", …}, …}]}
`,
	Document: func(p *analysis.Pass) {
		if p.Model == nil {
			return
		}
		first, next := map[string]*toolpath.Path{}, map[string]int{}
		for _, path := range p.Model.Paths {
			if !path.IDValue.Valid() {
				continue
			}
			if other := first[path.ID]; other != nil {
				d := p.Report(path.IDValue, fmt.Sprintf("the path id %q stands twice in this graph: references to it could mean either path", clip(path.ID)),
					analysis.RelatedTo(other.IDValue, "the first one"))
				if path.ID != "" {
					d.Fix(writeInstead(path.IDValue, numbered(path.ID, next, func(id string) bool { return p.Model.Find(id) != nil })))
				}
				continue
			}
			first[path.ID] = path
		}
	},
}
