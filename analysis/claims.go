package analysis

import (
	"bytes"
	"strings"
	"sync"

	"github.com/toolpath-ls/toolpath-ls/analysis/entity"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
)

// claims tells which lines of a text the steps wrote that say so by a structural operation
// and record no diff (design/projection.md 4.2); nil if there are none. What an operation
// names must be in the text once, and not in the base.
func (s *Snapshot) claims(a *Account, file string) func(text string) []provenance.Claim {
	if s.Options.Syntax == nil {
		return nil
	}
	type step struct {
		edit int
		ops  []operation
	}
	var steps []step
	for i, c := range a.changes.all() {
		if c.value.Get("raw").Kind() == jsonsrc.String || !c.isStep() {
			continue
		}
		if ops := operationsOf(c.value.Get("structural")); len(ops) > 0 {
			steps = append(steps, step{i, ops})
		}
	}
	if len(steps) == 0 {
		return nil
	}
	base := a.history.Base
	return func(text string) []provenance.Claim {
		syntax := s.Options.Syntax
		now, err := syntax.Entities(file, text)
		if err != nil {
			return nil
		}
		c := claimer{text: text, now: &now, lines: map[int]provenance.Claim{}}
		if base != nil {
			if before, err := syntax.Entities(file, *base); err == nil {
				c.base, c.was = *base, &before
			}
		}
		changed := map[string]int{} // how many steps changed an item, by its words
		for _, st := range steps {
			for _, name := range changedItems(st.ops) {
				changed[name]++
			}
		}
		for i := len(steps) - 1; i >= 0; i-- { // the last word counts
			c.edit = steps[i].edit
			c.before = func() (string, *entity.File) { return "", nil }
			if i < maxTextsBefore {
				c.before = s.textsBefore(a, c.edit, file)
			}
			for _, op := range steps[i].ops {
				c.claim(op, changed)
			}
		}
		all := make([]provenance.Claim, 0, len(c.lines))
		for _, claim := range c.lines {
			all = append(all, claim)
		}
		return all
	}
}

// maxTextsBefore bounds the steps of a file before which its text is asked for, each of which
// costs a replay: it is not known any more behind a step that does not say what it changed.
const maxTextsBefore = 8

// textsBefore returns a function that reads the file as it was before an edit, once, as far
// as that is known without reading anything.
func (s *Snapshot) textsBefore(a *Account, edit int, file string) func() (string, *entity.File) {
	return sync.OnceValues(func() (string, *entity.File) {
		c := a.changes.at(edit)
		text, needs, err := s.TextBefore(a.step(c), c.key.Text(), never)
		if err != nil || len(needs) > 0 {
			return "", nil
		}
		f, err := s.Options.Syntax.Entities(file, text)
		if err != nil {
			return "", nil
		}
		return text, &f
	})
}

// changedItems names the items that operations changed in an unknown way.
func changedItems(ops []operation) []string {
	var all []string
	for _, op := range ops {
		switch op.verb {
		case "modify_items", "wrap", "unwrap":
			for _, it := range op.items() {
				all = append(all, it.name)
			}
		case "inline", "extract":
			if source, ok := itemOf(op.value.Get("source")); ok {
				all = append(all, source.name)
			}
		}
	}
	return all
}

type claimer struct {
	text, base string
	now, was   *entity.File
	before     func() (string, *entity.File) // the file before the edit, nil if it is not known
	edit       int
	lines      map[int]provenance.Claim
}

