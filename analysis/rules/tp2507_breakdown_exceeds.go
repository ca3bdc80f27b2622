package rules

import (
	"fmt"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/schema"
)

var breakdownExceeds = &analysis.Rule{
	ID: "TP2507", Name: "breakdown-exceeds", Severity: analysis.Warning,
	Doc: `The parts of a token count are more than the whole

A breakdown says how the tokens of a class divide (kind agent-coding-session, from v1.1.0 on).
The class counts them already, so that together they are at most as many as it has.

## Bad

    {"input_tokens": 1, "output_tokens": 2, "breakdowns": {"output": {"reasoning": 5}}}

## Good

    {"input_tokens": 1, "output_tokens": 7, "breakdowns": {"output": {"reasoning": 5}}}
`,
	Needs: sessionOperations,
	Step: func(p *analysis.StepPass) {
		if schema.SessionOf(p.Kind) < schema.Session110 {
			return
		}
		eachOperation(p, "conversation.append", func(_, structural jsonsrc.Value) {
			checkBreakdowns(p, structural.Get("token_usage"))
			checkBreakdowns(p, structural.Get("attributed_token_usage"))
		})
	},
}

func checkBreakdowns(p *analysis.StepPass, usage jsonsrc.Value) {
	for class, parts := range usage.Get("breakdowns").Members() {
		name, whole := class.Text(), int64(-1)
		for _, field := range []string{name + "_tokens", name} {
			if n := count(usage.Get(field)); n >= 0 {
				name, whole = field, n
				break
			}
		}
		if sum := sumOf(parts); whole >= 0 && sum > whole {
			p.Report(class, fmt.Sprintf("the parts of %q add up to %d tokens, more than the %d of %q", clip(class.Text()), sum, whole, clip(name)))
		}
	}
}

// sumOf adds up the counts of a breakdown.
func sumOf(parts jsonsrc.Value) (sum int64) {
	const most = 1 << 60
	for _, v := range parts.Members() {
		sum = min(sum+max(count(v), 0), most)
	}
	return sum
}
