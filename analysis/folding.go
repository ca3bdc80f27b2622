package analysis

import "github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"

// Fold is a range of lines that can be folded: that of an array or object of more than
// one line.
type Fold struct{ Start, End int }

// Folds returns the arrays and objects that span several lines, outer ones first, at most
// so many; 0 = no limit. It returns early, with a part, once done says so.
func (d *Document) Folds(limit int, done func() bool) []Fold {
	if d.Model() == nil {
		return nil
	}
	f := folder{d: d, limit: limit, done: done}
	if t := d.Tree(); t.IsLines() {
		return nil // a line of a stream does not fold
	}
	f.add(d.Tree().Root(), -1)
	return f.folds
}

type folder struct {
	d     *Document
	limit int
	done  func() bool
	asked int
	ended bool
	folds []Fold
}

// add folds a value unless it starts on the line of what holds it.
func (f *folder) add(v jsonsrc.Value, outer int) {
	if v.Kind() < jsonsrc.Array || f.ended || f.limit > 0 && len(f.folds) >= f.limit {
		return
	}
	if f.asked++; f.asked%4096 == 0 {
		f.ended = f.done()
	}
	first := f.d.Text.Line(v.Start())
	if f.d.Text.LineStart(first+1) >= v.End() {
		return // on one line, and so is all within
	}
	if first != outer {
		f.folds = append(f.folds, Fold{v.Start(), v.End()})
	}
	for _, m := range v.Members() {
		f.add(m, first)
	}
	for _, e := range v.Elements() {
		f.add(e, first)
	}
}

// Selections returns the spans that hold an offset, the innermost first: the content of a
// string, the value, the member with its key, the object, and so on.
func (d *Document) Selections(off int) []Fold {
	if d.Model() == nil {
		return nil
	}
	frames := d.Tree().Path(off)
	var out []Fold
	add := func(start, end int) {
		if n := len(out); start <= off && off <= end && (n == 0 || out[n-1] != (Fold{start, end})) {
			out = append(out, Fold{start, end})
		}
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
