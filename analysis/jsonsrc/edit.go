package jsonsrc

import (
	"bytes"
	"slices"

	"github.com/toolpath-ls/toolpath-ls/analysis/text"
)

// Edited returns the tree of a text that came from t's by an edit within one chunk, if the
// chunk has no fault before and after; it looks at nothing else of the text. Where it is not
// ok, [Reparse] or [ReparseLines] must say what the edit did. The result equals theirs.
func (t *Tree) Edited(now *text.Text, e text.Edit) (next *Tree, ok bool) {
	i := t.ChunkIndex(e.Start)
	if i < 0 || t.layout.isWhole() { // what the whole is may change with its content
		return nil, false
	}
	was, moved := t.ChunkAt(i), e.NewEnd-e.OldEnd
	end := was.Off + was.Size()
	if e.OldEnd > end || !t.IsLines() && (e.Start == was.Off || e.OldEnd == end) || was.isBlank() ||
		!was.closed || len(was.Errors()) > 0 || t.looked(i, e) || !t.inOnePart(now, i, moved) {
		return nil, false
	}
	skeleton, ok := t.movedSkeleton(was.Off, moved)
	if !ok {
		return nil, false
	}
	// A copy: what the text has at hand may be part of something much larger.
	c := parseAlone(bytes.Clone(now.Slice(was.Off, end+moved)), t.IsLines(), t.layout.depth())
	if c == nil {
		return nil, false
	}
	next = &Tree{text: now, layout: t.layout, skeleton: skeleton, standIns: t.standIns, chunks: t.chunks, arrays: t.arrays, odd: t.odd, faults: t.faults, reused: len(t.chunks) - 1}
	next.edited = t.replaced(i, c, moved)
	if len(next.edited) > maxEdited {
		next.chunks, next.edited = next.allChunks(), nil
	}
	return next, true
}

// looked says whether something outside of a chunk may have been parsed as it was because of
// what the edit replaces there.
func (t *Tree) looked(chunk int, e text.Edit) bool {
	if t.skeleton != nil && t.skeleton.looked(0, e) {
		return true
	}
	for _, i := range t.odd {
		if int(i) >= chunk {
			break
		}
		if c := t.ChunkAt(int(i)); c.looked(c.Off, e) {
			return true
		}
	}
	return false
}

// looked says whether strings of the chunk at off were parsed as they were because of what the
// edit replaces.
func (c *Chunk) looked(off int, e text.Edit) bool {
	return c.rare != nil && off+c.rare.from <= e.OldEnd && off+c.rare.looked > e.Start
}

// maxEdited is how many chunks may be otherwise than they were before all are copied.
const maxEdited = 64

// replaced returns the edited chunks of the next tree, in which the chunk is in place of chunk i
// and what follows stands so much further on.
func (t *Tree) replaced(i int, c *Chunk, moved int) []editedChunk {
	k, found := t.findEdited(i)
	next := make([]editedChunk, 0, len(t.edited)+1)
	next = append(next, t.edited[:k]...)
	next = append(next, editedChunk{c, i, t.movedBefore(k)})
	if found {
		next[k].moved = t.edited[k].moved
		k++
	}
	next = append(next, t.edited[k:]...)
	for n := range next {
		if next[n].index >= i {
			next[n].moved += moved
		}
	}
	return next
}

// findEdited returns where chunk i is, or would be, among the edited ones.
func (t *Tree) findEdited(i int) (k int, found bool) {
	return slices.BinarySearchFunc(t.edited, i, func(e editedChunk, i int) int { return e.index - i })
}

// movedBefore returns by how much the chunks behind the first k edited ones stand further on.
func (t *Tree) movedBefore(k int) int {
	if k == 0 {
		return 0
	}
	return t.edited[k-1].moved
}

func (t *Tree) editedAt(i int) ChunkAt {
	k, found := t.findEdited(i)
	c := t.chunks[i]
	c.Off += t.movedBefore(k)
	if found {
		c.Chunk = t.edited[k].Chunk
	}
	return c
}

