package main

import (
	"unicode/utf8"

	"github.com/toolpath-ls/toolpath-ls/analysis/text"
)

// positions counts lines and UTF-16 columns from 1. It goes on from the last position
// where it can, so that many offsets in ascending order on one long line cost one pass
// over it.
type positions struct {
	doc    *text.Text
	offset int      // a character starts here
	pos    text.Pos // of the offset, from 0
}

// at returns the line and the column of an offset.
func (p *positions) at(offset int) (line, column int) {
	b := p.doc.Bytes()
	offset = min(max(offset, 0), len(b))
	switch {
	case offset < len(b) && !utf8.RuneStart(b[offset]):
		pos := p.doc.Pos(offset, text.UTF16)
		return pos.Line + 1, pos.Column + 1
	case offset >= p.offset && p.doc.Line(offset) == p.pos.Line:
		p.pos.Column += text.Units(string(b[p.offset:offset]), text.UTF16)
	default:
		p.pos = p.doc.Pos(offset, text.UTF16)
	}
	p.offset = offset
	return p.pos.Line + 1, p.pos.Column + 1
}

// span returns the places of two offsets, and leaves the count at the first one: the next
// span may begin within this one.
func (p *positions) span(start, end int) (line, column, endLine, endColumn int) {
	line, column = p.at(start)
	q := *p
	endLine, endColumn = q.at(end)
	return line, column, endLine, endColumn
}
