package analysis

import (
	"fmt"
	"slices"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
	"github.com/toolpath-ls/toolpath-ls/analysis/udiff"
)

// Hover is what there is to say about a place.
type Hover struct {
	Start, End int
	Prose      *Prose
}

// Hover tells of the step id, parent, head or actor at an offset of a Toolpath document;
// nil if there is none.
func (d *Document) Hover(off int) *Hover {
	pl := d.at(off)
	h := &Hover{Start: pl.value.Start(), End: pl.value.End(), Prose: &Prose{}}
	switch pl.role {
	case roleStepID, roleParent, roleHead, roleTarget:
		i := pl.target()
		if pl.role == roleTarget && pl.value.Is("path") {
			return nil
		}
		if i < 0 {
			h.Prose.line(run{text: pl.value.Text(), style: code}, run{text: " names no step of this path"})
			return h
		}
		describeStep(h.Prose, pl.path, i)
	case roleActor:
		name, def, known := d.actor(pl)
		h.Prose.line(describeActor(name, def, known)...)
		h.Prose.line(describeIdentities(def)...)
		if pl.path != nil {
			h.Prose.line(describeWork(pl.path, name)...)
		}
	default:
		return nil
	}
	return h
}

// describeStep writes who did the step, when and why, how it came about, and what it
// changed.
func describeStep(out *Prose, p *toolpath.Path, i int) {
	s, dag := p.Steps[i], p.DAG()
	title := []run{{text: s.ID, style: bold}}
	for _, word := range standing(p, i) {
		title = append(title, run{text: " · " + word})
	}
	out.line(title...)
	def, known := p.Actor(s, s.Actor)
	out.line(append(describeActor(s.Actor, def, known), run{text: " · " + when(s)})...)
	out.line(describeIdentities(def)...)
	if s.Intent != "" {
		out.line(run{text: s.Intent, style: italic})
	}
	out.line(describeLineage(p, i)...)
	if parents := dag.Parents[i]; len(parents) > 1 {
		out.line(describeSteps("merges ", p, parents[1:])...)
	}
	if children := dag.Children[i]; len(children) > 0 {
		out.line(describeSteps("children: ", p, children)...)
	}
	describeChanges(out, s)
}

// standing returns the words for a step's place in the path.
func standing(p *toolpath.Path, i int) []string {
	dag := p.DAG()
	var words []string
	if len(dag.Parents[i]) > 1 {
		words = append(words, "merge")
	}
	switch {
	case i == dag.Head:
		words = append(words, "head")
	case dag.Active[i]:
		words = append(words, "on the way to the head")
	case p.IsAgentSession(), dag.Head < 0:
	default:
		words = append(words, "dead end")
	}
	return words
}

// describeLineage writes the chain of first parents from the root to the step, shortened
// in the middle.
func describeLineage(p *toolpath.Path, i int) []run {
	const ends = 3 // steps shown at each end
	line := p.DAG().MainLine(i)
	if len(line) < 2 {
		return nil
	}
	slices.Reverse(line)
	var out []run
	for k := 0; k < len(line); k++ {
		if len(line) > 2*ends+1 && k == ends {
			left := len(line) - 2*ends
			out = append(out, run{text: fmt.Sprintf(" → … %d more …", left)})
			k += left
		}
		if k > 0 {
			out = append(out, run{text: " → "})
		}
		st := code
		if k == len(line)-1 {
			st = bold
		}
		out = append(out, run{text: p.Steps[line[k]].ID, style: st})
	}
	return out
}

func describeSteps(what string, p *toolpath.Path, steps []int32) []run {
	const most = 6
	out := []run{{text: what}}
	for k, i := range steps {
		if k == most {
			out = append(out, run{text: fmt.Sprintf(", %d more", len(steps)-most)})
			break
		}
		if k > 0 {
			out = append(out, run{text: ", "})
		}
		if i < 0 {
			out = append(out, run{text: "a step that is not here", style: italic})
			continue
		}
		out = append(out, run{text: p.Steps[i].ID, style: code})
	}
	return out
}

// describeChanges writes the artifacts that the step touched, with counts of lines.
func describeChanges(out *Prose, s toolpath.At) {
	const most = 4
	n := 0
	for key, c := range s.Value(s.Nodes.Change).Members() {
		if n++; n > most {
			continue
		}
		line := []run{{text: key.Text(), style: code}}
		if raw := c.Get("raw"); raw.Kind() == jsonsrc.String {
			d := udiff.Parse(raw.Text())
			line = append(line, run{text: fmt.Sprintf(" +%d −%d", d.Added, d.Removed)})
		}
		if op := c.Get("structural").Get("type").Text(); op != "" {
			line = append(line, run{text: " · " + op})
		}
		out.line(line...)
	}
	if n > most {
		out.line(run{text: fmt.Sprintf("%d more artifacts", n-most)})
	}
}

// describeWork counts an actor's steps in a path.
func describeWork(p *toolpath.Path, actor string) []run {
	n, dead := 0, 0
	for i, s := range p.Steps {
		if s.Actor == actor {
			n++
			if !p.DAG().Active[i] {
				dead++
			}
		}
	}
	text := fmt.Sprintf("%d of %d steps of the path %s", n, len(p.Steps), p.ID)
	if dead > 0 && !p.IsAgentSession() {
		text += fmt.Sprintf(", %d of them dead ends", dead)
	}
	return []run{{text: text}}
}
