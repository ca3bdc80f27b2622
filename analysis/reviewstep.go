package analysis

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis/format"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// A review step is a step of a human that says of lines "I have looked at them". It changes no
// file: its artifacts are review://FILE#L3-L9, lines of the file as the step before left it, with
// the operation review.approve. The derivers of pull requests name comments on lines in the
// same way, without that operation: a comment approves nothing.

const (
	reviewScheme = "review://"
	// ReviewApprove is the type of the operation.
	ReviewApprove = "review.approve"
	// maxReviewSteps bounds the review steps of a path that are looked at for one file, the
	// newest first. What older ones approved counts as not reviewed.
	maxReviewSteps = 256
)

// approval is an artifact of a review step.
type approval struct {
	step      StepRef
	artifact  string // the key of the file
	from, end int    // lines [from, end), 0-based
}

// approvals are those of a path, the newest step first.
func (t *pathTouches) approvals(d *Document) []approval {
	var all []approval
	steps, last := 0, -1
	for i := t.path.Steps.Len() - 1; i >= 0; i-- {
		s := t.path.Steps.At(i)
		if toolpath.ActorKind(s.Actor) != "human" || !t.path.DAG().Active[i] {
			continue
		}
		for key, change := range s.Value(s.Nodes.Change).Members() {
			a, ok := parseApproval(key.Text(), change)
			if !ok {
				continue
			}
			if last != i {
				if steps, last = steps+1, i; steps > maxReviewSteps {
					return all
				}
			}
			a.step = StepRef{d, t.path, i}
			all = append(all, a)
		}
	}
	return all
}

func parseApproval(key string, change jsonsrc.Value) (a approval, ok bool) {
	rest, ok := strings.CutPrefix(key, reviewScheme)
	i := strings.LastIndex(rest, "#L")
	if !ok || i < 0 || !change.Get("structural").Get("type").Is(ReviewApprove) {
		return a, false
	}
	first, last, isRange := strings.Cut(rest[i+2:], "-L")
	if !isRange {
		last = first
	}
	from, err := strconv.ParseUint(first, 10, 31)
	end, err2 := strconv.ParseUint(last, 10, 31)
	if err != nil || err2 != nil || from == 0 || end < from {
		return a, false
	}
	return approval{artifact: rest[:i], from: int(from) - 1, end: int(end)}, true
}

// Reviews returns the reviews that speak of a file, at a time: those of Snapshot.Reviews and
// the review steps.
func (w *Workspace) Reviews(ctx context.Context, src Source, p *Provenance, now time.Time) (*Reviews, error) {
	defer w.begin()()
	for range maxRounds {
		r := w.Snapshot().Reviews(now)
		needs := r.Read(p, func() bool { return ctx.Err() != nil })
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(needs) == 0 {
			return r, nil
		}
		if err := w.Fetch(ctx, src, needs); err != nil {
			return nil, err
		}
	}
	return nil, errUnsettled
}

// Read takes the review steps that speak of a file into account, or returns what must be read
// to know which of its lines they approve.
func (r *Reviews) Read(p *Provenance, done func() bool) (needs []Need) {
	for _, a := range p.Accounts {
		if a.projection == nil || a.overlay == nil || r.lines[a] != nil {
			continue
		}
		lines := map[provenance.LineID]*StepRef{}
		files := map[string]bool{}
		for _, c := range a.changes.all() {
			for _, name := range c.names() {
				files[a.strands[max(c.strand, 0)].fileOf(name)] = true
			}
		}
		for _, strand := range a.strands {
			for _, approved := range strand.t.approvals(strand.doc) {
				if !files[strand.fileOf(approved.artifact)] {
					continue
				}
				then, more, err := r.s.accountAfter(approved.step, approved.artifact, approved.step.order(), done)
				needs = append(needs, more...)
				if err != nil || then == nil {
					continue // which lines those were is not on record
				}
				known := then.projection.Lines()
				for _, id := range known[min(approved.from, len(known)):min(approved.end, len(known))] {
					here := a.projection.At(a.placeOf(then, then.projection.Place(id)))
					if here != 0 && a.projection.Text(here) == then.projection.Text(id) && lines[here] == nil {
						lines[here] = &approved.step
					}
				}
			}
		}
		if len(needs) == 0 {
			r.lines[a] = lines
		}
	}
	return needs
}

// approved returns the review step that approved the words which an author gave to a line, nil
// if none did. The chain is the life of the line.
func (r *Reviews) approved(a *Account, chain []provenance.Touch, author StepRef) *StepRef {
	if r == nil || len(r.lines[a]) == 0 {
		return nil
	}
	for _, t := range chain {
		if by := r.lines[a][t.ID]; by != nil {
			return by
		}
		if isOfStep(t) && *a.ref(t.Step) == author {
			return nil
		}
	}
	return nil
}

// Approval is what marks lines as reviewed.
type Approval struct {
	Edits []DocumentEdits
	// Lines are how many lines it approves.
	Lines int
}