// claim claims what an operation determines. An item that another step changed too, in an
// unknown way, has lines of both: they are inferred.
func (c *claimer) claim(op operation, changed map[string]int) {
	switch op.verb {
	case "add_items", "insert_items":
		for _, it := range op.items() {
			e := c.only(it)
			if e == nil || c.was != nil && len(it.find(c.was)) > 0 {
				continue
			}
			if len(it.methods) == 0 {
				c.span(e.Start, e.End, provenance.Claim{Inferred: changed[it.name] > 0})
				continue
			}
			for _, name := range it.methods {
				if m := c.only(namedItem{kind: "method", name: name, parent: e.Name}); m != nil {
					c.span(m.Start, m.End, provenance.Claim{Inferred: changed[name] > 0})
				}
			}
		}
	case "move":
		for _, it := range op.items() {
			c.moved(op, it)
		}
	case "modify_items", "wrap":
		for _, it := range op.items() {
			c.differing(it, changed[it.name] > 1)
		}
	case "change_signature", "extract":
		for _, it := range op.items() {
			if e := c.only(it); e != nil && e.NameStart > 0 {
				c.span(e.NameStart, max(e.NameEnd, e.Body-1), provenance.Claim{})
			}
		}
	case "organize":
		for _, v := range op.value.Get("added").Elements() {
			if it, ok := itemOf(v); ok {
				it.kind = "import"
				c.added(it)
			}
		}
	case "inline", "unwrap":
	case "rename":
		to := op.value.Get("to").Text()
		const most = 1000
		if c.base != "" && len(wordsAt(c.base, to, 1)) > 0 {
			return
		}
		for _, at := range wordsAt(c.text, to, most) {
			c.span(at, at+len(to), provenance.Claim{Inferred: true})
		}
	default:
		for _, r := range op.replacements() {
			at := strings.Index(c.text, r.to)
			const telling = 4 // less may stand there by chance
			if len(strings.TrimSpace(r.to)) < telling || at < 0 || strings.Contains(c.text[at+1:], r.to) || strings.Contains(c.base, r.to) {
				continue
			}
			c.span(at, at+len(strings.TrimRight(r.to, "\r\n")), provenance.Claim{})
		}
	}
	// What is left of the place that an item was taken from, or into which it went.
	if op.verb == "inline" || op.verb == "extract" {
		if source, ok := itemOf(op.value.Get("source")); ok {
			c.differing(source, changed[source.name] > 1)
		}
	}
}

// moved claims an item that came from another file or parent. Where the file before is known,
// it must not have had it there.
func (c *claimer) moved(op operation, it namedItem) {
	from := op.value.Get("from_file").Text()
	if to := op.value.Get("to_file").Text(); from != "" && to != "" && !sameEnd(c.now.Name, to) {
		return // the file that it left
	}
	it.parent = op.value.Get("to_parent").Text()
	e := c.only(it)
	if e == nil {
		return
	}
	_, before := c.before()
	if before == nil && from == "" || before != nil && len(it.find(before)) > 0 {
		return
	}
	c.span(e.Start, e.End, provenance.Claim{Moved: true})
}

// added claims an import that was not there before.
func (c *claimer) added(it namedItem) {
	e := c.only(it)
	_, before := c.before()
	if e == nil || c.was != nil && len(it.find(c.was)) > 0 || before != nil && len(it.find(before)) > 0 {
		return
	}
	c.span(e.Start, e.End, provenance.Claim{})
}

// sameEnd says that a path may be that of a file as a step names it.
func sameEnd(file, name string) bool {
	name = strings.TrimPrefix(name, "./")
	return file == name || strings.HasSuffix(file, "/"+name)
}

// differing claims the lines of an item that it did not have before the step, but for white
// space around them.
func (c *claimer) differing(it namedItem, inferred bool) {
	e := c.only(it)
	text, before := c.before()
	if e == nil || before == nil {
		return
	}
	found := it.find(before)
	if len(found) != 1 {
		return
	}
	start, end := strings.LastIndexByte(c.text[:e.Start], '\n')+1, e.End
	old, now := trimmedLines(text[found[0].Start:found[0].End]), trimmedLines(c.text[start:end])
	for i := range now {
		if lineOf(old, now, i) < 0 && len(now[i]) > 0 {
			c.span(start, start+len(c.lineAt(start)), provenance.Claim{Inferred: inferred})
		}
		start += len(c.lineAt(start)) + 1
	}
}

// lineAt is the line that starts at an offset, without its end.
func (c *claimer) lineAt(start int) string {
	line, _, _ := strings.Cut(c.text[min(start, len(c.text)):], "\n")
	return line
}

// trimmedLines are the lines of a text without white space around them.
func trimmedLines(text string) [][]byte {
	lines := bytes.Split([]byte(text), []byte{'\n'})
	for i := range lines {
		lines[i] = bytes.TrimSpace(lines[i])
	}
	return lines
}

// only is the one entity that an item can mean.
func (c *claimer) only(it namedItem) *entity.Entity {
	found := it.find(c.now)
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

// span claims the lines that hold the bytes from start to end.
func (c *claimer) span(start, end int, how provenance.Claim) {
	first := strings.Count(c.text[:start], "\n")
	for line := first; line <= first+strings.Count(strings.TrimRight(c.text[start:end], "\n"), "\n"); line++ {
		if _, taken := c.lines[line]; !taken {
			how.Line, how.Edit = line, c.edit
			c.lines[line] = how
		}
	}
}