// allChunks returns the chunks as one list, which the caller must not change.
func (t *Tree) allChunks() []ChunkAt {
	if len(t.edited) == 0 {
		return t.chunks
	}
	all := make([]ChunkAt, len(t.chunks))
	for i := range all {
		all[i] = t.editedAt(i)
	}
	return all
}

// ChangedSince returns which chunks are not those of an earlier version, ascending; not ok if
// that takes a look at all of them.
func (t *Tree) ChangedSince(prev *Tree) (changed []int, ok bool) {
	if len(t.chunks) != len(prev.chunks) || len(t.chunks) == 0 || &t.chunks[0] != &prev.chunks[0] {
		return nil, false
	}
	for _, edited := range [][]editedChunk{t.edited, prev.edited} {
		for _, e := range edited {
			if t.ChunkAt(e.index).Chunk != prev.ChunkAt(e.index).Chunk {
				changed = append(changed, e.index)
			}
		}
	}
	slices.Sort(changed)
	return slices.Compact(changed), true
}

// parseAlone parses a text that is to be one chunk, nil if it is none or has a fault. The
// chunk keeps the text.
func parseAlone(src []byte, lines bool, depth int) *Chunk {
	p := parser{src: src, end: len(src), tree: &Tree{}}
	c := &Chunk{}
	if lines {
		if bytes.IndexByte(src, '\n') >= 0 {
			return nil
		}
		c = p.line(0, len(src))
	} else {
		if p.scan(0, depth); !p.closed() || p.pos < len(src) {
			return nil
		}
		c = p.scanned()
	}
	if len(c.Errors()) > 0 || c.isBlank() {
		return nil
	}
	if c.rare == nil {
		c.rare = &rareParts{}
	}
	c.rare.text = src
	return c
}

// inOnePart says whether each chunk but the edited one is in one part of the text, or has a text
// of its own.
func (t *Tree) inOnePart(now *text.Text, edited, moved int) bool {
	behind := now.Len() // where the next chunk begins
	if edited+1 < len(t.chunks) {
		behind = t.ChunkAt(edited+1).Off + moved
	}
	for _, cut := range now.Cuts() {
		if cut >= behind {
			cut -= moved
		} else if cut > t.ChunkAt(edited).Off {
			continue
		}
		i := t.ChunkIndex(cut)
		if i < 0 {
			continue
		}
		c := t.ChunkAt(i)
		if c.Off < cut && cut < c.Off+c.Size() && (c.rare == nil || c.rare.text == nil) {
			return false
		}
	}
	return true
}

// movedSkeleton returns the skeleton after the chunk at the offset grew by so many bytes.
func (t *Tree) movedSkeleton(off, by int) (*Chunk, bool) {
	s := t.skeleton
	switch {
	case s == nil || by == 0:
		return s, true
	case s.rare == nil || s.rare.long == nil || len(s.rare.errs) > 0 || int(s.size)+by < 1<<16:
		return nil, false
	}
	long := append([]node(nil), s.rare.long...)
	for i := range long {
		if n := &long[i]; int(n.end) > off {
			n.end += uint32(by) // modulo 2³²
			if int(n.start) > off {
				n.start += uint32(by)
			}
		}
	}
	return &Chunk{rare: &rareParts{long: long}, size: s.size + uint32(by), faulty: s.faulty, plain: s.plain, closed: s.closed}, true
}

// text returns the text from the start of the value's chunk on, to its end at least; of the
// skeleton, it is all of the text.
func (v Value) text() []byte {
	switch {
	case v.c.rare != nil && v.c.rare.text != nil:
		return v.c.rare.text
	case v.t.text == nil:
		return v.t.src[v.off:]
	case v.chunk < 0:
		return v.t.text.Bytes()
	}
	return v.t.text.Run(v.off)
}

// ChunkBytes returns the source text of chunk i.
func (t *Tree) ChunkBytes(i int) []byte {
	c := t.ChunkAt(i)
	return Value{t: t, c: c.Chunk, off: c.Off, chunk: int32(i)}.text()[:c.Size()]
}

// slice returns the text from one offset to another, which the value's span holds.
func (v Value) slice(from, to int) []byte {
	if v.t.text != nil && v.chunk < 0 {
		return v.t.text.Slice(from, to)
	}
	return v.text()[from-v.off : to-v.off]
}
