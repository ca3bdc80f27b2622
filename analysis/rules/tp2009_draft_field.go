package rules

import (
	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/schema"
)

var draftField = &analysis.Rule{
	ID: "TP2009", Name: "draft-field", Severity: analysis.Warning,
	Doc: `A field of an earlier draft of the format

Drafts of the format had "base.commit" (now "base.ref"), "base.from" (now "path.parent") and
"parent.relation" (which follows from the parent and is not declared). Readers of today drop
them silently.

## Bad

    {"id": "p1", "head": "s1", "base": {"uri": "github:org/repo", "commit": "abc123"}}

## Good

    {"id": "p1", "head": "s1", "base": {"uri": "github:org/repo", "ref": "abc123"}}
`,
	Document: func(p *analysis.Pass) { documentProblems(p, only(schema.DraftField)) },
	Step:     func(p *analysis.StepPass) { stepProblems(p, only(schema.DraftField)) },
}
