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
		for _, key := range definitions {
			if name := key.Text(); !used[name] {
				p.Report(key, fmt.Sprintf("%q has no step and no signature here", clip(name))).Fade()
			}
		}
	},
}

// actorKeys returns the names under which a document defines actors outside of steps.
func actorKeys(m *toolpath.Document) (keys []jsonsrc.Value) {
	for _, meta := range metas(m) {
		for key := range meta.Get("actors").Members() {
			keys = append(keys, key)
		}
	}
	eachVariant(m, "ActorDef", func(body jsonsrc.Value) {
		if a := body.Get("actor"); a.Kind() == jsonsrc.String {
			keys = append(keys, a)
		}
	})
	return keys
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
		for _, s := range path.Steps {
			used[s.Actor] = true
			if s.Nodes.Meta != 0 {
				signers(s.Value(s.Nodes.Meta))
			}
		}
	}
	return used
}
