package analysis

import (
	"cmp"
	"slices"

	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// Severity says how bad a finding is. Its values are those of LSP's DiagnosticSeverity.
type Severity uint8

// The severities, the worst first. Off silences a rule.
const (
	Off Severity = iota
	Error
	Warning
	Information
	Hint
)

var severityNames = [...]string{"off", "error", "warning", "information", "hint"}

func (s Severity) String() string { return severityNames[s] }

// ParseSeverity reads a severity's name.
func ParseSeverity(name string) (Severity, bool) {
	i := slices.Index(severityNames[:], name)
	return Severity(max(i, 0)), i >= 0
}

// Rule is one check, of documents, of steps, or of both.
type Rule struct {
	ID   string // "TP2003"
	Name string // "unknown-parent"
	// Doc is the rule's page in Markdown. Its first line is the title; it has a section
	// "Bad" and a section "Good" with an example each.
	Doc      string
	Severity Severity
	// Step looks at one step by itself: what it reports may depend on the step's bytes
	// alone, and is kept as long as they do not change.
	Step func(*StepPass)
	// Document looks at the whole document.
	Document func(*Pass)
}

// Diagnostic is one finding.
type Diagnostic struct {
	Rule       *Rule
	Severity   Severity
	Start, End int // offsets
	Message    string
	Related    []Related
}

// Related is a place that a finding refers to, in the same document.
type Related struct {
	Start, End int
	Message    string
}

// Span is anything with a place, such as a jsonsrc.Value.
type Span interface {
	Start() int
	End() int
}

// StepPass is one run of a rule over one step.
type StepPass struct {
	Step   toolpath.At
	rule   *Rule
	out    *[]Diagnostic
	shared *any
}

// Shared returns what make returned to the first rule that asked for it in this step, so
// that rules which need the same costly fact derive it once. There is one such fact.
func (p *StepPass) Shared(make func() any) any { return once(p.shared, make) }

func once(shared *any, make func() any) any {
	if *shared == nil {
		*shared = make()
	}
	return *shared
}

// Report adds a finding at a place within the step.
func (p *StepPass) Report(at Span, message string) {
	*p.out = append(*p.out, Diagnostic{Rule: p.rule, Start: at.Start(), End: at.End(), Message: message})
}

// Pass is one run of a rule over a document.
type Pass struct {
	Doc   *Document
	Model *toolpath.Document
	// Done says that the result is no longer wanted.
	Done   func() bool
	rule   *Rule
	out    *[]Diagnostic
	shared *any
}

// Shared is to the document what StepPass.Shared is to a step.
func (p *Pass) Shared(make func() any) any { return once(p.shared, make) }

// Report adds a finding. The default severity of the rule applies.
func (p *Pass) Report(at Span, message string, related ...Related) {
	p.ReportAt(at.Start(), at.End(), message, related...)
}

// ReportAt is Report for a place given by offsets.
func (p *Pass) ReportAt(start, end int, message string, related ...Related) {
	*p.out = append(*p.out, Diagnostic{Rule: p.rule, Start: start, End: end, Message: message, Related: related})
}

// RelatedTo makes a Related from a place.
func RelatedTo(at Span, message string) Related { return Related{at.Start(), at.End(), message} }

// stepFindings is what the step rules found in a step, at offsets relative to its chunk.
type stepFindings struct{ list []Diagnostic }

// Check runs the rules over an open document and returns what they find, ordered by
// place. It returns early, with a part, once done says so. A document that is no Toolpath
// document has no findings.
func (s *Snapshot) Check(uri string, done func() bool) []Diagnostic {
	d := s.docs[uri]
	if d == nil {
		return nil
	}
	return Check(d, s.Options, done)
}

// Check is Snapshot.Check for one document.
func Check(d *Document, o *Options, done func() bool) []Diagnostic {
	if d.Kind() == Other {
		return nil
	}
	if done == nil {
		done = func() bool { return false }
	}
	var found []Diagnostic
	var stepRules []*Rule
	var shared any
	for _, r := range o.Rules {
		if r.Step != nil {
			stepRules = append(stepRules, r)
		}
		if r.Document == nil {
			continue
		}
		if done() {
			return nil
		}
		r.Document(&Pass{Doc: d, Model: d.Model(), Done: done, rule: r, out: &found, shared: &shared})
	}
	if m := d.Model(); m != nil {
		for _, p := range m.Paths {
			for i, step := range p.Steps {
				if i%1024 == 0 && done() {
					return nil
				}
				found = appendFindings(found, step, stepRules)
			}
		}
	}
	found = slices.DeleteFunc(found, func(f Diagnostic) bool { return o.severity(f.Rule) == Off })
	for i := range found {
		found[i].Severity = o.severity(found[i].Rule)
	}
	slices.SortStableFunc(found, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	return found
}

// Merge joins two ordered lists of diagnostics of one document.
func Merge(a, b []Diagnostic) []Diagnostic {
	all := slices.Concat(a, b)
	slices.SortStableFunc(all, func(a, b Diagnostic) int { return cmp.Compare(a.Start, b.Start) })
	return all
}

func appendFindings(found []Diagnostic, step toolpath.At, rules []*Rule) []Diagnostic {
	f, ok := step.Memo().(*stepFindings)
	if !ok {
		f = checkStep(step, rules)
		step.SetMemo(f)
	}
	off := step.Offset()
	for _, d := range f.list {
		d.Start += off
		d.End += off
		found = append(found, d)
	}
	return found
}

var noFindings = &stepFindings{}

func checkStep(step toolpath.At, rules []*Rule) *stepFindings {
	var list []Diagnostic
	var shared any
	p := StepPass{Step: step, out: &list, shared: &shared}
	for _, r := range rules {
		p.rule = r
		r.Step(&p)
	}
	if len(list) == 0 {
		return noFindings
	}
	off := step.Offset()
	for i := range list {
		list[i].Start -= off
		list[i].End -= off
	}
	return &stepFindings{list}
}

func (o *Options) severity(r *Rule) Severity {
	if s, ok := o.Severity[r.ID]; ok {
		return s
	}
	if s, ok := o.Severity[r.Name]; ok {
		return s
	}
	return r.Severity
}
