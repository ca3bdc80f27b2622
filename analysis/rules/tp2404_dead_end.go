package rules

import (
	"fmt"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

var deadEnd = &analysis.Rule{
	ID: "TP2404", Name: "dead-end", Severity: analysis.Hint,
	Doc: `A step does not lead to the head

Steps from which the head does not descend are dead ends: attempts that were given up, kept for
reflection (RFC, "Path Tree Structure"). They are no fault; editors show them faded. In an agent
session the shape of the path says nothing about what was given up, so that none is marked.

## Bad

    (no fault)

## Good

    {"step": {"id": "step-002a", "parents": ["step-001"], …}, "meta": {"intent": "Regex approach (abandoned)"}}
`,
	Document: func(p *analysis.Pass) {
		if p.Model == nil {
			return
		}
		for _, path := range p.Model.Paths {
			dag := path.DAG()
			if dag.Head < 0 || path.IsAgentSession() {
				continue
			}
			for i, active := range dag.Active {
				// Of a step whose id is the head's, it is not known which of the two is meant.
				if !active && path.Steps.At(i).ID != path.Head {
					p.Report(path.Steps.At(i).IDValue(), fmt.Sprintf("dead end: the head %q does not descend from this step", path.Head)).Fade()
				}
			}
		}
	},
}
