package rules

import (
	"fmt"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
)

var failedWrite = &analysis.Rule{
	ID: "TP2512", Name: "failed-write", Severity: analysis.Hint,
	Doc: `A file was not written, since its tool call failed

Derivers record a file.write for every call of a tool that writes, also where the call was
denied or ended in an error (result.is_error). Nothing was written then: the change counts for
nothing when lines are attributed, and is shown faded.

## Bad

    {"type": "file.write", "tool_id": "t1", …} with {"id": "t1", "result": {"is_error": true, …}} in the turn

## Good

    no file.write for a call that failed
`,
	Needs: sessionOperations,
	Step: func(p *analysis.StepPass) {
		var failed map[string]bool
		eachOperation(p, "file.write", func(key, structural jsonsrc.Value) {
			if failed == nil {
				failed = failedCalls(p)
			}
			if id := structural.Get("tool_id"); id.Kind() == jsonsrc.String && failed[id.Text()] {
				p.Report(key, fmt.Sprintf("the tool call %q failed, so that nothing was written", clip(id.Text()))).Fade()
			}
		})
	},
}

// failedCalls returns the ids of the step's tool calls that ended in an error.
func failedCalls(p *analysis.StepPass) map[string]bool {
	failed := map[string]bool{}
	eachOperation(p, "conversation.append", func(_, structural jsonsrc.Value) {
		for _, use := range structural.Get("tool_uses").Elements() {
			if use.Get("result").Get("is_error").Kind() == jsonsrc.True {
				failed[use.Get("id").Text()] = true
			}
		}
	})
	return failed
}
