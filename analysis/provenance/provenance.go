// Package provenance tells for every line of a file which recorded step wrote it.
// It is pure: content and diffs come in as strings, steps as numbers.
//
// Terms:
//
//   - Lineage: one file through its life, renames included. One projection speaks
//     of one lineage.
//   - Edit: what one step did to the file. The caller gives the edits of a
//     [History] in replay order, with their parents if they are no mere list; dead
//     ends are not among them.
//   - Version: the file after an edit, as far as it is known.
//   - Text: the content of the file between two edits. A text is known (every
//     byte of it) or not known. The base is the text before the first edit, the
//     head is the text after the last one, the buffer is what the editor holds.
//   - Line: the bytes up to a line feed, without it. A last line without a line
//     feed is a line too ([NoEOL]). A carriage return is content; comparisons
//     that decide where a diff applies or what a buffer line is leave it out.
//   - Ident: a line of some text, with the step that wrote it and the line that
//     it replaced. A line that an edit does not touch keeps its ident. Idents are
//     never changed, and Prev of an ident is always older.
//   - Replayed: an edit is replayed when the text after it follows from the text
//     before it and the record, and from nothing else. Positions count, and where
//     they are wrong the old side must occur exactly once. What would need a
//     choice is not replayed.
//   - Gap: edits that could not be replayed. Inside a gap the text is not known;
//     it ends at the next anchor.
//   - Anchor: a whole content on record ([Edit].Whole, Before, a creation, a
//     deletion) or, at the end, the buffer. Lines that the last known text and
//     the anchor share keep their ident; the others are unrecorded.
//   - Recovery: a second replay for histories with gaps, which does choose
//     ([Projection.Recover]): forward from what is known, and backward from the
//     text at the end. A hunk that is nowhere as a whole is placed where most of
//     its weight is, a line's weight being how unlikely it is that it is there by
//     chance.
//   - Grade: how sure what is said of a line is. Exact is what a replay without
//     choices says, and in a recovery what both directions say of hunks that were
//     there as a whole and once, with the base known. Everything else that a
//     recovery says is fuzzy, or inferred where one of several places, a text
//     without a place or an overwritten file is all there is.
//
// In brief:
//
//	p := provenance.Project(provenance.History{Base: &base, Edits: edits})
//	p = p.Recover(history, buffer)  // only if it has gaps
//	o := p.Overlay(buffer)          // the state and grade of every buffer line
//	o = o.Splice(3, 4, newLines)    // after a keystroke, without a diff
//	for _, touch := range o.Chain(3) { ... } // last step first
//
// Time is linear in the bytes of the edits plus, for each edit that changes the
// number of lines, a move of the line numbers behind it. Whole contents cost a
// line diff each, misplaced hunks a search each; [SearchLimit] bounds the sum. A
// recovery searches for every hunk of a history, twice.
package provenance

import "slices"

// StepID names a step in the caller's table. 0 is "before the first step".
type StepID uint32

// Edit is what one step did to the file. An edit that carries neither Raw nor
// Whole nor Delete says that the content changed and not how.
type Edit struct {
	Step StepID

	// Raw is a unified diff from the text before the step to the text after it.
	// A Raw without any hunk changes nothing.
	Raw    string
	HasRaw bool

	// Whole is the whole content after the step, nil if it is not on record. It
	// takes precedence over Raw, which then only says which lines are kept, and
	// only if it leads to Whole.
	Whole *string

	// Late says that Raw compares Whole with what git had when the record was made: what it
	// adds is of this step or of an older one.
	Late bool

	// Before is the whole content before the step as the producer saw it when the
	// step ran; nil if not on record. What a producer looked up later (the Claude
	// deriver asks git at derive time) does not belong here.
	Before *string

	// After is the whole content after the step where Raw does not lead to it: what it has
	// and neither the text before nor the step accounts for came from elsewhere. It is not
	// set together with Whole.
	After *string

	// Creates says that the file did not exist before the step, so a Raw of added
	// lines only is its whole content. A `/dev/null` header says the same.
	Creates bool

	// Updates says that there was a file before the step, so that a Whole in place of none
	// was written over lines that nobody knows.
	Updates bool

	// Delete says that the file does not exist after the step.
	Delete bool

	// GitDeriver says that Raw comes from the git deriver: it has three lines of
	// context, so `-0,0` is a creation, and it glues '<' or '>' to the line before
	// a "\ No newline at end of file".
	GitDeriver bool

	// Snippet says that Raw compares the two sides of a replacement made by a tool
	// that replaces only what occurs once: its numbers count from the snippet's
	// first line, and the first and last line of a hunk may be parts of lines.
	Snippet bool

	// All says of a Snippet that the tool replaced every occurrence.
	All bool

	// Replace are texts that the step replaced, one after the other, where it has no Raw
	// and no Whole. Each must be in the text before exactly once. Unless Snippet is set
	// too, a structural operation says so, and the lines have the grade structural.
	Replace []Replacement

	// Formats says that the step claims to change the layout alone.
	Formats bool
}

