package rules

import (
	"fmt"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

var attributedExceeds = &analysis.Rule{
	ID: "TP2508", Name: "attributed-exceeds", Severity: analysis.Warning,
	Doc: `The turns of a group cost more than the group

attributed_token_usage is what one turn cost, token_usage what its whole group did (kind
agent-coding-session, from v1.1.0 on). The turns together cost at most what the group cost; what
is left is of no turn.

## Bad

    [{… "group_id": "m1", "attributed_token_usage": {"output_tokens": 9}},
     {… "group_id": "m1", "token_usage": {"input_tokens": 1, "output_tokens": 5}}]

## Good

    [{… "group_id": "m1", "attributed_token_usage": {"output_tokens": 4}},
     {… "group_id": "m1", "token_usage": {"input_tokens": 1, "output_tokens": 5}}]
`,
	Needs: sessionOperations,
	Step:  keepTurn,
	Document: func(p *analysis.Pass) {
		for _, g := range groupsOf(p) {
			last := g.last()
			if last.usageAt == 0 {
				continue
			}
			for class, sum := range sharesOf(g) {
				if whole := last.usage[class]; whole >= 0 && sum > whole {
					key, _ := last.value(last.structural).Member("token_usage")
					p.Report(key, fmt.Sprintf("%q of the group is %d, but its turns are attributed %d", tokenClasses[class], whole, sum))
				}
			}
		}
	},
}

// sharesOf adds up what the turns of a group are attributed.
func sharesOf(g *group) (sum tokens) {
	for _, t := range g.turns {
		if t.shareAt != 0 {
			for i, n := range t.share {
				sum[i] += max(n, 0)
			}
		}
	}
	return sum
}
