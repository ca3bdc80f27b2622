package analysis

import (
	"slices"
	"strings"
	"sync"

	"github.com/toolpath-ls/toolpath-ls/analysis/entity"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/linediff"
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
		c.split = splitLines(text)
		if base != nil {
			if before, err := syntax.Entities(file, *base); err == nil {
				c.base, c.was = *base, &before
			}
		}
		changed := map[string]int{} // how many steps changed an item, by its words
		befores := make([]func() before, len(steps))
		for i, st := range steps {
			for _, name := range changedItems(st.ops) {
				changed[name]++
			}
			befores[i] = func() before { return before{} }
			if i < maxTextsBefore {
				befores[i] = s.textsBefore(a, st.edit, file)
			}
		}
		known := func(i int) int { // the step with the last known text before a step
			i = min(i, maxTextsBefore-1)
			for i > 0 && befores[i]().file == nil {
				i--
			}
			return i
		}
		since := map[int]map[string][]renamedLine{} // what names became since that text
		renames := func(i int) map[string][]renamedLine {
			from := known(i)
			if _, ok := since[from]; !ok {
				var ops []operation
				for _, st := range steps[from:] {
					ops = append(ops, st.ops...)
				}
				since[from] = c.renames(befores[from](), ops)
			}
			return since[from]
		}
		for i := len(steps) - 1; i >= 0; i-- { // the last word counts
			c.edit, c.before = steps[i].edit, befores[i]
			c.known = func() before { return befores[known(i)]() }
			for _, op := range steps[i].ops {
				if op.verb == "rename" {
					c.renamed(op, renames(i))
				} else {
					c.claim(op, changed)
				}
			}
		}
		all := make([]provenance.Claim, 0, len(c.lines))
		for _, claim := range c.lines {
			all = append(all, claim)
		}
		return all
	}
}

// maxInlines bounds the items of which the calls are looked for, each of which costs a
// comparison of the whole file.
const maxInlines = 64

// maxTextsBefore bounds the steps of a file before which its text is asked for, each of which
// costs a replay: it is not known any more behind a step that does not say what it changed.
const maxTextsBefore = 8

// before is a file as it was before an edit; file is nil if that is not known.
type before struct {
	edit  int
	text  string
	file  *entity.File
	split []string // its lines
}

// textsBefore returns a function that reads the file as it was before an edit, once, as far
// as that is known without reading anything.
func (s *Snapshot) textsBefore(a *Account, edit int, file string) func() before {
	return sync.OnceValue(func() before {
		c := a.changes.at(edit)
		text, needs, err := s.TextBefore(a.step(c), c.key.Text(), never)
		if err != nil || len(needs) > 0 {
			return before{}
		}
		f, err := s.Options.Syntax.Entities(file, text)
		if err != nil {
			return before{}
		}
		return before{edit, text, &f, splitLines(text)}
	})
}

// splitLines are the lines of a text, without their ends.
func splitLines(text string) []string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
	}
	return lines
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
	split      []string // the lines of text
	now, was   *entity.File
	before     func() before // the file before the edit
	known      func() before // the last time before the edit that it is known
	edit       int
	lines      map[int]provenance.Claim

	inlines  int   // see maxInlines
	paired   []int // see pairs
	pairedTo *entity.File
}

