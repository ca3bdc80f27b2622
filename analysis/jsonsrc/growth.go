package jsonsrc

import (
	"bytes"

	"github.com/toolpath-ls/toolpath-ls/analysis/text"
)

// Growth parses a text while it is still being received. What it finds is no tree of its
// own but the base of a [Reparse] or [ReparseLines] of the whole text, which takes its
// chunks over.
type Growth struct {
	layout Layout
	lines  bool
	found  Tree // chunks of the text so far
	pos    int  // all of the text before here has been looked at
	within bool // pos lies between two elements of a chunked array
	commas int  // since the last of them
	spent  int  // bytes that were looked at in vain
	again  int  // the next line was looked at in vain, and is again when the text is so long
	parser parser
}

// NewGrowth returns the growth of an empty JSON text.
func NewGrowth(l Layout) *Growth { return &Growth{layout: l, found: Tree{skeleton: &Chunk{}}} }

// NewLineGrowth returns the growth of an empty JSON Lines text.
func NewLineGrowth() *Growth { return &Growth{lines: true, parser: parser{lines: true}} }

// More looks at the text as far as it has come, which begins with what earlier calls were
// given. It returns a tree that has the chunks found since and nothing else.
//
// What does not become a chunk is looked at again with more of the text. So that this stays in
// proportion to the text, what was looked at in vain waits for as much again to come.
func (g *Growth) More(src []byte) *Tree {
	known := len(g.found.chunks)
	g.parser.src, g.parser.end, g.parser.tree, g.parser.ahead = src, len(src), &g.found, ahead{}
	switch {
	case g.lines:
		g.wholeLines(src)
	case g.spent > 2*len(src):
	case g.within:
		g.elements(src)
	default:
		known = g.enter(src, known)
		if g.within {
			g.elements(src)
		}
	}
	return &Tree{src: src, skeleton: g.found.skeleton, chunks: g.found.chunks[known:len(g.found.chunks):len(g.found.chunks)]}
}

// Base returns what Reparse or ReparseLines wants of the version before the whole text,
// which has the given length.
func (g *Growth) Base(length int) (*Tree, text.Edit) {
	pos := min(g.pos, length)
	found := g.found // without the rest of g, which holds the text
	return &found, text.Edit{Start: pos, OldEnd: pos, NewEnd: length}
}

func (g *Growth) wholeLines(src []byte) {
	for len(g.found.chunks) < MaxChunks && len(src) >= g.again {
		from := max(g.pos, g.spent)
		size := bytes.IndexByte(src[from:], '\n')
		if size < 0 {
			g.spent = len(src)
			return
		}
		size += from - g.pos
		c := g.parser.line(g.pos, size)
		if g.parser.looked > len(src) || g.parser.end == len(src) { // what is to come decides where it ends
			g.again = 2 * len(src)
			return
		}
		g.found.add(c, g.pos)
		g.pos += c.Size() + 1
	}
}

// enter parses the text from its start to see what it is in at its end. It returns how
// many of the chunks were known before.
func (g *Growth) enter(src []byte, known int) int {
	prev, edit := g.Base(len(src))
	t := Reparse(prev, src, edit, g.layout)
	g.spent += len(src)
	for _, c := range t.chunks[:t.Reused()] {
		g.spent -= c.Size()
	}
	g.found = *t
	g.found.src = nil
	g.pos = len(src)
	open, ok := t.openArray()
	if !ok {
		return known
	}
	g.within, g.commas = true, 0
	g.pos = int(t.skeleton.node(open.node).start) + 1
	if n := len(t.chunks); n > open.first {
		last := t.chunks[n-1]
		g.pos = last.Off + last.Size()
		if !last.closed {
			g.pos = last.Off
			g.drop(last.Chunk)
		}
	}
	return min(known, len(g.found.chunks))
}

// drop takes the last chunk back.
func (g *Growth) drop(c *Chunk) {
	t := &g.found
	n := len(t.chunks) - 1
	t.chunks = t.chunks[:n]
	if k := len(t.odd); k > 0 && int(t.odd[k-1]) == n {
		t.odd = t.odd[:k-1]
	}
	t.faults -= len(c.Errors())
	t.arrays[len(t.arrays)-1].last = n
}

// openArray returns the chunked array that the text ends in.
func (t *Tree) openArray() (chunkedArray, bool) {
	if len(t.arrays) == 0 {
		return chunkedArray{}, false
	}
	last := t.arrays[len(t.arrays)-1]
	n := t.skeleton.node(last.node)
	return last, n.flags&flagUnclosed != 0 && int(n.end) == len(t.src) && last.last == len(t.chunks)
}

// elements parses what follows in the array that the text was in. Where it meets anything
// but an object or array that is whole, it leaves that to enter.
func (g *Growth) elements(src []byte) {
	p := &g.parser
	p.objects, p.arrays = 0, 0 // of those around the elements
	for _, part := range g.layout {
		if part == "*" {
			p.arrays++
		} else {
			p.objects++
		}
	}
	array := &g.found.arrays[len(g.found.arrays)-1]
	for len(g.found.chunks) < MaxChunks {
		for ; g.pos < len(src) && (isSpace(src[g.pos]) || src[g.pos] == ','); g.pos++ {
			if src[g.pos] == ',' {
				g.commas++
			}
		}
		if g.pos == len(src) {
			return
		}
		if src[g.pos] != '{' && src[g.pos] != '[' {
			g.within = false
			return
		}
		if !p.scan(g.pos, len(g.layout)) {
			g.spent += p.pos - g.pos
			g.within = p.pos == len(src)
			return
		}
		c := p.scanned()
		if g.commas != 1 {
			g.uneven(g.pos)
		}
		g.found.add(c, g.pos)
		array.last = len(g.found.chunks)
		g.pos += c.Size()
		g.commas = 0
	}
}

// uneven notes that something else than a comma stands before an element. What that is,
// only Reparse will say.
func (g *Growth) uneven(pos int) {
	skeleton := g.found.skeleton
	if errs := skeleton.Errors(); len(errs) < maxChunkErrors {
		g.found.skeleton = &Chunk{short: skeleton.short, rare: &rareParts{errs: append(errs[:len(errs):len(errs)], Error{Start: pos})}}
		if skeleton.rare != nil {
			g.found.skeleton.rare.long = skeleton.rare.long
		}
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
