package rules

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

var unknownParent = &analysis.Rule{
	ID: "TP2003", Name: "unknown-parent", Severity: analysis.Warning,
	Doc: `A parent names no step of the path

Parents are resolved within the path (RFC, "ID Uniqueness"); a step of another path cannot be
one. The history before this step is cut off here: it counts as a root.

## Bad

    {"step": {"id": "step-002", "parents": ["step-01"], …}}

## Good

    {"step": {"id": "step-002", "parents": ["step-001"], …}}
`,
	Document: func(p *analysis.Pass) {
		if p.Model == nil {
			return
		}
		guesses := 100_000 // ids and paths that are compared with what was written, for suggestions
		for _, path := range p.Model.Paths {
			var at []jsonsrc.Value // the parents of the step in hand
			last := int32(-1)
			for _, r := range path.DAG().Dangling {
				step := path.Steps[r.Step]
				guess := guesses > 0
				guesses -= min(len(path.Steps), maxCandidates) + len(p.Model.Paths)
				if r.Step != last {
					at, last = step.ParentValues(), r.Step
				}
				message, near := unknownStep("parent", step.Parents[r.Parent], path, guess, step.ID)
				d := p.Report(at[r.Parent], message)
				if near != "" && !slices.Contains(step.Parents, near) {
					d.Fix(writeInstead(at[r.Parent], near))
				}
			}
		}
	},
}

// unknownStep says that a reference names no step, and what may have been meant: near,
// which is none of not, or "".
func unknownStep(what, id string, path *toolpath.Path, guess bool, not ...string) (message, near string) {
	message = fmt.Sprintf("the %s %q names no step of this path", what, id)
	if !guess {
		return message, ""
	}
	for _, other := range path.Doc.Paths {
		if other != path && other.Find(id) >= 0 {
			return message + fmt.Sprintf("; the path %q has one, but references across paths are not possible but by path.parent", other.ID), ""
		}
	}
	if near = nearest(id, path, not...); near != "" {
		message += fmt.Sprintf("; did you mean %q?", near)
	}
	return message, near
}

// writeInstead is the fix that writes another string for the one at a place.
func writeInstead(at analysis.Span, s string) analysis.Fix {
	return analysis.Fix{Title: "Write " + quoted(s), Edits: []analysis.TextEdit{{Start: at.Start(), End: at.End(), New: quoted(s)}}}
}

// quoted writes a string as JSON.
func quoted(s string) string {
	b, _ := json.Marshal(s) // a string always encodes
	return string(b)
}
