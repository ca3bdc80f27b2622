package rules

import (
	"fmt"
	"slices"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

var duplicateParent = &analysis.Rule{
	ID: "TP2301", Name: "duplicate-parent", Severity: analysis.Warning,
	Doc: `A step names a parent twice

parents is ordered, and each parent stands in it once: the first is the main line, every further
one a branch that was merged in (RFC, "First Parent").

## Bad

    "parents": ["step-002", "step-002"]

## Good

    "parents": ["step-002"]
`,
	Step: func(p *analysis.StepPass) {
		s := p.Step
		for i, id := range s.Parents {
			if k := slices.Index(s.Parents[:i], id); k < 0 {
				continue
			}
			d := p.Report(s.ParentValue(i), fmt.Sprintf("the parent %q stands twice", clip(id)))
			if e, ok := removeElement(s.Value(s.Nodes.Parents), elementOf(s, i)); ok {
				d.Fix(analysis.Fix{Title: "Remove the second one", Edits: []analysis.TextEdit{e}, Safe: true})
			}
		}
	},
}

// elementOf returns which element of the array parents is parent i: elements that are no
// strings are no parents.
func elementOf(s toolpath.At, i int) int {
	for k, e := range s.Value(s.Nodes.Parents).Elements() {
		if e.Kind() == jsonsrc.String {
			if i == 0 {
				return k
			}
			i--
		}
	}
	return -1
}
