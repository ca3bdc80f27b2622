package provenance

import (
	"slices"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/linediff"
)

// Formatter tells what an edit only laid out anew from what it changed. It is asked once
// for each edit, never while somebody types, and must be safe for concurrent use.
type Formatter interface {
	Formatting(Comparison) Formatting
}

// Comparison is the question: a file before and after an edit.
type Comparison struct {
	File     string // its name, which tells the language
	Old, New string
	Hunks    []linediff.Hunk // where the lines differ
	Declared bool            // the step says that it formats: [Edit].Formats
}

// Formatting is the answer. The zero value says that the edit changed all that it
// touched.
type Formatting struct {
	// Lines are the lines of New that are old ones in another layout, in order.
	Lines []FormattedLine
	// Changes are places where a step that says that it formats changed what the file
	// means, in order. A file that cannot be judged has none.
	Changes []MeaningChange
}

// FormattedLine is a line that came of the layout of others.
type FormattedLine struct {
	New int   // 0-based
	Old []int // the lines that its tokens came from, 0-based, the one with most first
}

// MeaningChange is one place.
type MeaningChange struct {
	Old, New         string // what became what, on one line, shortened
	OldStart, OldEnd int    // bytes of the text before
	NewStart, NewEnd int    // bytes of the text after
	Nesting          bool   // Old and New read the same: what they belong to changed
}

// FormatLimit bounds the bytes that are given to a [Formatter] in one projection. The
// edits behind it count as real ones.
const FormatLimit = 64 << 20

// formatting asks the formatter about the current edit, which started from the lines was,
// and makes idents of kind [Format] of the lines that it only laid out anew.
func (r *replay) formatting(e *Edit, was []LineID) {
	if !r.known || r.doubt || r.absent || len(was) == 0 || len(r.lines) == 0 {
		return
	}
	hunks, unchanged := r.shared(was)
	if len(hunks) == 0 {
		return
	}
	size := 0
	for _, lines := range [][]LineID{was, r.lines} {
		for _, id := range lines {
			size += int(r.p.idents[id].to-r.p.idents[id].from) + 1
		}
	}
	if r.formatLeft -= size; r.formatLeft < 0 {
		return
	}
	answer := r.formatter.Formatting(Comparison{
		File: r.file, Old: string(r.content(was)), New: string(r.content(r.lines)), Hunks: hunks, Declared: e.Formats,
	})
	for _, l := range answer.Lines {
		if l.New < 0 || l.New >= len(r.lines) || len(l.Old) == 0 || slices.ContainsFunc(l.Old, func(o int) bool { return o < 0 || o >= len(was) }) {
			continue
		}
		if unchanged[l.New] && was[l.Old[0]] == r.lines[l.New] {
			continue
		}
		r.lines[l.New] = r.laidOut(r.lines[l.New], was, l.Old, unchanged[l.New])
	}
	for _, c := range answer.Changes {
		r.problem(Problem{
			Kind: MeaningChanged, Hunk: -1, Change: &c,
			Line: 1 + strings.Count(string(r.content(r.lines))[:c.NewStart], "\n"),
		})
	}
}

// laidOut is the line now, made of old ones.
func (r *replay) laidOut(now LineID, was []LineID, from []int, unchanged bool) LineID {
	if unchanged {
		// The line diff took it for another line of the same text.
		ident := r.p.idents[now]
		ident.Step, ident.edit, ident.Conf = r.step, uint32(r.now+1), r.conf(Format)
		r.p.idents = append(r.p.idents, ident)
		now = LineID(len(r.p.idents) - 1)
	}
	ident := &r.p.idents[now]
	ident.Kind, ident.Prev = Format, was[from[0]]
	if len(from) > 1 {
		if r.p.joined == nil {
			r.p.joined = map[LineID][]LineID{}
		}
		for _, o := range from[1:] {
			r.p.joined[now] = append(r.p.joined[now], was[o])
		}
	}
	return now
}

// shared compares the current version with the one before by idents.
func (r *replay) shared(was []LineID) (hunks []linediff.Hunk, unchanged []bool) {
	old := make(map[LineID]int, len(was))
	for i, id := range was {
		old[id] = i
	}
	unchanged = make([]bool, len(r.lines))
	at, from := 0, 0 // behind the last shared line
	for i, id := range r.lines {
		o, ok := old[id]
		if !ok || o < at {
			continue
		}
		if o > at || i > from {
			hunks = append(hunks, linediff.Hunk{OldStart: at, OldEnd: o, NewStart: from, NewEnd: i})
		}
		unchanged[i] = true
		at, from = o+1, i+1
	}
	if at < len(was) || from < len(r.lines) {
		hunks = append(hunks, linediff.Hunk{OldStart: at, OldEnd: len(was), NewStart: from, NewEnd: len(r.lines)})
	}
	return hunks, unchanged
}

// Joined are the lines besides Prev from which a line of kind [Format] came.
func (p *Projection) Joined(id LineID) []LineID { return p.joined[id] }
