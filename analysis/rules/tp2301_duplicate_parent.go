package rules

import (
	"fmt"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// maxParentFixes bounds the fixes offered in one step's parents: each is found by a walk
// along the array.
const maxParentFixes = 20

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
		if len(s.Parents) < 2 {
			return
		}
		array, fixes := s.Value(s.Nodes.Parents), 0
		seen := make(map[string]bool, len(s.Parents))
		for i, e := range array.Elements() {
			if e.Kind() != jsonsrc.String {
				continue
			}
			id := e.Text()
			if !seen[id] {
				seen[id] = true
				continue
			}
			d := p.Report(e, fmt.Sprintf("the parent %q stands twice", clip(id)))
			if fixes++; fixes > maxParentFixes {
				continue
			}
			if edit, ok := removeElement(array, i); ok {
				d.Fix(analysis.Fix{Title: "Remove the second one", Edits: []analysis.TextEdit{edit}, Safe: true})
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
