package rules

import (
	"fmt"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/schema"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

var compaction = &analysis.Rule{
	ID: "TP2510", Name: "compaction", Severity: analysis.Warning,
	Doc: `A compaction does not stand between turns

A compaction replaces the conversation before it by a summary. It is a step of its own between
the turns that it parts (kind agent-coding-session, v1.2.0), and "kept" names turns before it.
A path that descends from another one (path.parent) may open with a compaction of that one.

## Bad

    {"step": {"id": "s1", …}, "change": {"…": {"structural": {"type": "conversation.compact", "kept": ["a later step"]}}}}

## Good

    {"step": {"id": "s9", …}, "change": {"…": {"structural": {"type": "conversation.compact", "kept": ["s7", "s8"]}}}}
`,
	Needs: sessionOperations,
	Step: func(p *analysis.StepPass) {
		if schema.SessionOf(p.Kind) != schema.Session120 {
			return
		}
		eachOperation(p, "conversation.compact", func(_, structural jsonsrc.Value) {
			p.Keep("compaction", structural.Node())
			eachOperation(p, "conversation.append", func(key, _ jsonsrc.Value) {
				p.Report(key, "this step is a compaction and a turn at once: a compaction is a step of its own")
			})
		})
	},
	Document: func(p *analysis.Pass) {
		turns := make(map[*toolpath.Path]int)
		for _, k := range p.Kept["compaction"] {
			first, known := turns[k.Path]
			if !known {
				first = firstTurn(k.Path)
				turns[k.Path] = first
			}
			structural := k.At().Value(k.Fact.(uint32))
			continues := k.Path.Parent().Valid() // may open with a summary of its parent
			if (first < 0 || first > k.Step) && !continues {
				p.Report(structural.Get("type"), "no turn stands before this compaction, so that it parts nothing")
			}
			checkKeptTurns(p, k, structural.Get("kept"))
		}
	},
}

func checkKeptTurns(p *analysis.Pass, k analysis.Kept, kept jsonsrc.Value) {
	for _, v := range kept.Elements() {
		if v.Kind() != jsonsrc.String {
			continue
		}
		switch i := k.Path.Find(v.Text()); {
		case i < 0 && !k.Path.Parent().Valid(): // it may be a turn of the parent
			p.Report(v, fmt.Sprintf("%q names no step of this path, so that it cannot be kept", clip(v.Text()))).As(analysis.Information)
		case i >= k.Step:
			p.Report(v, fmt.Sprintf("%q does not stand before this compaction, so that it cannot be kept", clip(v.Text())),
				analysis.RelatedTo(k.Path.Steps.At(i).IDValue(), "the step"))
		}
	}
}

// firstTurn returns the first step that appends to the conversation, -1 if there is none.
func firstTurn(p *toolpath.Path) int {
	for i, s := range p.Steps.All() {
		for _, op := range operationsOf(s) {
			if op.name.Is("conversation.append") {
				return i
			}
		}
	}
	return -1
}
