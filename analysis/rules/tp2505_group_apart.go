package rules

import (
	"fmt"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

var groupApart = &analysis.Rule{
	ID: "TP2505", Name: "group-apart", Severity: analysis.Warning,
	Doc: `The turns of a group do not follow each other

Turns that share a group_id come from one message or one round of calls, and stand one after
the other (kind agent-coding-session, from v1.1.0 on). Where a turn of another group stands
between them, the group's token_usage can be taken for that of a part of it.

## Bad

    [{… "group_id": "m1"}, {… "group_id": "m2"}, {… "group_id": "m1"}]

## Good

    [{… "group_id": "m1"}, {… "group_id": "m1"}, {… "group_id": "m2"}]
`,
	Needs: sessionOperations,
	Step:  keepTurn,
	Document: func(p *analysis.Pass) {
		for _, g := range groupsOf(p) {
			for _, i := range g.apart {
				at, before := g.turns[i], g.turns[i-1]
				p.Report(at.value(at.groupAt),
					fmt.Sprintf("the group %q goes on here, but other turns stand between this one and the last of its turns before", clip(g.id)),
					analysis.RelatedTo(before.value(before.groupAt), "the last turn of the group before"))
			}
		}
	},
}
