// Package text holds the immutable text of a document and is, with lsp/convert.go,
// the only place where columns exist.
//
// Terms: an offset is a 0-based byte position in the text. A line is 0-based and ends
// after "\n", "\r\n" or a lone "\r" (LSP 3.18, "Text Documents"). A column is 0-based
// and counts the units of an [Encoding] from the start of its line.
package text

import (
	"bytes"
	"sync"
	"sync/atomic"
	"unicode/utf8"
)

// Encoding names the unit that columns are counted in (LSP PositionEncodingKind).
type Encoding uint8

// The three encodings of LSP. UTF16 is the protocol's default.
const (
	UTF16 Encoding = iota
	UTF8
	UTF32
)

// Pos is a line and a column, both 0-based.
type Pos struct{ Line, Column int }

// Range is a half-open span between two positions.
type Range struct{ Start, End Pos }

// Change is one edit as an editor sends it. A nil Range replaces the whole text.
type Change struct {
	Range *Range
	Text  string
}

// Edit is the same in bytes: the text in [Start, OldEnd) became [Start, NewEnd).
type Edit struct{ Start, OldEnd, NewEnd int }

// Text is an immutable text with its line index. It is safe for concurrent use.
type Text struct {
	size  int
	b     []byte // all of it, where isWhole says so
	parts []part // in place of it; nil of a text that was never in parts
	held  int    // bytes that the parts keep in memory
	join  sync.Once
	whole atomic.Bool // the parts were joined

	once sync.Once
	ix   *index // see index
}

// New returns a Text over b. The caller must not change b afterwards.
func New(b []byte) *Text { return &Text{size: len(b), b: b} }

// index is made when somebody asks for a line, since a document without findings needs
// none.
func (t *Text) index() *index {
	t.once.Do(func() {
		if t.ix == nil {
			t.ix = newIndex(t, blockSize)
		}
	})
	return t.ix
}

// Len returns the length in bytes.
func (t *Text) Len() int { return t.size }

// Lines returns the number of lines: one more than the number of line ends.
func (t *Text) Lines() int { return t.index().lines + 1 }

// LineStart returns the offset at which the line starts; the line is clamped.
func (t *Text) LineStart(line int) int {
	switch {
	case line <= 0:
		return 0
	case line >= t.Lines():
		return t.size
	}
	return t.index().start(t, line)
}

// LineEnd returns the offset at which the line's content ends, before its line end.
func (t *Text) LineEnd(line int) int {
	if line < 0 {
		return 0
	}
	if line >= t.Lines()-1 {
		return t.size
	}
	start, end := t.LineStart(line), t.LineStart(line+1)-1
	if end > start && string(t.Slice(end-1, end+1)) == "\r\n" {
		end--
	}
	return end
}

// Line returns the line that holds the offset; the offset is clamped.
func (t *Text) Line(off int) int {
	return t.index().line(t, min(max(off, 0), t.size))
}

// LineEnds counts the line ends in [from, to).
func (t *Text) LineEnds(from, to int) int {
	const short = 64 * blockSize
	switch {
	case from >= to:
		return 0
	case to-from > short && !t.isWhole(): // then there is an index
		return t.Line(to) - t.Line(from)
	}
	b, base := t.around(from, to)
	return countStarts(b, from-base, to-base)
}

// Pos converts an offset, clamped to the text and to the start of a character.
func (t *Text) Pos(off int, enc Encoding) Pos {
	off = min(max(off, 0), t.size)
	line := t.Line(off)
	start := t.LineStart(line)
	if enc == UTF8 {
		return Pos{line, off - start}
	}
	off = t.CharacterStart(off)
	ix := t.index()
	return Pos{line, off - start - (ix.wide(t, off, enc) - ix.wide(t, start, enc))}
}

// CharacterStart returns the start of the character that the offset lies in.
func (t *Text) CharacterStart(off int) int {
	b, from := t.around(off, off)
	if start, size := characterOver(b, off-from); size > 0 {
		return from + start
	}
	return off
}

// Offset converts a position. It clamps what lies outside of the text or inside of a
// character, and says by exact whether it could take the position as it was.
func (t *Text) Offset(p Pos, enc Encoding) (off int, exact bool) {
	if p.Line < 0 {
		return 0, false
	}
	if p.Line >= t.Lines() {
		return t.size, false
	}
	i, end := t.LineStart(p.Line), t.LineEnd(p.Line)
	if p.Column < 0 {
		return i, false
	}
	if enc == UTF8 {
		off := i + p.Column
		if p.Column > end-i {
			return end, false
		}
		for off > i && off < end && !utf8.RuneStart(t.Slice(off, off+1)[0]) {
			off--
		}
		return off, off == i+p.Column
	}
	left := p.Column
	if ix := t.index(); end-i > ix.step {
		near, column := ix.near(t, i, end, p.Column, enc)
		i, left = near, left-column
	}
	b, from := t.around(i, end)
	for i < end && left > 0 {
		size, units := unitsAt(b, i-from, enc)
		if units > left {
			return i, false
		}
		i += size
		left -= units
	}
	return i, left == 0
}

