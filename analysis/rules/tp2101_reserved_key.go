package rules

import (
	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/schema"
)

var reservedKey = &analysis.Rule{
	ID: "TP2101", Name: "reserved-key", Severity: analysis.Warning,
	Doc: `Actors or signatures in a stream's metadata

In a ".path.jsonl" actors come in ActorDef lines and signatures in Signature lines. In the
metadata of PathOpen and PathMeta they are kept as unknown keys, so that nobody finds them.

## Bad

    {"PathOpen": {"version": "1", "id": "p", "meta": {"actors": {"human:alex": {"name": "Alex"}}}}}

## Good

    {"ActorDef": {"actor": "human:alex", "definition": {"name": "Alex"}}}
`,
	Document: func(p *analysis.Pass) { documentProblems(p, only(schema.ReservedProperty)) },
	Needs:    misshapen,
	Step:     func(p *analysis.StepPass) { stepProblems(p, only(schema.ReservedProperty)) },
}