// Replacement is a text that stands in place of another.
type Replacement struct{ From, To string }

// History is all that is on record about one lineage.
type History struct {
	// Base is the content before the first edit; nil if it is not known. A file
	// that did not exist has the content "".
	Base  *string
	Edits []Edit

	// Absent says that the file did not exist before the first edit: its Base is not the
	// content of an empty one.
	Absent bool

	// Parents are, for each edit, the edits (indices into Edits, all before it) with
	// whose results it starts, the first parent first; BaseVersion is the base. nil:
	// every edit starts with the result of the one before it. The last edit makes
	// the head. [Contract] makes this of a graph of steps.
	//
	// The record of a merge is relative to its first parent. Lines that another
	// parent has too are that parent's, as git blame has it. A merge without a
	// record is, from the git deriver, its first parent; else what only one side
	// changed is taken from that side.
	Parents [][]int

	// File is the name of the file, which tells the Formatter its language.
	File string

	// Formatter tells layout from edits; nil: every change is an edit.
	Formatter Formatter

	// Claims tells, for the text at the end, which of its lines edits wrote that say so
	// without a diff. A recovery believes it of lines of which it knows nothing better.
	Claims func(text string) []Claim

	// Load completes an edit of the History when it is replayed: Raw, if HasRaw is set, may
	// be missing until then, so that not all diffs are in memory at a time. nil: nothing is
	// missing.
	Load func(i int, e *Edit)

	// Parallel runs work(0) to work(n-1) side by side and returns when all have ended; nil
	// if nobody lends goroutines. The edits of a long list are then loaded, by one Load after
	// the other, while those before them are replayed.
	Parallel func(n int, work func(i int))

	// Done is asked before every edit; true ends the replay there, and the rest
	// becomes a gap. nil asks nothing.
	Done func() bool
}

// Claim says that an edit wrote a line, for a reason other than its diff or content: a
// structural operation.
type Claim struct {
	Line int // of the text, from 0
	Edit int // index into History.Edits
	// Inferred says that the reason can mislead: a name that the operation made occurs
	// in the line.
	Inferred bool
	Moved    bool // the edit moved the line, and did not write it
	LaidOut  bool // the edit changed nothing of the line but white space: it is Was, if that is known
	// Was is the line that it was; nil if that is not known.
	Was *OldLine
}

// OldLine is a line of the text before an edit.
type OldLine struct {
	Edit int
	Line int    // from 0
	Text string // without its end
}

// MaxContent is the number of bytes from which a base or a whole content counts
// as not known.
const MaxContent = 1<<31 - 1

// Project replays h.
func Project(h History) *Projection {
	r := newReplay(h)
	r.run(h)
	p := r.finish()
	p.idents, p.changes, p.gone = trimmed(p.idents), trimmed(p.changes), trimmed(p.gone)
	return p
}

// roomy is a list that has room for one more. It doubles where append would make a list that
// is long already longer by a quarter, and copy it that much more often.
func roomy[T any](list []T) []T {
	if len(list) < cap(list) {
		return list
	}
	return slices.Grow(list, max(len(list), 64))
}

// trimmed is a list that has grown, without the room that it does not need.
func trimmed[T any](list []T) []T {
	if room := cap(list) - len(list); room < len(list)/8 {
		return list
	}
	return slices.Clone(list)
}

// run replays all edits.
func (r *replay) run(h History) {
	if h.Parents != nil {
		r.graph(h)
		r.p.replayed = -1
		return
	}
	r.list(h)
}

// list replays edits that have no parents.
func (r *replay) list(h History) {
	r.p.replayed = r.first + len(h.Edits)
	if h.Parallel != nil && h.Load != nil && len(h.Edits) > aheadBatches*aheadEdits {
		r.listAhead(h)
		return
	}
	for i := range h.Edits {
		if !r.next(&h, i, nil) {
			return
		}
	}
}

// next replays edit i of a list, which is e if that is complete already; false if the replay
// ends before it.
func (r *replay) next(h *History, i int, e *Edit) bool {
	r.begin(r.first+i, h.Edits[i].Step)
	if h.Done != nil && h.Done() {
		r.stop(r.first + len(h.Edits))
		r.p.replayed = -1
		return false
	}
	if e == nil {
		e = r.load(h, i)
	}
	r.edit(e)
	return true
}

// load is edit i of h, complete.
func (r *replay) load(h *History, i int) *Edit {
	if h.Load == nil {
		return &h.Edits[i]
	}
	r.loaded = h.Edits[i]
	h.Load(r.first+i, &r.loaded)
	return &r.loaded
}

// complete is h with all of its edits complete.
func (h History) complete() History {
	if h.Load != nil {
		h.Edits = slices.Clone(h.Edits)
		for i := range h.Edits {
			h.Load(i, &h.Edits[i])
		}
		h.Load = nil
	}
	return h
}
