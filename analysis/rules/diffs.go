package rules

import (
	"strings"
	"sync"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
	"github.com/toolpath-ls/toolpath-ls/analysis/udiff"
)

// diffRule returns the Step function of the rule with that id, which needs diffFaults. In an agent session its
// findings are kept, and told as one by the rule's Document function, oncePerSession: what
// derivers do, they do in every step.
func diffRule(id string) func(*analysis.StepPass) {
	return func(p *analysis.StepPass) {
		session := toolpath.IsAgentSession(p.Kind)
		var kept []fault
		for _, f := range p.Fact().([]fault) {
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
		for _, f := range p.Fact().([]fault) {
			if f.rule == id {
				f.report(p.ReportAt)
			}
		}
	}
}

// diffFaults are what the rules about diffs find in a step.
var diffFaults = &analysis.Fact{Name: "diffs", Of: func(p *analysis.StepPass) any {
	if faults := inspectStep(p); faults != nil {
		return faults
	}
	return nil
}}

// diffReaders are reused, since a long session has many diffs.
var diffReaders = sync.Pool{New: func() any { return new(udiff.Diff) }}

func inspectStep(p *analysis.StepPass) (faults []fault) {
	s := p.Step
	if s.Nodes.Change == 0 {
		return nil
	}
	w := s.Value(s.Nodes.Change).Walk()
	for k := w.First(s.Nodes.Change); k != 0; k = w.Next(w.Next(k)) {
		n := w.Member(w.Next(k), "raw")
		if n == 0 {
			continue
		}
		quoted, _ := w.Quoted(n)
		if quoted == nil || udiff.IsSound(quoted) || !isOfFile(s.Value(k)) {
			continue
		}
		d := diffReaders.Get().(*udiff.Diff)
		raw := s.Value(n)
		d.Reset(raw.Text())
		in := inspection{Diff: d, key: s.Value(k), change: s.Value(w.Next(k)), raw: raw, step: s, session: toolpath.IsAgentSession(p.Kind)}
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
	faults           []fault
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
func (in *inspection) add(rule string, at udiff.Span, message string) *fault {
	in.faults = append(in.faults, fault{rule: rule, start: in.offset(at.Start), end: in.offset(at.End), message: message})
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
