package rules

import (
	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/schema"
)

var laterKind = &analysis.Rule{
	ID: "TP2511", Name: "later-kind", Severity: analysis.Hint,
	Doc: `A change is of a type that a later version of the kind defines

"conversation.compact" is of version 1.2.0 of the kind agent-coding-session. In a path of an
earlier version it is allowed, but means nothing: readers of that version pass over it, and its
fields are not checked. There is no fix: to declare version 1.2.0 says of every step of the path that it
keeps to that version, and to leave the change out loses what it tells. Only who derived the path
knows which is right.

## Bad

    "kind": "https://toolpath.net/kinds/agent-coding-session/v1.1.0" with {"type": "conversation.compact"}

## Good

    "kind": "https://toolpath.net/kinds/agent-coding-session/v1.2.0" with {"type": "conversation.compact"}
`,
	Needs: sessionOperations,
	Step: func(p *analysis.StepPass) {
		if s := schema.SessionOf(p.Kind); s == schema.NoSession || s >= schema.Session120 {
			return
		}
		eachOperation(p, "conversation.compact", func(_, structural jsonsrc.Value) {
			p.Report(structural.Get("type"), `"conversation.compact" is defined from version 1.2.0 of the kind on: in a path of this version it means nothing`)
		})
	},
}
