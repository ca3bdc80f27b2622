package text

import (
	"bytes"
	"encoding/binary"
	"sort"
	"unicode/utf8"
)

// blockSize is how far the marks of an index lie apart, in bytes.
const blockSize = 1 << 10

// index knows of places in a text how many lines and how many units come before them. It
// has a mark about every step bytes, and looks at the text from the mark before a place
// on: a table of all lines would be a fifth as large as a JSON text, and on a line of 30 MB
// of no help with columns.
type index struct {
	step  int
	marks []mark
	lines int // line starts in all of the text but the first
}

// mark is a place in the text, and what comes before it.
type mark struct {
	off   uint32
	lines uint32    // line starts after the first, up to and with off
	wide  [3]uint32 // by Encoding: bytes less units of the characters that start before off
}

func newIndex(t *Text, step int) *index {
	ix := &index{step: step, marks: make([]mark, 0, 1+t.size/step)}
	end := ix.add(t, mark{}, t.size)
	ix.lines = int(end.lines)
	return ix
}

// add adds marks from m on, one a step, and returns what would be the mark at to.
func (ix *index) add(t *Text, m mark, to int) mark {
	for {
		ix.marks = append(ix.marks, m)
		next := min(int(m.off)+ix.step, to)
		m = m.moved(t, next)
		if next == to {
			return m
		}
	}
}

// moved returns the mark at a later place.
func (m mark) moved(t *Text, to int) mark {
	b, base := t.around(int(m.off), to)
	from := int(m.off) - base
	m.lines += uint32(countStarts(b, from, to-base))
	wide := countWide(b, from, to-base)
	for enc := range m.wide {
		m.wide[enc] += uint32(wide[enc])
	}
	m.off = uint32(to)
	return m
}

// spliced returns the index of the text in which [start, oldEnd) became [start, newEnd).
func (ix *index) spliced(t *Text, start, oldEnd, newEnd int) *index {
	// A line end and a character may reach over a mark.
	first := ix.before(max(start-utf8.UTFMax, 0))
	last := sort.Search(len(ix.marks), func(i int) bool { return int(ix.marks[i].off) >= oldEnd+utf8.UTFMax })
	next := &index{step: ix.step, marks: make([]mark, first, len(ix.marks)+2+(newEnd-start)/ix.step)}
	copy(next.marks, ix.marks)
	to, moved := t.size, newEnd-oldEnd
	if last < len(ix.marks) {
		to = int(ix.marks[last].off) + moved
	}
	now := next.add(t, ix.marks[first], to)
	if last == len(ix.marks) {
		next.lines = int(now.lines)
		return next
	}
	was := ix.marks[last]
	for _, m := range ix.marks[last:] {
		m.off += uint32(moved) // modulo 2³², as are the differences below
		m.lines += now.lines - was.lines
		for enc := range m.wide {
			m.wide[enc] += now.wide[enc] - was.wide[enc]
		}
		next.marks = append(next.marks, m)
	}
	next.lines = ix.lines + int(int32(now.lines-was.lines))
	return next
}

// before returns the last mark at or before the offset.
func (ix *index) before(off int) int {
	return sort.Search(len(ix.marks), func(i int) bool { return int(ix.marks[i].off) > off }) - 1
}

// line returns the line of the offset.
func (ix *index) line(t *Text, off int) int {
	m := ix.marks[ix.before(off)]
	b, base := t.around(int(m.off), off)
	return int(m.lines) + countStarts(b, int(m.off)-base, off-base)
}

// start returns where the line starts, which there must be.
func (ix *index) start(t *Text, line int) int {
	if line == 0 {
		return 0
	}
	next, end := sort.Search(len(ix.marks), func(i int) bool { return int(ix.marks[i].lines) >= line }), t.size
	if next < len(ix.marks) {
		end = int(ix.marks[next].off)
	}
	m := ix.marks[next-1]
	b, base := t.around(int(m.off), end)
	at := int(m.off) - base
	for n := int(m.lines); n < line; n++ {
		at = nextStart(b, at)
	}
	return base + at
}

// wide returns by how much the bytes before a character are more than its units.
func (ix *index) wide(t *Text, off int, enc Encoding) int {
	m := ix.marks[ix.before(off)]
	b, base := t.around(int(m.off), off)
	return int(m.wide[enc]) + countWide(b, int(m.off)-base, off-base)[enc]
}

// near returns a character of the line from start to end that has at most the given column,
// and its column.
func (ix *index) near(t *Text, start, end, column int, enc Encoding) (off, at int) {
	base := ix.wide(t, start, enc)
	of := func(i int) (off, column int) {
		off = int(ix.marks[i].off)
		b, from := t.around(off, off)
		off = from + firstCharacter(b, off-from)
		return off, off - start - (int(ix.marks[i].wide[enc]) - base)
	}
	first, last := ix.before(start)+1, ix.before(end)
	if n := sort.Search(last-first+1, func(i int) bool {
		off, at := of(first + i)
		return off > end || at > column
	}); n > 0 {
		return of(first + n - 1)
	}
	return start, 0
}

// countStarts counts the line starts s with from < s <= to.
func countStarts(b []byte, from, to int) int {
	part := b[from:to]
	n := bytes.Count(part, []byte{'\n'})
	for i := bytes.IndexByte(part, '\r'); i >= 0; {
		if at := from + i + 1; at == len(b) || b[at] != '\n' {
			n++
		}
		k := bytes.IndexByte(part[i+1:], '\r')
		if k < 0 {
			break
		}
		i += k + 1
	}
	return n
}

// nextStart returns the next line start after the offset, which there must be.
func nextStart(b []byte, off int) int {
	end := len(b)
	if k := bytes.IndexByte(b[off:], '\n'); k >= 0 {
		end = off + k + 1
	}
	for i := off; ; {
		k := bytes.IndexByte(b[i:end], '\r')
		if k < 0 {
			return end
		}
		if i += k + 1; i == len(b) || b[i] != '\n' {
			return i
		}
	}
}

// countWide returns, by encoding, how many more bytes than units the characters have that
// start in [from, to).
func countWide(b []byte, from, to int) (wide [3]int) {
	const highs = 0x8080808080808080
	for i := from; i < to; {
		for i+8 <= to && binary.LittleEndian.Uint64(b[i:])&highs == 0 {
			i += 8
		}
		for ; i < to && b[i] < utf8.RuneSelf; i++ {
		}
		if i == to {
			return wide
		}
		if i == from {
			if i = firstCharacter(b, i); i > from {
				continue
			}
		}
		size, units := unitsAt(b, i, UTF16)
		wide[UTF16] += size - units
		wide[UTF32] += size - 1
		i += size
	}
	return wide
}

// firstCharacter returns the first place at or after the offset at which a character starts.
func firstCharacter(b []byte, off int) int {
	if start, size := characterOver(b, off); size > 0 {
		return start + size
	}
	return off
}

// characterOver returns the character that starts before the offset and ends behind it; its
// size is 0 if there is none.
func characterOver(b []byte, off int) (start, size int) {
	for back := 1; back < utf8.UTFMax && back <= off; back++ {
		if start := off - back; utf8.RuneStart(b[start]) {
			if _, size := utf8.DecodeRune(b[start:]); size > back {
				return start, size
			}
			break
		}
	}
	return off, 0
}

// lastStart returns the last line start up to the offset, which there must be.
func lastStart(b []byte, off int) int {
	for ; ; off-- {
		if c := b[off-1]; c == '\n' || c == '\r' && (off == len(b) || b[off] != '\n') {
			return off
		}
	}
}
