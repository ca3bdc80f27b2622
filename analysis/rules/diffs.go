package rules

import (
	"fmt"
	"strings"
	"sync"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
	"github.com/toolpath-ls/toolpath-ls/analysis/udiff"
)

// diffFault is one finding of a rule about diffs (TP30xx). All of these rules look at a
// diff at once, so that it is decoded and read once.
type diffFault struct {
	rule       string // id
	start, end int    // in the document
	message    string
	severity   analysis.Severity
	fix        *analysis.Fix
}

// diffRule returns the Step function of the rule with that id. In an agent session its
// findings are kept, and told as one by the rule's Document function, oncePerSession: what
// derivers do, they do in every step.
func diffRule(id string) func(*analysis.StepPass) {
	return func(p *analysis.StepPass) {
		session := toolpath.IsAgentSession(p.Kind)
		var kept []diffFault
		for _, f := range diffFaults(p) {
			switch {
			case f.rule != id:
			case session:
				kept = append(kept, f.at(-p.Step.Offset()))
			default:
				f.report(p.ReportAt)
			}
		}
		if kept != nil {
			p.Keep(id, kept)
		}
	}
}

// loudDiffRule is diffRule for what is told of every step of a session too.
func loudDiffRule(id string) func(*analysis.StepPass) {
	return func(p *analysis.StepPass) {
		for _, f := range diffFaults(p) {
			if f.rule == id {
				f.report(p.ReportAt)
			}
		}
	}
}

// oncePerSession tells the first of a rule's findings in each agent session, and how many
// steps have more. Its fix is that of all of them.
func oncePerSession(id string) func(*analysis.Pass) {
	return func(p *analysis.Pass) {
		kept := p.Kept[id]
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
}

// together returns the first of the faults that steps have, with what is to be said of the
// others.
func together(steps []analysis.Kept) diffFault {
	var first diffFault
	for i, k := range steps {
		for n, f := range k.Fact.([]diffFault) {
			switch f = f.at(k.At().Offset()); {
			case i+n == 0:
				first = f
			case f.fix != nil && first.fix != nil:
				first.fix.Edits = append(first.fix.Edits, f.fix.Edits...)
			case f.fix != nil:
				first.fix = f.fix
			}
		}
	}
	switch n := len(steps) - 1; {
	case n == 1:
		first.message += "; one more step of this session has the like"
	case n > 1:
		first.message += fmt.Sprintf("; %d more steps of this session have the like", n)
	}
	if len(steps) > 1 && first.fix != nil {
		first.fix.Title += " in all steps"
	}
	return first
}

// at returns the fault with its places moved by off.
func (f diffFault) at(off int) diffFault {
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

func (f diffFault) report(reportAt func(start, end int, message string) *analysis.Diagnostic) {
	d := reportAt(f.start, f.end, f.message)
	if f.severity != analysis.Off {
		d.As(f.severity)
	}
	if f.fix != nil {
		d.Fix(*f.fix)
	}
}

// diffFaults returns what the rules about diffs find in the step.
func diffFaults(p *analysis.StepPass) []diffFault {
	return p.Shared("diffs", func() any { return inspectStep(p) }).([]diffFault)
}

// diffReaders are reused, since a long session has many diffs.
var diffReaders = sync.Pool{New: func() any { return new(udiff.Diff) }}

func inspectStep(p *analysis.StepPass) (faults []diffFault) {
	s := p.Step
	for key, change := range s.Value(s.Nodes.Change).Members() {
		raw := change.Get("raw")
		if raw.Kind() != jsonsrc.String || !raw.Closed() || !isOfFile(key) {
			continue
		}
		d := diffReaders.Get().(*udiff.Diff)
		d.Reset(raw.Text())
		in := inspection{Diff: d, key: key, change: change, raw: raw, step: s, session: toolpath.IsAgentSession(p.Kind)}
		in.inspect()
		faults = append(faults, in.faults...)
		d.Reset("")
		diffReaders.Put(d)
	}
	return faults
}

// isOfFile says whether an artifact key can name a file. Derivers keep other things under
// keys such as review://file#L1, whose raw is no diff of a file.
func isOfFile(key jsonsrc.Value) bool {
	text := key.Text()
	return !strings.Contains(text, "://") || strings.HasPrefix(text, "file://")
}

// inspection is one look at one diff.
type inspection struct {
	*udiff.Diff
	key, change, raw jsonsrc.Value
	step             toolpath.At
	session          bool
	decoded          *jsonsrc.Str // made for the first fault
	faults           []diffFault
}

func (in *inspection) inspect() {
	if strings.TrimSpace(in.Raw) == "" {
		in.emptyDiff()
		return
	}
	in.unreplayable()
	in.miscounted()
	in.otherFile()
	in.hunkOrder()
	in.doubledHeader()
	in.markers()
	in.snippet()
}

// offset returns where a byte of the diff stands in the document.
func (in *inspection) offset(i int) int {
	if in.decoded == nil {
		s := in.raw.Decode()
		in.decoded = &s
	}
	return in.decoded.Offset(i)
}

// add adds a fault at a span of the diff. The result is valid until the next call.
func (in *inspection) add(rule string, at udiff.Span, message string) *diffFault {
	in.faults = append(in.faults, diffFault{rule: rule, start: in.offset(at.Start), end: in.offset(at.End), message: message})
	return &in.faults[len(in.faults)-1]
}

// edit returns an edit of the document that replaces a span of the diff. The text must
// need no escapes.
func (in *inspection) edit(at udiff.Span, text string) analysis.TextEdit {
	return analysis.TextEdit{Start: in.offset(at.Start), End: in.offset(at.End), New: text}
}

// lineAt returns the span of the line that starts at i, without its line end, and where
// the next one starts.
func (in *inspection) lineAt(i int) (line udiff.Span, next int) {
	end, next := len(in.Raw), len(in.Raw)
	if n := strings.IndexByte(in.Raw[i:], '\n'); n >= 0 {
		end, next = i+n, i+n+1
	}
	if end > i && in.Raw[end-1] == '\r' {
		end--
	}
	return udiff.Span{Start: i, End: end}, next
}
