package rules

import (
	"fmt"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

var childOlderThanParent = &analysis.Rule{
	ID: "TP2008", Name: "child-older-than-parent", Severity: analysis.Warning,
	Doc: `A step is older than its parent

A step was performed after the steps it descends from. If its timestamp is earlier, a clock
was wrong, or the parent is.

## Bad

    [{"step": {"id": "a", "timestamp": "2026-01-29T10:00:00Z", …}, …},
     {"step": {"id": "b", "parents": ["a"], "timestamp": "2026-01-29T09:00:00Z", …}, …}]

## Good

    [{"step": {"id": "a", "timestamp": "2026-01-29T10:00:00Z", …}, …},
     {"step": {"id": "b", "parents": ["a"], "timestamp": "2026-01-29T10:05:00Z", …}, …}]
`,
	Document: func(p *analysis.Pass) {
		if p.Model == nil {
			return
		}
		for _, path := range p.Model.Paths {
			for i, parents := range path.DAG().Parents.All() {
				child := path.Steps.At(i)
				for _, k := range parents {
					if k < 0 || !child.HasTime || !path.Steps.At(int(k)).HasTime || !child.Time().Before(path.Steps.At(int(k)).Time()) {
						continue
					}
					parent := path.Steps.At(int(k))
					p.Report(child.Value(child.Nodes.Timestamp),
						fmt.Sprintf("the step %q is older than its parent %q (%s)", child.ID, parent.ID, parent.Timestamp()),
						analysis.RelatedTo(parent.Value(parent.Nodes.Timestamp), "the parent's timestamp"))
					break
				}
			}
		}
	},
}
