package analysis

import (
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// role says what stands at a place of a document.
type role uint8

const (
	roleNone     role = iota
	roleStepID        // a step's id
	roleParent        // an element of parents
	roleHead          // path.head, or a stream's Head
	roleActor         // an actor string, as a value or as a key of actors
	roleArtifact      // a key of change
	rolePathID        // a path's id
	roleTarget        // the step that a stream's Signature is for
	roleKept          // a step that a compaction keeps (kind agent-coding-session v1.2.0)
	roleOutward       // a path, or a step of it, named from outside
	roleDocument      // the document that a $ref or the uri of a path's parent names
)

// place is what stands at an offset.
type place struct {
	role  role
	path  *toolpath.Path
	step  int // the step that the place lies in; -1 for none
	value jsonsrc.Value
}

// pattern is a way from a step, path, graph or line to a place; "*" is any element or key.
type pattern struct {
	role  role
	onKey bool
	way   []string
}

var (
	actorWays = []pattern{
		{roleActor, true, []string{"meta", "actors", "*"}},
		{roleActor, false, []string{"meta", "signatures", "*", "signer"}},
		{roleOutward, false, []string{"meta", "refs", "*", "href"}},
	}
	stepWays = append([]pattern{
		{roleStepID, false, []string{"step", "id"}},
		{roleParent, false, []string{"step", "parents", "*"}},
		{roleActor, false, []string{"step", "actor"}},
		{roleArtifact, true, []string{"change", "*"}},
		{roleKept, false, []string{"change", "*", "structural", "kept", "*"}},
	}, actorWays...)
	pathWays = append([]pattern{
		{roleHead, false, []string{"path", "head"}},
		{rolePathID, false, []string{"path", "id"}},
		{roleOutward, false, []string{"path", "parent", "path"}},
		{roleOutward, false, []string{"path", "parent", "step"}},
		{roleDocument, false, []string{"path", "parent", "uri"}},
		{roleOutward, false, []string{"path", "base", "uri"}},
		{roleDocument, false, []string{"$ref"}},
	}, actorWays...)
	lineWays = []pattern{
		{roleHead, false, []string{"Head", "step_id"}},
		{rolePathID, false, []string{"PathOpen", "id"}},
		{roleOutward, false, []string{"PathOpen", "parent", "path"}},
		{roleOutward, false, []string{"PathOpen", "parent", "step"}},
		{roleDocument, false, []string{"PathOpen", "parent", "uri"}},
		{roleOutward, false, []string{"PathOpen", "base", "uri"}},
		{roleOutward, false, []string{"PathOpen", "meta", "refs", "*", "href"}},
		{roleOutward, false, []string{"PathMeta", "patch", "refs", "*", "href"}},
		{roleActor, false, []string{"ActorDef", "actor"}},
		{roleActor, false, []string{"Signature", "signature", "signer"}},
		{roleTarget, false, []string{"Signature", "target"}},
	}
)

// at returns what stands at the offset.
func (d *Document) at(off int) place {
	m := d.Model()
	if m == nil {
		return place{step: -1}
	}
	frames := d.Tree().Path(off)
	if len(frames) < 2 {
		return place{step: -1}
	}
	if m.Form.Envelope() != "" {
		if frames = frames[1:]; len(frames) < 2 || !frames[0].Key.Is(m.Form.Envelope()) {
			return place{step: -1}
		}
	}
	ways, rest, pl := actorWays, frames[1:], place{step: -1}
	switch {
	case m.Form.HoldsStep():
		pl.path, pl.step, ways = m.Paths[0], min(0, m.Paths[0].Steps.Len()-1), stepWays
	case !m.Form.HoldsGraph():
		pl.path, ways = m.Paths[0], pathWays
		if len(frames) > 2 && frames[1].Key.Is("steps") {
			if pl.step = stepOfChunk(pl.path, frames[2].Value); pl.step < 0 {
				return pl
			}
			ways, rest = stepWays, frames[3:]
		}
	case m.Lines && len(m.Paths) == 0:
		return pl
	case m.Lines:
		pl.path, ways = m.Paths[0], lineWays
		if frames[1].Key.Is("Step") {
			if pl.step = stepOfChunk(pl.path, frames[1].Value); pl.step < 0 {
				return pl
			}
			ways, rest = stepWays, frames[2:]
		}
	case len(frames) > 2 && frames[1].Key.Is("paths"):
		if pl.path = pathOf(m, frames[2].Value); pl.path == nil {
			return pl
		}
		ways, rest = pathWays, frames[3:]
		if len(frames) > 4 && frames[3].Key.Is("steps") {
			if pl.step = stepOfChunk(pl.path, frames[4].Value); pl.step < 0 {
				return pl
			}
			ways, rest = stepWays, frames[5:]
		}
	}
	return pl.match(rest, ways, off)
}

// pathOf returns the path that was read from the value: of two members "paths" only one
// is.
func pathOf(m *toolpath.Document, v jsonsrc.Value) *toolpath.Path {
	for _, p := range m.Paths {
		if p.Value == v {
			return p
		}
	}
	return nil
}

func (pl place) match(frames []jsonsrc.Frame, ways []pattern, off int) place {
	for _, w := range ways {
		if len(frames) < len(w.way) || !w.leads(frames) {
			continue
		}
		last := frames[len(w.way)-1]
		onKey := last.Key.Valid() && off <= last.Key.End()
		if onKey != w.onKey || !onKey && len(frames) > len(w.way) {
			continue
		}
		pl.role, pl.value = w.role, last.Value
		if onKey {
			pl.value = last.Key
		}
		if pl.value.Kind() != jsonsrc.String {
			pl.role = roleNone
		}
		return pl
	}
	return pl
}

func (w pattern) leads(frames []jsonsrc.Frame) bool {
	for i, name := range w.way {
		if name != "*" && !frames[i].Key.Is(name) {
			return false
		}
	}
	return true
}

// stepOfChunk returns the index of the step that was read from the value, -1 if none was.
func stepOfChunk(p *toolpath.Path, v jsonsrc.Value) int {
	i, ok := p.Steps.Search(v.ChunkIndex())
	if !ok || p.Steps.At(i).Self() != v {
		return -1
	}
	return i
}

// target returns the step that the place names: itself, the parent, the head; -1 if it
// names none.
func (pl place) target() int {
	switch pl.role {
	case roleStepID:
		return pl.step
	case roleParent, roleHead, roleKept:
		return pl.path.Find(pl.value.Text())
	case roleTarget:
		const prefix = "step:"
		if t := pl.value.Text(); len(t) > len(prefix) && t[:len(prefix)] == prefix {
			return pl.path.Find(t[len(prefix):])
		}
	}
	return -1
}

// stepAt returns the step that the place lies in, as context for actors.
func (pl place) stepAt() toolpath.At {
	if pl.step < 0 || pl.path == nil {
		return toolpath.At{}
	}
	return pl.path.Steps.At(pl.step)
}

// actor looks up the definition of the actor at the place.
func (d *Document) actor(pl place) (name string, def toolpath.ActorDefinition, ok bool) {
	name = pl.value.Text()
	if pl.path != nil {
		def, ok = pl.path.Actor(pl.stepAt(), name)
		return name, def, ok
	}
	def, ok = d.Model().Actor(name)
	return name, def, ok
}
