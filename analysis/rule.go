package analysis

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/toolpath-ls/toolpath-ls/analysis/text"
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
	// Step looks at one step by itself: what it reports may depend on the step's bytes,
	// its path's kind and the options alone, and is kept as long as they do not change.
	Step func(*StepPass)
	// Needs is what Step asks StepPass.Fact for: steps that do not have it are passed over.
	Needs *Fact
	// Document looks at the whole document, after the steps: what Step functions kept is
	// in Pass.Kept.
	Document func(*Pass)
	// Workspace looks at the document and at what it refers to on disk. It is run apart
	// from the others, in the background, by Workspace.CheckReferences.
	Workspace func(*WorkspacePass)
}

// Fact is something that some steps have and several rules look at.
type Fact struct {
	Name string
	// Of returns what the step has, nil for nothing. It may depend on what Rule.Step may
	// depend on.
	Of func(*StepPass) any
}

// Diagnostic is one finding.
type Diagnostic struct {
	Rule       *Rule
	Severity   Severity
	Start, End int // offsets
	Message    string
	Related    []Related
	// Unnecessary says that the place is of no effect, so that editors fade it.
	Unnecessary bool
	Fixes       []Fix
}

// Related is a place that a finding refers to: in the same document, in Doc, or if File
// is set, Line of that file.
type Related struct {
	Start, End int
	Message    string
	Doc        *Document
	File       string // a URI
	Line       int    // 0-based
}

// Fix is a change of the document that makes a finding go away.
type Fix struct {
	Title string
	Edits []TextEdit
	// Safe says that there is no other right answer, so that it may be applied with
	// others at once, unseen.
	Safe bool
}

// TextEdit replaces the text in [Start, End).
type TextEdit struct {
	Start, End int
	New        string
}

// Fix adds a fix to a finding.
func (d *Diagnostic) Fix(f Fix) *Diagnostic {
	d.Fixes = append(d.Fixes, f)
	return d
}

// As gives one finding another severity than its rule's default. A severity that the user
// chose for the rule counts more.
func (d *Diagnostic) As(s Severity) *Diagnostic {
	d.Severity = s
	return d
}

// Fade marks a finding's place as of no effect.
func (d *Diagnostic) Fade() *Diagnostic {
	d.Unnecessary = true
	return d
}

// shifted returns the finding with its place, and that of its fixes, moved by off.
func (d Diagnostic) shifted(off int) Diagnostic {
	d.Start += off
	d.End += off
	d.Fixes = slices.Clone(d.Fixes)
	for i, f := range d.Fixes {
		f.Edits = slices.Clone(f.Edits)
		for k := range f.Edits {
			f.Edits[k].Start += off
			f.Edits[k].End += off
		}
		d.Fixes[i] = f
	}
	return d
}

// Span is anything with a place, such as a jsonsrc.Value.
type Span interface {
	Start() int
	End() int
}

// StepPass is one run of a rule over one step.
type StepPass struct {
	Step toolpath.At
	// Kind is the kind that the step's path declares (meta.kind), "" for none.
	Kind    string
	Options *Options
	rule    *Rule
	fact    any
	out     *[]Diagnostic
	kept    *facts
	shared  *facts
}

// Fact returns what the rule needs.
func (p *StepPass) Fact() any { return p.fact }

// Keep leaves a fact about the step to Document functions, which find it in Pass.Kept under
// its name. Rules that need the same fact all keep it: that of the first one counts. Like
// the findings it stays with the step, so that places in it must count from Step.Offset.
func (p *StepPass) Keep(name string, fact any) {
	p.kept.once(name, func() any { return fact })
}

// Shared returns what make returned to the first rule that asked for the fact of that name
// in this step, so that rules which need the same costly fact derive it once.
func (p *StepPass) Shared(name string, make func() any) any { return p.shared.once(name, make) }

// facts are a few facts by name.
type facts []struct {
	name string
	fact any
}

func (f *facts) once(name string, make func() any) any {
	for _, known := range *f {
		if known.name == name {
			return known.fact
		}
	}
	fact := make()
	*f = append(*f, struct {
		name string
		fact any
	}{name, fact})
	return fact
}

// Report adds a finding at a place within the step. The result is valid until the next
// call.
func (p *StepPass) Report(at Span, message string) *Diagnostic {
	return p.ReportAt(at.Start(), at.End(), message)
}

// ReportAt is Report for a place given by offsets in the document.
func (p *StepPass) ReportAt(start, end int, message string) *Diagnostic {
	*p.out = append(*p.out, Diagnostic{Rule: p.rule, Start: start, End: end, Message: clip(message, maxMessage)})
	return &(*p.out)[len(*p.out)-1]
}

