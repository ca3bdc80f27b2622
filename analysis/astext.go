package analysis

import (
	"fmt"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/udiff"
)

// TextAt returns the content that a file had after a step, which need not be on the way to
// the head, as the record has it; the file is named by an artifact key of the path. What
// must be read to know it is returned instead. The error is a Refusal: the content is never
// guessed.
func (s *Snapshot) TextAt(r StepRef, artifact string, done func() bool) (string, []Need, error) {
	text, absent, needs, err := s.textAfter(r, artifact, r.order(), done)
	if absent {
		err = Refusal(fmt.Sprintf("there was no file %q after the step %q", artifact, r.At().ID))
	}
	return text, needs, err
}

// Sides returns the content of a file before and after a step, as TextAt; "" where there was
// no file.
func (s *Snapshot) Sides(r StepRef, artifact string, done func() bool) (before, after string, needs []Need, err error) {
	before, needs, err = s.TextBefore(r, artifact, done)
	if len(needs) > 0 || err != nil {
		return "", "", needs, err
	}
	after, needs, err = s.TextAfter(r, artifact, done)
	return before, after, needs, err
}

// TextBefore returns the content of a file before a step, as TextAt; "" if there was none.
func (s *Snapshot) TextBefore(r StepRef, artifact string, done func() bool) (string, []Need, error) {
	before, order, err := r.before()
	if err != nil {
		return "", nil, err
	}
	text, _, needs, err := s.textAfter(before, artifact, order, done)
	return text, needs, err
}

// before returns what accountAfter wants to be told of the moment before a step.
func (r StepRef) before() (StepRef, replayOrder, error) {
	before := r
	if r.Path.IsAgentSession() {
		before.Step--
	} else if parents := r.Path.DAG().Parents.At(r.Step); len(parents) > 0 {
		before.Step = int(parents[0])
		if before.Step < 0 {
			return before, replayOrder{}, Refusal(fmt.Sprintf("the parent of the step %q is not in its path", r.At().ID))
		}
	} else {
		before.Step = -1
	}
	if before.Step >= 0 {
		return before, before.order(), nil
	}
	order := orderTo(r.Path, r.Step)
	order.position[r.Step] = -1 // the first step: nothing has led to what was before
	return r, order, nil
}

// TextAfter returns the content of a file after a step, as TextAt; "" if there was none.
func (s *Snapshot) TextAfter(r StepRef, artifact string, done func() bool) (string, []Need, error) {
	text, _, needs, err := s.textAfter(r, artifact, r.order(), done)
	return text, needs, err
}

// order returns the steps that led to the step, itself included.
func (r StepRef) order() replayOrder {
	if all := r.Doc.changes(); r.Path.Index < len(all) {
		return all[r.Path.Index].orderTo(r.Step)
	}
	return replayOrder{}
}

// textAfter returns the content of a file after the steps that led to another one, and
// whether there was no such file then.
func (s *Snapshot) textAfter(r StepRef, artifact string, order replayOrder, done func() bool) (content string, absent bool, needs []Need, err error) {
	a, needs, err := s.accountAfter(r, artifact, order, done)
	if a == nil || a.projection.Absent {
		return "", a != nil, needs, err
	}
	return a.projection.HeadText(), false, nil, nil
}

// accountAfter returns what is known of a file after the steps that led to another one: its
// content is known, or there was no such file.
func (s *Snapshot) accountAfter(r StepRef, artifact string, order replayOrder, done func() bool) (*Account, []Need, error) {
	all := r.Doc.changes()
	if r.Path.Index >= len(all) {
		return nil, nil, Refusal("the document has no such path")
	}
	t := &all[r.Path.Index]
	file := s.siteOf(r.Doc).fileOf(artifactName(artifact, t.base), t.base)
	if file == "" {
		return nil, nil, Refusal(fmt.Sprintf("%q names no file", artifact))
	}
	names, needs := s.namesFor(file, done)
	if len(needs) > 0 {
		return nil, needs, nil
	}
	file = names.real(file)
	strands, needs := s.strandsTo(r.Doc, t, r.Step, order)
	if len(needs) > 0 {
		return nil, needs, nil
	}
	withNames(strands, names)
	told := newTelling(s, strands, file, done)
	a := told.account()
	switch {
	case len(told.needs) > 0:
		return nil, told.needs, nil
	case a.NoHead:
		return nil, nil, Refusal("the head of the path names no step, so that its steps cannot be replayed")
	case a.projection.Known:
		return a, nil, nil
	case a.BaseError != nil:
		return nil, nil, Refusal(a.baseWords())
	}
	why := "what it was at the base is not on record"
	if problems := a.Problems(); len(problems) > 0 {
		why = a.words(problems[len(problems)-1])
	}
	when := "after"
	if order.position[r.Step] < 0 {
		when = "before"
	}
	return nil, nil, Refusal(fmt.Sprintf("the content of %q %s the step %q is not known: %s", artifact, when, r.At().ID, why))
}

// DiffText returns what a step did, as one unified diff over its artifacts. Lines before
// a file that begin with "#" say who, why and what no diff has.
func DiffText(r StepRef) string {
	s := r.At()
	var b strings.Builder
	comment := func(text string) { fmt.Fprintf(&b, "# %s\n", oneLine(text)) }
	comment(s.ID + " · " + s.Actor + " · " + when(s))
	if intent := s.Intent(); intent != "" {
		comment(intent)
	}
	for key, change := range s.Value(s.Nodes.Change).Members() {
		b.WriteByte('\n')
		name := oneLine(key.Text())
		if words := operationWords(change.Get("structural")); words != "" {
			comment(name + ": " + words)
		}
		raw := change.Get("raw")
		if raw.Kind() != jsonsrc.String {
			continue
		}
		text := raw.Text()
		if d := udiff.Parse(text); len(d.Sections) == 0 || d.Sections[0].NewName.Start == d.Sections[0].NewName.End && !d.Sections[0].Deletes {
			fmt.Fprintf(&b, "--- a/%s\n+++ b/%s\n", name, name)
		}
		b.WriteString(text)
		if text != "" && !strings.HasSuffix(text, "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
