package provenance

import (
	"strings"
	"sync"
	"sync/atomic"
)

// LineID names an ident of one projection; 0 is none.
type LineID uint32

// Kind says how a line came to be.
type Kind uint8

const (
	// Base: older than the first edit.
	Base Kind = iota
	// Add: written by the step, in place of nothing. With [ReAdded], Prev is the
	// line of the same text that an earlier step deleted with the whole file.
	Add
	// Modify: written by the step in place of Prev.
	Modify
	// Format: the step changed nothing of Prev but its layout: white space, line ends,
	// and what a [Formatter] knows. [Projection.Joined] has the other lines, if it came
	// of several.
	Format
	// Unrecorded: came into the file between two edits or in a gap; Step is 0.
	// Prev is the recorded line that it replaced, if any.
	Unrecorded
	// Move: the step moved the line from elsewhere in the file, where it was Prev.
	Move
	// Merge: the step joined two versions and its record does not say how; the line
	// is Prev, which is of one of them.
	Merge
	// Reorder: the line is Prev, which the step put in another place of the same block of
	// imports while it laid the file out anew. Their order may carry meaning.
	Reorder
)

// Keeps says that a step that left such an ident is not the author of the line.
func (k Kind) Keeps() bool { return k == Format || k == Merge || k == Reorder }

// isLayout says that a [Formatter] found the line to be Prev.
func (k Kind) isLayout() bool { return k == Format || k == Reorder }

// Flags are properties of an ident.
type Flags uint8

const (
	// NoEOL: the line was the last one and had no line feed.
	NoEOL Flags = 1 << iota
	// Relocated: the hunk stood elsewhere than its numbers say, or said no numbers;
	// its old side occurred exactly once.
	Relocated
	// Overwrite: the step wrote the whole file and the text before it is not
	// known, so the line may have been there already.
	Overwrite
	// ReAdded: see [Add].
	ReAdded
)

// Ident is a line with its author. It holds no pointers: a long history has
// hundreds of thousands.
type Ident struct {
	Step  StepID
	Prev  LineID
	Kind  Kind
	Flags Flags
	// Conf says how sure it is that Step wrote the line in place of Prev, from 0 to
	// 255; see [Grade].
	Conf uint8

	edit     uint32 // index into History.Edits plus 1; 0 is the base
	source   uint32 // index into Projection.sources
	from, to uint32 // the text in that source
}

// Edit is the index into History.Edits of the edit that wrote the line, -1 for
// the base. For an unrecorded line it is the edit before which it was found.
func (i Ident) Edit() int { return int(i.edit) - 1 }

// Projection is the result of a replay. It does not change any more and is safe
// for concurrent use.
type Projection struct {
	// Known says that the head is known. If not, the lines are those of the last
	// known text, or, after a [Displaced] hunk, of a text that may lack changes.
	Known bool
	// Anchored says that there was a known text at all.
	Anchored bool
	// Absent says that the last edit deleted the file.
	Absent bool
	// Problems lists, in replay order, why edits could not be replayed (one problem
	// for each gap, with Lost > 0) and where the record shows that it is not all.
	Problems []Problem
	// Meanings lists what steps that say that they format changed in what the file means.
	Meanings []MeaningChange

	idents  []Ident // idents[0] is not used
	sources []string
	head    []LineID
	lastGap uint32 // the last edit that was not replayed, as in Ident.edit

	end      version // where a replay of more edits goes on
	replayed int     // edits, -1 if it cannot go on
	extended atomic.Bool

	joined  map[LineID][]LineID
	changes []change
	gone    []LineID
	alias   []LineID // by line of the head: the ident of which it is a copy, or 0; nil: none is
	weave   sync.Once
	deleted [][]Deletion // by line of the head: what stood before it; one more for the end
}

// Lines are the idents of the head, or of the last known text, in order. The
// caller must not change the slice.
func (p *Projection) Lines() []LineID { return p.head }

// Ident returns what id names; id must be an ident of p.
func (p *Projection) Ident(id LineID) Ident { return p.idents[id] }

// Text is the line without line feed.
func (p *Projection) Text(id LineID) string {
	i := &p.idents[id]
	return p.sources[i.source][i.from:i.to]
}

// HeadText is the content of the head, or the last known text.
func (p *Projection) HeadText() string {
	var b strings.Builder
	for i, id := range p.head {
		b.WriteString(p.Text(id))
		if i < len(p.head)-1 || p.idents[id].Flags&NoEOL == 0 {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// Owner is the ident to which a line belongs: the youngest in its chain whose kind does not
// keep the author (see [Kind.Keeps]).
func (p *Projection) Owner(id LineID) LineID {
	for p.idents[id].Kind.Keeps() {
		id = p.idents[id].Prev
	}
	return id
}

// OwnerBut is Owner for a reader who does not want to hear of some steps, such as
// those of formatters: the youngest ident in the chain whose step is not ignored,
// with the least grade on the way to it. If all are ignored it is Owner. Nothing
// is replayed, and the chain stays as it is.
func (p *Projection) OwnerBut(id LineID, ignored func(StepID) bool) (LineID, Grade) {
	conf := uint8(confExact)
	for at := id; at != 0; at = p.idents[at].Prev {
		ident := &p.idents[at]
		conf = min(conf, p.trust(at))
		switch {
		case ident.Kind == Base:
			return at, GradeBase
		case ident.Kind == Unrecorded:
			return at, GradeUnrecorded
		case !ident.Kind.Keeps() && !ignored(ident.Step):
			return at, gradeOf(conf)
		}
	}
	return p.Owner(id), p.Grade(id)
}

// InGap says that edits younger than the line could not be replayed: one of them
// may have written the line again.
func (p *Projection) InGap(id LineID) bool { return p.idents[id].edit < p.lastGap }

// Touch is one step in the life of a line.
type Touch struct {
	ID LineID
	Ident
}

// Chain is the life of a line, the last step first: the ident itself, the line
// it replaced, and so on. An edit that replaced the line several times shows
// once. The last touch may be of the base (Step 0).
func (p *Projection) Chain(id LineID) []Touch {
	var chain []Touch
	for ; id != 0; id = p.idents[id].Prev {
		if n := len(chain); n == 0 || chain[n-1].edit != p.idents[id].edit {
			chain = append(chain, Touch{id, p.idents[id]})
		}
	}
	return chain
}