// Pass is one run of a rule over a document.
type Pass struct {
	Doc     *Document
	Model   *toolpath.Document
	Options *Options
	// Kept is what Step functions left of the steps, by name, in the order of the steps.
	Kept map[string][]Kept
	// Done says that the result is no longer wanted.
	Done   func() bool
	rule   *Rule
	out    *[]Diagnostic
	shared *facts

	reported int
	first    Diagnostic // of those that were not kept
}

// Bounds of what is kept, so that a hostile document cannot exhaust the memory.
const (
	maxPerRule = 10_000 // findings of one rule that looks at the whole document
	maxMessage = 500    // characters
)

// Kept is a fact about a step that a rule left.
type Kept struct {
	Path *toolpath.Path
	Step int // index in Path.Steps
	Fact any
}

// At returns the step.
func (k Kept) At() toolpath.At { return k.Path.Steps.At(k.Step) }

// Shared is to the document what StepPass.Shared is to a step.
func (p *Pass) Shared(name string, make func() any) any { return p.shared.once(name, make) }

// Report adds a finding. The default severity of the rule applies. The result is valid
// until the next call.
func (p *Pass) Report(at Span, message string, related ...Related) *Diagnostic {
	return p.ReportAt(at.Start(), at.End(), message, related...)
}

// ReportAt is Report for a place given by offsets.
func (p *Pass) ReportAt(start, end int, message string, related ...Related) *Diagnostic {
	d := Diagnostic{Rule: p.rule, Start: start, End: end, Message: clip(message, maxMessage), Related: related}
	if p.reported++; p.reported > maxPerRule {
		if p.reported == maxPerRule+1 {
			p.first = d
		}
		return &d
	}
	*p.out = append(*p.out, d)
	return &(*p.out)[len(*p.out)-1]
}

// close reports how many findings were not kept.
func (p *Pass) close() {
	if n := p.reported - maxPerRule; n > 0 {
		p.first.Message = fmt.Sprintf("%d more findings of this rule are not told; the first of them is here", n)
		p.first.Related = nil
		*p.out = append(*p.out, p.first)
	}
}

// RelatedTo makes a Related from a place in the same document.
func RelatedTo(at Span, message string) Related {
	return Related{Start: at.Start(), End: at.End(), Message: message}
}

// stepFindings is what the step rules found in a step and kept of it, at offsets relative
// to its chunk, for one kind of path and one choice of rules.
type stepFindings struct {
	kind    string
	options *Options
	list    []Diagnostic
	kept    facts
}

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
	c := checker{options: o, text: d.Text, rules: o.stepRules(), kept: make(map[string][]Kept)}
	if m := d.Model(); m != nil && !c.paths(m, done) {
		return nil
	}
	var shared facts
	for _, r := range o.Rules {
		if r.Document == nil || o.severity(r) == Off {
			continue
		}
		if done() {
			return nil
		}
		pass := &Pass{Doc: d, Model: d.Model(), Options: o, Kept: c.kept, Done: done, rule: r, out: &c.found, shared: &shared}
		r.Document(pass)
		pass.close()
	}
	return o.settle(c.found)
}

// Rehearse checks a document of nothing, so that what rules make at their first use is
// there before the first document comes.
func (w *Workspace) Rehearse() {
	const nothing = `{"graph": {"id": "g"}, "paths": [{"path": {"id": "p", "head": ""}, "steps": []}]}`
	o := w.options()
	Check(newDocument("nothing.path.json", "", 0, false, text.New([]byte(nothing)), 0), o, nil)
}

// checker gathers what the step rules find.
type checker struct {
	options *Options
	text    *text.Text // of the document, if all of it is checked
	rules   *stepRules
	found   []Diagnostic
	kept    map[string][]Kept

	// Of the step in hand; the room is used again.
	pass   StepPass
	list   []Diagnostic
	keeps  facts
	shared facts
	facts  []any // as rules.facts
}

// stepRules are the rules that look at steps and are not off.
type stepRules struct {
	all    []stepRule
	always []stepRule // those that need nothing
	facts  []*Fact    // that the others need
}

type stepRule struct {
	*Rule
	fact int // index in stepRules.facts, -1 if it needs none
}

func (o *Options) stepRules() *stepRules {
	var rules stepRules
	for _, r := range o.Rules {
		if r.Step == nil || o.severity(r) == Off {
			continue
		}
		s := stepRule{r, slices.Index(rules.facts, r.Needs)}
		switch {
		case r.Needs == nil:
			rules.always = append(rules.always, s)
		case s.fact < 0:
			s.fact = len(rules.facts)
			rules.facts = append(rules.facts, r.Needs)
		}
		rules.all = append(rules.all, s)
	}
	return &rules
}

