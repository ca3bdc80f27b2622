package rules

import (
	"fmt"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

var undefinedActor = &analysis.Rule{
	ID: "TP4003", Name: "undefined-actor", Severity: analysis.Hint,
	Doc: `An actor has no definition

meta.actors of the step, the path or the graph tells who an actor is: name, provider and model,
identities, keys (RFC, "Actor Definitions"). Without a definition readers see the bare string. It
is reported once per actor and path.

## Bad

    "actor": "human:alex"   (and no "human:alex" in any meta.actors)

## Good

    "meta": {"actors": {"human:alex": {"name": "Alex Kesling"}}}
`,
	Document: func(p *analysis.Pass) {
		if p.Model == nil {
			return
		}
		for _, path := range p.Model.Paths {
			told := map[string]bool{}
			for _, s := range path.Steps.All() {
				if s.Nodes.Actor == 0 || told[s.Actor] || toolpath.ActorFault(s.Actor) != "" {
					continue
				}
				told[s.Actor] = true
				if _, ok := path.Actor(s, s.Actor); !ok {
					d := p.Report(s.Value(s.Nodes.Actor), fmt.Sprintf("%q is not defined in meta.actors of the step, the path or the graph", clip(s.Actor)))
					if len(told) > maxActorFixes {
						continue
					}
					if fix, ok := defineActor(p.Doc, path, s.Actor); ok {
						d.Fix(fix)
					}
				}
			}
		}
	},
}
