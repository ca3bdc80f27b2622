package rules

import (
	"fmt"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

var headBeforeEnd = &analysis.Rule{
	ID: "TP2401", Name: "head-before-end", Severity: analysis.Hint,
	Doc: `Steps descend from the head

The head is the tip of the active path. Steps that descend from it are dead ends as long as the
head does not name the last of them.

## Bad

    "head": "step-001", with a step-002 whose parent is step-001

## Good

    "head": "step-002"
`,
	Document: func(p *analysis.Pass) {
		if p.Model == nil {
			return
		}
		for _, path := range p.Model.Paths {
			dag := path.DAG()
			if dag.Head < 0 || len(dag.Children[dag.Head]) == 0 || path.IsAgentSession() || !path.HeadVal.Valid() {
				continue
			}
			var related []analysis.Related
			for _, k := range dag.Children[dag.Head][:min(len(dag.Children[dag.Head]), 10)] {
				related = append(related, analysis.RelatedTo(path.Steps[k].IDValue(), "descends from the head"))
			}
			p.Report(path.HeadVal, fmt.Sprintf("the head %q has %d step(s) that descend from it", path.Head, len(dag.Children[dag.Head])), related...)
		}
	},
}
