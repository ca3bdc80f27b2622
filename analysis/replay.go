package analysis

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
)

// The rules about the replay of a document's diffs need files and git, so that they are
// not run by Check but by Workspace.CheckReferences.
var (
	// UnreadableBase is about a base whose content cannot be read.
	UnreadableBase = &Rule{
		ID: "TP5001", Name: "unreadable-base", Severity: Information,
		Doc: `The state that the path started from cannot be read

path.base.ref names a commit, and the steps are diffs from it on. Where git is missing, the
folder is in no repository or the commit is not in it (a shallow clone, a rebase, another
repository), the steps cannot be replayed from their base: lines are attributed only after a
step that records the whole file, and are shown as not recorded otherwise.

## Bad

    "base": {"uri": "github:org/repo", "ref": "a commit that was never fetched"}

## Good

    "base": {"uri": "github:org/repo", "ref": "a commit of this repository"}
`,
	}
	// NotReplayed is about a diff that could not be replayed.
	NotReplayed = &Rule{
		ID: "TP5002", Name: "not-replayed", Severity: Information,
		Doc: `A diff cannot be replayed on what the steps before it left

The lines that a diff removes or keeps must be in the file as the steps before it left it. If
they are not, something changed the file without being recorded, or the diff does not say
where it belongs. From here on the content of the file is unknown, until a step records all of
it. Nobody is named for what came in between; lines that the file had before, and still has,
keep their step, with a note.

It is a warning where the document contradicts itself: the diff expects lines that the recorded
steps before it did not leave. It is an information where the cause may be elsewhere: in an agent
session, where commands change files unseen, and in the first diff of a file, whose base may be
another one.

## Bad

    {"src/a.go": {"raw": "@@ -1,1 +1,1 @@\n-a line that the file does not have\n+x"}}

## Good

    {"src/a.go": {"raw": "@@ -1,1 +1,1 @@\n-the line that the file has\n+x"}}
`,
	}
	// FormatChangesMeaning is about a formatter that did more than to format.
	FormatChangesMeaning = &Rule{
		ID: "TP5003", Name: "format-changes-meaning", Severity: Warning,
		Doc: `A step that says that it formats changes what the file means

A step of a formatter (tool:rustfmt, tool:prettier and others), one with the intent
"Auto-format" or the operation fmt.apply says that nothing but the layout changed, so that
nobody looks at it closely. Here the syntax trees before and after differ in more than what
formatters may touch: an operator, a literal, a condition, what a line belongs to. Look at the
change: it may be a slip, a bug of the formatter, or something that somebody wanted to hide. The
changed lines belong to the step, and not to who wrote them before. The finding is shown at the
diff and at the line of the source file.

Both contents must be known and must parse; otherwise nothing is said. Which languages can be
compared is in [languages.md](../languages.md).

## Bad

    {"step": {"id": "s", "actor": "tool:rustfmt", …},
     "change": {"a.rs": {"raw": "@@ -1 +1 @@\n-if a && b {\n+if a || b {"}}}

## Good

    {"step": {"id": "s", "actor": "tool:rustfmt", …},
     "change": {"a.rs": {"raw": "@@ -1 +1 @@\n-if a  && b{\n+if a && b {"}}}
`,
	}
)

// Bounds of what is replayed to check one document.
const (
	maxReplayFindings = 200
	maxReplayFiles    = 2000
	maxReplaySteps    = 10_000_000 // that are visited for files of which branches were merged
)

// replayBudget is what is left of them.
type replayBudget struct{ files, steps int }

func (b *replayBudget) spent() bool { return b.files <= 0 || b.steps <= 0 }

func (b *replayBudget) spend(a *Account) {
	b.files--
	if a.history.Parents != nil {
		for _, x := range a.strands {
			b.steps -= x.t.path.Steps.Len()
		}
	}
}

// checkReplay replays every file that an open document speaks of, and returns what kept
// steps from being replayed.
func (s *Snapshot) checkReplay(d *Document, done func() bool) (found []Diagnostic, needs []Need) {
	at := s.siteOf(d)
	budget := replayBudget{files: maxReplayFiles, steps: maxReplaySteps}
	for i := range d.changes() {
		t := &d.changes()[i]
		if t.path.DAG().Head < 0 && !t.path.IsAgentSession() {
			continue
		}
		baseTold := false
		var off []drifted
		var own *Account
		there, known := false, 0
		names := slices.Sorted(maps.Keys(t.steps))
		looked := map[string]bool{}
		for k, name := range names {
			file := at.fileOf(name, t.base)
			if file == "" {
				continue
			}
			others, more := s.namesFor(file, done)
			if len(more) > 0 {
				needs = append(needs, more...)
				continue
			}
			if file = others.real(file); looked[file] {
				continue
			}
			looked[file] = true
			if budget.spent() {
				id := t.path.IDValue
				found = append(found, Diagnostic{Rule: NotReplayed, Start: id.Start(), End: id.End(),
					Message: fmt.Sprintf("this path is too large to be replayed as a whole: %d of its %s were not looked at", len(names)-k, plural(len(names), "file"))})
				break
			}
			a, more := s.account(d, i, file, others, done)
			if done() {
				return nil, nil
			}
			if len(more) > 0 {
				needs = append(needs, more...)
				continue
			}
			budget.spend(a)
			if a.isUnreadable() {
				found = append(found, a.unreadable(t, name))
			} else if a.BaseError != nil && !baseTold {
				ref := t.path.Base().Get("ref")
				found = append(found, Diagnostic{Rule: UnreadableBase, Start: ref.Start(), End: ref.End(),
					Message: "the state that this path started from cannot be read, so that its diffs cannot be replayed: " + a.BaseError.Error()})
				baseTold = true
			}
			found = append(found, a.findings()...)
			found = append(found, a.meanings(s, file)...)
			if s.Options.severity(Drift) == Off {
				continue
			}
			now, exists, drifts, need := s.drift(a, name, file)
			if need != nil {
				needs = append(needs, *need)
				continue
			}
			own, there = a, there || exists
			if drifts {
				off = append(off, now)
			}
			if a.exact != nil && a.exact.Known {
				known++
			}
		}
		// Where none of the files is, they are somewhere else.
		if there && len(off) > 0 {
			found = append(found, driftOf(own, off, known))
		}
	}
	slices.SortStableFunc(found, func(a, b Diagnostic) int { return a.Start - b.Start })
	return found[:min(len(found), maxReplayFindings)], needs
}

