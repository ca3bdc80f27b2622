package rules

import (
	"fmt"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

var sessionActor = &analysis.Rule{
	ID: "TP2509", Name: "session-actor", Severity: analysis.Hint,
	Doc: `A turn has an actor of another kind than its role

In an agent session a prompt is of a human ("human:user"), a reply of an agent ("agent:<model>",
"agent:unknown"), and an event of a tool ("tool:<provider>"). It is a convention, by which
queries tell who spoke.

## Bad

    {"step": {"actor": "human:user", …}, "change": {"…": {"structural": {"type": "conversation.append", "role": "assistant", …}}}}

## Good

    {"step": {"actor": "agent:claude-opus-4-5", …}, "change": {"…": {"structural": {"type": "conversation.append", "role": "assistant", …}}}}
`,
	Needs: sessionOperations,
	Step: func(p *analysis.StepPass) {
		s := p.Step
		if s.Nodes.Actor == 0 {
			return
		}
		has := toolpath.ActorKind(s.Actor)
		report := func(what string, wants ...string) {
			for _, w := range wants {
				if has == w {
					return
				}
			}
			p.Report(s.Value(s.Nodes.Actor), fmt.Sprintf("%s is by convention of an actor %s:…, not of %q", what, wants[0], clip(s.Actor)))
		}
		eachOperation(p, "conversation.append", func(_, structural jsonsrc.Value) {
			switch role := structural.Get("role"); {
			case role.Is("assistant"):
				report("a reply (role assistant)", "agent")
			case role.Is("user"):
				report("a prompt (role user)", "human", "agent", "tool") // a subagent is prompted by an agent
			}
		})
		eachOperation(p, "conversation.event", func(_, _ jsonsrc.Value) { report("an event of the session", "tool") })
	},
}
