package analysis

import (
	"bytes"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
)

// change is one artifact change: what a step did to one file. The merge of branches that
// changed the file and that does not say what became of it has no key and no value; nor has
// what stands for no step.
type change struct {
	strand     int // index in the strands of the account
	step       int // index in the path, -1: it stands for no step
	key, value jsonsrc.Value
	commit     bool    // the step was derived from a commit
	before     *string // if the step renamed the file: its content before, under the other name
	other      string  // the other name, if the change says that it renamed the file
	copied     bool    // it says that it copied it
	gone       bool    // there is no file after it: it has the other name, or was not at the base
	drop       bool    // of what stands for no step: what the file was then is not known
	was        *string // what the file was before it, as a commit has it
	is         *string // what it was after it
}

// isMerge says whether the change is such a merge.
func (c change) isMerge() bool { return !c.key.Valid() && c.step >= 0 }

// isStep says whether the change is a step's.
func (c change) isStep() bool { return c.step >= 0 }

// editLater is edit without the text of a diff that stands for itself: later says that
// nothing but Raw is missing.
func (t *pathTouches) editLater(c change) (e provenance.Edit, later, ok bool) {
	if !t.changesLines(c) {
		e, ok = t.edit(c)
		return e, false, ok
	}
	s := t.path.Steps.At(c.step)
	e = provenance.Edit{Step: provenance.StepID(c.step + 1), HasRaw: true}
	e.GitDeriver = s.Value(s.Nodes.Meta).Get("source").Get("type").Is("git")
	return e, true, true
}

// edit reads an artifact change. It is not ok if the change has no effect on the file: a
// read, or a tool call that failed.
func (t *pathTouches) edit(c change) (e provenance.Edit, ok bool) {
	switch {
	case c.gone:
		e.Delete = true
		return e, true
	case !c.isStep() && !c.drop:
		e.Before, e.HasRaw = c.was, true // nothing changes, but this is what there was
		return e, true
	case !c.key.Valid():
		e.Whole = c.is
		return e, true
	}
	if e.Before = c.before; e.Before != nil {
		c.before = nil
		content, ok := t.created(c)
		e.Whole = &content
		return e, ok
	}
	s := t.path.Steps.At(c.step)
	raw, op := c.value.Get("raw"), c.value.Get("structural")
	if raw.Kind() == jsonsrc.String {
		e.Raw, e.HasRaw = raw.Text(), true
	}
	e.GitDeriver = s.Value(s.Nodes.Meta).Get("source").Get("type").Is("git")
	if !op.Get("type").Is("file.write") {
		if !e.HasRaw {
			e.Replace = replaced(op)
		}
		return e, true
	}
	if id := op.Get("tool_id"); id.Kind() == jsonsrc.String {
		if _, failed := t.failed[int32(c.step)][id.Text()]; failed {
			return e, false
		}
	}
	switch op.Get("operation").Text() {
	case "touch", "read":
		return e, e.HasRaw
	case "delete":
		e.Delete = true
		return e, true
	}
	readContents(&e, op)
	if e.Snippet && !e.HasRaw {
		e.Replace = snippets(op)
	}
	return e, true
}

// replaced are the texts that structural operations replaced, if that is all they did.
func replaced(op jsonsrc.Value) []provenance.Replacement {
	var all []provenance.Replacement
	for _, o := range operationsOf(op) {
		texts := o.replacements()
		if len(texts) == 0 {
			return nil
		}
		for _, r := range texts {
			if r.from == "" {
				return nil
			}
			all = append(all, provenance.Replacement{From: r.from, To: r.to})
		}
	}
	return all
}

// snippets are the texts that a tool replaced: "before" by "after", or each of "edits".
func snippets(op jsonsrc.Value) []provenance.Replacement {
	pair := func(v jsonsrc.Value, from, to string) (provenance.Replacement, bool) {
		f, t := v.Get(from), v.Get(to)
		return provenance.Replacement{From: f.Text(), To: t.Text()}, f.Kind() == jsonsrc.String && t.Kind() == jsonsrc.String && f.Text() != ""
	}
	var all []provenance.Replacement
	for _, v := range op.Get("edits").Elements() {
		if v.Get("replace_all").Kind() == jsonsrc.True {
			return nil
		}
		r, ok := pair(v, "before", "after")
		if !ok {
			r, ok = pair(v, "old_string", "new_string")
		}
		if !ok {
			return nil
		}
		all = append(all, r)
	}
	if len(all) == 0 {
		if r, ok := pair(op, "before", "after"); ok {
			all = append(all, r)
		}
	}
	return all
}

