package rules

import (
	"fmt"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// fault is a finding before it is reported: several rules may look for theirs at once, and
// what is found in the steps of an agent session is told as one.
type fault struct {
	rule       string // id
	start, end int    // in the document, or relative to the step while it is kept
	message    string
	severity   analysis.Severity // Off: that of the rule
	fix        *analysis.Fix
}

// oncePerSession tells the first of a rule's findings in each agent session, and how many
// steps have more. Its fix is that of all of them.
func oncePerSession(id string) func(*analysis.Pass) {
	return func(p *analysis.Pass) { reportOnce(p, p.Kept[id]) }
}

// reportOnce reports the faults that steps have as one for each path.
func reportOnce(p *analysis.Pass, kept []analysis.Kept) {
	for len(kept) > 0 {
		n := 1
		for n < len(kept) && kept[n].Path == kept[0].Path {
			n++
		}
		f := together(kept[:n])
		f.report(func(start, end int, message string) *analysis.Diagnostic { return p.ReportAt(start, end, message) })
		kept = kept[n:]
	}
}

// together returns the first of the faults that steps have, with what is to be said of the
// others.
func together(steps []analysis.Kept) fault {
	const most = 1000 // steps that one fix is of
	first := steps[0].Fact.([]fault)[0].at(steps[0].At().Offset())
	if len(steps) <= most {
		first.fix = fixOfAll(steps)
	}
	switch n := len(steps) - 1; {
	case n == 1:
		first.message += "; one more step of this session has the like"
	case n > 1:
		first.message += fmt.Sprintf("; %d more steps of this session have the like", n)
	}
	return first
}

// fixOfAll joins the fixes of the faults that steps have; nil if there are none.
func fixOfAll(steps []analysis.Kept) *analysis.Fix {
	var all analysis.Fix
	for _, k := range steps {
		for _, f := range k.Fact.([]fault) {
			if f.fix == nil {
				continue
			}
			f = f.at(k.At().Offset())
			all.Title = f.fix.Title
			all.Edits = append(all.Edits, f.fix.Edits...)
		}
	}
	if all.Edits == nil {
		return nil
	}
	if len(steps) > 1 {
		all.Title += " in all steps"
	}
	return &all
}

// at returns the fault with its places moved by off.
func (f fault) at(off int) fault {
	f.start, f.end = f.start+off, f.end+off
	if f.fix != nil {
		fix := *f.fix
		fix.Edits = nil
		for _, e := range f.fix.Edits {
			fix.Edits = append(fix.Edits, analysis.TextEdit{Start: e.Start + off, End: e.End + off, New: e.New})
		}
		f.fix = &fix
	}
	return f
}

func (f fault) report(reportAt func(start, end int, message string) *analysis.Diagnostic) {
	d := reportAt(f.start, f.end, f.message)
	if f.severity != analysis.Off {
		d.As(f.severity)
	}
	if f.fix != nil {
		d.Fix(*f.fix)
	}
}
