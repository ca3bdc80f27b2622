package toolpath

import (
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
)

// Variant returns the key and body of a stream's line, which is an object with exactly
// that one member.
func Variant(line jsonsrc.Value) (key, body jsonsrc.Value) {
	for k, v := range line.Members() {
		return k, v
	}
	return jsonsrc.Value{}, jsonsrc.Value{}
}

// CutOff returns the last line of a stream if the text ends within its value, else -1: its
// writer is still at work, or was interrupted. Such a line is not read.
func CutOff(t *jsonsrc.Tree) int {
	last := t.NumChunks() - 1
	if !t.IsLines() || last < 0 || t.EndsWith("\n") {
		return -1
	}
	if v := t.Chunk(last); !v.Valid() || v.Closed() {
		return -1
	}
	return last
}

// stream reads the lines of a ".path.jsonl" into one path. What is out of order is read
// as if it were not: the rules speak of it.
func (d *Document) stream(in *reading) {
	p := &Path{Doc: d}
	p.Steps = Steps{tree: d.Tree, lines: []int32{}}
	add := func(line int, s *Step) {
		p.Steps.lines, p.Steps.steps = append(p.Steps.lines, int32(line)), append(p.Steps.steps, s)
	}
	inferable := true
	cutOff := CutOff(d.Tree)
	for i := range d.Tree.NumChunks() {
		if i == cutOff || !in.goOn() {
			break
		}
		if s, read := d.Tree.ChunkAt(i).Derived().(*Step); read {
			add(i, s)
			continue
		}
		key, body := Variant(d.Tree.Chunk(i))
		switch {
		case !key.Valid():
		case key.Is("PathOpen") && !p.Value.Valid():
			p.Value, p.Meta = body, body.Get("meta")
			p.identify(body)
			p.Head, p.HeadVal = "", jsonsrc.Value{}
		case key.Is("Step"):
			add(i, stepIn(d.Tree, i, body, &in.Interner))
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
	p.findsSteps()
	d.ID = p.ID
	if !p.Value.Valid() && p.Steps.Len() == 0 {
		return
	}
	d.Paths = []*Path{p}
	if inferable {
		if tips := p.Tips(); len(tips) == 1 {
			p.Head = p.Steps.At(tips[0]).ID
		}
	}
}
