package toolpath

import "github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"

// Variant returns the key and body of a stream's line, which is an object with exactly
// that one member.
func Variant(line jsonsrc.Value) (key, body jsonsrc.Value) {
	for k, v := range line.Members() {
		return k, v
	}
	return jsonsrc.Value{}, jsonsrc.Value{}
}

// stream reads the lines of a ".path.jsonl" into one path. What is out of order is read
// as if it were not: the rules speak of it.
func (d *Document) stream(in *interner) {
	p := &Path{Doc: d}
	inferable := true
	for i := range d.Tree.Chunks() {
		key, body := Variant(d.Tree.Chunk(i))
		switch {
		case !key.Valid():
		case key.Is("PathOpen") && !p.Value.Valid():
			p.Value, p.Meta = body, body.Get("meta")
			p.identify(body)
			p.Head, p.HeadVal = "", jsonsrc.Value{}
		case key.Is("Step"):
			p.add(i, body, in)
		case key.Is("ActorDef"):
			p.lines = append(p.lines, body)
		case key.Is("PathMeta"):
			p.patch = append(p.patch, body.Get("patch"))
		case key.Is("Head"):
			inferable = false
			p.HeadVal = body.Get("step_id")
			p.Head = p.HeadVal.Text()
		}
	}
	d.ID = p.ID
	if !p.Value.Valid() && len(p.Steps) == 0 {
		return
	}
	d.Paths = []*Path{p}
	if inferable {
		if tips := p.Tips(); len(tips) == 1 {
			p.Head = p.Steps[tips[0]].ID
		}
	}
}