// Approve returns the edits that record that a human looked at the lines [from, end) of a file,
// as far as Unreviewed has them: a review step at the head of the path that tells of each.
// now is an RFC 3339 time. The error is a Refusal, such as for lines of which the path's head
// does not say what they were.
func (p *Provenance) Approve(from, end int, reviews *Reviews, actor, now string) (Approval, error) {
	if toolpath.ActorKind(actor) != "human" {
		return Approval{}, Refusal(fmt.Sprintf("only a human can review, and %q is none: an actor such as \"human:alex\" is", actor))
	}
	var out Approval
	var accounts []*Account
	lines := map[*Account][]int{} // of the file at the head
	for _, run := range p.Unreviewed(from, end, reviews) {
		a := run.Account
		if a.exact == nil || !a.exact.Known || a.NoHead {
			return Approval{}, Refusal("what the file was at the head of the path " + a.Path.ID + " is not on record, so that a review could not say which lines it is of")
		}
		if lines[a] == nil {
			accounts = append(accounts, a)
		}
		for i := run.Start; i < run.End; i++ {
			at := slices.Index(a.projection.Lines(), a.overlay.Line(i).Head)
			if at < 0 {
				return Approval{}, Refusal("a line cannot be found in the file as the path " + a.Path.ID + " left it")
			}
			lines[a] = append(lines[a], at)
			out.Lines++
		}
	}
	if out.Lines == 0 {
		return out, Refusal("there is no line here that an agent wrote and no human has reviewed")
	}
	for _, a := range accounts {
		edits, err := a.reviewStep(lines[a], actor, now)
		if err != nil {
			return Approval{}, err
		}
		if k := slices.IndexFunc(out.Edits, func(e DocumentEdits) bool { return e.Doc == a.Doc }); k >= 0 {
			out.Edits[k].Edits = append(out.Edits[k].Edits, edits...)
			continue
		}
		out.Edits = append(out.Edits, DocumentEdits{a.Doc, edits})
	}
	return out, nil
}

// reviewStep returns the edits that add a review step of lines to the path of an account, and
// make it the head.
func (a *Account) reviewStep(lines []int, actor, now string) ([]TextEdit, error) {
	p := a.Path
	head := p.Find(p.Head)
	key := a.headKey()
	if head < 0 || key == "" {
		return nil, Refusal("the path " + p.ID + " has no head that a review could follow")
	}
	id := freeID(p, "review-")
	slices.Sort(lines)
	var change []string
	for k := 0; k < len(lines); {
		first := k
		for k++; k < len(lines) && lines[k] == lines[k-1]+1; k++ {
		}
		from, end := lines[first], lines[k-1]+1
		fragment := fmt.Sprintf("#L%d", from+1)
		if end-from > 1 {
			fragment += fmt.Sprintf("-L%d", end)
		}
		change = append(change, quoted(reviewScheme+key+fragment)+`: {"raw": `+quoted(a.context(from, end))+`, "structural": {"type": "`+ReviewApprove+`"}}`)
	}
	step := `{"step": {"id": ` + quoted(id) + `, "parents": [` + quoted(p.Head) + `], "actor": ` + quoted(actor) + `, "timestamp": ` + quoted(now) +
		`}, "change": {` + strings.Join(change, ", ") + `}, "meta": {"intent": ` + quoted("Reviewed "+key) + `}}`
	tree := p.Doc.Tree
	if p.Doc.Lines {
		added := format.AppendLine(tree, `{"Step":`+step+"}")
		if p.HeadVal.Valid() {
			added.New += format.AppendLine(tree, `{"Head":{"step_id":`+quoted(id)+"}}").New
		}
		return []TextEdit{TextEdit(added)}, nil
	}
	steps := p.Value.Get("steps")
	if steps.Kind() != jsonsrc.Array || !p.HeadVal.Valid() {
		return nil, Refusal("the path " + p.ID + " has no head that could be moved")
	}
	edits := []TextEdit{{Start: p.HeadVal.Start(), End: p.HeadVal.End(), New: quoted(id)}, laidOut(tree, format.Append(tree, steps, step))}
	slices.SortFunc(edits, func(x, y TextEdit) int { return x.Start - y.Start })
	return edits, nil
}

// laidOut lays out the step that an edit appends, if the steps of the document stand on lines
// of their own.
func laidOut(t *jsonsrc.Tree, added format.Edit) TextEdit {
	if !strings.Contains(added.New, "\n") {
		return TextEdit(added)
	}
	after := format.Apply(t.Source(), []format.Edit{added})
	layout, err := format.Step(jsonsrc.Parse(after, toolpath.Layout), added.Start+len(added.New)-1)
	if err != nil {
		return TextEdit(added)
	}
	return Difference(t.Source(), format.Apply(after, layout))
}

// headKey is the key of the file at the head, as the last step wrote it; "" if none did.
func (a *Account) headKey() string {
	for _, c := range a.changes.backward() {
		if c.key.Valid() && a.step(c).Path == a.Path {
			if c.gone {
				return c.other
			}
			return c.key.Text()
		}
	}
	return ""
}

// context is a hunk that changes nothing and shows lines of the file at the head.
func (a *Account) context(from, end int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "@@ -%d,%d +%[1]d,%[2]d @@\n", from+1, end-from)
	for _, id := range a.projection.Lines()[from:end] {
		b.WriteString(" " + a.projection.Text(id) + "\n")
	}
	return b.String()
}

// freeID is the first of an id with a number that no step of the path has.
func freeID(p *toolpath.Path, prefix string) string {
	taken := map[string]bool{}
	for _, s := range p.Steps.All() {
		taken[s.ID] = true
	}
	n := 1
	for taken[prefix+strconv.Itoa(n)] {
		n++
	}
	return prefix + strconv.Itoa(n)
}

// Difference returns the one edit that makes a text of another.
func Difference(before, after []byte) TextEdit {
	start := 0
	for start < len(before) && start < len(after) && before[start] == after[start] {
		start++
	}
	end, endAfter := len(before), len(after)
	for end > start && endAfter > start && before[end-1] == after[endAfter-1] {
		end, endAfter = end-1, endAfter-1
	}
	return TextEdit{Start: start, End: end, New: string(after[start:endAfter])}
}
