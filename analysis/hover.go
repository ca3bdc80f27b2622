package analysis

import (
	"fmt"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
	"github.com/toolpath-ls/toolpath-ls/analysis/udiff"
)

// Hover is what there is to say about a place.
type Hover struct {
	Start, End int
	Prose      *Prose
	// Step is the step that is told of, if it is one.
	Step *StepRef
}

// Hover tells of what stands at an offset of a Toolpath document; nil if that is nothing to
// tell of. On the key of a field it is what the format says of the field; on a value what
// that means here. now is the present, in the zone of the reader. What must be read to tell
// all is returned as well.
func (s *Snapshot) Hover(d *Document, off int, now time.Time) (*Hover, []Need) {
	p, ok := d.position(off)
	if !ok {
		return nil, nil
	}
	at := p.value
	if p.role == roleNone {
		at = p.frame.Value
		if p.onKey {
			at = p.frame.Key
		}
	}
	if k := at.Kind(); k == jsonsrc.Invalid || k >= jsonsrc.Array {
		return nil, nil
	}
	t := teller{Snapshot: s, d: d, position: p, now: now, out: &Prose{}}
	t.tell()
	if t.out.Empty() {
		return nil, t.needs
	}
	return &Hover{Start: at.Start(), End: at.End(), Prose: t.out, Step: t.step}, t.needs
}

// teller writes a hover.
type teller struct {
	*Snapshot
	position
	d     *Document
	now   time.Time
	out   *Prose
	step  *StepRef // the one that is told of
	needs []Need
}

func (t *teller) tell() {
	switch t.role {
	case roleStepID, roleParent, roleHead, roleKept, roleTarget:
		t.aboutStep()
	case roleActor:
		t.aboutActor()
	case roleArtifact:
		t.artifact()
	case rolePathID:
		t.describePath(t.d, t.path)
	case roleOutward:
		t.outward()
	default:
		if t.onKey {
			t.field()
		} else if !t.meaning() {
			t.out.line(describe(t.describe())...)
		}
	}
}

func (t *teller) aboutStep() {
	i := t.target()
	switch {
	case t.role == roleTarget && t.value.Is("path"):
		t.out.line(run{text: "the signature is for the whole path"})
	case i < 0:
		t.out.line(run{text: t.value.Text(), style: code}, run{text: " names no step of this path"})
	default:
		t.step = &StepRef{t.d, t.path, i}
		describeStep(t.out, t.path, i, t.now)
		t.stepDefinitions(*t.step)
		t.out.line(t.signedBy(*t.step, t.now)...)
		if len(t.path.Steps.At(i).Parents) == 0 {
			t.descent(t.d, t.path)
		}
	}
}

func (t *teller) aboutActor() {
	name, def, known := t.d.actor(t.place)
	t.out.line(describeActor(name, def, known)...)
	t.out.line(describeIdentities(def)...)
	if t.path != nil {
		t.out.line(describeWork(t.path, name)...)
	}
}

// describeStep writes who did the step, when and why, how it came about, and what it
// changed.
func describeStep(out *Prose, p *toolpath.Path, i int, now time.Time) {
	s, dag := p.Steps.At(i), p.DAG()
	title := []run{{text: s.ID, style: bold}}
	for _, word := range standing(p, i) {
		title = append(title, run{text: " · " + word})
	}
	out.line(title...)
	def, known := p.Actor(s, s.Actor)
	out.line(append(describeActor(s.Actor, def, known), run{text: " · " + when(s)}, since(s, now))...)
	out.line(describeIdentities(def)...)
	if intent := s.Intent(); intent != "" {
		out.line(run{text: intent, style: italic})
	}
	out.line(describeLineage(p, i)...)
	if parents := dag.Parents.At(i); len(parents) > 1 {
		out.line(describeSteps("merges ", p, parents[1:])...)
	}
	if children := dag.Children.At(i); len(children) > 0 {
		out.line(describeSteps("children: ", p, children)...)
	}
	describeChanges(out, s)
}

// since says how long ago a step was.
func since(s toolpath.At, now time.Time) run {
	if !s.HasTime {
		return run{}
	}
	return run{text: ", " + ago(s.Time(), now)}
}

// standing returns the words for a step's place in the path.
func standing(p *toolpath.Path, i int) []string {
	dag := p.DAG()
	var words []string
	if len(dag.Parents.At(i)) > 1 {
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
	const ends = 3         // steps shown at each end
	var near [ends + 1]int // the last ones of the chain, from the step on
	var far [ends]int      // the last ones seen, which will be the first of the chain
	n := 0
	for k := range p.DAG().AlongMainLine(i) {
		if n < len(near) {
			near[n] = k
		}
		far[n%ends] = k
		n++
	}
	if n < 2 {
		return nil
	}
	var out []run
	add := func(k int, st style) {
		if out != nil {
			out = append(out, run{text: " → "})
		}
		out = append(out, run{text: p.Steps.At(k).ID, style: st})
	}
	for k := range min(n-1, ends) {
		add(far[(n-1-k)%ends], code)
	}
	behind := n - ends // steps behind those
	if n > 2*ends+1 {
		out = append(out, run{text: fmt.Sprintf(" → … %d more …", n-2*ends)})
		behind = ends
	}
	for k := behind - 1; k > 0; k-- {
		add(near[k], code)
	}
	add(i, bold)
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
		out = append(out, run{text: p.Steps.At(int(i)).ID, style: code})
	}
	return out
}

// describeChanges writes the artifacts that the step touched, with counts of lines.
func describeChanges(out *Prose, s toolpath.At) {
	const most = 4
	changes, n := ChangesOf(s, most)
	for _, c := range changes {
		line := []run{{text: c.Artifact, style: code}}
		if c.HasDiff {
			line = append(line, run{text: fmt.Sprintf(" +%d −%d", c.Added, c.Removed)})
		}
		if c.Words != "" {
			line = append(line, wordsOf(" · "+c.Words)...)
		}
		out.line(line...)
	}
	if n > most {
		out.line(run{text: fmt.Sprintf("%d more artifacts", n-most)})
	}
}

// ArtifactChange is what a step did to one artifact.
type ArtifactChange struct {
	Artifact       string // its key
	HasDiff        bool
	Added, Removed int    // lines of the diff
	Words          string // what its structural change says, for people; may be ""
}

// ChangesOf returns what a step did, up to so many artifacts in the order of the document,
// and how many there are.
func ChangesOf(s toolpath.At, most int) (changes []ArtifactChange, n int) {
	for key, c := range s.Value(s.Nodes.Change).Members() {
		if n++; n > most {
			continue
		}
		change := ArtifactChange{Artifact: key.Text(), Words: operationWords(c.Get("structural"))}
		if raw := c.Get("raw"); raw.Kind() == jsonsrc.String {
			d := udiff.Parse(raw.Text())
			change.HasDiff, change.Added, change.Removed = true, d.Added, d.Removed
		}
		changes = append(changes, change)
	}
	return changes, n
}

// describeWork counts an actor's steps in a path.
func describeWork(p *toolpath.Path, actor string) []run {
	n, dead := 0, 0
	for i, s := range p.Steps.All() {
		if s.Actor == actor {
			n++
			if !p.DAG().Active[i] {
				dead++
			}
		}
	}
	text := fmt.Sprintf("%d of %d steps of the path %s", n, p.Steps.Len(), p.ID)
	if dead > 0 && !p.IsAgentSession() {
		text += ", " + count(dead, "of them a dead end", "of them dead ends")
	}
	return []run{{text: text}}
}
