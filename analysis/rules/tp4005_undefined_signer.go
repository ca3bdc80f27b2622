package rules

import (
	"fmt"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

var undefinedSigner = &analysis.Rule{
	ID: "TP4005", Name: "undefined-signer", Severity: analysis.Warning,
	Doc: `The signer of a signature is not defined

signer must be defined in actors (RFC, "Signatures"): of the step, the path or the graph. Without
a definition nobody knows which keys are the signer's. In a stream that is not closed the
definition may still come.

## Bad

    {"signer": "human:bob", "key": "gpg:EFGH5678", …}   (and no "human:bob" in any meta.actors)

## Good

    "actors": {"human:bob": {"keys": [{"type": "gpg", "fingerprint": "EFGH5678"}]}}
`,
	Document: func(p *analysis.Pass) {
		if p.Model == nil || p.Model.Lines && !hasVariant(p.Model, "PathClose") {
			return // an ActorDef line may still come
		}
		fixes := 0
		eachSignature(p.Model, func(path *toolpath.Path, sig jsonsrc.Value, _ toolpath.ActorDefinition, defined bool) {
			signer := sig.Get("signer")
			if signer.Kind() != jsonsrc.String || defined {
				return
			}
			d := p.Report(signer, fmt.Sprintf("the signer %q is not defined in meta.actors of the step, the path or the graph", clip(signer.Text())))
			if fixes++; path == nil || fixes > maxActorFixes {
				return
			}
			if fix, ok := defineActor(p.Doc, path, signer.Text()); ok {
				d.Fix(fix)
			}
		})
	},
}

// eachSignature visits the signatures of a document with the definitions of their signers; the
// path is nil for those of the graph.
func eachSignature(m *toolpath.Document, visit func(path *toolpath.Path, sig jsonsrc.Value, def toolpath.ActorDefinition, defined bool)) {
	if m == nil {
		return
	}
	for _, sig := range m.Meta.Get("signatures").Elements() {
		def, ok := m.Actor(sig.Get("signer").Text())
		visit(nil, sig, def, ok)
	}
	for _, path := range m.Paths {
		of := func(meta jsonsrc.Value, s toolpath.At) {
			actor := path.ActorsOf(s)
			for _, sig := range meta.Get("signatures").Elements() {
				def, ok := actor(sig.Get("signer").Text())
				visit(path, sig, def, ok)
			}
		}
		of(path.Meta, toolpath.At{})
		for _, s := range path.Steps.All() {
			if s.Nodes.Meta != 0 {
				of(s.Value(s.Nodes.Meta), s)
			}
		}
		eachVariant(m, "Signature", func(body jsonsrc.Value) {
			sig := body.Get("signature")
			def, ok := path.Actor(toolpath.At{}, sig.Get("signer").Text())
			visit(path, sig, def, ok)
		})
	}
}
