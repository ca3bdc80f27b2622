package rules

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

var timestampForm = &analysis.Rule{
	ID: "TP2007", Name: "timestamp-form", Severity: analysis.Warning,
	Doc: `A timestamp is not of RFC 3339

A timestamp names one instant: date, "T", time and offset (RFC, "Schema"). Without an offset
it could be any of 26 hours, and steps cannot be put in order.

## Bad

    "timestamp": "2026-01-29 10:00:00"

## Good

    "timestamp": "2026-01-29T10:00:00Z"
`,
	Step: func(p *analysis.StepPass) {
		s := p.Step
		if s.Nodes.Timestamp != 0 && !s.HasTime {
			reportTime(p.Report, s.Value(s.Nodes.Timestamp))
		}
		checkSignatureTimes(p.Report, s.Value(s.Nodes.Meta))
	},
	Document: func(p *analysis.Pass) {
		report := reporting(p)
		for _, meta := range metas(p.Model) {
			checkSignatureTimes(report, meta)
		}
		eachVariant(p.Model, "Signature", func(body jsonsrc.Value) { checkTime(report, body.Get("signature").Get("timestamp")) })
	},
}

func checkSignatureTimes(report reporter, meta jsonsrc.Value) {
	for _, sig := range meta.Get("signatures").Elements() {
		checkTime(report, sig.Get("timestamp"))
	}
}

func checkTime(report reporter, v jsonsrc.Value) {
	if v.Kind() != jsonsrc.String {
		return
	}
	if _, ok := toolpath.ParseTimestamp(v.Text()); !ok {
		reportTime(report, v)
	}
}

func reportTime(report reporter, v jsonsrc.Value) {
	d := report(v, notATimestamp(v.Text()))
	if meant := meantTime(v.Text()); meant != "" {
		fix := writeInstead(v, meant)
		fix.Safe = true
		d.Fix(fix)
	}
}

// loose is a timestamp that says all that one of RFC 3339 does, in another of the forms
// of ISO 8601, or with a space.
var loose = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(\d{4}-\d\d-\d\d)[Tt ]\s*(\d\d:\d\d)(:\d\d)?([.,]\d+)?\s*([Zz]|UTC|[+-]\d\d:?\d\d|[+-]\d\d)\s*$`)
})

// meantTime writes the instant that a loose timestamp names as RFC 3339 has it, "" if it
// names none for sure.
func meantTime(s string) string {
	m := loose().FindStringSubmatch(s)
	if m == nil {
		return ""
	}
	seconds, fraction, zone := m[3], strings.Replace(m[4], ",", ".", 1), strings.ToUpper(m[5])
	switch {
	case seconds == "" && fraction != "":
		return ""
	case seconds == "":
		seconds = ":00"
	}
	switch {
	case zone == "UTC":
		zone = "Z"
	case len(zone) == len("+01"):
		zone += ":00"
	case len(zone) == len("+0100"):
		zone = zone[:3] + ":" + zone[3:]
	}
	out := m[1] + "T" + m[2] + seconds + fraction + zone
	if _, ok := toolpath.ParseTimestamp(out); !ok {
		return ""
	}
	return out
}

func notATimestamp(s string) string {
	if s == "" {
		return "the timestamp is empty; write it as 2026-01-29T10:00:00Z"
	}
	return fmt.Sprintf("%q is no timestamp of RFC 3339; write it as 2026-01-29T10:00:00Z, with seconds and an offset", clip(s))
}

// clip shortens a text that a message quotes.
func clip(s string) string {
	const most = 60
	for i := range s {
		if i > most {
			return s[:i] + "…"
		}
	}
	return s
}

// metas returns the metadata of a document's graph and paths.
func metas(m *toolpath.Document) []jsonsrc.Value {
	if m == nil {
		return nil
	}
	all := []jsonsrc.Value{m.Meta}
	for _, p := range m.Paths {
		all = append(all, p.Meta)
	}
	return all
}

// eachVariant visits the bodies of a stream's lines of one variant.
func eachVariant(m *toolpath.Document, variant string, visit func(body jsonsrc.Value)) {
	if m == nil || !m.Lines {
		return
	}
	for i := range m.Tree.NumChunks() {
		if key, body := toolpath.Variant(m.Tree.Chunk(i)); key.Is(variant) {
			visit(body)
		}
	}
}
