package query

import (
	"fmt"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// WhoIs asks who an actor is (RFC "Identity Resolution"), and for its steps in the order of
// the document; with a selected step for those among it and its ancestors, and for what the
// actor is there.
//
// Name is an actor, or a pattern of actors. If there is none, it is what comes behind the
// colon of an actor, the name in a definition, or an identity, as id or system:id, in any
// letter case.
type WhoIs struct{ Name Glob }

// Actor is an actor of a path.
type Actor struct {
	Actor string
	// Definition is what the closest place says: the step, the path or the graph (RFC "Actor
	// Definitions"); not valid if nobody defines the actor.
	Definition toolpath.ActorDefinition
	Defined    string // "step", "path", "graph", or "" for nowhere
}

func (WhoIs) name() string { return "actor" }

func (q WhoIs) ask(h *history, start int, s Selection) found {
	steps := h.universe(start, s)
	actors := named(actorsOf(h.path(), steps), q.Name)
	f := found{}
	if len(actors) == 0 {
		f.miss("actor", fmt.Sprintf("no actor is, or is called, %s", quote(q.Name.String())))
		return f
	}
	is := map[string]bool{}
	for _, a := range actors {
		is[a.Actor] = true
		if s.Step != "" {
			at := h.path().Steps.At(start)
			if v := at.Value(at.Nodes.Meta).Get("actors").Get(a.Actor); v.Valid() {
				a.Definition, a.Defined = toolpath.NewActorDefinition(v, v), "step"
			}
		}
		f.actors = append(f.actors, a)
	}
	for _, step := range steps {
		if is[step.At().Actor] {
			f.steps = append(f.steps, step)
		}
	}
	return f
}

// actorsOf returns the actors that are defined, and those that the steps have.
func actorsOf(p *toolpath.Path, steps []Step) []Actor {
	l := actorList{index: map[string]int{}}
	l.define(p.Doc.Meta, "graph")
	l.define(p.Meta, "path")
	if p.Doc.Lines {
		l.defineInLines(p.Doc.Tree)
	}
	for _, step := range steps {
		s := step.At()
		if s.Actor != "" {
			l.add(s.Actor)
		}
		for key, v := range s.Value(s.Nodes.Meta).Get("actors").Members() {
			if a := l.add(key.Text()); a.Defined == "" {
				a.Definition, a.Defined = toolpath.NewActorDefinition(key, v), "step"
			}
		}
	}
	return l.actors
}

type actorList struct {
	actors []Actor
	index  map[string]int
}

// define adds what a meta says of actors, in place of what is known of them.
func (l *actorList) define(meta jsonsrc.Value, place string) {
	for key, v := range meta.Get("actors").Members() {
		a := l.add(key.Text())
		a.Definition, a.Defined = toolpath.NewActorDefinition(key, v), place
	}
}

// defineInLines does so for the ActorDef lines of a stream.
func (l *actorList) defineInLines(t *jsonsrc.Tree) {
	for i := range t.NumChunks() {
		kind, body := toolpath.Variant(t.Chunk(i))
		if key := body.Get("actor"); kind.Is("ActorDef") && key.Kind() == jsonsrc.String {
			a := l.add(key.Text())
			a.Definition, a.Defined = toolpath.NewActorDefinition(key, body.Get("definition")), "path"
		}
	}
}

// add returns the actor of the list.
func (l *actorList) add(actor string) *Actor {
	i, known := l.index[actor]
	if !known {
		i = len(l.actors)
		l.index[actor] = i
		l.actors = append(l.actors, Actor{Actor: actor})
	}
	return &l.actors[i]
}

// named returns the actors that a name names.
func named(all []Actor, name Glob) []Actor {
	for _, is := range []func(Actor) bool{
		func(a Actor) bool { return a.Actor == name.String() },
		func(a Actor) bool { return name.Match(a.Actor) },
		func(a Actor) bool { return a.isCalled(name.String()) },
	} {
		var some []Actor
		for _, a := range all {
			if is(a) {
				some = append(some, a)
			}
		}
		if len(some) > 0 {
			return some
		}
	}
	return nil
}

func (a Actor) isCalled(name string) bool {
	_, short, _ := strings.Cut(a.Actor, ":")
	if strings.EqualFold(short, name) || strings.EqualFold(a.Definition.Name, name) {
		return true
	}
	for _, id := range a.Definition.Identities {
		if strings.EqualFold(id.ID, name) || strings.EqualFold(id.System+":"+id.ID, name) {
			return true
		}
	}
	return false
}
