package rules

import (
	"fmt"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
)

var signatureTarget = &analysis.Rule{
	ID: "TP2106", Name: "signature-target", Severity: analysis.Error,
	Doc: `A Signature line is for a step that has not appeared

A Signature line for "step:<id>" follows the step that it signs. Readers refuse the stream if
the step comes later, or never.

## Bad

    {"Signature": {"target": "step:s9", "signature": {…}}}

## Good

    {"Step": {"step": {"id": "s1", …}, …}}
    {"Signature": {"target": "step:s1", "signature": {…}}}
`,
	Document: func(p *analysis.Pass) {
		if p.Model == nil || !p.Model.Lines || len(p.Model.Paths) == 0 {
			return
		}
		path, guesses := p.Model.Paths[0], 100_000
		eachVariant(p.Model, "Signature", func(body jsonsrc.Value) {
			target := body.Get("target")
			id, ok := strings.CutPrefix(target.Text(), "step:")
			if !ok {
				return
			}
			switch i := path.Find(id); {
			case i < 0:
				message, near, _ := unknownStep("signature's step", id, path, guesses > 0)
				guesses -= min(path.Steps.Len(), maxCandidates)
				d := p.Report(target, message)
				if near != "" {
					d.Fix(writeInstead(target, "step:"+near))
				}
			case path.Steps.At(i).Chunk > target.ChunkIndex():
				d := p.Report(target, fmt.Sprintf("the step %q comes after its signature: the Signature line must follow it", clip(id)),
					analysis.RelatedTo(path.Steps.At(i).IDValue(), "the step"))
				if fix, ok := moveLine(p.Doc, target.ChunkIndex(), path.Steps.At(i).Chunk); ok {
					d.Fix(fix)
				}
			}
		})
	},
}

// moveLine is the fix that moves a line of a stream behind a later one.
func moveLine(d *analysis.Document, line, behind int) (f analysis.Fix, ok bool) {
	at := removeLine(d, behind).End
	if !d.Text.EndsWith(at, "\n") {
		return f, false
	}
	text := string(d.Tree().Chunk(line).Bytes()) + "\n"
	return analysis.Fix{Title: "Move it behind the step", Edits: []analysis.TextEdit{removeLine(d, line), {Start: at, End: at, New: text}}}, true
}
