package analysis

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/entity"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
	"github.com/toolpath-ls/toolpath-ls/analysis/schema"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
	"github.com/toolpath-ls/toolpath-ls/analysis/udiff"
)

// field tells of the field whose key is at the position.
func (t *teller) field() {
	name := t.frame.Key.Text()
	title := []run{{text: name, style: code}}
	for _, f := range t.fields() {
		if f.Name != name {
			continue
		}
		if f.Type != "" {
			title = append(title, run{text: " · " + f.Type})
		}
		if f.Required {
			title = append(title, run{text: " · required"})
		}
	}
	text := t.describe(name)
	if text == "" {
		return
	}
	t.out.line(title...)
	t.out.line(describe(text)...)
	below := t.position
	below.pointer, below.sessionPointer = slices.Concat(t.pointer, []string{name}), slices.Concat(t.sessionPointer, []string{name})
	if values := below.values(); len(values) > 0 {
		t.out.line(run{text: "one of " + strings.Join(values, ", ")})
	}
}

// describe makes runs of a text with `code` spans.
func describe(text string) (runs []run) {
	for i, part := range strings.Split(text, "`") {
		if part != "" {
			runs = append(runs, run{text: part, style: []style{normal, code}[i%2]})
		}
	}
	return runs
}

// meanings tell what values mean, by the last names of the fields that lead to them; the
// first that fits counts.
var meanings = []struct {
	names []string
	tell  func(*teller)
}{
	{[]string{"timestamp"}, (*teller).time},
	{[]string{"base", "uri"}, (*teller).base},
	{[]string{"base", "ref"}, (*teller).base},
	{[]string{"base", "branch"}, (*teller).base},
	{[]string{"parent", "uri"}, (*teller).document},
	{[]string{"$ref"}, (*teller).document},
	{[]string{"graph_ref"}, (*teller).document},
	{[]string{"meta", "kind"}, (*teller).kind},
	{[]string{"patch", "kind"}, (*teller).kind},
	{[]string{"signatures", "key"}, (*teller).signature},
	{[]string{"signatures", "scope"}, (*teller).signature},
	{[]string{"signatures", "sig"}, (*teller).signature},
	{[]string{"signature", "key"}, (*teller).signature},
	{[]string{"signature", "scope"}, (*teller).signature},
	{[]string{"signature", "sig"}, (*teller).signature},
	{[]string{"raw"}, (*teller).diff},
	{[]string{"structural", "type"}, (*teller).operation},
	{[]string{"source", "revision"}, (*teller).revision},
}

// meaning tells what the value at the position means here; false if it means no more than
// its field.
func (t *teller) meaning() bool {
	if t.frame.Value.Kind() != jsonsrc.String || t.inSession && !t.tail("structural", "type") && !t.tail("kind") {
		return false
	}
	for _, m := range meanings {
		if t.tail(m.names...) {
			m.tell(t)
			return !t.out.Empty()
		}
	}
	return false
}

func (t *teller) time() {
	if at, ok := toolpath.ParseTimestamp(t.frame.Value.Text()); ok {
		t.out.line(run{text: clock(at, t.now)})
	}
}

// base tells of the state that the path ran against (RFC "Base Context").
func (t *teller) base() {
	if t.path == nil {
		return
	}
	base := t.path.Base()
	uri, ref, branch := base.Get("uri").Text(), base.Get("ref").Text(), base.Get("branch").Text()
	line := []run{{text: "the path ran against "}, {text: uri, style: code, href: forgeOf(uri)}}
	if ref != "" {
		line = append(line, run{text: " at "}, run{text: ref, style: code, href: commitURL(forgeOf(uri), ref)})
	}
	if branch != "" {
		line = append(line, run{text: ", opened against the branch "}, run{text: branch, style: code})
	}
	t.out.line(line...)
	if folder := FilePath(uri); folder != "" && !isHere(folder, t.Snapshot.rootOf(t.d)) {
		t.out.line(run{text: "a folder of another machine: relative keys are taken for files of this repository", style: italic})
	}
}

// commitURL returns the page of a revision on a forge, "" if it has none.
func commitURL(forge, rev string) string {
	if forge == "" || !isRevision(rev) {
		return ""
	}
	return forge + "/commit/" + rev
}

func (t *teller) revision() {
	if t.path == nil {
		return
	}
	rev := t.frame.Value.Text()
	t.out.line(run{text: "the step was made from the revision "}, run{text: rev, style: code, href: commitURL(forgeOf(t.path.Base().Get("uri").Text()), rev)})
}

