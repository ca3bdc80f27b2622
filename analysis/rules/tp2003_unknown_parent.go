package rules

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

var unknownParent = &analysis.Rule{
	ID: "TP2003", Name: "unknown-parent", Severity: analysis.Warning,
	Doc: `A parent names no step of the path

Parents are resolved within the path (RFC, "ID Uniqueness"); a step of another path cannot be
one. The history before this step is cut off here: it counts as a root. A path that goes on from
a step of another path says so once, for all of its roots, in path.parent (RFC, "Path Parent").

## Bad

    {"step": {"id": "step-002", "parents": ["step-01"], …}}

## Good

    {"step": {"id": "step-002", "parents": ["step-001"], …}}
`,
	Document: func(p *analysis.Pass) {
		if p.Model == nil {
			return
		}
		var offered struct { // what descend says of the path
			path *toolpath.Path
			fix  analysis.Fix
			ok   bool
		}
		guesses := 100_000 // ids that are compared with what was written, for suggestions
		for _, path := range p.Model.Paths {
			var at []jsonsrc.Value // the parents of the step in hand
			last := int32(-1)
			for _, r := range path.DAG().Dangling {
				step := path.Steps.At(int(r.Step))
				guess := guesses > 0
				guesses -= min(path.Steps.Len(), maxCandidates)
				if r.Step != last {
					at, last = step.ParentValues(), r.Step
				}
				message, near, other := unknownStep("parent", step.Parents[r.Parent], path, guess, step.ID)
				d := p.Report(at[r.Parent], message)
				switch {
				case other != nil:
					if offered.path != path {
						offered.path = path
						offered.fix, offered.ok = descend(p.Doc, path, other)
					}
					if offered.ok {
						d.Fix(offered.fix)
					}
				case near != "" && !slices.Contains(step.Parents, near):
					d.Fix(writeInstead(at[r.Parent], near))
				}
			}
		}
	},
}

// descend is the fix that names a step of another path of the document in path.parent, in
// place of the parents that cannot. There is one if that step is the one parent of each
// step whose parents are not all in the path, and if there is no other root: every root of a
// path descends from path.parent.
func descend(doc *analysis.Document, path, other *toolpath.Path) (f analysis.Fix, ok bool) {
	if doc.Path == "" || path.Parent().Valid() || other.ID == "" || !doc.HasPath(other.ID) {
		return f, false
	}
	id := ""
	for i, parents := range path.DAG().Parents.All() {
		if len(parents) > 0 && !slices.Contains(parents, -1) {
			continue
		}
		step := path.Steps.At(i)
		if len(parents) != 1 || id != "" && step.Parents[0] != id {
			return f, false
		}
		id = step.Parents[0]
		edit, removed := removeMember(step.Self().Get("step"), "parents")
		if !removed {
			return f, false
		}
		f.Edits = append(f.Edits, edit)
	}
	edit, ok := addMember(doc, path.Identity, "parent",
		fmt.Sprintf(`{"uri": %s, "path": %s, "step": %s}`, quoted(url.PathEscape(doc.Name())), quoted(other.ID), quoted(id)))
	f.Title = fmt.Sprintf("Let the path descend from step %q of %q (path.parent)", clip(id), clip(other.ID))
	f.Edits = append(f.Edits, edit)
	return f, ok && other.Find(id) >= 0
}

// unknownStep says that a reference names no step, and what may have been meant: near,
// which is none of not, or "", or the path of the document that has such a step, or nil.
func unknownStep(what, id string, path *toolpath.Path, guess bool, not ...string) (message, near string, in *toolpath.Path) {
	message = fmt.Sprintf("the %s %q names no step of this path", what, id)
	if other := path.Doc.WithStep(id); other != nil && other != path {
		return message + fmt.Sprintf("; the path %q has one, but references across paths are not possible but by path.parent", clip(other.ID)), "", other
	}
	if !guess {
		return message, "", nil
	}
	if near = nearest(id, path, not...); near != "" {
		message += fmt.Sprintf("; did you mean %q?", near)
	}
	return message, near, nil
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
