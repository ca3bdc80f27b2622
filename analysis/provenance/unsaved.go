package provenance

import (
	"encoding/binary"

	"github.com/toolpath-ls/toolpath-ls/analysis/linediff"
)

// Since is the overlay of a buffer that was saved last as another one, of which an overlay on
// the same projection is given: its lines that are neither in the head nor in that one are
// unsaved. By which edits the one became the other does not matter.
func (o *Overlay) Since(saved *Overlay) *Overlay {
	return &Overlay{p: o.p, cells: o.cells, open: o.open, other: o.other, last: o.last, saved: saved}
}

// isUnsaved says of a line that is not in the head that the saved buffer does not have it.
func (o *Overlay) isUnsaved(i int) bool {
	if o.saved == nil {
		return false
	}
	o.findUnsaved.Do(o.compareSaved)
	return o.unsaved[i]
}

// compareSaved compares the lines with those that were saved. A line of the head that both
// have parts them, so that what is compared is little.
func (o *Overlay) compareSaved() {
	was, now := o.saved.cells[:o.saved.Len()], o.cells[:o.Len()]
	o.unsaved = make([]bool, len(now))
	from := 0
	for from < len(was) && from < len(now) && was[from].hash == now[from].hash {
		from++
	}
	for len(was) > from && len(now) > from && was[len(was)-1].hash == now[len(now)-1].hash {
		was, now = was[:len(was)-1], now[:len(now)-1]
	}
	a, b := from, from // where the part begins
	for i, k := from, from; k < len(now); k++ {
		if now[k].head < 0 {
			continue
		}
		for i < len(was) && was[i].head < now[k].head {
			i++
		}
		if i < len(was) && was[i].head == now[k].head {
			o.comparePart(was[a:i], now[b:k], b)
			a, b = i+1, k+1
		}
	}
	o.comparePart(was[a:], now[b:], b)
}

// comparePart compares a part of the lines, which is at a line of the buffer.
func (o *Overlay) comparePart(was, now []cell, at int) {
	news := false
	for i, c := range now {
		if c.head < 0 {
			news, o.unsaved[at+i] = true, true
		}
	}
	if !news || len(was) == 0 {
		return
	}
	next := 0
	keep := func(until int) {
		for ; next < until; next++ {
			o.unsaved[at+next] = false
		}
	}
	for _, h := range linediff.Lines(hashesOf(was), hashesOf(now), linediff.Options{}) {
		keep(h.NewStart)
		next = h.NewEnd
	}
	keep(len(now))
}

func hashesOf(cells []cell) [][]byte {
	all := make([]byte, 0, 8*len(cells))
	lines := make([][]byte, len(cells))
	for i, c := range cells {
		all = binary.LittleEndian.AppendUint64(all, c.hash)
		lines[i] = all[8*i : 8*i+8 : 8*i+8]
	}
	return lines
}
