package analysis

import (
	"slices"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// Mention is a place that names a step, a path or an actor.
type Mention struct {
	Start, End int
	// Definition says that the place defines what it names.
	Definition bool
}

// References returns every place in the document that names what stands at an offset: a
// step (its id, parents, head, signature targets), an actor (steps, definitions,
// signers) or an artifact (the steps that touch it), in the order of the text.
func (d *Document) References(off int) []Mention {
	pl := d.at(off)
	var all []Mention
	add := func(v jsonsrc.Value, definition bool) {
		if v.Valid() {
			all = append(all, Mention{v.Start(), v.End(), definition})
		}
	}
	switch pl.role {
	case roleStepID, roleParent, roleHead, roleTarget:
		id, ok := pl.named()
		if !ok {
			return nil
		}
		mentionsOfStep(pl.path, id, add)
	case roleActor:
		mentionsOfActor(d, pl.value.Text(), add)
	case roleArtifact:
		mentionsOfArtifact(pl, add)
	}
	slices.SortFunc(all, func(a, b Mention) int { return a.Start - b.Start })
	return slices.Compact(all)
}

// named returns the step id that a place names, whether there is such a step or not.
func (pl place) named() (string, bool) {
	if pl.role == roleTarget {
		const prefix = "step:"
		t := pl.value.Text()
		if len(t) <= len(prefix) || t[:len(prefix)] != prefix {
			return "", false
		}
		return t[len(prefix):], true
	}
	return pl.value.Text(), true
}

func mentionsOfStep(p *toolpath.Path, id string, add func(jsonsrc.Value, bool)) {
	for _, s := range p.Steps {
		if s.ID == id && s.Nodes.ID != 0 {
			add(s.Value(s.Nodes.ID), true)
		}
		if !slices.Contains(s.Parents, id) {
			continue
		}
		for i, parent := range s.ParentValues() {
			if s.Parents[i] == id {
				add(parent, false)
			}
		}
	}
	if p.HeadVal.Is(id) {
		add(p.HeadVal, false)
	}
	if !p.Doc.Lines {
		return
	}
	for i := range p.Doc.Tree.Chunks() {
		key, body := toolpath.Variant(p.Doc.Tree.Chunk(i))
		switch {
		case key.Is("Head"):
			if v := body.Get("step_id"); v.Is(id) {
				add(v, false)
			}
		case key.Is("Signature"):
			if v := body.Get("target"); v.Is("step:" + id) {
				add(v, false)
			}
		}
	}
}

func mentionsOfActor(d *Document, actor string, add func(jsonsrc.Value, bool)) {
	m := d.Model()
	in := func(meta jsonsrc.Value) {
		if k, v := meta.Get("actors").Member(actor); v.Valid() {
			add(k, true)
		}
		for _, sig := range meta.Get("signatures").Elements() {
			if v := sig.Get("signer"); v.Is(actor) {
				add(v, false)
			}
		}
	}
	in(m.Meta)
	for _, p := range m.Paths {
		in(p.Meta)
		for _, s := range p.Steps {
			if s.Actor == actor && s.Nodes.Actor != 0 {
				add(s.Value(s.Nodes.Actor), false)
			}
			if s.Nodes.Meta != 0 {
				in(s.Value(s.Nodes.Meta))
			}
		}
	}
	if !m.Lines {
		return
	}
	for i := range m.Tree.Chunks() {
		key, body := toolpath.Variant(m.Tree.Chunk(i))
		switch {
		case key.Is("ActorDef"):
			if v := body.Get("actor"); v.Is(actor) {
				add(v, true)
			}
		case key.Is("Signature"):
			if v := body.Get("signature").Get("signer"); v.Is(actor) {
				add(v, false)
			}
		}
	}
}

func mentionsOfArtifact(pl place, add func(jsonsrc.Value, bool)) {
	base := FilePath(pl.path.Base().Get("uri").Text())
	name, raw := artifactName(pl.value.Text(), base), pl.value.Text()
	for _, s := range pl.path.Steps {
		for key := range s.Value(s.Nodes.Change).Members() {
			if text := key.Text(); text == raw || name != "" && artifactName(text, base) == name {
				add(key, false)
			}
		}
	}
}
