// Package udiff reads unified diffs as they stand in the `raw` field of a
// Toolpath artifact change (RFC, "Artifact change"), whoever wrote them.
//
// Terms:
//
//   - raw: the decoded string. Every span is a pair of byte offsets into it, so
//     that a finding can be placed on the very header or line it speaks of.
//   - hunk: a header line that starts with `@@`, and its body.
//   - body line: context (' '), added ('+') or removed ('-'), without its prefix
//     and without its line feed. A carriage return before the line feed belongs
//     to the line, except in a raw whose hunk headers end in one too: such a raw
//     was converted to CRLF as a whole.
//   - old side, new side: the context and removed, the context and added lines.
//   - section: the hunks that speak of one state of one file. Hunks of one
//     section are all relative to the same old text; a new section starts where
//     a file header or a `# edit i/n` line stands after a hunk, and is relative
//     to what the sections before it have made.
//   - marker: a line that starts with a backslash ("\ No newline at end of
//     file"). It is not a line of a side; it says that the line before it has no
//     line feed, on the side or sides to which that line belongs.
//   - fits: the body has as many lines on each side as the header counts.
//
// Reading never fails. What a diff lacks for an exact replay is listed in
// [Diff.Issues]; [Diff.Replayable] sums it up.
package udiff

import "strings"

// MaxRaw is the length in bytes from which a raw is not read at all; offsets are
// kept in 32 bits.
const MaxRaw = 1<<31 - 1

// Span is a half-open range of byte offsets into the raw string.
type Span struct{ Start, End int }

// Kind is the prefix byte of a body line.
type Kind byte

// The three kinds of body lines.
const (
	Context Kind = ' '
	Added   Kind = '+'
	Removed Kind = '-'
)

// Line is one body line.
type Line struct {
	start, end uint32
	Kind       Kind
	NoEOL      bool // a marker follows
}

// Span is the line's text in raw, without prefix and line feed.
func (l Line) Span() Span { return Span{int(l.start), int(l.end)} }

// Range is one side of a hunk header. Start is 1-based; with Count 0 it is the
// line after which the hunk stands.
type Range struct{ Start, Count int }

// Numbers says what a hunk header states about positions.
type Numbers uint8

const (
	// NumbersAbsent: `@@` alone or with words, as in `@@ formatting @@`.
	NumbersAbsent Numbers = iota
	// NumbersUnusable: something like numbers that is no pair of ranges.
	NumbersUnusable
	// NumbersStated: both ranges could be read. Whether they are true is for the
	// replay to find out.
	NumbersStated
)

// Hunk is one `@@` header and its body.
type Hunk struct {
	Header             Span // the whole header line, without line end
	Numbers            Numbers
	Old, New           Range // as stated; zero unless Numbers is NumbersStated
	OldLines, NewLines int   // lines of each side in the body
	Section            int   // index into Diff.Sections
	// Surplus is set when one empty added line after the counted ones was taken
	// for the trailing piece of a text split at line feeds, and left out.
	Surplus bool
	// Tail is text after the body that belongs to no hunk and no header, such as
	// `...(merged changes)...`; empty when there is none.
	Tail Span

	first, last int
}

// Fits says whether the stated counts are those of the body.
func (h *Hunk) Fits() bool {
	return h.Numbers == NumbersStated && h.Old.Count == h.OldLines && h.New.Count == h.NewLines
}

// Section is what the file headers before its hunks say.
type Section struct {
	// OldName and NewName are the names after `---` and `+++` up to a tab, with
	// their `a/` and `b/`; empty when there is no header or no name in it.
	OldName, NewName Span
	Creates          bool // old name /dev/null, or `new file mode`
	Deletes          bool // new name /dev/null, or `deleted file mode`
	Binary           bool // `Binary files ... differ` or a binary patch
}

// IssueKind is a reason why a diff is not replayable as it stands.
type IssueKind uint8

