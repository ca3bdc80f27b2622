package rules

import (
	"fmt"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

var mergeOrder = &analysis.Rule{
	ID: "TP2303", Name: "merge-order", Severity: analysis.Warning,
	Doc: `The second parent of a merge looks like its main line

parents[0] is the main line, every further parent a branch that was merged in (RFC, "First
Parent"). Where the merge has the actor of its second parent and not that of its first one, the
two may be exchanged: blame and history would follow the branch.

## Bad

    {"id": "agent-result", "parents": ["sub-3", "agent-call"], "actor": "agent:claude-code"}
    (sub-3 is of agent:claude-code/explore, agent-call of agent:claude-code)

## Good

    {"id": "agent-result", "parents": ["agent-call", "sub-3"], "actor": "agent:claude-code"}
`,
	Document: func(p *analysis.Pass) {
		if p.Model == nil {
			return
		}
		for _, path := range p.Model.Paths {
			for i, parents := range path.DAG().Parents.All() {
				if len(parents) != 2 || parents[0] < 0 || parents[1] < 0 {
					continue
				}
				s, first, second := path.Steps.At(i), path.Steps.At(int(parents[0])), path.Steps.At(int(parents[1]))
				if s.Actor == "" || s.Actor != second.Actor || s.Actor == first.Actor {
					continue
				}
				p.Report(s.Value(s.Nodes.Parents), fmt.Sprintf(
					"the first parent is the main line, but %q has another actor (%s) and the second one, %q, has that of the merge (%s): are they exchanged?",
					first.ID, first.Actor, second.ID, second.Actor)).
					Fix(analysis.Fix{Title: "Exchange the parents", Edits: swap(s.ParentValue(0), s.ParentValue(1))})
			}
		}
	},
}
