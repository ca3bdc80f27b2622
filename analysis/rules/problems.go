package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/schema"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// reporter is the Report of a step's pass, or that of a document's without related places.
type reporter = func(at analysis.Span, message string) *analysis.Diagnostic

func reporting(p *analysis.Pass) reporter {
	return func(at analysis.Span, message string) *analysis.Diagnostic { return p.Report(at, message) }
}

// only picks one cause.
func only(cause schema.Cause) func(schema.Cause) bool {
	return func(c schema.Cause) bool { return c == cause }
}

// located is the schema's problems with one value.
type located struct {
	value    jsonsrc.Value
	problems []schema.Problem
}

// documentProblems reports the schema's problems of some causes with what is no step.
func documentProblems(p *analysis.Pass, of func(schema.Cause) bool) {
	if p.Model == nil {
		return
	}
	report := reporting(p)
	for _, l := range p.Shared("schema", func() any { return checkDocument(p) }).([]located) {
		reportProblems(report, l.value, l.problems, of)
	}
}

func checkDocument(p *analysis.Pass) (all []located) {
	if p.Model.Lines {
		return checkLines(p)
	}
	root := p.Doc.Tree().Root()
	if !root.Valid() {
		return nil
	}
	all = append(all, located{root, schema.Check(schema.Graph, root)})
	if root.Kind() != jsonsrc.Object {
		return all
	}
	switch form, inner := p.Model.Form, p.Model.Form.Content(root); {
	case form.HoldsStep():
		return all
	case !form.HoldsGraph():
		return append(all, located{inner, schema.Check(schema.Path, inner)})
	case form != toolpath.GraphForm:
		root = inner
		all = append(all, located{root, schema.Check(schema.Graph, root)})
	}
	for _, entry := range root.Get("paths").Elements() {
		if p.Done() {
			break
		}
		all = append(all, located{entry, schema.Check(schema.Path, entry)})
	}
	return all
}

func checkLines(p *analysis.Pass) (all []located) {
	if isGraphInStream(p.Doc) {
		return nil
	}
	cutOff := toolpath.CutOff(p.Doc.Tree())
	for i := range p.Doc.Tree().NumChunks() {
		if i == cutOff {
			break
		}
		if line := p.Doc.Tree().Chunk(i); line.Valid() && !isStepLine(line) {
			all = append(all, located{line, schema.Check(schema.Line, line)})
		}
	}
	return all
}

// isStepLine says whether a line holds a step and nothing else, so that the step's own
// check is all there is to check.
func isStepLine(line jsonsrc.Value) bool {
	n, is := 0, false
	for k := range line.Members() {
		n++
		is = k.Is("Step")
	}
	return n == 1 && is
}

// misshapen is the schema's problems with a step.
var misshapen = &analysis.Fact{Name: "schema", Of: func(p *analysis.StepPass) any {
	if problems := checkStep(p.Step); len(problems) > 0 {
		return problems
	}
	return nil
}}

// stepProblems reports the schema's problems of some causes with a step; the rule needs
// misshapen.
func stepProblems(p *analysis.StepPass, of func(schema.Cause) bool) {
	reportProblems(p.Report, p.Step.Self(), p.Fact().([]schema.Problem), of)
}

// checkStep leaves the steps to the check of their line that do not stand alone in it.
func checkStep(s toolpath.At) []schema.Problem {
	if s.Tree.IsLines() && !isStepLine(s.Tree.Chunk(s.Chunk)) {
		return nil
	}
	return schema.Check(schema.Step, s.Self())
}

func reportProblems(report reporter, v jsonsrc.Value, problems []schema.Problem, of func(schema.Cause) bool) {
	for _, q := range problems {
		if !of(q.Cause) {
			continue
		}
		key, val, ok := v.Resolve(q.Pointer)
		switch {
		case !ok:
			report(opening{v}, q.Message)
		case q.OnKey && key.Valid():
			offerShape(report(key, q.Message), v, q, key)
		default:
			offerShape(report(opening{val}, q.Message), v, q, val)
		}
	}
}

