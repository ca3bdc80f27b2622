package analysis

import (
	"slices"
	"strconv"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/schema"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// position is where an offset lies in the shape of a document.
type position struct {
	place
	def     schema.Def
	pointer []string // from the value of shape def to the innermost value, or to the object whose key it is
	// session is the shape that the kind of an agent session adds here, if it does: below
	// a pointer of its own.
	session        schema.Def
	sessionPointer []string
	inSession      bool
	// frame is the innermost one; onKey says that the offset is at its key.
	frame jsonsrc.Frame
	onKey bool
	// object is the innermost object or array around the offset.
	object jsonsrc.Value
	frames []jsonsrc.Frame
}

// formDefs are the shapes of what documents are, without envelopes.
var formDefs = map[toolpath.Form]schema.Def{
	toolpath.GraphForm: schema.Document, toolpath.GraphEnvelope: schema.Document,
	toolpath.PathEnvelope: schema.Path, toolpath.BarePath: schema.Path,
	toolpath.StepEnvelope: schema.Step, toolpath.BareStep: schema.Step,
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
	if def := formDefs[m.Form]; m.Form.Envelope() == "" {
		p.def = def
	} else if len(frames) > 1 && frames[1].Key.Is(m.Form.Envelope()) && off >= frames[1].Value.Start() {
		p.def, start = def, 2
	}
	if m.Lines {
		p.def = schema.Line
		if len(frames) > 1 {
			if def, known := schema.Body(frames[1].Key.Text()); known && (len(frames) > 2 || off >= frames[1].Value.Start()) {
				p.def, start = def, 2
			}
		}
	}
	p.frames, p.frame = frames, frames[len(frames)-1]
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
		if f.Key.Valid() && i == len(frames)-1 && p.onKey {
			break
		}
		name := strconv.Itoa(f.Index)
		if f.Key.Valid() {
			name = f.Key.Text()
		}
		p.pointer = append(p.pointer, name)
		if p.inSession {
			p.sessionPointer = append(p.sessionPointer, name)
		} else {
			p.enterSession(f)
		}
	}
	return p, true
}

// out returns the position in what holds its innermost value; not ok for the root.
func (p position) out() (position, bool) {
	n := len(p.frames) - 1
	if n == 0 || p.onKey || len(p.pointer) == 0 {
		return p, false
	}
	if p.step >= 0 && p.frame.Value == p.path.Steps.At(p.step).Self() {
		p.step = -1
	}
	p.role, p.pointer = roleNone, p.pointer[:len(p.pointer)-1]
	if len(p.sessionPointer) > 0 {
		p.sessionPointer = p.sessionPointer[:len(p.sessionPointer)-1]
	} else {
		p.inSession = false
	}
	p.frames = p.frames[:n]
	p.frame = p.frames[n-1]
	p.object = p.frame.Value
	return p, true
}

// enterSession notes that what the frame holds has a shape of the path's kind: the meta of
// the path, and structural changes.
func (p *position) enterSession(f jsonsrc.Frame) {
	if p.path == nil {
		return
	}
	version := schema.SessionOf(p.path.Kind())
	switch {
	case version == schema.NoSession:
	case f.Key.Is("structural") && p.step >= 0:
		p.session, p.inSession = version.Structural(f.Value.Get("type"))
	case p.step < 0 && (f.Key.Is("meta") || f.Key.Is("patch")):
		p.session, p.inSession = schema.SessionMeta, true
	}
}

// describe returns what the format, or the kind of the path, says of the field at the
// position or below it.
func (p *position) describe(below ...string) string {
	if text := schema.Describe(p.def, slices.Concat(p.pointer, below)...); text != "" || !p.inSession {
		return text
	}
	return schema.Describe(p.session, slices.Concat(p.sessionPointer, below)...)
}

// fields returns the fields of the object at the position.
func (p *position) fields() []schema.Field {
	fields := schema.Fields(p.def, p.pointer...)
	if !p.inSession {
		return fields
	}
	for _, f := range schema.Fields(p.session, p.sessionPointer...) {
		if !slices.ContainsFunc(fields, func(g schema.Field) bool { return g.Name == f.Name }) {
			fields = append(fields, f)
		}
	}
	return fields
}

// values returns the strings that the value at the position may have, if they are few.
func (p *position) values() []string {
	if values := schema.Values(p.def, p.pointer...); len(values) > 0 || !p.inSession {
		return values
	}
	return schema.Values(p.session, p.sessionPointer...)
}

// tail says whether the last field names on the way to the position are these; indices do
// not count.
func (p *position) tail(names ...string) bool {
	i := len(names) - 1
	for k := len(p.pointer) - 1; k >= 0 && i >= 0; k-- {
		if strings.Trim(p.pointer[k], "0123456789") == "" && p.pointer[k] != names[i] {
			continue
		}
		if p.pointer[k] != names[i] {
			return false
		}
		i--
	}
	return i < 0
}
