package rules

import (
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

var refToStream = &analysis.Rule{
	ID: "TP2201", Name: "ref-to-stream", Severity: analysis.Error,
	Doc: `A reference points to a stream

A $ref must point to a sealed ".path.json", not to a ".path.jsonl" (RFC, "File Extensions"): a
stream may still grow, and holds no graph.

## Bad

    {"$ref": "sessions/s1.path.jsonl"}

## Good

    {"$ref": "sessions/s1.path.json"}
`,
	Document: func(p *analysis.Pass) {
		if p.Model == nil {
			return
		}
		for _, path := range p.Model.Paths {
			ref, _, _ := strings.Cut(path.Ref.Text(), "#")
			ref, _, _ = strings.Cut(ref, "?")
			if strings.HasSuffix(strings.ToLower(ref), ".path.jsonl") {
				p.Report(path.Ref, "a $ref must point to a sealed .path.json document, not to a .path.jsonl stream")
			}
		}
	},
}
