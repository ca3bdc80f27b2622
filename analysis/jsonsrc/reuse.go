package jsonsrc

import (
	"slices"
	"sort"

	"github.com/toolpath-ls/toolpath-ls/analysis/text"
)

// reuse finds the chunks of an older tree that an edit left whole.
type reuse struct {
	tree   *Tree
	chunks []ChunkAt
	edit   text.Edit
	lines  bool
	next   int
}

// at returns the old chunk that the chunk starting at off in the new text would equal.
// Calls must come with ascending offsets.
func (r *reuse) at(off int) *Chunk {
	old := off
	if off >= r.edit.NewEnd {
		old = off - r.edit.NewEnd + r.edit.OldEnd
	} else if off >= r.edit.Start {
		return nil
	}
	for r.next < len(r.chunks) && r.chunks[r.next].Off < old {
		r.next++
	}
	if r.next == len(r.chunks) || r.chunks[r.next].Off != old {
		return nil
	}
	c := r.chunks[r.next]
	if off >= r.edit.NewEnd && (!r.lines || off > r.edit.NewEnd || old == 0) {
		return c.Chunk
	}
	end := old + int(c.size)
	if r.lines {
		end++ // the line end belongs to what must be whole
	}
	if c.closed && end <= r.edit.Start {
		return c.Chunk
	}
	return nil
}

// run returns how many chunks follow upon the one that at returned for off which the new
// text has at the same distances: they are whole and without faults, and nothing but a comma
// each stands between them.
func (r *reuse) run(off int) int {
	first, end := r.next, len(r.chunks)
	if off < r.edit.Start {
		end = sort.Search(len(r.chunks), func(i int) bool {
			stop := r.chunks[i].Off + int(r.chunks[i].size)
			return stop > r.edit.Start || r.lines && stop == r.edit.Start
		})
	}
	if i, _ := slices.BinarySearch(r.tree.odd, int32(first)); i < len(r.tree.odd) {
		end = min(end, int(r.tree.odd[i]))
	}
	if !r.lines {
		end = min(end, r.tree.evenUntil(first))
	}
	return max(0, min(end, MaxChunks)-first-1)
}

// evenUntil returns the first chunk behind the given one that is of another array or has
// something else before it than a comma.
func (t *Tree) evenUntil(chunk int) int {
	end := chunk + 1
	if i := sort.Search(len(t.arrays), func(i int) bool { return t.arrays[i].last > chunk }); i < len(t.arrays) {
		end = max(end, t.arrays[i].last)
	}
	if len(t.skeleton.Errors()) >= maxChunkErrors {
		return chunk + 1
	}
	from := t.ChunkAt(chunk).Off
	for _, e := range t.skeleton.Errors() {
		if e.Start > from {
			end = min(end, max(chunk+1, t.ChunkIndex(e.Start)))
		}
	}
	return end
}

// takeOver adds the old chunk that at found for off, and those that follow as they did. It
// returns where the last of them ends.
func (p *parser) takeOver(c *Chunk, off int) int {
	t, first := p.tree, p.old.next
	n := p.old.run(off)
	t.add(c, off)
	from := len(t.chunks)
	t.chunks = append(t.chunks, p.old.chunks[first+1:first+1+n]...)
	if moved := off - p.old.chunks[first].Off; moved != 0 {
		for i := from; i < len(t.chunks); i++ {
			t.chunks[i].Off += moved
		}
	}
	t.reused += n + 1
	t.faults += len(c.Errors()) // the others have none
	last := t.chunks[len(t.chunks)-1]
	p.faulty = last.Off + int(last.faulty)
	return last.Off + int(last.size)
}
