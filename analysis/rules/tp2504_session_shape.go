package rules

import (
	"slices"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/schema"
)

var sessionShape = &analysis.Rule{
	ID: "TP2504", Name: "session-shape", Severity: analysis.Error,
	Doc: `A value has not the shape that the kind of its path gives it

A path that declares a kind promises what the kind's specification says (RFC, "Document Kind"):
readers rely on it. Paths of the kind agent-coding-session are checked against the project's
JSON Schema of it (analysis/schema/agent-coding-session.schema.json), in the version that they
declare. What is not of a type that the version defines is free, and every object may have more
fields.

## Bad

    {"type": "conversation.append", "role": "assistant", "tool_uses": [{"id": "t1", "name": "Bash", "category": "terminal"}]}

## Good

    {"type": "conversation.append", "role": "assistant", "text": "",
     "tool_uses": [{"id": "t1", "name": "Bash", "input": {"command": "ls"}, "category": "shell"}]}
`,
	Needs: sessionOperations,
	Step: func(p *analysis.StepPass) {
		if s := schema.SessionOf(p.Kind); s != schema.NoSession {
			self := p.Step.Self()
			reportProblems(p.Report, self, s.CheckStep(self), everyCause)
		}
	},
	Document: func(p *analysis.Pass) {
		if p.Model == nil {
			return
		}
		for _, path := range p.Model.Paths {
			s := schema.SessionOf(path.Kind())
			reportProblems(reporting(p), path.Meta, ownOnly(s.CheckMeta(path.Meta)), everyCause)
			eachVariant(p.Model, "PathMeta", func(body jsonsrc.Value) {
				patch := body.Get("patch")
				reportProblems(reporting(p), patch, ownOnly(s.CheckPatch(patch)), everyCause)
			})
		}
	},
}

func everyCause(schema.Cause) bool { return true }

// ownOnly leaves out what the base format says of a path's metadata too.
func ownOnly(problems []schema.Problem) []schema.Problem {
	return slices.DeleteFunc(problems, func(q schema.Problem) bool {
		return len(q.Pointer) == 1 && q.Pointer[0] == "source"
	})
}
