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
	all := r.Doc.changes()
	if r.Path.Index >= len(all) {
		return "", nil, Refusal("the document has no such path")
	}
	t := &all[r.Path.Index]
	root := s.rootOf(r.Doc)
	file := fileOf(artifactName(artifact, t.base), root, t.base)
	if file == "" {
		return "", nil, Refusal(fmt.Sprintf("%q names no file", artifact))
	}
	strands, needs := s.strandsTo(r.Doc, t, r.Step, t.orderTo(r.Step))
	if len(needs) > 0 {
		return "", needs, nil
	}
	told := newTelling(s, strands, file, done)
	a := told.account()
	if len(told.needs) > 0 {
		return "", told.needs, nil
	}
	switch {
	case a.NoHead:
		return "", nil, Refusal("the head of the path names no step, so that its steps cannot be replayed")
	case a.projection.Known && a.projection.Absent:
		return "", nil, Refusal(fmt.Sprintf("there was no file %q after the step %q", artifact, r.At().ID))
	case a.projection.Known:
		return a.projection.HeadText(), nil, nil
	case a.BaseError != nil:
		return "", nil, Refusal("the content at the base could not be read: " + a.BaseError.Error())
	}
	why := "what it was at the base is not on record"
	if problems := a.Problems(); len(problems) > 0 {
		why = a.words(problems[len(problems)-1])
	}
	return "", nil, Refusal(fmt.Sprintf("the content of %q after the step %q is not known: %s", artifact, r.At().ID, why))
}

// DiffText returns what a step did, as one unified diff over its artifacts. Lines before
// a file that begin with "#" say who, why and what no diff has.
func DiffText(r StepRef) string {
	s := r.At()
	var b strings.Builder
	comment := func(text string) { fmt.Fprintf(&b, "# %s\n", oneLine(text)) }
	comment(s.ID + " · " + s.Actor + " · " + when(s))
	if s.Intent != "" {
		comment(s.Intent)
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