// paths checks the steps of all paths; false if done said so. Beside it, what the rules
// about a long document will ask for first is made, if the options say how.
func (c *checker) paths(m *toolpath.Document, done func() bool) (all bool) {
	look := func() {
		all = true
		for _, p := range m.Paths {
			all = all && c.path(p, done)
		}
	}
	if c.options.Parallel == nil || m.Tree.NumChunks() < long {
		look()
		return all
	}
	c.options.beside(true, look, func() {
		for _, p := range m.Paths {
			p.DAG()
		}
	}, func() { c.text.Lines() })
	return all
}

// path checks the steps of a path; false if done said so.
func (c *checker) path(p *toolpath.Path, done func() bool) bool {
	nothing := &stepFindings{kind: p.Kind(), options: c.options}
	if !c.ahead(p, nothing, done) {
		return false
	}
	for i, step := range p.Steps.All() {
		if i%1024 == 0 && done() {
			return false
		}
		f := c.memo(step, nothing)
		off := step.Offset()
		for _, d := range f.list {
			c.found = append(c.found, d.shifted(off))
		}
		for _, k := range f.kept {
			c.kept[k.name] = append(c.kept[k.name], Kept{p, i, k.fact})
		}
	}
	return true
}

// memo returns what the rules find in a step, from before if it was asked for.
func (c *checker) memo(step toolpath.At, nothing *stepFindings) *stepFindings {
	f, ok := step.Memo().(*stepFindings)
	if !ok || f.options != c.options || f.kind != nothing.kind {
		f = c.step(step, nothing)
		step.SetMemo(f)
	}
	return f
}

// long is how many steps are looked at side by side.
const long = 4096

// ahead looks at the steps of a long path side by side, if the options say how, so that
// their memos are there; false if done said so.
func (c *checker) ahead(p *toolpath.Path, nothing *stepFindings, done func() bool) bool {
	const shard = 1024
	n := p.Steps.Len()
	if c.options.Parallel == nil || n < long || c.known(p.Steps.At(0), nothing) && c.known(p.Steps.At(n/2), nothing) && c.known(p.Steps.At(n-1), nothing) {
		return true
	}
	c.options.Parallel((n+shard-1)/shard, func(i int) {
		if done() {
			return
		}
		own := checker{options: c.options, rules: c.rules}
		for _, step := range p.Steps.Between(i*shard, min((i+1)*shard, n)) {
			own.memo(step, nothing)
		}
	})
	return !done()
}

func (c *checker) known(step toolpath.At, nothing *stepFindings) bool {
	f, ok := step.Memo().(*stepFindings)
	return ok && f.options == c.options && f.kind == nothing.kind
}

// settle gives findings the severity that the user chose, else their own, else their
// rule's, leaves out what is off, and puts them in the order of their places.
func (o *Options) settle(found []Diagnostic) []Diagnostic {
	found = slices.DeleteFunc(found, func(f Diagnostic) bool { return o.severity(f.Rule) == Off })
	for i, f := range found {
		if f.Severity == Off || o.chosen(f.Rule) {
			found[i].Severity = o.severity(f.Rule)
		}
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

// step returns what the rules find in a step; nothing, if they find nothing.
func (c *checker) step(step toolpath.At, nothing *stepFindings) *stepFindings {
	clear(c.shared)
	c.shared = c.shared[:0]
	c.list, c.keeps = nil, nil
	c.pass = StepPass{Step: step, Kind: nothing.kind, Options: nothing.options, out: &c.list, kept: &c.keeps, shared: &c.shared}
	for _, r := range c.concerned(&c.pass) {
		c.pass.rule = r.Rule
		if c.pass.fact = nil; r.fact >= 0 {
			if c.pass.fact = c.facts[r.fact]; c.pass.fact == nil {
				continue
			}
		}
		r.Step(&c.pass)
	}
	if len(c.list) == 0 && len(c.keeps) == 0 {
		return nothing
	}
	off := step.Offset()
	for i := range c.list {
		c.list[i] = c.list[i].shifted(-off)
	}
	return &stepFindings{kind: nothing.kind, options: nothing.options, list: c.list, kept: c.keeps}
}

// concerned returns the rules that may have something to say of a step, and puts what they
// need into c.facts.
func (c *checker) concerned(p *StepPass) []stepRule {
	c.facts = c.facts[:0]
	has := false
	for _, f := range c.rules.facts {
		fact := f.Of(p)
		has = has || fact != nil
		c.facts = append(c.facts, fact)
	}
	if has {
		return c.rules.all
	}
	return c.rules.always
}

// chosen says whether the user chose the rule's severity.
func (o *Options) chosen(r *Rule) bool {
	_, byID := o.Severity[r.ID]
	_, byName := o.Severity[r.Name]
	return byID || byName
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