// unitsAt returns the size in bytes and in units of the character at offset i. A byte
// that is no UTF-8 counts as one unit, as the U+FFFD that an editor shows in its place.
func unitsAt(b []byte, i int, enc Encoding) (size, units int) {
	if b[i] < utf8.RuneSelf {
		return 1, 1
	}
	r, size := utf8.DecodeRune(b[i:])
	if enc == UTF16 && r > 0xFFFF {
		return size, 2
	}
	return size, 1
}

// Units returns the length of s in the units of the encoding.
func Units(s string, enc Encoding) int {
	if enc == UTF8 {
		return len(s)
	}
	n := 0
	for _, r := range s {
		n++
		if enc == UTF16 && r > 0xFFFF {
			n++
		}
	}
	return n
}

// Between returns the edit from one text to another, without what both begin and end with.
func Between(before, now []byte) Edit {
	head := commonHead(before, now)
	tail := commonTail(before[head:], now[head:])
	return Edit{head, len(before) - tail, len(now) - tail}
}

// compared is how many bytes are compared at a time.
const compared = 1 << 12

func commonHead(a, b []byte) int {
	n, shorter := 0, min(len(a), len(b))
	for shorter-n >= compared && bytes.Equal(a[n:n+compared], b[n:n+compared]) {
		n += compared
	}
	for n < shorter && a[n] == b[n] {
		n++
	}
	return n
}

func commonTail(a, b []byte) int {
	n, shorter := 0, min(len(a), len(b))
	for shorter-n >= compared && bytes.Equal(a[len(a)-n-compared:len(a)-n], b[len(b)-n-compared:len(b)-n]) {
		n += compared
	}
	for n < shorter && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// Apply makes the changes one after the other, each in the text that the ones before it
// left (LSP 3.18, DidChangeTextDocumentParams). Positions are clamped. The edit spans
// all of the changes.
func (t *Text) Apply(changes []Change, enc Encoding) (*Text, Edit) {
	var all Edit
	for i, c := range changes {
		e := Edit{0, t.Len(), len(c.Text)}
		if c.Range == nil {
			t = New([]byte(c.Text))
		} else {
			start, _ := t.Offset(c.Range.Start, enc)
			end, _ := t.Offset(c.Range.End, enc)
			end = max(start, end)
			t = t.Splice(start, end, c.Text)
			e = Edit{start, end, start + len(c.Text)}
		}
		if i == 0 {
			all = e
		} else {
			all = all.Then(e)
		}
	}
	return t, all
}

// Then returns one edit that spans e followed by f.
func (e Edit) Then(f Edit) Edit {
	// f speaks of the text after e: what of it lies behind e's new end lies as far
	// behind e's old end in the first text.
	oldEnd, newEnd := e.OldEnd, f.NewEnd
	if f.OldEnd > e.NewEnd {
		oldEnd += f.OldEnd - e.NewEnd
	} else {
		newEnd += e.NewEnd - f.OldEnd
	}
	return Edit{min(e.Start, f.Start), oldEnd, newEnd}
}

// Cursor converts offsets to positions. It goes on from the last one where that is near, so
// that many offsets in ascending order cost one pass over the text.
type Cursor struct {
	text *Text
	enc  Encoding
	off  int
	pos  Pos
}

// NewCursor returns a cursor at the start of the text.
func NewCursor(t *Text, enc Encoding) Cursor { return Cursor{text: t, enc: enc} }

// Pos is [Text.Pos].
func (c *Cursor) Pos(off int) Pos {
	const near = 4 << 10
	off = min(max(off, 0), c.text.size)
	if c.enc != UTF8 {
		off = c.text.CharacterStart(off)
	}
	if off < c.off || off > c.off+near {
		c.off, c.pos = off, c.text.Pos(off, c.enc)
		return c.pos
	}
	b, base := c.text.around(c.off, off)
	from, to := c.off-base, off-base
	if n := countStarts(b, from, to); n > 0 {
		c.pos.Line += n
		c.pos.Column = 0
		from = lastStart(b, to)
	}
	c.pos.Column += to - from - countWide(b, from, to)[c.enc]
	c.off = off
	return c.pos
}