const (
	// TooLong: the raw has MaxRaw bytes or more and was not read.
	TooLong IssueKind = iota
	// NoHunk: there is text, but no hunk and no file header.
	NoHunk
	// EmptyHunk: a header without any body line.
	EmptyHunk
	// Elided: `...` stands for lines that were left out.
	Elided
	// Prose: text that is no part of a diff ends a body that does not fit.
	Prose
	// Counts: the counts in the header are not those of the body.
	Counts
	// BinaryChange: the content is not in the diff.
	BinaryChange
	// Combined: a merge diff (`@@@`), which has a column for each parent.
	Combined
	// SeveralFiles: sections name different files.
	SeveralFiles
)

// Issue is one reason, where it stands and in which hunk (-1: in none).
type Issue struct {
	Kind IssueKind
	Hunk int
	Span Span
}

// Diff is a raw, read.
type Diff struct {
	Raw      string
	Hunks    []Hunk
	Sections []Section
	Issues   []Issue // in the order of their spans
	// Added and Removed count the '+' and '-' lines of all hunks.
	Added, Removed int

	lines []Line
}

// Lines returns the body lines of h, a hunk of d.
func (d *Diff) Lines(h *Hunk) []Line { return d.lines[h.first:h.last] }

// Text is the text of a body line of d.
func (d *Diff) Text(l Line) string { return d.Raw[l.start:l.end] }

// Slice is the text of a span of d.
func (d *Diff) Slice(s Span) string { return d.Raw[s.Start:s.End] }

// Unglued returns the other spelling of a line before a marker. The git deriver
// glues a '>' to a removed and a '<' to an added line there; ok is false when the
// line cannot be such a line. The caller tries both against the text it knows.
func (d *Diff) Unglued(l Line) (text string, ok bool) {
	glue := byte('>')
	if l.Kind == Added {
		glue = '<'
	}
	text = d.Text(l)
	if !l.NoEOL || l.Kind == Context || text == "" || text[len(text)-1] != glue {
		return text, false
	}
	return text[:len(text)-1], true
}

// Replayable says whether every line of the new text is in the diff or in the old
// text; if not, which issue stands in the way. It does not say that the diff
// applies, nor that its positions are stated.
func (d *Diff) Replayable() (Issue, bool) {
	if len(d.Issues) > 0 {
		return d.Issues[0], false
	}
	return Issue{}, true
}

// Parse reads raw.
func Parse(raw string) *Diff {
	d := new(Diff)
	d.Reset(raw)
	return d
}

// Reset makes d the diff that raw holds. It reuses d's storage, so slices and
// pointers got from d before are no longer valid.
func (d *Diff) Reset(raw string) {
	*d = Diff{Raw: raw, Hunks: d.Hunks[:0], Sections: d.Sections[:0], Issues: d.Issues[:0], lines: d.lines[:0]}
	if len(raw) >= MaxRaw {
		d.Raw = ""
		d.issue(TooLong, -1, Span{})
		return
	}
	if cap(d.lines) == 0 {
		d.lines = make([]Line, 0, 4+len(raw)/24)
	}
	r := reader{d: d, raw: raw, hunk: -1}
	r.read()
}

func (d *Diff) issue(kind IssueKind, hunk int, at Span) {
	d.Issues = append(d.Issues, Issue{kind, hunk, at})
}

// devNull knows the name of no file in the spellings that producers use.
func devNull(name string) bool {
	return name == "/dev/null" || name == "a/dev/null" || name == "b/dev/null"
}

// bare strips what producers put before a path: `a/`, `b/`, leading slashes.
func bare(name string) string {
	if strings.HasPrefix(name, "a/") || strings.HasPrefix(name, "b/") {
		name = name[2:]
	}
	return strings.TrimLeft(name, "/")
}

// OldText is the old side of all hunks, which for a deletion is the whole content.
func (d *Diff) OldText() string { return d.side(Added) }

// NewText is the new side of all hunks, which for a creation is the whole content.
func (d *Diff) NewText() string { return d.side(Removed) }

func (d *Diff) side(other Kind) string {
	var b strings.Builder
	for _, l := range d.lines {
		if l.Kind == other {
			continue
		}
		b.WriteString(d.Text(l))
		if !l.NoEOL {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
