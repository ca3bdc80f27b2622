package rules

import (
	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/schema"
)

var unknownVariant = &analysis.Rule{
	ID: "TP2103", Name: "unknown-variant", Severity: analysis.Warning,
	Doc: `A line of a stream whose variant is not known

The lines of a ".path.jsonl" are PathOpen, Step, ActorDef, Signature, PathMeta, Head and
PathClose. Readers skip every other line, and lose it when they write the stream again.

## Bad

    {"Comment": {"text": "…"}}

## Good

    {"PathMeta": {"patch": {"description": "…"}}}
`,
	Document: func(p *analysis.Pass) { documentProblems(p, only(schema.UnknownVariant)) },
	Needs:    misshapen,
	Step:     func(p *analysis.StepPass) { stepProblems(p, only(schema.UnknownVariant)) },
}
