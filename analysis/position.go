package analysis

import (
	"strconv"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/schema"
)

// position is where an offset lies in the shape of a document.
type position struct {
	place
	def     schema.Def
	pointer []string // from the value of shape def to the innermost value, or to the object whose key it is
	// frame is the innermost one; onKey says that the offset is at its key.
	frame jsonsrc.Frame
	onKey bool
	// object is the innermost object or array around the offset.
	object jsonsrc.Value
}

// position returns where an offset lies; not ok outside of the document's values.
func (d *Document) position(off int) (p position, ok bool) {
	m := d.Model()
	if m == nil {
		return p, false
	}
	frames := d.Tree().Path(off)
	if len(frames) == 0 {
		return p, false
	}
	p.place, p.def = d.at(off), schema.Document
	start := 1
	if m.Lines {
		p.def = schema.Line
		if len(frames) > 1 {
			if def, known := schema.Body(frames[1].Key.Text()); known && (len(frames) > 2 || off >= frames[1].Value.Start()) {
				p.def, start = def, 2
			}
		}
	}
	p.frame = frames[len(frames)-1]
	p.onKey = p.frame.Key.Valid() && off <= p.frame.Key.End()
	for _, f := range frames {
		if k := f.Value.Kind(); k == jsonsrc.Object || k == jsonsrc.Array {
			p.object = f.Value
		}
	}
	if p.onKey && len(frames) > 1 {
		p.object = frames[len(frames)-2].Value
	}
	for i := start; i < len(frames); i++ {
		f := frames[i]
		switch {
		case !f.Key.Valid():
			p.pointer = append(p.pointer, strconv.Itoa(f.Index))
		case i < len(frames)-1 || !p.onKey:
			p.pointer = append(p.pointer, f.Key.Text())
		}
	}
	return p, true
}