// document tells of the document that a $ref or the uri of a parent names.
func (t *teller) document() {
	ref := t.frame.Value.Text()
	file := t.d.referencedFile(ref)
	if file == "" {
		return
	}
	d, need := t.documentAt(file)
	switch {
	case need != nil:
		t.needs = append(t.needs, *need)
	case d == nil:
		t.out.line(run{text: path.Base(file), style: code}, run{text: " cannot be read"})
	case d.Model() == nil:
		t.out.line(run{text: path.Base(file), style: code}, run{text: " is no Toolpath document"})
	default:
		t.out.line(run{text: "the document "}, run{text: path.Base(file), style: code, href: d.URI})
		for i, p := range d.Model().Paths {
			if i == 3 {
				t.out.line(run{text: plural(len(d.Model().Paths)-i, "more path")})
				break
			}
			t.out.line(pathTitle(p)...)
		}
	}
}

// pathTitle names a path in one line.
func pathTitle(p *toolpath.Path) []run {
	if p.Ref.Valid() {
		return []run{{text: "refers to "}, {text: p.Ref.Text(), style: code}}
	}
	line := []run{{text: "path "}, {text: p.ID, style: bold}}
	if title := p.Title(); title != "" {
		line = append(line, run{text: " · " + title})
	}
	return append(line, run{text: " · " + plural(p.Steps.Len(), "step")})
}

// describePath tells of a path as a whole.
func (t *teller) describePath(d *Document, p *toolpath.Path) {
	t.out.line(pathTitle(p)...)
	if n := deadEnds(p); n > 0 {
		t.out.line(run{text: plural(n, "dead end")})
	}
	if first, last := span(p); last >= 0 {
		a, b := p.Steps.At(first), p.Steps.At(last)
		words := when(b)
		if when(a) != words {
			words = "from " + when(a) + " to " + words
		}
		t.out.line(run{text: words}, since(b, t.now))
	}
	if p.Kind() != "" {
		t.out.line(describeKind(p.Kind())...)
	}
	t.descent(d, p)
}

// deadEnds counts the steps that the head does not descend from, 0 where that means nothing.
func deadEnds(p *toolpath.Path) (n int) {
	if p.DAG().Head < 0 || p.IsAgentSession() {
		return 0
	}
	for _, active := range p.DAG().Active {
		if !active {
			n++
		}
	}
	return n
}

// span returns the steps of the earliest and the latest time, -1 if none has a time.
func span(p *toolpath.Path) (first, last int) {
	first, last = -1, -1
	for i, s := range p.Steps.All() {
		if !s.HasTime {
			continue
		}
		if first < 0 || s.Time().Before(p.Steps.At(first).Time()) {
			first = i
		}
		if last < 0 || !s.Time().Before(p.Steps.At(last).Time()) {
			last = i
		}
	}
	return first, last
}

// descent tells what a path with a parent is.
func (t *teller) descent(d *Document, p *toolpath.Path) {
	if !p.Parent().Valid() {
		return
	}
	kind, parent, needs := t.Descent(d, p)
	t.needs = append(t.needs, needs...)
	if kind == "" {
		t.out.line(run{text: "descends from the step " + p.Parent().Get("step").Text() + " of the path " + p.Parent().Get("path").Text() + ", which is not in reach"})
		return
	}
	t.out.line(run{text: "a " + kind, style: bold}, run{text: " of "}, stepLink(parent), run{text: " of the path " + parent.Path.ID + " in " + parent.Doc.Name()})
}

// outward tells of a path or step that is named from outside.
func (t *teller) outward() {
	sub, need, ok := t.subjectAt(t.d, t.place)
	if need != nil {
		t.needs = append(t.needs, *need)
	}
	if ok {
		if i := sub.path.Find(sub.step); sub.step != "" && i >= 0 {
			describeStep(t.out, sub.path, i, t.now)
		} else if sub.step == "" {
			t.describePath(sub.doc, sub.path)
		}
	}
	if t.path != nil && t.tail("parent", "step") || t.tail("parent", "path") {
		t.descent(t.d, t.path)
	}
	if t.tail("base", "uri") {
		t.base()
	}
	if t.out.Empty() {
		t.out.line(describe(t.describe())...)
	}
}

func (t *teller) kind() { t.out.line(describeKind(t.frame.Value.Text())...) }

func describeKind(kind string) []run {
	if i := slices.Index(schema.SessionKinds[:], kind); i >= 0 {
		return []run{{text: "an AI coding session, version " + path.Base(kind)[1:]}}
	}
	return []run{{text: kind, style: code}, {text: " is not known here: the path is read as any other"}}
}

// diff sums a diff up.
func (t *teller) diff() {
	if n := len(t.pointer); n < 3 || t.pointer[n-3] != "change" {
		return
	}
	d := udiff.Parse(t.frame.Value.Text())
	t.out.line(run{text: fmt.Sprintf("+%d −%d in %s", d.Added, d.Removed, plural(len(d.Hunks), "hunk"))})
	if _, ok := d.Replayable(); !ok {
		t.out.line(run{text: "not a diff that can be replayed", style: italic})
	}
}

