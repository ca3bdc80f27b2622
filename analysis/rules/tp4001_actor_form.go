package rules

import (
	"fmt"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

var actorForm = &analysis.Rule{
	ID: "TP4001", Name: "actor-form", Severity: analysis.Warning,
	Doc: `A string is not of the form of an actor

An actor is one of human, agent, tool and ci, a colon, a name of letters, digits, ".", "_"
and "-", and optionally one "/"-delimited suffix of the same (RFC, "Actors"). The published schema refuses
every other form, though some writers produce it; hence a warning.

## Bad

    "actor": "Alex Kesling"

## Good

    "actor": "human:alex"
`,
	Step: func(p *analysis.StepPass) {
		s := p.Step
		if s.Nodes.Actor != 0 {
			checkActor(p.Report, s.Value(s.Nodes.Actor), s.Actor)
		}
		checkActorsOf(p.Report, s.Value(s.Nodes.Meta))
	},
	Document: func(p *analysis.Pass) {
		report := reporting(p)
		for _, meta := range metas(p.Model) {
			checkActorsOf(report, meta)
		}
		eachVariant(p.Model, "ActorDef", func(body jsonsrc.Value) { checkActorValue(report, body.Get("actor")) })
		eachVariant(p.Model, "Signature", func(body jsonsrc.Value) { checkActorValue(report, body.Get("signature").Get("signer")) })
	},
}

func checkActorsOf(report reporter, meta jsonsrc.Value) {
	actors := meta.Get("actors")
	for key := range actors.Members() {
		if fault := toolpath.ActorFault(key.Text()); fault != "" {
			d := reportActor(report, key, key.Text(), fault)
			if meant := meantActor(key.Text()); meant != "" && !actors.Get(meant).Valid() {
				d.Fix(writeInstead(key, meant))
			}
		}
	}
	for _, sig := range meta.Get("signatures").Elements() {
		checkActorValue(report, sig.Get("signer"))
	}
}

func checkActorValue(report reporter, v jsonsrc.Value) {
	if v.Kind() == jsonsrc.String {
		checkActor(report, v, v.Text())
	}
}

func checkActor(report reporter, at jsonsrc.Value, actor string) {
	if fault := toolpath.ActorFault(actor); fault != "" {
		d := reportActor(report, at, actor, fault)
		if meant := meantActor(actor); meant != "" {
			d.Fix(writeInstead(at, meant))
		}
	}
}

func reportActor(report reporter, at jsonsrc.Value, actor, fault string) *analysis.Diagnostic {
	return report(at, fmt.Sprintf("%q is no actor: %s", clip(actor), fault))
}

// meantActor is the actor that differs from a string only in blanks around its parts, the case of
// its kind or an empty suffix; "" if there is none.
func meantActor(s string) string {
	kind, name, ok := strings.Cut(s, ":")
	if !ok {
		return ""
	}
	meant := strings.ToLower(strings.TrimSpace(kind)) + ":" + strings.TrimSuffix(strings.TrimSpace(name), "/")
	if toolpath.ActorFault(meant) != "" {
		return ""
	}
	return meant
}
