package rules

import (
	"fmt"
	"strconv"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

var duplicateStepID = &analysis.Rule{
	ID: "TP2004", Name: "duplicate-step-id", Severity: analysis.Error,
	Doc: `Two steps of a path have the same id

All step ids must be unique within the path (RFC, "ID Uniqueness"): parents and the head that
name it could mean either. Steps of different paths may share an id.

## Bad

    [{"step": {"id": "step-001", …}, …}, {"step": {"id": "step-001", …}, …}]

## Good

    [{"step": {"id": "step-001", …}, …}, {"step": {"id": "step-002", …}, …}]
`,
	Document: func(p *analysis.Pass) {
		if p.Model == nil {
			return
		}
		for _, path := range p.Model.Paths {
			next := map[string]int{}
			for _, i := range path.DAG().Duplicates {
				s := path.Steps.At(int(i))
				d := p.Report(s.IDValue(), fmt.Sprintf("the step id %q stands twice in this path: parents and head that name it could mean either step", clip(s.ID)),
					analysis.RelatedTo(path.Steps.At(path.Find(s.ID)).IDValue(), "the first one"))
				if s.ID != "" {
					d.Fix(writeInstead(s.IDValue(), numbered(s.ID, next, func(id string) bool { return path.Find(id) >= 0 })))
				}
			}
		}
	},
}

// numbered returns the id with a number behind it, as derivers tell ids apart that their
// sources use twice, that is not taken; next remembers the last number of each id.
func numbered(id string, next map[string]int, taken func(id string) bool) string {
	for n := max(next[id], 1) + 1; ; n++ {
		if name := id + "#" + strconv.Itoa(n); !taken(name) {
			next[id] = n
			return name
		}
	}
}
