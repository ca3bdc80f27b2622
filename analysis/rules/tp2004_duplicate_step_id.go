package rules

import (
	"fmt"

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
			for _, i := range path.DAG().Duplicates {
				s := path.Steps[i]
				p.Report(s.IDValue(), fmt.Sprintf("the step id %q stands twice in this path: parents and head that name it could mean either step", s.ID),
					analysis.RelatedTo(path.Steps[path.Find(s.ID)].IDValue(), "the first one"))
			}
		}
	},
}
