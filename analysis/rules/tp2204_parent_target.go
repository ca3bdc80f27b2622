package rules

import (
	"fmt"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

var parentTarget = &analysis.Rule{
	ID: "TP2204", Name: "parent-target", Severity: analysis.Warning,
	Doc: `The parent of a path is not where it says

path.parent names a document, a path in it and a step of that path (RFC, "Path Parent"). Where
the document is a file that can be read, all three are checked. The parent is another path, and
does not itself descend from this one.

## Bad

    "parent": {"uri": "a.path.json", "path": "no-such-path", "step": "s17"}

## Good

    "parent": {"uri": "a.path.json", "path": "p1", "step": "s17"}
`,
	Workspace: func(p *analysis.WorkspacePass) {
		for _, path := range p.Model.Paths {
			parent := path.Parent()
			uri := parent.Get("uri")
			if uri.Kind() != jsonsrc.String {
				continue
			}
			if uri.Is("") {
				p.Report(uri, "an empty uri names no document")
				continue
			}
			d, reach := p.Follow(uri.Text())
			switch {
			case reach != analysis.Reached:
				continue
			case d.Model() == nil:
				p.Report(uri, fmt.Sprintf("%s is no Toolpath document", d.Name()))
				continue
			}
			checkParentIn(p, path, d, parent)
		}
	},
}

func checkParentIn(p *analysis.WorkspacePass, child *toolpath.Path, d *analysis.Document, parent jsonsrc.Value) {
	id, step := parent.Get("path"), parent.Get("step")
	if id.Kind() != jsonsrc.String || step.Kind() != jsonsrc.String {
		return
	}
	path := analysis.FindPath(d.Model(), id.Text())
	if path == nil {
		report := p.Report(id, fmt.Sprintf("%s has no path %q", d.Name(), clip(id.Text())))
		if paths := d.Model().Paths; len(paths) == 1 && paths[0].ID != "" {
			report.Fix(writeInstead(id, paths[0].ID))
		}
		return
	}
	if path.Find(step.Text()) < 0 {
		message := fmt.Sprintf("the path %q of %s has no step %q", path.ID, d.Name(), clip(step.Text()))
		near := nearest(step.Text(), path)
		if near != "" {
			message += fmt.Sprintf("; did you mean %q?", near)
		}
		if report := p.Report(step, message); near != "" {
			report.Fix(writeInstead(step, near))
		}
		return
	}
	if descendsFrom(p, d, path, child) {
		p.Report(id, fmt.Sprintf("the path %q descends from itself: its parent leads back to it", clip(child.ID)))
	}
}

// descendsFrom says whether a path of d is the one of this document, or leads to it from
// parent to parent.
func descendsFrom(p *analysis.WorkspacePass, d *analysis.Document, path, ancestor *toolpath.Path) bool {
	const most = 100 // paths followed
	for range most {
		switch {
		case path == nil || d.Model() == nil:
			return false
		case d.Path == p.Doc.Path && path.ID == ancestor.ID:
			return true
		}
		parent := path.Parent()
		next, reach := p.FollowFrom(d, parent.Get("uri").Text())
		if reach != analysis.Reached {
			return false
		}
		d, path = next, analysis.FindPath(next.Model(), parent.Get("path").Text())
	}
	return false
}
