package provenance

import (
	"slices"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/linediff"
)

// likeBlame makes the line diff give git blame's answer.
var likeBlame = linediff.Options{IndentHeuristic: true, NoContext: true}

// cut makes pieces of a content.
func cut(source uint32, content string) []piece {
	if content == "" {
		return nil
	}
	pieces := make([]piece, 0, strings.Count(content, "\n")+1)
	for at := 0; at < len(content); {
		end := strings.IndexByte(content[at:], '\n')
		if end < 0 {
			return append(pieces, piece{source, uint32(at), uint32(len(content)), true})
		}
		pieces = append(pieces, piece{source, uint32(at), uint32(at + end), false})
		at += end + 1
	}
	return pieces
}

// rewrite replaces the lines [start,end) of the text by the content of a source.
// Equal lines keep their ident.
func (r *replay) rewrite(start, end int, source uint32, kind Kind) {
	r.rewritePieces(start, end, cut(source, r.p.sources[source]), kind)
}

func (r *replay) rewritePieces(start, end int, content []piece, kind Kind) {
	old := r.lines[start:end]
	r.fresh = r.fresh[:0]
	r.goesTo(start)
	from := 0
	for _, h := range r.compare(old, content) {
		r.fresh = append(r.fresh, old[from:h.OldStart]...)
		r.removed = append(r.removed[:0], old[h.OldStart:h.OldEnd]...)
		r.added = append(r.added[:0], content[h.NewStart:h.NewEnd]...)
		r.group(kind)
		from = h.OldEnd
	}
	r.fresh = append(r.fresh, old[from:]...)
	r.lines = slices.Replace(r.lines, start, end, r.fresh...)
}

// compare is the line diff between lines of the text and a content.
func (r *replay) compare(old []LineID, content []piece) []linediff.Hunk {
	var a, b []byte
	for i, id := range old {
		a = append(a, r.p.Text(id)...)
		if i < len(old)-1 || r.p.idents[id].Flags&NoEOL == 0 {
			a = append(a, '\n')
		}
	}
	for _, p := range content {
		b = append(b, r.text(p)...)
		if !p.noEOL {
			b = append(b, '\n')
		}
	}
	return linediff.Bytes(a, b, likeBlame)
}

// closing is a hunk of nothing after the last lines, so that a loop over hunks
// sees the unchanged lines at the end.
func closing(old, new int) linediff.Hunk {
	return linediff.Hunk{OldStart: old, OldEnd: old, NewStart: new, NewEnd: new}
}