// anchor puts what commits say of the contents before and after the change into its edit.
func (c *change) anchor(e *provenance.Edit) {
	switch {
	case c.is == nil:
	case c.was == nil && e.HasRaw && e.Before == nil && e.Whole == nil:
		e.After = c.is
	default:
		e.Whole = c.is
	}
	if c.was != nil && e.Before == nil {
		e.Before = c.was
	}
}

// perspectives returns the two parts of an artifact change that say what was done.
func perspectives(change jsonsrc.Value) (raw, structural jsonsrc.Value) {
	for key, val := range change.Members() {
		switch {
		case key.Is("raw"):
			raw = val
		case key.Is("structural"):
			structural = val
		}
	}
	return raw, structural
}

// renamedIn returns the other name that an artifact change gives to its file, in the headers
// of git or as rename_to, and whether that says that it was copied from there.
func renamedIn(change jsonsrc.Value, base string) (other string, copied bool) {
	raw, op := perspectives(change)
	return renamedBy(raw, op, base)
}

// renamedBy is renamedIn for the two perspectives of a change.
func renamedBy(raw, op jsonsrc.Value, base string) (other string, copied bool) {
	if to := op.Get("rename_to"); to.Kind() == jsonsrc.String {
		return artifactName(to.Text(), base), false
	}
	if raw.Kind() != jsonsrc.String {
		return "", false
	}
	head := raw.Bytes()
	if i := bytes.Index(head, []byte("@@")); i >= 0 {
		head = head[:i]
	}
	if !bytes.Contains(head, []byte("rename from ")) && !bytes.Contains(head, []byte("copy from ")) {
		return "", false
	}
	for line := range strings.Lines(raw.Text()) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "@@") {
			break
		}
		if from, ok := strings.CutPrefix(line, "rename from "); ok {
			return artifactName(from, base), false
		}
		if from, ok := strings.CutPrefix(line, "copy from "); ok {
			return artifactName(from, base), true
		}
	}
	return "", false
}

// readContents takes the contents before and after the step from a file.write, where they
// are those of the whole file.
func readContents(e *provenance.Edit, op jsonsrc.Value) {
	operation, tool := op.Get("operation").Text(), op.Get("tool").Text()
	before, after := op.Get("before"), op.Get("after")
	if snippetTools[tool] {
		e.Snippet = true
		return
	}
	// A writer that names no tool has written the record for the file itself; what a tool
	// writes may be a part of it.
	whole := operation == "add" || wholeFileTools[tool] || tool == "" && !op.Get("tool_id").Valid() && !op.Get("edits").Valid()
	if after.Kind() != jsonsrc.String || !whole {
		return
	}
	content := after.Text()
	e.Whole, e.Late = &content, tool == "Write" && e.HasRaw
	e.Updates = operation == "update" && !e.HasRaw
	e.Creates = operation == "add" && (e.HasRaw && addsAll(e.Raw, content) || !e.HasRaw && !alwaysAdd[tool])
	// A producer that knows the content before from the editor itself writes it beside
	// the content after. The one of "Write" asks git when it derives the document, which
	// may be after the step was committed (design 1.2).
	if before.Kind() == jsonsrc.String && tool != "Write" {
		text := before.Text()
		e.Before = &text
	}
}

// wholeFileTools are the tools whose "after" is the content of the whole file, whatever
// the operation; of the others it may be a part of it.
var wholeFileTools = map[string]bool{
	"Write": true, "write_file": true, "create_file": true, "create": true, "edit_file_v2": true,
}

// alwaysAdd are the tools of which producers call every write an "add".
var alwaysAdd = map[string]bool{"Write": true, "write_file": true}

// snippetTools replace one occurrence of a text; the numbers in their diffs count from
// the start of that text, and "after" is its replacement.
var snippetTools = map[string]bool{"Edit": true, "MultiEdit": true}

// addsAll says whether a diff makes the content out of nothing: it adds all of its lines,
// and has no others. That the operation is called "add" is not enough, since some
// producers call every write so; nor is a diff without hunks, which is what they get of a
// file that was committed before they looked.
func addsAll(raw, content string) bool {
	body, added := false, 0
	for line := range strings.Lines(raw) {
		switch {
		case strings.HasPrefix(line, "@@"):
			body = true
		case !body:
		case line[0] == '+':
			added++
		case line[0] == ' ' || line[0] == '-':
			return false
		}
	}
	lines := strings.Count(strings.TrimSuffix(content, "\n"), "\n") + 1
	return added >= lines || content == ""
}
