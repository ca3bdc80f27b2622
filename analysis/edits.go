package analysis

import (
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
	"github.com/toolpath-ls/toolpath-ls/analysis/udiff"
)

// change is one artifact change: what a step did to one file.
type change struct {
	step  int // index in the path
	key   jsonsrc.Value
	value jsonsrc.Value
}

// changesOf returns the changes of the steps that name the file, in the given order of
// steps.
func changesOf(p *toolpath.Path, t *pathTouches, file, root string, order []int) []change {
	touching := make(map[int]bool)
	for _, i := range t.of(file, root) {
		touching[int(i)] = true
	}
	names := t.namesOf(file, root)
	var changes []change
	for _, i := range order {
		if !touching[i] {
			continue
		}
		s := p.Steps[i]
		for key, val := range s.Value(s.Nodes.Change).Members() {
			name := artifactName(key.Text(), t.base)
			for _, n := range names {
				if n == name {
					changes = append(changes, change{i, key, val})
					break
				}
			}
		}
	}
	return changes
}

// editOf reads an artifact change. It is not ok if the change has no effect on the file:
// a read, or a tool call that failed.
func editOf(p *toolpath.Path, c change) (e provenance.Edit, ok bool) {
	s := p.Steps[c.step]
	e.Step = provenance.StepID(c.step + 1)
	raw, op := c.value.Get("raw"), c.value.Get("structural")
	if raw.Kind() == jsonsrc.String {
		e.Raw, e.HasRaw = raw.Text(), true
	}
	meta := s.Value(s.Nodes.Meta)
	e.GitDeriver = meta.Get("source").Get("type").Is("git")
	if !op.Get("type").Is("file.write") {
		return e, true
	}
	operation, tool := op.Get("operation").Text(), op.Get("tool").Text()
	if operation == "touch" || operation == "read" || failed(s, op.Get("tool_id")) {
		return e, false
	}
	before, after := op.Get("before"), op.Get("after")
	switch {
	case operation == "delete":
		e.Delete = true
	case after.Kind() == jsonsrc.String && (operation == "add" || wholeFileTools[tool]):
		whole := after.Text()
		e.Whole = &whole
		e.Creates = operation == "add" && (!e.HasRaw || onlyAdds(e.Raw))
	}
	// Only this tool's "before" is what the editor saw; other derivers ask git for it, at
	// the time of deriving.
	if tool == "edit_file_v2" && e.Whole != nil && before.Kind() == jsonsrc.String {
		text := before.Text()
		e.Before = &text
	}
	e.Snippet = e.Whole == nil && snippetTools[tool]
	if e.HasRaw && op.Get("edits").Valid() && !strings.Contains(e.Raw, "@@") {
		e.HasRaw = false // the diff of an edit list that was not made: headers alone
	}
	return e, true
}

// wholeFileTools are the tools whose "after" is the content of the whole file, whatever
// the operation; of the others it may be a part of it.
var wholeFileTools = map[string]bool{
	"Write": true, "write_file": true, "create_file": true, "create": true, "edit_file_v2": true,
}

// snippetTools replace one occurrence of a text; the numbers in their diffs count from
// the start of that text.
var snippetTools = map[string]bool{"Edit": true, "MultiEdit": true}

// onlyAdds says whether a diff has added lines and no others.
func onlyAdds(raw string) bool {
	d := udiff.Parse(raw)
	for i := range d.Hunks {
		if d.Hunks[i].OldLines > 0 {
			return false
		}
	}
	return d.Added > 0
}

// failed says whether the step's tool call of that id ended in an error, so that nothing
// was written.
func failed(s toolpath.At, id jsonsrc.Value) bool {
	if id.Kind() != jsonsrc.String {
		return false
	}
	want := id.Text()
	for _, c := range s.Value(s.Nodes.Change).Members() {
		for _, use := range c.Get("structural").Get("tool_uses").Elements() {
			if use.Get("id").Is(want) && use.Get("result").Get("is_error").Kind() == jsonsrc.True {
				return true
			}
		}
	}
	return false
}
