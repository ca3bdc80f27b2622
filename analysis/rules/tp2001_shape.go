package rules

import (
	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/schema"
)

var shape = &analysis.Rule{
	ID: "TP2001", Name: "shape", Severity: analysis.Error,
	Doc: `A value has not the shape that the format gives it

The document is checked against the project's JSON Schema of the format
(analysis/schema/toolpath.schema.json, written from the RFC, "Format Specification"), and
every line of a stream against that of its variant. Each cause is reported once, at the key
or value that is wrong: a field that is missing, of the wrong type, misspelt or unknown (other
readers drop unknown fields silently), a change with neither "raw" nor "structural".

## Bad

    {"step": {"id": "step-001", "actor": "human:alex", "time": "2026-01-29T10:00:00Z"}}

## Good

    {"step": {"id": "step-001", "actor": "human:alex", "timestamp": "2026-01-29T10:00:00Z"},
     "change": {}}
`,
	Document: func(p *analysis.Pass) { documentProblems(p, isShape) },
	Needs:    misshapen,
	Step:     func(p *analysis.StepPass) { stepProblems(p, isShape) },
}

// isShape picks the causes that have no rule of their own.
func isShape(c schema.Cause) bool {
	switch c {
	case schema.ActorForm, schema.DraftField, schema.UnknownScope,
		schema.ReservedProperty, schema.UnknownVersion, schema.UnknownVariant, schema.StreamLine, schema.LegacyEnvelope, schema.BareRoot:
		return false
	}
	return true
}
