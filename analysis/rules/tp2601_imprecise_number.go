package rules

import (
	"fmt"
	"math"
	"strconv"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/canonical"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
)

var impreciseNumber = &analysis.Rule{
	ID: "TP2601", Name: "imprecise-number", Severity: analysis.Hint,
	Doc: `A number has more digits than readers keep

Most readers of JSON hold a number as a double (I-JSON, RFC 7493), which has 15 to 17 digits:
they change every longer number without a word, such as integers beyond 2^53. The canonical form
that is signed (RFC, "Signature Algorithm") holds numbers as doubles too: where a signature
covers the number, this is a warning, since what was signed is not what is written. Of the
numbers of an agent session that nobody signed, the first is shown.

## Bad

    "session_id": 9007199254740993

## Good

    "session_id": "9007199254740993"
`,
	Needs: inexactParts,
	Step:  keepInexact,
	Document: func(p *analysis.Pass) {
		if p.Model == nil {
			return
		}
		reportStepNumbers(p)
		report := func(v jsonsrc.Value) {
			if v.Kind() == jsonsrc.Number && !canonical.IsExact(v.Bytes()) {
				p.Report(v, imprecise(v.Bytes()))
			}
		}
		for _, meta := range metas(p.Model) {
			walk(meta, report)
		}
		eachVariant(p.Model, "PathMeta", func(body jsonsrc.Value) { walk(body, report) })
	},
}

func reportStepNumbers(p *analysis.Pass) {
	ids := signedSteps(p.Model)
	var quiet []analysis.Kept
	for _, k := range p.Kept["inexact"] {
		x, off := k.Fact.(*inexact), k.At().Offset()
		signed := x.signed || ids[k.At().ID]
		var hidden []fault
		for i, at := range x.numbers {
			f := fault{start: at.start, end: at.end, message: imprecise(p.Doc.Text.Slice(off+at.start, off+at.end))}
			switch {
			case signed && i < x.inPayload:
				p.ReportAt(off+f.start, off+f.end, f.message+"; a signature of this step is of the number that they see").As(analysis.Warning)
			case k.Path.IsAgentSession():
				hidden = append(hidden, f)
			default:
				p.ReportAt(off+f.start, off+f.end, f.message)
			}
		}
		if hidden != nil {
			quiet = append(quiet, analysis.Kept{Path: k.Path, Step: k.Step, Fact: hidden})
		}
	}
	reportOnce(p, quiet)
}

func imprecise(number []byte) string {
	return fmt.Sprintf("readers that keep numbers as doubles see %s in place of %s", seen(number), clip(string(number)))
}

// seen returns a number as a reader that holds it as a double writes it.
func seen(number []byte) string {
	f, _ := strconv.ParseFloat(string(number), 64)
	if f == math.Trunc(f) && math.Abs(f) < 1e21 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}