// unreadable is the finding about a file of a path that cannot be read at the base, where the
// path first speaks of it.
func (a *Account) unreadable(t *pathTouches, name string) Diagnostic {
	key := t.at(t.steps[name][0]).key
	return Diagnostic{Rule: UnreadableBase, Start: key.Start(), End: key.End(), Message: a.baseWords()}
}

// findings places the account's problems in the document; those of what its path continues
// are told there. A base that is not known is no fault of a diff.
func (a *Account) findings() []Diagnostic {
	if a.projection == nil {
		return nil
	}
	var found []Diagnostic
	for _, q := range a.projection.Problems {
		if q.Kind == provenance.NoBase || q.Edit < 0 || q.Kind == provenance.NoContent && !a.projection.Anchored {
			continue
		}
		c := a.changes.at(q.Edit)
		if !c.isStep() || c.strand > 0 {
			continue
		}
		f := Diagnostic{Rule: NotReplayed, Start: c.key.Start(), End: c.key.End(), Message: a.words(q)}
		if c.isMerge() {
			id := a.Path.Steps.At(c.step).IDValue()
			f.Start, f.End = id.Start(), id.End()
		}
		if raw := c.value.Get("raw"); q.Span.End > q.Span.Start && raw.Valid() {
			decoded := raw.Decode()
			f.Start, f.End = decoded.Offset(q.Span.Start), decoded.Offset(q.Span.End)
		}
		if q.Kind == provenance.Mismatch && q.Edit > 0 && !a.Path.IsAgentSession() {
			f.Severity = Warning
		}
		if q.Lost > 1 {
			f.Message += fmt.Sprintf("; with it %d steps are lost for this file", q.Lost)
		}
		found = append(found, f)
	}
	return found
}

// meanings are the places where steps of the account's own path that say that they format
// changed the meaning of the file.
func (a *Account) meanings(s *Snapshot, file string) []Diagnostic {
	if a.projection == nil {
		return nil
	}
	at := map[provenance.LineID]int{}
	for i, id := range a.projection.Lines() {
		at[id] = i
	}
	var found []Diagnostic
	for _, m := range a.projection.Meanings {
		c := a.changes.at(m.Edit)
		if !c.isStep() || c.strand > 0 || !c.key.Valid() {
			continue
		}
		f := Diagnostic{Rule: FormatChangesMeaning, Start: c.key.Start(), End: c.key.End(),
			Message: clip(m.Words(a.Path.Steps.At(c.step).Actor), maxMessage)}
		if raw := c.value.Get("raw"); raw.Valid() && m.Line != 0 {
			decoded := raw.Decode()
			line := "\n+" + a.projection.Text(m.Line)
			if i := strings.Index(raw.Text(), line); i >= 0 {
				f.Start, f.End = decoded.Offset(i+1), decoded.Offset(i+len(line))
			}
		}
		if line, ok := at[m.Line]; ok {
			f.Related = []Related{{File: FileURI(file), Line: line, Message: "the line as it is at the head"}}
		}
		found = append(found, f)
	}
	return found
}

// checkSource tells of lines of an open source file of which a step that says that it
// formats changed the meaning.
func (s *Snapshot) checkSource(d *Document, done func() bool) ([]Diagnostic, []Need) {
	if s.Options.Formatter == nil || d.Path == "" || s.Options.severity(FormatChangesMeaning) == Off {
		return nil, nil
	}
	p, needs := s.Provenance(d.URI, nil, done)
	if p == nil || done() {
		return nil, needs
	}
	var found []Diagnostic
	for _, a := range p.Accounts {
		if a.overlay == nil || len(a.projection.Meanings) == 0 {
			continue
		}
		at := map[provenance.LineID]int{}
		for i := range p.Len() {
			at[a.overlay.Line(i).Head] = i
		}
		for _, m := range a.projection.Meanings {
			i, ok := at[m.Line]
			if !ok || m.Line == 0 || m.Step == 0 {
				continue // it was changed again, or is gone
			}
			r := a.ref(m.Step)
			f := Diagnostic{Rule: FormatChangesMeaning, Start: p.LineStart(i), End: p.LineEnd(i),
				Message: clip(m.Words(r.At().Actor), maxMessage)}
			if c := a.changes.at(m.Edit); c.key.Valid() {
				f.Related = []Related{{Doc: r.Doc, Start: c.key.Start(), End: c.key.End(), Message: "the step " + r.At().ID}}
			}
			found = append(found, f)
		}
	}
	slices.SortStableFunc(found, func(a, b Diagnostic) int { return a.Start - b.Start })
	return s.Options.settle(found), needs
}
