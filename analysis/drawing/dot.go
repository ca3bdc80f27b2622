package drawing

import (
	"fmt"
	"io"
	"strings"
)

var dotShapes = map[string]string{"human": "ellipse", "agent": "hexagon", "tool": "box", "ci": "triangle"}

// WriteDOT writes the paths as one graph in the DOT language of Graphviz, a cluster for each.
// Arrows lead from a step to its children, as work went on.
func (d *Drawing) WriteDOT(w io.Writer) error {
	var err error
	put := func(format string, args ...any) {
		if err == nil {
			_, err = fmt.Fprintf(w, format, args...)
		}
	}
	put("digraph toolpath {\n  rankdir=LR;\n  node [fontname=\"Helvetica\", fontsize=11, style=filled, fillcolor=white, penwidth=2];\n  edge [penwidth=1.5, arrowsize=0.7];\n")
	for k, p := range d.Paths {
		name := p.Title
		if name == "" {
			name = p.ID
		}
		put("  subgraph cluster_%d {\n    label=%s;\n", k, quote(short(name, 90)))
		for row := len(p.Steps) - 1; row >= 0; row-- {
			s := p.Steps[row]
			a := p.Actors[s.Actor]
			shape := dotShapes[a.Kind]
			if shape == "" {
				shape = "ellipse"
			}
			more := ""
			switch {
			case row == p.Head:
				more = ", peripheries=2"
			case s.Dead:
				more = ", style=\"filled,dashed\", fontcolor=gray40"
			}
			label := short(s.ID, 40) + "\n" + short(a.Name, 40)
			if s.Intent != "" {
				label += "\n" + short(s.Intent, 40)
			}
			put("    p%d_%d [label=%s, tooltip=%s, shape=%s, color=%q%s];\n", k, row, quote(label), quote(short(s.Intent, 300)), shape, light.actors[a.Color], more)
		}
		for i := len(p.Edges) - 1; i >= 0; i-- {
			e := p.Edges[i]
			more := ""
			switch {
			case e[3]&1 != 0:
				more = " [style=dashed]"
			case e[2] == 0 && p.Head >= 0:
				more = " [weight=10]"
			}
			put("    p%d_%d -> p%d_%d%s;\n", k, e[1], k, e[0], more)
		}
		put("  }\n")
	}
	put("}\n")
	return err
}

// quote writes a DOT string, in which a line ends with \n. Without "<" first it is no HTML.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(strings.ToValidUTF8(s, "\ufffd")) + `"`
}
