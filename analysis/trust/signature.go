package trust

import (
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// Signature is one signature of a document.
type Signature struct {
	Value jsonsrc.Value // the object that has signer, key, scope and sig
	Doc   *toolpath.Document
	Path  *toolpath.Path // nil: the target is the graph, or a step that is not there
	Step  int            // index in Path.Steps; -1: the target is the path
}

// At returns the step that is signed; its Step is nil if the target is none.
func (s Signature) At() toolpath.At {
	if s.Path == nil || s.Step < 0 {
		return toolpath.At{}
	}
	return s.Path.Steps.At(s.Step)
}

// Signer returns the actor that the signature names, and its definition if it has one, which
// is looked for in the step, the path and the graph (RFC "Actor Definitions").
func (s Signature) Signer() (actor string, def toolpath.ActorDefinition, defined bool) {
	actor = s.Value.Get("signer").Text()
	if s.Path != nil {
		def, defined = s.Path.Actor(s.At(), actor)
		return actor, def, defined
	}
	if len(s.Doc.Paths) > 0 && s.Doc.Lines {
		def, defined = s.Doc.Paths[0].Actor(toolpath.At{}, actor)
		return actor, def, defined
	}
	k, v := s.Doc.Meta.Get("actors").Member(actor)
	return actor, toolpath.NewActorDefinition(k, v), v.Valid()
}

// Key returns the key that the signature names.
func (s Signature) Key() KeyName { return ParseKeyName(s.Value.Get("key").Text()) }

// Scope returns the signature's scope.
func (s Signature) Scope() string { return s.Value.Get("scope").Text() }

// Target names what is signed, for people.
func (s Signature) Target() string {
	switch {
	case s.Path == nil && s.Doc.Lines:
		return "a step that is not there"
	case s.Path == nil:
		return "the graph"
	case s.Step < 0:
		return "path " + s.Path.ID
	default:
		return "step " + s.At().ID
	}
}

// Each visits the signatures of a document: those of the graph, of each path and its steps,
// and those of a stream's Signature lines. A line that signs a step is about the latest
// step of its id before it (JSONL Streaming RFC). It ends when visit says so.
func Each(m *toolpath.Document, visit func(Signature) bool) {
	if m == nil {
		return
	}
	in := func(meta jsonsrc.Value, path *toolpath.Path, step int) bool {
		for _, v := range meta.Get("signatures").Elements() {
			if !visit(Signature{v, m, path, step}) {
				return false
			}
		}
		return true
	}
	if !in(m.Meta, nil, -1) {
		return
	}
	for _, p := range m.Paths {
		if !in(p.Meta, p, -1) {
			return
		}
		for i, s := range p.Steps.All() {
			if s.Nodes.Meta != 0 && !in(s.Value(s.Nodes.Meta), p, i) {
				return
			}
		}
	}
	if m.Lines && len(m.Paths) > 0 {
		eachLine(m, visit)
	}
}

// EachOf is Each for the signatures of one step, which looks at no step before it and in a
// graph at no other one.
func EachOf(p *toolpath.Path, step int, visit func(Signature) bool) {
	s, m := p.Steps.At(step), p.Doc
	for _, v := range s.Value(s.Nodes.Meta).Get("signatures").Elements() {
		if !visit(Signature{v, m, p, step}) {
			return
		}
	}
	if !m.Lines {
		return
	}
	cutOff := toolpath.CutOff(m.Tree)
	for i, next := s.Chunk+1, step+1; i < m.Tree.NumChunks() && i != cutOff; i++ {
		if next < p.Steps.Len() && p.Steps.At(next).Chunk == i {
			if p.Steps.At(next).ID == s.ID {
				return
			}
			next++
			continue
		}
		key, body := toolpath.Variant(m.Tree.Chunk(i))
		if !key.Is("Signature") {
			continue
		}
		id, ok := strings.CutPrefix(body.Get("target").Text(), "step:")
		if sig := (Signature{body.Get("signature"), m, p, step}); ok && id == s.ID && sig.Value.Valid() && !visit(sig) {
			return
		}
	}
}

// eachLine visits the Signature lines of a stream.
func eachLine(m *toolpath.Document, visit func(Signature) bool) {
	path := m.Paths[0]
	latest := map[string]int{}
	next := 0 // step
	cutOff := toolpath.CutOff(m.Tree)
	for i := range m.Tree.NumChunks() {
		if i == cutOff {
			return
		}
		if next < path.Steps.Len() && path.Steps.At(next).Chunk == i {
			latest[path.Steps.At(next).ID] = next
			next++
			continue
		}
		key, body := toolpath.Variant(m.Tree.Chunk(i))
		if !key.Is("Signature") {
			continue
		}
		s := Signature{Value: body.Get("signature"), Doc: m, Path: path, Step: -1}
		if target := body.Get("target"); !target.Is("path") {
			id, ok := strings.CutPrefix(target.Text(), "step:")
			step, found := latest[id]
			if s.Step = step; !ok || !found {
				s.Path, s.Step = nil, -1
			}
		}
		if s.Value.Valid() && !visit(s) {
			return
		}
	}
}
