package rules

import (
	"fmt"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
)

var refHref = &analysis.Rule{
	ID: "TP2206", Name: "ref-href", Severity: analysis.Warning,
	Doc: `A toolpath: reference names no step of the graph

The href of a meta.refs entry may be "toolpath:<path>" or "toolpath:<path>/<step>", resolved in
the same graph. If the path is in this graph, the step must be in the path; if it is not, that
is an information, since other programs may know it. An entry that says
"correlates" stands in the graph's meta, with the href "self".

## Bad

    {"rel": "same-change", "href": "toolpath:pr-42/no-such-step"}

## Good

    {"rel": "same-change", "href": "toolpath:pr-42/step-003"}
`,
	Document: func(p *analysis.Pass) {
		if p.Model == nil {
			return
		}
		for _, meta := range metas(p.Model) {
			checkHrefs(reporting(p), p.Doc, meta)
		}
		for _, path := range p.Model.Paths {
			for _, s := range path.Steps.All() {
				if s.Nodes.Meta != 0 {
					checkHrefs(reporting(p), p.Doc, s.Value(s.Nodes.Meta))
				}
			}
		}
	},
}

func checkHrefs(report reporter, d *analysis.Document, meta jsonsrc.Value) {
	for _, ref := range meta.Get("refs").Elements() {
		href := ref.Get("href")
		if name, ok := strings.CutPrefix(href.Text(), "toolpath:"); ok && !strings.HasPrefix(name, "//") {
			if fault := toolpathTarget(d, name); fault != "" {
				report(href, fault)
			} else if _, _, known := d.SplitName(name); !known {
				report(href, fmt.Sprintf("no path of this graph is meant by %q, and toolpath: is resolved in the same graph", clip(href.Text()))).As(analysis.Information)
			}
		}
		if ref.Get("rel").Is("correlates") && !href.Is("self") {
			d := report(href, "the href of \"correlates\" is \"self\": the mark says that the graph's paths were correlated")
			if href.Closed() {
				d.Fix(writeInstead(href, "self"))
			}
		}
	}
}
