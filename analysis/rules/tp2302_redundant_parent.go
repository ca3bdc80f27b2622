package rules

import (
	"fmt"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

var redundantParent = &analysis.Rule{
	ID: "TP2302", Name: "redundant-parent", Severity: analysis.Warning,
	Doc: `A parent is an ancestor of another parent

A merge joins lines that went apart. A parent that is an ancestor of another parent of the same
step brings nothing in, and makes a merge of what is none; unless it is the first parent and the
step closes a branch that left there, as a delegation does (RFC, "First Parent").

## Bad

    "parents": ["step-003", "step-001"]   (step-001 is an ancestor of step-003)

## Good

    "parents": ["step-003"]
`,
	Document: func(p *analysis.Pass) {
		if p.Model == nil {
			return
		}
		looks := 200_000 // steps visited in all, since each merge may look at every ancestor
		for _, path := range p.Model.Paths {
			for i, parents := range path.DAG().Parents.All() {
				if len(parents) < 2 || p.Done() {
					continue
				}
				var values []jsonsrc.Value // of the parents, once they are needed
				fixes := 0
				for k := 1; k < len(parents); k++ {
					if parents[k] < 0 || parents[0] < 0 || parents[k] == parents[0] {
						continue
					}
					if isAncestor(path.DAG(), int(parents[k]), int(parents[0]), &looks) {
						s := path.Steps.At(i)
						if values == nil {
							values = s.ParentValues()
						}
						d := p.Report(values[k], fmt.Sprintf("%q is an ancestor of the first parent %q already: merging it brings nothing in", s.Parents[k], s.Parents[0]))
						if fixes++; fixes > maxParentFixes {
							continue
						}
						if e, ok := removeElement(s.Value(s.Nodes.Parents), elementOf(s, k)); ok {
							d.Fix(analysis.Fix{Title: "Remove this parent", Edits: []analysis.TextEdit{e}})
						}
					}
				}
			}
		}
	},
}

// isAncestor says whether step a is an ancestor of step of, as far as looks allows to look.
func isAncestor(d *toolpath.DAG, a, of int, looks *int) bool {
	seen := map[int32]bool{int32(of): true}
	for stack := []int32{int32(of)}; len(stack) > 0 && *looks > 0; {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, k := range d.Parents.At(int(top)) {
			*looks--
			if int(k) == a {
				return true
			}
			if k >= 0 && !seen[k] {
				seen[k] = true
				stack = append(stack, k)
			}
		}
	}
	return false
}
