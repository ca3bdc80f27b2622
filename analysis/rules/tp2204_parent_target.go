package rules

import (
	"fmt"
	"slices"

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
			checkParentIn(p, d, parent)
		}
		for _, path := range selfDescended(p) {
			p.Report(path.Parent().Get("path"), fmt.Sprintf("the path %q descends from itself: its parent leads back to it", clip(path.ID)))
		}
	},
}

func checkParentIn(p *analysis.WorkspacePass, d *analysis.Document, parent jsonsrc.Value) {
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
	}
}

// pathIn names a path of a document.
type pathIn struct{ file, id string }

// selfDescended returns the paths of this document that one comes back to by going from parent to
// parent. Every path on the way is visited once.
func selfDescended(p *analysis.WorkspacePass) (all []*toolpath.Path) {
	const most = 1000                                  // paths from one on
	run, cyclic := map[pathIn]int{}, map[pathIn]bool{} // run: in which one was there
	for i, path := range p.Model.Paths {
		if i%1000 == 999 && p.Done() {
			return nil
		}
		var trail []pathIn
		for d, at := p.Doc, path; at != nil && len(trail) < most; d, at = parentOf(p, d, at) {
			k := pathIn{d.Path, at.ID}
			if run[k] == i+1 {
				for _, c := range trail[slices.Index(trail, k):] {
					cyclic[c] = true
				}
			}
			if run[k] != 0 {
				break
			}
			run[k], trail = i+1, append(trail, k)
		}
	}
	for _, path := range p.Model.Paths {
		if cyclic[pathIn{p.Doc.Path, path.ID}] && analysis.FindPath(p.Model, path.ID) == path {
			all = append(all, path)
		}
	}
	return all
}

// parentOf returns the path that a path of d descends from, nil if it is none that is here.
func parentOf(p *analysis.WorkspacePass, d *analysis.Document, path *toolpath.Path) (*analysis.Document, *toolpath.Path) {
	parent := path.Parent()
	if !parent.Valid() {
		return nil, nil
	}
	to, reach := p.FollowFrom(d, parent.Get("uri").Text())
	if reach != analysis.Reached {
		return nil, nil
	}
	at := analysis.FindPath(to.Model(), parent.Get("path").Text())
	if at == nil || at.Find(parent.Get("step").Text()) < 0 {
		return nil, nil
	}
	return to, at
}
