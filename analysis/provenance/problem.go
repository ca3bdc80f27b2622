package provenance

import (
	"fmt"

	"github.com/toolpath-ls/toolpath-ls/analysis/udiff"
)

// ProblemKind is a reason why an edit could not be replayed or a buffer could not
// be matched.
type ProblemKind uint8

const (
	// NoBase: the first edits are relative to a text that is not known.
	NoBase ProblemKind = iota
	// NoContent: the edit says that the content changed and not how.
	NoContent
	// NotReplayable: the diff lacks lines; Issue says why.
	NotReplayable
	// Mismatch: a hunk expects lines that are not there.
	Mismatch
	// Ambiguous: a hunk does not stand where its numbers say, and its old side
	// occurs in more than one place.
	Ambiguous
	// NoPosition: where a hunk stands is not said, or is at odds with the text or
	// with the other hunks.
	NoPosition
	// OutsideRecord: Before differs from the known text, so something that is not
	// on record changed the file before this edit. The replay goes on.
	OutsideRecord
	// Displaced: a hunk stands at Line and not where its numbers say, so something
	// that is not on record changed the file before this edit, or the numbers are
	// wrong. The replay goes on; the head counts as not known up to the next
	// anchor.
	Displaced
	// TooLong: a content has MaxContent bytes or more.
	TooLong
	// SearchEnded: looking for misplaced hunks would take too long.
	SearchEnded
	// Stopped: History.Done said so.
	Stopped
	// Unmerged: both sides of a merge changed the file, and what came of it is not
	// on record. The replay goes on with what each side alone changed; the head
	// counts as not known up to the next anchor.
	Unmerged
	// TooManyVersions: the version from which the edit starts was given up because
	// too many branches are open at a time; see [VersionLimit].
	TooManyVersions
	// OtherFile: the buffer has so little in common with the head that the record
	// speaks of another file. Only overlays have it.
	OtherFile
)

// Problem is one reason, with the place in the record where it shows.
type Problem struct {
	Kind ProblemKind
	Edit int // index into History.Edits; -1: none
	Step StepID

	Hunk     int        // index of the hunk in Raw, -1: none
	Span     udiff.Span // in Raw: the line or header that does not fit; empty: none
	Line     int        // 1-based line of the known text it was compared with; 0: none
	Expected string     // for Mismatch: the line in the diff
	Found    string     // for Mismatch: the line in the text; "" at its end
	AtEnd    bool       // for Mismatch: the text ends before Line
	Issue    udiff.IssueKind

	// Lost counts the edits that could not be replayed, from this one on.
	Lost int
}

var issueWords = map[udiff.IssueKind]string{
	udiff.TooLong:      "it is too long to be read",
	udiff.NoHunk:       "it has no hunk",
	udiff.EmptyHunk:    "a hunk has no lines",
	udiff.Elided:       "it leaves lines out (\"...\")",
	udiff.Prose:        "text stands in place of lines",
	udiff.Counts:       "the counts in a hunk header do not match the lines that follow",
	udiff.BinaryChange: "it does not show the content of a binary file",
	udiff.Combined:     "it compares with several parents at once",
	udiff.SeveralFiles: "it speaks of several files",
}

// String is one sentence for people, without the name of the step.
func (p Problem) String() string {
	switch p.Kind {
	case NoBase:
		return "the content before this diff is not known, so the diff cannot be replayed"
	case NoContent:
		return "the step says that the file changed, and not how"
	case NotReplayable:
		return "the diff cannot be replayed: " + issueWords[p.Issue]
	case Mismatch:
		if p.AtEnd {
			return fmt.Sprintf("the diff does not apply: it expects %q at line %d, where the file has ended", short(p.Expected), p.Line)
		}
		return fmt.Sprintf("the diff does not apply: it expects %q at line %d, the file has %q there", short(p.Expected), p.Line, short(p.Found))
	case Ambiguous:
		return "the diff does not apply where its numbers say, and the lines it replaces occur more than once"
	case NoPosition:
		return "the diff does not say where its lines go in, or its hunks contradict each other"
	case OutsideRecord:
		return "the file was changed outside of the record before this step"
	case Displaced:
		return fmt.Sprintf("the diff fits at line %d and not where its numbers say: the file was changed outside of the record, or the numbers are wrong", p.Line)
	case TooLong:
		return "the recorded content is too long"
	case SearchEnded:
		return "too many diffs stand elsewhere than their numbers say"
	case Stopped:
		return "the replay was stopped"
	case Unmerged:
		return "the step merges two changes of the file and does not say how"
	case TooManyVersions:
		return "too many branches of the file are open at a time"
	case OtherFile:
		return "the file has almost nothing in common with the recorded content; the record seems to speak of another file"
	}
	return "unknown problem"
}

// short keeps a message readable when a line is long.
func short(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && s[cut]&0xC0 == 0x80 {
		cut--
	}
	return s[:cut] + "…"
}
