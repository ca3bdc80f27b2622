package rules

import (
	"fmt"
	"slices"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

var cycle = &analysis.Rule{
	ID: "TP2005", Name: "cycle", Severity: analysis.Error,
	Doc: `Steps descend from themselves

The steps of a path form a directed acyclic graph by their parents (RFC, "Path Tree
Structure"). A step cannot come before itself. Every edge of the cycle is named, so that the
wrong one can be found.

## Bad

    [{"step": {"id": "a", "parents": ["b"], …}, …}, {"step": {"id": "b", "parents": ["a"], …}, …}]

## Good

    [{"step": {"id": "a", …}, …}, {"step": {"id": "b", "parents": ["a"], …}, …}]
`,
	Document: func(p *analysis.Pass) {
		if p.Model == nil {
			return
		}
		for _, path := range p.Model.Paths {
			for _, steps := range path.DAG().Cycles {
				reportCycle(p, path, steps)
			}
		}
	},
}

func reportCycle(p *analysis.Pass, path *toolpath.Path, steps []int) {
	const edges = 100 // shown
	first := path.Steps.At(steps[0])
	if len(steps) == 1 {
		p.Report(edge(path, steps[0], steps[0]), fmt.Sprintf("the step %q names itself as a parent", first.ID))
		return
	}
	var related []analysis.Related
	for i, s := range steps[:min(len(steps), edges)] {
		next := steps[(i+1)%len(steps)]
		related = append(related, analysis.RelatedTo(edge(path, s, next),
			fmt.Sprintf("%q names %q as a parent", path.Steps.At(s).ID, path.Steps.At(next).ID)))
	}
	p.Report(edge(path, steps[0], steps[1]), fmt.Sprintf("the step %q descends from itself, in a cycle of %d steps", first.ID, len(steps)), related...)
}

// edge returns where a step names its parent.
func edge(path *toolpath.Path, step, parent int) analysis.Span {
	return path.Steps.At(step).ParentValue(slices.Index(path.DAG().Parents.At(step), int32(parent)))
}
