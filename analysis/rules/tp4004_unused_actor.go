package rules

import (
	"fmt"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

var unusedActor = &analysis.Rule{
	ID: "TP4004", Name: "unused-actor", Severity: analysis.Hint,
	Doc: `A definition of an actor is not used

No step has this actor, and no signature has it as a signer.

## Bad

    "meta": {"actors": {"human:bob": {"name": "Bob"}}}   (and no step of human:bob)

## Good

    "meta": {"actors": {"human:alex": {"name": "Alex"}}}   (and a step of human:alex)
`,
	Document: func(p *analysis.Pass) {
		if p.Model == nil {
			return
		}
		definitions := actorKeys(p.Model)
		if len(definitions) == 0 {
			return
		}
		used := usedActors(p.Model)
		fixes := 0
		for _, def := range definitions {
			name := def.name.Text()
			if used[name] {
				continue
			}
			d := p.Report(def.name, fmt.Sprintf("%q has no step and no signature here", clip(name))).Fade()
			if fixes++; fixes > maxActorFixes {
				continue
			}
			if edit, ok := def.removal(p.Doc); ok {
				d.Fix(analysis.Fix{Title: "Remove the definition", Edits: []analysis.TextEdit{edit}})
			}
		}
	},
}

// maxActorFixes bounds the definitions whose removal is offered: each is found by a walk
// along its neighbours.
const maxActorFixes = 50

// definition is a definition of an actor outside of steps: a member of an actors object, or
// an ActorDef line, which has no such object.
type definition struct{ name, actors jsonsrc.Value }

func (d definition) removal(doc *analysis.Document) (analysis.TextEdit, bool) {
	if !d.actors.Valid() {
		return removeLine(doc, d.name.ChunkIndex()), true
	}
	return removeMember(d.actors, d.name.Text())
}

// actorKeys returns the definitions of actors that a document has outside of steps.
func actorKeys(m *toolpath.Document) (all []definition) {
	for _, meta := range metas(m) {
		actors := meta.Get("actors")
		for key := range actors.Members() {
			all = append(all, definition{key, actors})
		}
	}
	eachVariant(m, "ActorDef", func(body jsonsrc.Value) {
		if a := body.Get("actor"); a.Kind() == jsonsrc.String {
			all = append(all, definition{name: a})
		}
	})
	return all
}

func usedActors(m *toolpath.Document) map[string]bool {
	used := map[string]bool{}
	signers := func(meta jsonsrc.Value) {
		for _, sig := range meta.Get("signatures").Elements() {
			used[sig.Get("signer").Text()] = true
		}
	}
	for _, meta := range metas(m) {
		signers(meta)
	}
	eachVariant(m, "Signature", func(body jsonsrc.Value) { used[body.Get("signature").Get("signer").Text()] = true })
	for _, path := range m.Paths {
		for _, s := range path.Steps.All() {
			used[s.Actor] = true
			if s.Nodes.Meta != 0 {
				signers(s.Value(s.Nodes.Meta))
			}
		}
	}
	return used
}
