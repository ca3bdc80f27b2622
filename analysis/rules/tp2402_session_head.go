package rules

import (
	"fmt"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

var sessionHead = &analysis.Rule{
	ID: "TP2402", Name: "session-head", Severity: analysis.Information,
	Doc: `The head of a session is not on its last turn

In an agent session the head should be the last turn of the conversation, or what was written
after it. Derivers that take the last event for the head cut the conversation off: by the letter
most of its steps are dead ends then. Their edits are on disk all the same, and blame counts them.

## Bad

    "head": "an event behind the last turn"

## Good

    "head": "the last step with a conversation.append"
`,
	Document: func(p *analysis.Pass) {
		if p.Model == nil {
			return
		}
		for _, path := range p.Model.Paths {
			dag := path.DAG()
			if !path.IsAgentSession() || dag.Head < 0 || !path.HeadVal.Valid() {
				continue
			}
			last := lastTurn(path)
			if last < 0 || dag.Active[last] {
				continue
			}
			dead := 0
			for _, active := range dag.Active {
				if !active {
					dead++
				}
			}
			p.Report(path.HeadVal, fmt.Sprintf("the head does not descend from the last turn %q of the conversation: by the letter %d of %d steps are dead ends",
				path.Steps.At(last).ID, dead, path.Steps.Len()), analysis.RelatedTo(path.Steps.At(last).IDValue(), "the last turn")).
				Fix(writeInstead(path.HeadVal, path.Steps.At(last).ID))
		}
	},
}

// lastTurn returns the last step of a session that appends to the conversation, -1 if
// there is none.
func lastTurn(path *toolpath.Path) int {
	for i := path.Steps.Len() - 1; i >= 0; i-- {
		s := path.Steps.At(i)
		for _, c := range s.Value(s.Nodes.Change).Members() {
			if c.Get("structural").Get("type").Is("conversation.append") {
				return i
			}
		}
	}
	return -1
}
