package analysis

import (
	"cmp"
	"slices"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// Mention is a place that names a step, a path, an actor or an artifact.
type Mention struct {
	Doc        *Document
	Start, End int
	// Definition says that the place defines what it names.
	Definition bool
}

// References returns every place that names what stands at an offset, by document and in
// the order of the text: of a step its id, parents, head, signature targets and, here and
// in other documents, path.parent and toolpath: URIs; of a path its id and those; of an
// actor steps, definitions and signers; of an artifact the steps that touch it. What must
// be read to know all is returned as well.
func (s *Snapshot) References(d *Document, off int, done func() bool) (all []Mention, needs []Need) {
	pl := d.at(off)
	switch pl.role {
	case roleActor, roleArtifact:
		return d.mentions(pl, done), nil
	}
	sub, need, ok := s.subjectAt(d, pl)
	switch {
	case need != nil:
		return nil, []Need{*need}
	case !ok:
		return nil, nil
	}
	all = s.mentionsIn(sub.doc, sub, done)
	others, _, needs := s.pointing(sub.doc)
	for _, other := range others {
		if done() {
			return nil, nil
		}
		all = append(all, s.mentionsIn(other, sub, done)...)
	}
	return all, needs
}

// Highlights returns the places of References that are in the document itself.
func (s *Snapshot) Highlights(d *Document, off int, done func() bool) (all []Mention, needs []Need) {
	pl := d.at(off)
	switch pl.role {
	case roleActor, roleArtifact:
		return d.mentions(pl, done), nil
	}
	sub, need, ok := s.subjectAt(d, pl)
	switch {
	case need != nil:
		return nil, []Need{*need}
	case !ok:
		return nil, nil
	}
	return s.mentionsIn(d, sub, done), nil
}

// mentionsIn returns the places of one document that name a subject.
func (s *Snapshot) mentionsIn(d *Document, sub subject, done func() bool) []Mention {
	c := collector{doc: d, done: done}
	if d.URI == sub.doc.URI {
		if sub.step == "" {
			c.add(sub.path.IDValue, true)
		} else {
			c.step(sub.path, sub.step)
		}
	}
	for _, o := range d.outwards() {
		if s.names(d, o, sub) {
			c.add(o.value, false)
		}
	}
	return c.sorted()
}

// mentions returns the places of the document that name the actor or the artifact at a
// place.
func (d *Document) mentions(pl place, done func() bool) []Mention {
	c := collector{doc: d, done: done}
	if pl.role == roleActor {
		c.actor(pl.value.Text())
	} else if pl.path != nil {
		c.artifact(pl)
	}
	return c.sorted()
}

// collector gathers mentions.
type collector struct {
	doc  *Document
	done func() bool
	all  []Mention
}

// asked says, now and then, whether to go on is of no use.
func (c *collector) asked(i int) bool { return i%1024 == 0 && c.done() }

func (c *collector) add(v jsonsrc.Value, definition bool) {
	if v.Valid() {
		c.all = append(c.all, Mention{c.doc, v.Start(), v.End(), definition})
	}
}

func (c *collector) sorted() []Mention {
	slices.SortFunc(c.all, func(a, b Mention) int { return cmp.Compare(a.Start, b.Start) })
	return slices.Compact(c.all)
}

const stepTarget = "step:" // before the id in a stream's Signature (JSONL Streaming RFC)

// named returns the step id that a place names, whether there is such a step or not.
func (pl place) named() (string, bool) {
	if pl.role == roleTarget {
		return strings.CutPrefix(pl.value.Text(), stepTarget)
	}
	return pl.value.Text(), true
}

func (c *collector) step(p *toolpath.Path, id string) {
	session := p.IsAgentSession()
	for i, s := range p.Steps.All() {
		if c.asked(i) {
			return
		}
		if s.ID == id && s.Nodes.ID != 0 {
			c.add(s.Value(s.Nodes.ID), true)
		}
		if session {
			c.kept(s, id)
		}
		if !slices.Contains(s.Parents, id) {
			continue
		}
		for _, v := range s.ParentValues() {
			if v.Is(id) {
				c.add(v, false)
			}
		}
	}
	if p.HeadVal.Is(id) {
		c.add(p.HeadVal, false)
	}
	c.lines(func(key, body jsonsrc.Value) {
		switch {
		case key.Is("Head"):
			if v := body.Get("step_id"); v.Is(id) {
				c.add(v, false)
			}
		case key.Is("Signature"):
			if v := body.Get("target"); v.Is(stepTarget + id) {
				c.add(v, false)
			}
		}
	})
}

// kept adds where a compaction says that it keeps the step.
func (c *collector) kept(s toolpath.At, id string) {
	for _, v := range keptIn(s) {
		if v.Is(id) {
			c.add(v, false)
		}
	}
}

// keptIn returns the places where a step, as a compaction, names the turns that it keeps.
func keptIn(s toolpath.At) (all []jsonsrc.Value) {
	for _, change := range s.Value(s.Nodes.Change).Members() {
		for _, v := range change.Get("structural").Get("kept").Elements() {
			all = append(all, v)
		}
	}
	return all
}

// lines calls a function with each line of a stream.
func (c *collector) lines(see func(key, body jsonsrc.Value)) {
	m := c.doc.Model()
	if !m.Lines {
		return
	}
	for i := range m.Tree.NumChunks() {
		if c.asked(i) {
			return
		}
		if key, body := toolpath.Variant(m.Tree.Chunk(i)); key.Valid() {
			see(key, body)
		}
	}
}

func (c *collector) actor(actor string) {
	m := c.doc.Model()
	c.actorIn(m.Meta, actor)
	for _, p := range m.Paths {
		c.actorIn(p.Meta, actor)
		for i, s := range p.Steps.All() {
			if c.asked(i) {
				return
			}
			if s.Actor == actor && s.Nodes.Actor != 0 {
				c.add(s.Value(s.Nodes.Actor), false)
			}
			if s.Nodes.Meta != 0 {
				c.actorIn(s.Value(s.Nodes.Meta), actor)
			}
		}
	}
	c.lines(func(key, body jsonsrc.Value) {
		switch {
		case key.Is("ActorDef"):
			if v := body.Get("actor"); v.Is(actor) {
				c.add(v, true)
			}
		case key.Is("Signature"):
			if v := body.Get("signature").Get("signer"); v.Is(actor) {
				c.add(v, false)
			}
		}
	})
}

func (c *collector) actorIn(meta jsonsrc.Value, actor string) {
	if k, v := meta.Get("actors").Member(actor); v.Valid() {
		c.add(k, true)
	}
	for _, sig := range meta.Get("signatures").Elements() {
		if v := sig.Get("signer"); v.Is(actor) {
			c.add(v, false)
		}
	}
}

func (c *collector) artifact(pl place) {
	base := baseFolder(pl.path)
	name, raw := artifactName(pl.value.Text(), base), pl.value.Text()
	for i, s := range pl.path.Steps.All() {
		if c.asked(i) {
			return
		}
		for key := range s.Value(s.Nodes.Change).Members() {
			if key.Is(raw) || name != "" && artifactName(key.Text(), base) == name {
				c.add(key, false)
			}
		}
	}
}