// pairs is paired of a text before and the text.
func (c *claimer) pairs(was before) []int {
	if c.pairedTo != was.file {
		c.paired, c.pairedTo = paired(was.split, c.split), was.file
	}
	return c.paired
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
	case "modify_items":
		for _, it := range op.items() {
			c.differing(it, changed[it.name] > 1)
		}
	case "wrap", "unwrap":
		items := op.items()
		if len(items) == 0 {
			c.wrapped(op, nil)
		}
		for _, it := range items {
			if !c.wrapped(op, &it) {
				c.differing(it, changed[it.name] > 1)
			}
		}
	case "change_signature", "extract":
		for _, it := range op.items() {
			if e := c.only(it); e != nil && e.NameStart > 0 {
				c.span(e.NameStart, max(e.NameEnd, e.Body-1), provenance.Claim{})
			}
			if op.verb == "extract" {
				c.extracted(op, it)
			}
		}
	case "organize":
		for _, v := range op.value.Get("added").Elements() {
			if it, ok := itemOf(v); ok {
				it.kind = "import"
				c.added(it)
			}
		}
	case "inline":
		if _, ok := itemOf(op.value.Get("source")); !ok {
			c.inlined(op)
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
	parent := it.parent
	it.parent = op.value.Get("to_parent").Text()
	e := c.only(it)
	if e == nil {
		return
	}
	before := c.before().file
	if before == nil && from == "" || before != nil && len(it.find(before)) > 0 {
		return
	}
	if from == "" {
		it.parent = parent
		c.carried(it, e)
	}
	c.span(e.Start, e.End, provenance.Claim{Moved: true})
}

// added claims an import that was not there before.
func (c *claimer) added(it namedItem) {
	e := c.only(it)
	before := c.before().file
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

// differing claims the lines of an item that it did not have before the step. Those that
// have other white space around them are laid out anew.
func (c *claimer) differing(it namedItem, inferred bool) {
	e, was := c.only(it), c.before()
	if e == nil || was.file == nil {
		return
	}
	found := it.find(was.file)
	if len(found) != 1 {
		return
	}
	old, now := linesOf(was.text, found[0].Start, found[0].End), linesOf(c.text, e.Start, e.End)
	for i, o := range paired(was.split[old.from:old.to], c.split[now.from:now.to]) {
		line := now.from + i
		switch {
		case o >= 0:
			c.laidOut(line, was, old.from+o)
		case strings.TrimSpace(c.split[line]) != "":
			c.put(line, provenance.Claim{Inferred: inferred})
		}
	}
}

// extracted claims the lines of a new item that its source has no longer, as moved, and what
// else is new in it.
func (c *claimer) extracted(op operation, it namedItem) {
	source, ok := itemOf(op.value.Get("source"))
	e, was := c.only(it), c.before()
	if !ok || e == nil || was.file == nil || len(it.find(was.file)) > 0 {
		return
	}
	found := source.find(was.file)
	if len(found) != 1 {
		return
	}
	old, now := linesOf(was.text, found[0].Start, found[0].End), linesOf(c.text, e.Body, e.End)
	kept := map[int]bool{} // old lines that the source still has
	if left := c.only(source); left != nil {
		lines := linesOf(c.text, left.Start, left.End)
		for _, o := range paired(was.split[old.from:old.to], c.split[lines.from:lines.to]) {
			kept[o] = true
		}
	}
	pairs := paired(was.split[old.from:old.to], c.split[now.from:now.to])
	if !slices.ContainsFunc(pairs, func(o int) bool { return o >= 0 && !kept[o] && isTelling(was.split[old.from+o]) }) {
		return // nothing of the source went there
	}
	for i, o := range pairs {
		line := now.from + i
		switch {
		case o >= 0 && !kept[o]:
			c.put(line, provenance.Claim{Moved: true, Was: was.line(old.from + o)})
		case strings.TrimSpace(c.split[line]) != "":
			c.put(line, provenance.Claim{})
		}
	}
}

// carried claims the lines of an item that another parent had before.
func (c *claimer) carried(it namedItem, e *entity.Entity) {
	was := c.before()
	if was.file == nil {
		return
	}
	found := it.find(was.file)
	if len(found) != 1 {
		return
	}
	old, now := linesOf(was.text, found[0].Start, found[0].End), linesOf(c.text, e.Start, e.End)
	for i, o := range paired(was.split[old.from:old.to], c.split[now.from:now.to]) {
		if o >= 0 {
			c.put(now.from+i, provenance.Claim{Moved: true, Was: was.line(old.from + o)})
		}
	}
}

// inlined claims what stands in place of the lines that named an item, which is gone.
func (c *claimer) inlined(op operation) {
	was := c.before()
	if was.file == nil {
		return
	}
	for _, it := range op.items() {
		word, found := lastWord(it.name), it.find(was.file)
		if word == "" || len(found) != 1 || len(it.find(c.now)) > 0 || c.inlines == maxInlines {
			continue
		}
		c.inlines++
		gone := linesOf(was.text, found[0].Start, found[0].End)
		lines := slices.Concat(was.split[:gone.from], was.split[gone.to:])
		pairs := append(paired(lines, c.split), len(lines))
		old := 0
		for from := 0; from < len(pairs); {
			to := from
			for pairs[to] < 0 {
				to++
			}
			calls := old < pairs[to] && !slices.ContainsFunc(lines[old:pairs[to]], func(l string) bool {
				return strings.TrimSpace(l) != "" && len(wordsAt(l, word, 1)) == 0
			})
			for line := from; calls && line < to; line++ {
				c.put(line, provenance.Claim{})
			}
			from, old = to+1, pairs[to]+1
		}
	}
}

// put claims a line, unless it is.
func (c *claimer) put(line int, claim provenance.Claim) {
	if _, taken := c.lines[line]; !taken {
		claim.Line, claim.Edit = line, c.edit
		c.lines[line] = claim
	}
}

// laidOut claims a line of which nothing but the white space differs from an old one.
func (c *claimer) laidOut(line int, was before, old int) {
	if c.split[line] != was.split[old] && strings.TrimSpace(c.split[line]) != "" {
		c.put(line, provenance.Claim{LaidOut: true, Was: was.line(old)})
	}
}

func (b before) line(i int) *provenance.OldLine {
	return &provenance.OldLine{Edit: b.edit, Line: i, Text: b.split[i]}
}

// lineRange is some lines of a text.
type lineRange struct{ from, to int }

// linesOf are the lines that hold the bytes from start to end.
func linesOf(text string, start, end int) lineRange {
	from := strings.Count(text[:start], "\n")
	return lineRange{from, from + strings.Count(strings.TrimRight(text[start:end], "\n"), "\n") + 1}
}

// paired is, for each new line, the old one that it is but for white space around it, -1 if
// there is none.
func paired(old, new []string) []int {
	return pairsOf(trimmedLines(old), trimmedLines(new))
}

func pairsOf(old, new [][]byte) []int {
	pairs := make([]int, len(new))
	at, was := 0, 0
	for _, h := range append(linediff.Lines(old, new, linediff.Options{IndentHeuristic: true}), linediff.Hunk{OldStart: len(old), OldEnd: len(old), NewStart: len(new), NewEnd: len(new)}) {
		for ; at < h.NewStart; at, was = at+1, was+1 {
			pairs[at] = was
		}
		for ; at < h.NewEnd; at++ {
			pairs[at] = -1
		}
		was = h.OldEnd
	}
	return pairs
}

// trimmedLines are lines without white space around them.
func trimmedLines(lines []string) [][]byte {
	trimmed := make([][]byte, len(lines))
	for i, l := range lines {
		trimmed[i] = []byte(strings.TrimSpace(l))
	}
	return trimmed
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
	lines := linesOf(c.text, start, end)
	for line := lines.from; line < lines.to; line++ {
		c.put(line, how)
	}
}
