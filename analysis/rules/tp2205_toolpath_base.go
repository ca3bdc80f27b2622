package rules

import (
	"fmt"
	"iter"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

var toolpathBase = &analysis.Rule{
	ID: "TP2205", Name: "toolpath-base", Severity: analysis.Warning,
	Doc: `A toolpath: base has a ref, or names no step

A base whose uri is "toolpath:<path>/<step>" is the state of the project at a step; it has no ref
beside it (RFC, "Toolpath Base"). If the path is in this graph, the step must be in the path, and
that path must not itself start from the one that has the base.

## Bad

    "base": {"uri": "toolpath:path-main/step-005", "ref": "abc123"}

## Good

    "base": {"uri": "toolpath:path-main/step-005"}
`,
	Document: func(p *analysis.Pass) {
		if p.Model == nil {
			return
		}
		from := make([]int, len(p.Model.Paths))
		for i, path := range p.Model.Paths {
			from[i] = -1
			base := path.Base()
			uri := base.Get("uri")
			name, ok := strings.CutPrefix(uri.Text(), "toolpath:")
			if !ok {
				continue
			}
			if key, ref := base.Member("ref"); ref.Valid() {
				d := p.Report(key, "a toolpath: base has no ref: the step in its uri is the state")
				if e, ok := removeMember(base, "ref"); ok {
					d.Fix(analysis.Fix{Title: "Remove ref", Edits: []analysis.TextEdit{e}, Safe: true})
				}
			}
			if fault := toolpathTarget(p.Doc, name); fault != "" {
				p.Report(uri, fault)
				continue
			}
			target, _, known := p.Doc.SplitName(name)
			switch {
			case !strings.Contains(name, "/") || known && target == name:
				p.Report(uri, `a toolpath: base names a step: "toolpath:<path>/<step>"`)
			case known:
				from[i] = p.Model.Find(target).Index
			}
		}
		for i := range onCycles(from) {
			if path := p.Model.Paths[i]; from[i] == i {
				p.Report(path.Base().Get("uri"), fmt.Sprintf("the path %q cannot start from a step of its own", clip(path.ID)))
			} else {
				p.Report(path.Base().Get("uri"), fmt.Sprintf("the path %q cannot start from a step of %q, which itself starts from it", clip(path.ID), clip(p.Model.Paths[from[i]].ID)))
			}
		}
	},
}

// onCycles yields, in order, the places that one comes back to by going from each to next,
// where -1 leads nowhere.
func onCycles(next []int) iter.Seq[int] {
	return func(yield func(int) bool) {
		run, cyclic := make([]int, len(next)), make([]bool, len(next)) // run: in which one was there
		for i := range next {
			at := i
			for at >= 0 && run[at] == 0 {
				run[at], at = i+1, next[at]
			}
			for at >= 0 && run[at] == i+1 && !cyclic[at] {
				cyclic[at], at = true, next[at]
			}
		}
		for i, is := range cyclic {
			if is && !yield(i) {
				return
			}
		}
	}
}

// toolpathTarget says what is wrong with a "<path>/<step>" or "<path>" that is resolved in
// a graph, "" if nothing is or the path is not in it.
func toolpathTarget(d *analysis.Document, name string) string {
	path, step, ok := d.SplitName(name)
	if !ok || path == name {
		return ""
	}
	if d.Model().Find(path).Find(step) >= 0 {
		return ""
	}
	return fmt.Sprintf("the path %q has no step %q", clip(path), clip(step))
}
