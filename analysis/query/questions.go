package query

import (
	"fmt"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// Ancestors asks how things came to where they are: the step and all it descends from, as
// one sequence from the first step on. Parents come before their children, and where that
// leaves a choice the order is that of the document.
type Ancestors struct{}

func (Ancestors) name() string { return "ancestors" }

func (Ancestors) ask(h *history, start int, _ Selection) found {
	if start < 0 {
		return found{}
	}
	return found{steps: h.ancestors(place{0, start})}
}

// MainLine asks for the first parents: the step, its first parent, and so on to a root.
type MainLine struct{}

func (MainLine) name() string { return "main-line" }

func (MainLine) ask(h *history, start int, _ Selection) found {
	if start < 0 {
		return found{}
	}
	return found{steps: h.steps(h.mainLine(place{0, start}))}
}

func (h *history) steps(line []place) []Step {
	steps := make([]Step, len(line))
	for i, at := range line {
		steps[i] = h.step(at)
	}
	return steps
}

// Branch asks for the branches that the selected step merges: for every parent but the
// first, that parent, its first parent, and so on to the step where the branch has left the
// main line of the merge, which is part of it. A step that several branches share comes
// once, with the first of them.
type Branch struct{}

func (Branch) name() string { return "branch" }

func (Branch) ask(h *history, start int, _ Selection) found {
	if start < 0 {
		return found{}
	}
	merge := place{0, start}
	parents := h.path().DAG().Parents.At(start)
	if len(parents) < 2 {
		return found{}
	}
	w := walk{stop: map[place]bool{}, seen: map[place]int{}}
	for _, at := range h.mainLine(merge) {
		w.stop[at] = true
	}
	var f found
	for n, k := range parents[1:] {
		if k < 0 {
			h.dangling(merge, n+1)
			continue
		}
		w.n++
		f.steps = append(f.steps, h.steps(h.follow(place{0, int(k)}, w))...)
	}
	return f
}

// DeadEnds asks what was tried and led nowhere: the steps that the head does not descend
// from, in the order of the document. Artifact keeps those that changed a matching one.
type DeadEnds struct{ Artifact Glob }

func (DeadEnds) name() string { return "dead-ends" }

func (q DeadEnds) ask(h *history, start int, _ Selection) found {
	dag := h.path().DAG()
	active := marked(dag, start)
	for i, in := range active {
		for n, k := range dag.Parents.At(i) {
			if in && k < 0 {
				h.dangling(place{0, i}, n)
			}
		}
	}
	f := found{}
	touched := newTouched(q.Artifact)
	for i := range h.path().Steps.Len() {
		if s := (Step{h.path(), i}); touched.by(s) && !active[i] {
			f.steps = append(f.steps, s)
		}
	}
	f.miss(touched.unmatched())
	if len(f.steps) > 0 && h.path().IsAgentSession() {
		f.notes = append(f.notes, "in an agent session a step that the head does not descend from may have changed files all the same")
	}
	return f
}

// Filter asks for the steps for which all of it is true, in the order of the document; with
// a selected step for those among it and its ancestors, in their order. Zero fields are true
// of every step.
type Filter struct {
	Actor    Glob
	Artifact Glob
	// Since and Until are the first and the last instant of a step. Steps without a
	// timestamp that can be read are left out if either is given.
	Since, Until time.Time
	Intent       string // part of the intent, in any letter case
}

func (Filter) name() string { return "filter" }

func (q Filter) ask(h *history, start int, s Selection) found {
	f := found{}
	touched := newTouched(q.Artifact)
	timeless := 0
	actors := memo{match: q.Actor.Match, known: map[string]bool{}}
	for _, step := range h.universe(start, s) {
		at := step.At()
		if !at.HasTime && q.isTimed() {
			timeless++
		}
		// Every selector looks at every step, so that it knows what there is.
		touches, acts := touched.by(step), actors.of(at.Actor)
		if touches && acts && q.inTime(at) && containsFold(at.Intent(), q.Intent) {
			f.steps = append(f.steps, step)
		}
	}
	f.miss(touched.unmatched())
	if !q.Actor.IsZero() && !actors.any {
		f.miss("--actor", fmt.Sprintf("no step has an actor that matches %s", quote(q.Actor.String())))
	}
	if timeless > 0 {
		f.notes = append(f.notes, fmt.Sprintf("steps without a timestamp that can be read were left out: %d", timeless))
	}
	return f
}

func (q Filter) isTimed() bool { return !q.Since.IsZero() || !q.Until.IsZero() }

// universe is the steps that a question looks at.
func (h *history) universe(start int, s Selection) []Step {
	if s.Step != "" {
		return h.ancestors(place{0, start})
	}
	h.whole()
	all := make([]Step, h.path().Steps.Len())
	for i := range all {
		all[i] = Step{h.path(), i}
	}
	return all
}

func (q Filter) inTime(s toolpath.At) bool {
	if !q.isTimed() {
		return true
	}
	return s.HasTime && (q.Since.IsZero() || !s.Time().Before(q.Since)) && (q.Until.IsZero() || !s.Time().After(q.Until))
}

func (f *found) miss(selector, message string) {
	if selector == "" {
		return
	}
	if f.unmatched == nil {
		f.unmatched = map[string]string{}
	}
	f.unmatched[selector] = message
}

// ParseSince reads the value of --since, an RFC 3339 date-time, or a date, which stands for
// its first instant in UTC.
func ParseSince(s string) (time.Time, error) { return parseTime(s, 0) }

// ParseUntil reads the value of --until, an RFC 3339 date-time, or a date, which stands for
// its last instant in UTC.
func ParseUntil(s string) (time.Time, error) { return parseTime(s, 24*time.Hour-time.Nanosecond) }

func parseTime(s string, ofDay time.Duration) (time.Time, error) {
	if t, ok := toolpath.ParseTimestamp(s); ok {
		return t, nil
	}
	if day, err := time.Parse(time.DateOnly, s); err == nil {
		return day.Add(ofDay), nil
	}
	return time.Time{}, fmt.Errorf("%s is no time: write 2026-01-29T15:30:00Z, or 2026-01-29", quote(s))
}