func (t *teller) operation() {
	if words := operationWords(t.object); words != "" {
		t.out.line(wordsOf(words)...)
	}
}

// artifact tells of the artifact whose key is at the position: what the step did to it, and
// which steps of the path touch it.
func (t *teller) artifact() {
	key := t.value.Text()
	t.out.line(run{text: key, style: code})
	if i := t.place.step; i >= 0 {
		if change := t.path.Steps.At(i).Value(t.path.Steps.At(i).Nodes.Change).Get(key); change.Valid() {
			if raw := change.Get("raw"); raw.Kind() == jsonsrc.String {
				d := udiff.Parse(raw.Text())
				t.out.line(run{text: fmt.Sprintf("+%d −%d in %s", d.Added, d.Removed, plural(len(d.Hunks), "hunk"))})
			}
			op := change.Get("structural")
			if words := operationWords(op); words != "" {
				t.out.line(wordsOf(words)...)
			}
			if len(operationsOf(op)) == 0 {
				t.definitions(StepRef{t.d, t.path, i}, key)
			}
		}
	}
	var steps []int32
	last := int32(-1)
	for _, m := range t.d.mentions(t.place, never) {
		if i := t.stepHolding(m.Start); i >= 0 && i != last {
			steps, last = append(steps, i), i
		}
	}
	t.out.line(describeSteps(plural(len(steps), "step")+" of this path: ", t.path, steps)...)
}

// definitions tells what a step did to the definitions of an artifact.
func (t *teller) definitions(r StepRef, artifact string) {
	const most = 6
	st, needs := t.structureFor(r, artifact, never)
	t.needs = append(t.needs, needs...)
	var words []string
	for _, c := range st.Of(artifact) {
		words = append(words, c.Words(st.Before, st.After))
	}
	if n := len(words) - most; n > 0 {
		words = append(words[:most], fmt.Sprintf("%d more", n))
	}
	if len(words) > 0 {
		t.out.line(wordsOf(strings.Join(words, " · "))...)
	}
}

// stepDefinitions tells what a step did to definitions, where it does not say so itself. Of
// those that it moved to another file it tells who had written them.
func (t *teller) stepDefinitions(r StepRef) {
	const files, moves, most = 8, 3, 6
	n := 0
	st, needs := t.structureOf(r, func(artifact string) bool {
		change := r.At().Value(r.At().Nodes.Change).Get(artifact)
		n++
		return n <= files && len(operationsOf(change.Get("structural"))) == 0
	}, never)
	t.needs = append(t.needs, needs...)
	var words []string
	moved := 0
	for _, c := range st.Changes {
		if was, is := st.Pair(c); c.Action == entity.Move && was.File != is.File && moved < moves {
			moved++
			t.out.line(append(wordsOf(c.Words(st.Before, st.After)), t.writersOf(r, was)...)...)
			continue
		}
		words = append(words, c.Words(st.Before, st.After))
	}
	if n := len(words) - most; n > 0 {
		words = append(words[:most], fmt.Sprintf("%d more", n))
	}
	if len(words) > 0 {
		t.out.line(wordsOf(strings.Join(words, " · "))...)
	}
}

// writersOf tells which steps had written the lines of a definition before a step: at most
// two by name; nil if that is not known of all of them.
func (t *teller) writersOf(r StepRef, e *EntityAt) []run {
	before, order, err := r.before()
	if err != nil {
		return nil
	}
	a, needs, err := t.accountAfter(before, e.File, order, never)
	t.needs = append(t.needs, needs...)
	if a == nil || err != nil {
		return nil
	}
	lines := a.projection.Lines()
	var steps []StepRef
	seen := map[provenance.StepID]bool{}
	for _, id := range lines[min(e.StartLine, len(lines)):min(e.EndLine+1, len(lines))] {
		ident := a.projection.Ident(a.projection.Owner(id))
		if ident.Step == 0 || ident.Flags&provenance.Overwrite != 0 || a.projection.Grade(id) <= provenance.GradeInferred {
			return nil
		}
		if !seen[ident.Step] {
			seen[ident.Step] = true
			steps = append(steps, *a.ref(ident.Step))
		}
	}
	if len(steps) == 0 || len(steps) > 2 {
		return nil
	}
	out := byStep("; written by", steps[0])
	if len(steps) > 1 {
		out = append(out, byStep(" and by", steps[1])...)
	}
	return out
}

// stepHolding returns the step of the path that an offset lies in, -1 for none.
func (t *teller) stepHolding(off int) int32 {
	chunk := t.d.Tree().ChunkIndex(off)
	i, ok := t.path.Steps.Search(chunk)
	if !ok {
		return -1
	}
	return int32(i)
}