// offerShape adds the fix for a problem of shape, if one is known.
func offerShape(d *analysis.Diagnostic, v jsonsrc.Value, q schema.Problem, at jsonsrc.Value) {
	remove := func(title string, safe bool) {
		_, object, ok := v.Resolve(q.Pointer[:len(q.Pointer)-1])
		if !ok || !at.Closed() {
			return
		}
		if edit, ok := removeMember(object, q.Pointer[len(q.Pointer)-1]); ok {
			d.Fix(analysis.Fix{Title: title, Edits: []analysis.TextEdit{edit}, Safe: safe})
		}
	}
	switch {
	case q.Meant != "":
		d.Fix(writeInstead(at, q.Meant))
	case q.Cause == schema.ReservedProperty:
		if fix := ownLines(v, q.Pointer); len(fix.Edits) > 0 {
			d.Fix(fix)
		}
	case q.Alone:
		if at.Closed() {
			d.Fix(analysis.Fix{Title: "Make it a list", Edits: []analysis.TextEdit{
				{Start: at.Start(), End: at.Start(), New: "["}, {Start: at.End(), End: at.End(), New: "]"},
			}})
		}
	case q.LeaveOut:
		remove("Leave it out", true)
	case q.Cause == schema.UnknownProperty:
		remove("Remove it, as other readers do", false)
	}
}

// ownLines is the fix that gives the actors or signatures in a line's metadata lines of
// their own, behind it.
func ownLines(line jsonsrc.Value, pointer []string) (f analysis.Fix) {
	_, object, ok := line.Resolve(pointer[:len(pointer)-1])
	key := pointer[len(pointer)-1]
	edit, removed := removeMember(object, key)
	if !ok || !removed || !line.Closed() {
		return f
	}
	var lines strings.Builder
	held := object.Get(key)
	for name, def := range held.Members() {
		fmt.Fprintf(&lines, "\n{\"ActorDef\": {\"actor\": %s, \"definition\": %s}}", name.Bytes(), def.Bytes())
	}
	for _, sig := range held.Elements() {
		fmt.Fprintf(&lines, "\n{\"Signature\": {\"target\": \"path\", \"signature\": %s}}", sig.Bytes())
	}
	f.Title = "Give it lines of its own"
	f.Edits = []analysis.TextEdit{edit, {Start: line.End(), End: line.End(), New: lines.String()}}
	return f
}

// opening is the place of a value, of an object or array only its opening bracket: what
// is missing in an object is not wrong with all that it has.
type opening struct{ jsonsrc.Value }

func (o opening) End() int {
	if k := o.Kind(); k == jsonsrc.Object || k == jsonsrc.Array {
		return o.Start() + 1
	}
	return o.Value.End()
}

// maxCandidates bounds the steps of a path among which an id is looked for.
const maxCandidates = 20_000

// nearest returns the id of a step that is closest to s by edits and none of not, "" if
// none is close.
func nearest(s string, p *toolpath.Path, not ...string) string {
	best, bound := "", max(1, len(s)/3)+1
	for _, c := range p.Steps.Between(0, min(p.Steps.Len(), maxCandidates)) {
		if d := c.ID; d != "" && d != s && abs(len(d)-len(s)) < bound {
			if n := distance(s, d, bound); n < bound && !slices.Contains(not, d) {
				best, bound = d, n
			}
		}
	}
	return best
}

func abs(n int) int { return max(n, -n) }

// distance counts the edits of bytes, exchanges of neighbours included, that turn a into
// b; it returns bound if they are that many or more.
func distance(a, b string, bound int) int {
	if len(a) > 200 || len(b) > 200 {
		return bound
	}
	var rows [3][201]int
	before, above, row := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		above[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		low := row[0]
		for j := range len(b) {
			n := above[j]
			if a[i] != b[j] {
				n++
			}
			n = min(n, above[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				n = min(n, before[j-1]+1)
			}
			row[j+1] = n
			low = min(low, n)
		}
		if low >= bound {
			return bound
		}
		before, above, row = above, row, before
	}
	return above[len(b)]
}
