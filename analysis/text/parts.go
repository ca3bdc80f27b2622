package text

import (
	"bytes"
	"sort"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// A keystroke must not copy 30 MB: the next version of a large text is made of parts, nearly
// all of which are the version's before. They are joined when somebody wants one piece.

const (
	// inPartsFrom is the size in bytes from which a text that was edited is in parts.
	inPartsFrom = 256 << 10
	// smallPart is the size in bytes below which a part is joined with what is written
	// beside it, so that typing makes no part of each character.
	smallPart = 4 << 10
	// maxParts bounds the parts of a text.
	maxParts = 1 << 10
)

// part is a run of a text, never empty.
type part struct {
	b   []byte
	off int // in the text
}

func (p part) end() int { return p.off + len(p.b) }

// isWhole says whether t.b is the text.
func (t *Text) isWhole() bool { return t.parts == nil || t.whole.Load() }

// InParts says whether to ask for all of the text in one piece, which [Text.Bytes] does, would
// copy it.
func (t *Text) InParts() bool { return !t.isWhole() }

// Bytes returns the text. The caller must not change it. A text in parts is copied, once: what
// follows on each keystroke asks for a [Text.Slice].
func (t *Text) Bytes() []byte {
	if t.parts != nil {
		t.join.Do(func() {
			t.b = joined(t.size, t.parts)
			t.whole.Store(true)
		})
	}
	return t.b
}

// Slice returns the text in [from, to). The caller must not change it.
func (t *Text) Slice(from, to int) []byte {
	if t.isWhole() {
		return t.b[from:to:to]
	}
	i := partAt(t.parts, from)
	if i == len(t.parts) {
		return nil
	}
	if p := t.parts[i]; to <= p.end() {
		return p.b[from-p.off : to-p.off : to-p.off]
	}
	out := make([]byte, 0, to-from)
	for ; len(out) < cap(out); i++ {
		p := t.parts[i]
		out = append(out, p.b[from+len(out)-p.off:min(to, p.end())-p.off]...)
	}
	return out
}

// Run returns the text from the offset on as far as it is in one part, which may be to its
// end.
func (t *Text) Run(off int) []byte {
	if t.isWhole() {
		return t.b[off:]
	}
	i := partAt(t.parts, off)
	if i == len(t.parts) {
		return nil
	}
	return t.parts[i].b[off-t.parts[i].off:]
}

// EndsWith says whether the text up to the offset ends with s.
func (t *Text) EndsWith(off int, s string) bool {
	return off >= len(s) && string(t.Slice(off-len(s), off)) == s
}

// Contains says whether s stands anywhere in the text.
func (t *Text) Contains(s string) bool {
	for off := 0; off < t.size; {
		run := t.Run(off)
		if bytes.Contains(run, []byte(s)) {
			return true
		}
		off += len(run) // s may begin before and end behind
		if bytes.Contains(t.Slice(max(0, off-len(s)), min(off+len(s), t.size)), []byte(s)) {
			return true
		}
	}
	return s == ""
}

// IsBlank says whether the text is white space alone.
func (t *Text) IsBlank() bool {
	for off := 0; off < t.size; {
		run := t.Run(off)
		if len(bytes.TrimSpace(run)) > 0 {
			return false
		}
		off += len(run)
	}
	return true
}

// Cuts returns the offsets at which the parts after the first begin.
func (t *Text) Cuts() []int {
	if t.isWhole() {
		return nil
	}
	cuts := make([]int, 0, len(t.parts))
	for _, p := range t.parts[1:] {
		cuts = append(cuts, p.off)
	}
	return cuts
}

// around returns a piece of the text that has [from, to) and on both sides what a line end
// or a character may reach over, and where the piece starts.
func (t *Text) around(from, to int) (b []byte, start int) {
	if t.isWhole() {
		return t.b, 0
	}
	from, to = max(from-utf8.UTFMax, 0), min(to+utf8.UTFMax, t.size)
	return t.Slice(from, to), from
}

// partAt returns which of the parts holds the offset; len(parts) if that is the end.
func partAt(parts []part, off int) int {
	return sort.Search(len(parts), func(i int) bool { return parts[i].end() > off })
}

// Splice returns the text with [start, end) replaced; both are clamped. The index is taken
// over but for what lies around the replacement.
func (t *Text) Splice(start, end int, repl string) *Text {
	start = min(max(start, 0), t.size)
	end = min(max(end, start), t.size)
	next := &Text{size: t.size - (end - start) + len(repl)}
	parts, held := t.parts, t.held
	if t.isWhole() {
		parts, held = []part{{b: t.b}}, t.size
	}
	next.parts, held = spliced(parts, start, end, repl), held+len(repl)
	if next.size < inPartsFrom || len(next.parts) > maxParts || held/2 > next.size {
		next.b, next.parts = joined(next.size, next.parts), nil
	} else {
		next.held = held
	}
	next.ix = t.index().spliced(next, start, end, start+len(repl))
	return next
}

// spliced returns the parts with [start, end) replaced.
func spliced(parts []part, start, end int, repl string) []part {
	first := partAt(parts, start) // the first that is not all before the edit
	last := partAt(parts, end)    // the first that is not all before its end
	var left, right []byte
	if first < len(parts) {
		left = parts[first].b[:start-parts[first].off]
	}
	head := parts[:first]
	if len(left) == 0 && first > 0 && len(parts[first-1].b) < smallPart {
		left, head = parts[first-1].b, parts[:first-1]
	}
	var tail []part
	if last < len(parts) {
		right, tail = parts[last].b[end-parts[last].off:], parts[last+1:]
	}
	middle := make([][]byte, 0, 3)
	if len(left) >= smallPart {
		middle, left = append(middle, left), nil
	}
	var behind []byte
	if len(right) >= smallPart {
		behind, right = right, nil
	}
	middle = append(middle, join(left, repl, right), behind)

	next := make([]part, 0, len(head)+len(middle)+len(tail))
	next = append(next, head...)
	off := 0
	if len(head) > 0 {
		off = head[len(head)-1].end()
	}
	for _, b := range middle {
		if len(b) > 0 {
			next = append(next, part{b, off})
			off += len(b)
		}
	}
	for _, p := range tail {
		next = append(next, part{p.b, off})
		off += len(p.b)
	}
	return next
}

// joined returns the parts of a text as one piece.
func joined(size int, parts []part) []byte {
	var b strings.Builder // which, unlike make, does not clear what is about to be filled
	b.Grow(size)
	for _, p := range parts {
		b.Write(p.b)
	}
	return written(&b)
}

func join(head []byte, middle string, tail []byte) []byte {
	var b strings.Builder
	b.Grow(len(head) + len(middle) + len(tail))
	b.Write(head)
	b.WriteString(middle)
	b.Write(tail)
	return written(&b)
}

func written(b *strings.Builder) []byte {
	s := b.String()
	return unsafe.Slice(unsafe.StringData(s), len(s)) // as all of a Text, never written again
}
