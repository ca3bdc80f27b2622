package rules

import (
	"bytes"
	"fmt"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

var usageNotLast = &analysis.Rule{
	ID: "TP2506", Name: "usage-not-last", Severity: analysis.Warning,
	Doc: `The token usage of a group stands before its last turn

token_usage is the total of a group of turns. It stands on the last turn of the group in the
order of the document, and the others have none (kind agent-coding-session, from v1.1.0 on), so
that the sum over a path is the total of the session. A usage on each turn is counted several
times. Documents of v1.0.0 may do so: it is an erratum of that version.

## Bad

    [{… "group_id": "m1", "token_usage": {…}}, {… "group_id": "m1", "token_usage": {…}}]

## Good

    [{… "group_id": "m1"}, {… "group_id": "m1", "token_usage": {…}}]
`,
	Needs: sessionOperations,
	Step:  keepTurn,
	Document: func(p *analysis.Pass) {
		for _, g := range groupsOf(p) {
			for _, t := range g.turns[:len(g.turns)-1] {
				if t.usageAt != 0 {
					reportEarlyUsage(p, g, t)
				}
			}
		}
	},
}

func reportEarlyUsage(p *analysis.Pass, g *group, t turnAt) {
	last := g.last()
	structural := t.value(t.structural)
	key, usage := structural.Member("token_usage")
	message := fmt.Sprintf("this is not the last turn of the group %q, which alone has the group's token_usage", clip(g.id))
	if last.usageAt != 0 {
		message += ": it is counted twice"
	}
	d := p.Report(key, message, analysis.RelatedTo(last.value(last.groupAt), "the last turn of the group"))
	if last.usageAt == 0 {
		return // the one usage of the group would be lost
	}
	if e, ok := removeMember(structural, "token_usage"); ok {
		same := bytes.Equal(usage.Bytes(), last.value(last.usageAt).Bytes())
		signed := hasElements(t.step.Value(t.step.Nodes.Meta).Get("signatures")) || signedSteps(p.Model)[t.step.ID]
		d.Fix(analysis.Fix{Title: "Remove the usage here", Edits: []analysis.TextEdit{e}, Safe: same && !signed})
	}
}
