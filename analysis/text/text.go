// Package text holds the immutable text of a document and is, with lsp/convert.go,
// the only place where columns exist.
//
// Terms: an offset is a 0-based byte position in the text. A line is 0-based and ends
// after "\n", "\r\n" or a lone "\r" (LSP 3.18, "Text Documents"). A column is 0-based
// and counts the units of an [Encoding] from the start of its line.
package text

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
	"unsafe"
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
	b      []byte
	once   sync.Once
	starts []uint32 // see lines
	marks  [UTF32 + 1]struct {
		once sync.Once
		list []mark // see units
	}
}

// mark is a place of a text at which a character starts, and the units before it.
type mark struct{ off, units int }

const (
	markEvery = 4096    // bytes, about
	longWay   = 4 << 10 // bytes that are counted without marks
)

// New returns a Text over b. The caller must not change b afterwards.
func New(b []byte) *Text { return &Text{b: b} }

// lines returns the offsets of line starts, ascending; the first is 0. They are looked for
// when somebody asks for a line, since a document without findings needs none.
func (t *Text) lines() []uint32 {
	t.once.Do(func() {
		if t.starts == nil {
			t.starts = lineStarts(t.b)
		}
	})
	return t.starts
}

func lineStarts(b []byte) []uint32 {
	starts := append(make([]uint32, 0, 16+len(b)/48), 0)
	if bytes.IndexByte(b, '\r') < 0 {
		for i := 0; ; {
			k := bytes.IndexByte(b[i:], '\n')
			if k < 0 {
				return starts
			}
			i += k + 1
			starts = append(starts, uint32(i))
		}
	}
	return appendStarts(starts, b, 1, len(b))
}

// appendStarts adds the line starts s of b with from <= s <= to.
func appendStarts(starts []uint32, b []byte, from, to int) []uint32 {
	for s := max(from, 1); s <= to; s++ {
		if c := b[s-1]; c == '\n' || c == '\r' && (s == len(b) || b[s] != '\n') {
			starts = append(starts, uint32(s))
		}
	}
	return starts
}

// Bytes returns the text. The caller must not change it.
func (t *Text) Bytes() []byte { return t.b }

// Len returns the length in bytes.
func (t *Text) Len() int { return len(t.b) }

// Lines returns the number of lines: one more than the number of line ends.
func (t *Text) Lines() int { return len(t.lines()) }

// LineStart returns the offset at which the line starts; the line is clamped.
func (t *Text) LineStart(line int) int {
	switch {
	case line < 0:
		return 0
	case line >= len(t.lines()):
		return len(t.b)
	}
	return int(t.lines()[line])
}

// LineEnd returns the offset at which the line's content ends, before its line end.
func (t *Text) LineEnd(line int) int {
	if line < 0 {
		return 0
	}
	if line >= len(t.lines())-1 {
		return len(t.b)
	}
	end := int(t.lines()[line+1])
	if end > 0 && t.b[end-1] == '\n' {
		end--
		if end > int(t.lines()[line]) && t.b[end-1] == '\r' {
			end--
		}
		return end
	}
	return end - 1
}

// Line returns the line that holds the offset; the offset is clamped.
func (t *Text) Line(off int) int {
	i, found := slices.BinarySearch(t.lines(), uint32(min(max(off, 0), len(t.b))))
	if found {
		return i
	}
	return i - 1
}

// Pos converts an offset, clamped to the text and to the start of a character.
func (t *Text) Pos(off int, enc Encoding) Pos {
	off = min(max(off, 0), len(t.b))
	line := t.Line(off)
	start := int(t.lines()[line])
	if enc == UTF8 {
		return Pos{line, off - start}
	}
	if off-start > longWay {
		return Pos{line, t.units(off, enc) - t.units(start, enc)}
	}
	_, col := t.count(start, off, enc)
	return Pos{line, col}
}

// count returns how many units the characters have that lie within [from, to), and where
// the last one of them ends.
func (t *Text) count(from, to int, enc Encoding) (end, n int) {
	for from < to {
		size, units := unitsAt(t.b, from, enc)
		if from+size > to {
			break
		}
		from += size
		n += units
	}
	return from, n
}

// units returns how many units there are before an offset. It counts from the last mark:
// a document may be one line, and very many places in it may be asked for.
func (t *Text) units(off int, enc Encoding) int {
	m := &t.marks[enc]
	m.once.Do(func() {
		m.list = []mark{{}}
		for at := m.list[0]; at.off < len(t.b); m.list = append(m.list, at) {
			end, n := t.count(at.off, min(at.off+markEvery, len(t.b)), enc)
			at = mark{end, at.units + n}
		}
	})
	i, found := slices.BinarySearchFunc(m.list, off, func(m mark, off int) int { return m.off - off })
	if !found {
		i--
	}
	_, n := t.count(m.list[i].off, off, enc)
	return m.list[i].units + n
}

// Offset converts a position. It clamps what lies outside of the text or inside of a
// character, and says by exact whether it could take the position as it was.
func (t *Text) Offset(p Pos, enc Encoding) (off int, exact bool) {
	if p.Line < 0 {
		return 0, false
	}
	if p.Line >= len(t.lines()) {
		return len(t.b), false
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
		for off > i && off < end && !utf8.RuneStart(t.b[off]) {
			off--
		}
		return off, off == i+p.Column
	}
	left := p.Column
	for i < end && left > 0 {
		size, units := unitsAt(t.b, i, enc)
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

// Splice returns the text with [start, end) replaced; both are clamped. Only the line
// starts within the replacement are looked for again.
func (t *Text) Splice(start, end int, repl string) *Text {
	start = min(max(start, 0), len(t.b))
	end = min(max(end, start), len(t.b))
	b := join(t.b[:start], repl, t.b[end:])
	newEnd := start + len(repl)

	old := t.lines()
	keep, _ := slices.BinarySearch(t.lines(), uint32(start))
	keep = max(keep, 1)
	rest, found := slices.BinarySearch(t.lines(), uint32(end))
	if found {
		rest++
	}
	starts := make([]uint32, keep, len(old)+8)
	copy(starts, old[:keep])
	starts = appendStarts(starts, b, start, newEnd)
	delta := newEnd - end
	tail := len(starts)
	starts = append(starts, old[max(rest, keep):]...)
	for i := tail; i < len(starts); i++ {
		starts[i] = uint32(int(starts[i]) + delta)
	}
	return &Text{b: b, starts: starts}
}

// join concatenates. A strings.Builder, unlike make, does not clear the memory that it is
// about to fill, which a keystroke in a document of 30 MB would feel.
func join(head []byte, middle string, tail []byte) []byte {
	var b strings.Builder
	b.Grow(len(head) + len(middle) + len(tail))
	b.Write(head)
	b.WriteString(middle)
	b.Write(tail)
	s := b.String()
	return unsafe.Slice(unsafe.StringData(s), len(s)) // as all of a Text, never written again
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
