package rules

import (
	"fmt"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
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
			if dag.Head < 0 || len(dag.Children.At(dag.Head)) == 0 || path.IsAgentSession() || !path.HeadVal.Valid() {
				continue
			}
			var related []analysis.Related
			for _, k := range dag.Children.At(dag.Head)[:min(len(dag.Children.At(dag.Head)), 10)] {
				related = append(related, analysis.RelatedTo(path.Steps.At(int(k)).IDValue(), "descends from the head"))
			}
			message := fmt.Sprintf("a step descends from the head %q: is the head the newest step?", clip(path.Head))
			if n := len(dag.Children.At(dag.Head)); n > 1 {
				message = fmt.Sprintf("%d steps descend from the head %q: is the head the newest step?", n, clip(path.Head))
			}
			d := p.Report(path.HeadVal, message, related...)
			if tip := onlyTip(dag); tip >= 0 {
				d.Fix(writeInstead(path.HeadVal, path.Steps.At(tip).ID))
			}
		}
	},
}

// onlyTip returns the one step without children that the head leads to, -1 if there is none
// or several.
func onlyTip(d *toolpath.DAG) int {
	seen := map[int32]bool{}
	tip := -1
	for stack := []int32{int32(d.Head)}; len(stack) > 0; {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[top] {
			continue
		}
		seen[top] = true
		if len(d.Children.At(int(top))) == 0 {
			if tip >= 0 {
				return -1
			}
			tip = int(top)
		}
		stack = append(stack, d.Children.At(int(top))...)
	}
	return tip
}
