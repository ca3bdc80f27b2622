package analysis

import (
	"iter"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/text"
)

// Fold is an array or object of several lines: its span, and the lines that it starts and
// ends on.
type Fold struct{ Start, End, FirstLine, LastLine int }

// Folds yields the arrays and objects that span several lines, outer ones first, at most
// so many; 0 = no limit. It ends early once done says so.
func (d *Document) Folds(limit int, done func() bool) iter.Seq[Fold] {
	return func(yield func(Fold) bool) {
		if d.Model() == nil || d.Tree().IsLines() || !d.Tree().Root().Valid() {
			return // a line of a stream does not fold
		}
		f := folder{text: d.Text, limit: limit, done: done, yield: yield}
		f.skeleton(d.Tree().Root(), -1)
	}
}

type folder struct {
	text  *text.Text
	limit int
	done  func() bool
	yield func(Fold) bool
	asked int
	given int
	off   int // of the value that was looked at last
	line  int // that it starts on
}

// add folds a value unless it starts on the line of what holds it. It returns its line, and
// whether what it holds can be folded; stop is true when no more folds are wanted.
func (f *folder) add(start, end, outer int) (line int, inside, stop bool) {
	if f.asked++; f.asked%4096 == 0 && f.done() {
		return 0, false, true
	}
	f.line += f.lines(f.off, start, f.line)
	f.off = start
	fold := Fold{start, end, f.line, f.line + f.lines(start, end-1, f.line)}
	if fold.LastLine == fold.FirstLine {
		return f.line, false, false // and so is all within
	}
	if fold.FirstLine != outer {
		f.given++
		stop = !f.yield(fold) || f.given == f.limit
	}
	return fold.FirstLine, true, stop
}

// lines counts the line ends between two places, of which the first is on the line.
func (f *folder) lines(from, to, line int) int {
	const near = 4 << 10
	if to-from <= near {
		return f.text.LineEnds(from, to)
	}
	return f.text.Line(to) - line
}

// skeleton folds a value that is in no chunk, and those within.
func (f *folder) skeleton(v jsonsrc.Value, outer int) (stop bool) {
	if v.Kind() < jsonsrc.Array {
		return false
	}
	if v.ChunkIndex() >= 0 {
		start, _ := v.Walk().Span(v.Node())
		return f.chunk(v.Walk(), v.Node(), v.Start()-start, outer)
	}
	line, inside, stop := f.add(v.Start(), v.End(), outer)
	if stop || !inside {
		return stop
	}
	for _, m := range v.Members() {
		if f.skeleton(m, line) {
			return true
		}
	}
	for _, e := range v.Elements() {
		if f.skeleton(e, line) {
			return true
		}
	}
	return false
}

// chunk folds a node of the chunk that starts at off, and those within.
func (f *folder) chunk(w jsonsrc.Walk, n uint32, off, outer int) (stop bool) {
	start, end := w.Span(n)
	line, inside, stop := f.add(off+start, off+end, outer)
	if stop || !inside {
		return stop
	}
	for c := w.First(n); c != 0; c = w.Next(c) {
		if w.Kind(c) >= jsonsrc.Array && f.chunk(w, c, off, line) {
			return true
		}
	}
	return false
}

// Extent is a span of a document.
type Extent struct{ Start, End int }

// Selections returns the spans that hold an offset, the innermost first: the content of a
// string, the value, the member with its key, the object, and so on; each lies in the next.
func (d *Document) Selections(off int) []Extent {
	if d.Model() == nil {
		return nil
	}
	frames := d.Tree().Path(off)
	var out []Extent
	add := func(start, end int) {
		next, n := Extent{start, end}, len(out)
		if start > off || off > end || n > 0 && (next == out[n-1] || start > out[n-1].Start || end < out[n-1].End) {
			return // of a key and a value that touch there, one counts
		}
		out = append(out, next)
	}
	for i := len(frames) - 1; i >= 0; i-- {
		f := frames[i]
		for _, v := range []jsonsrc.Value{f.Key, f.Value} {
			if !v.Valid() {
				continue
			}
			if v.Kind() == jsonsrc.String && v.Closed() {
				add(v.Start()+1, v.End()-1)
			}
			add(v.Start(), v.End())
		}
		if f.Key.Valid() {
			add(f.Key.Start(), max(f.Key.End(), f.Value.End()))
		}
	}
	add(0, d.Text.Len())
	return out
}
