package analysis

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/schema"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// CompletionKind is the kind of a completion.
type CompletionKind uint8

// The kinds of completions.
const (
	KeyCompletion CompletionKind = iota
	StepCompletion
	ActorCompletion
	ValueCompletion
	FileCompletion
	FolderCompletion
	SnippetCompletion
)

// Completion is one text that may stand at a place.
type Completion struct {
	Kind          CompletionKind
	Label, Detail string
	Doc           string // in the words of the format's description; may be ""
	// New replaces the text in [Start, End). In Snippet it has places to fill in, in the
	// syntax of LSP snippets; it may be equal to New.
	Start, End   int
	New, Snippet string
}

// Around is what a completion must know beside the documents.
type Around struct {
	Now string // the time for a new step, as a timestamp
	// Files are what the folder holds that Document.TypedFolder names: folders end with
	// "/".
	Files []string
}

// maxCompletions bounds a list; what is left out comes with more letters. maxRanked bounds
// the steps among which the latest are looked for.
const (
	maxCompletions = 300
	maxRanked      = 5000
)

// Completions returns what may stand at an offset of a Toolpath document, the likeliest
// first and only what fits the letters before the offset; more says that the list was cut.
// What must be read to know all is returned as well.
func (s *Snapshot) Completions(d *Document, off int, around Around) (list []Completion, more bool, needs []Need) {
	c := completer{s: s, d: d, off: off, around: around}
	p, ok := d.position(off)
	switch {
	case d.Model() == nil:
	case !ok && d.Model().Lines:
		c.lines()
	case !ok && d.Text.IsBlank():
		c.newDocument()
	case !ok:
	default:
		c.at(p)
	}
	return c.list[:min(len(c.list), maxCompletions)], len(c.list) > maxCompletions, c.needs
}

type completer struct {
	s      *Snapshot
	d      *Document
	p      position
	off    int
	around Around
	typed  []rune // in lower case
	list   []Completion
	needs  []Need
	// What is offered replaces [start, end); before and after are the commas that it needs.
	start, end    int
	before, after string
}

func (c *completer) at(p position) {
	inString := func(v jsonsrc.Value) bool { return v.Kind() == jsonsrc.String && v.Start() < c.off }
	for c.beside(p) {
		outer, ok := p.out()
		if !ok {
			break
		}
		p = outer
	}
	c.p, c.start, c.end = p, c.off, c.off
	switch {
	case p.onKey:
		c.start, c.end = p.frame.Key.Start(), p.frame.Key.End()
		c.typing(p.frame.Key)
		c.keys(p.frame.Value.Kind() == jsonsrc.Invalid && p.frame.Value.Start() == p.frame.Value.End())
	case p.object.Kind() == jsonsrc.Object && p.frame.Value == p.object:
		c.commas()
		c.keys(true)
	case inString(p.frame.Value):
		c.start, c.end = p.frame.Value.Start(), p.frame.Value.End()
		c.typing(p.frame.Value)
		c.values()
	case p.frame.Value.Kind() == jsonsrc.Invalid && p.frame.Key.Valid():
		c.values()
	case p.frame.Value.Kind() == jsonsrc.Array:
		c.commas()
		c.elements()
	}
}

// beside says whether the offset touches the innermost value from outside: what may stand
// there is another element or member.
func (c *completer) beside(p position) bool {
	v := p.frame.Value
	return !p.onKey && v.Kind() != jsonsrc.Invalid && (c.off <= v.Start() || c.off >= v.End() && v.Closed())
}

// typing takes the letters of a string before the offset, by which the list is chosen. An
// unclosed string ends at the offset, so that what comes behind it is not replaced.
func (c *completer) typing(v jsonsrc.Value) {
	if from := v.Start() + 1; from < c.off {
		c.typed = []rune(strings.ToLower(string(c.d.Text.Slice(from, c.off))))
	}
	if !v.Closed() {
		c.end = max(c.off, c.start)
	}
}

// fits says whether a text has the typed letters, in order.
func (c *completer) fits(text string) bool { return len(c.typed) == 0 || match(c.typed, text) >= 0 }

// commas finds out which commas are missing around the offset, in an array or object.
func (c *completer) commas() {
	const near = 4096
	t := c.d.Text
	if before := strings.TrimRight(string(t.Slice(max(0, c.off-near), c.off)), " \t\r\n"); before != "" && !strings.ContainsRune("[{,:", rune(before[len(before)-1])) {
		c.before = ", "
	}
	if after := strings.TrimLeft(string(t.Slice(c.off, min(t.Len(), c.off+near))), " \t\r\n"); after != "" && !strings.ContainsRune("]},", rune(after[0])) {
		c.after = ", "
	}
}

// add offers a text, given as JSON: plain, and as a snippet.
func (c *completer) add(kind CompletionKind, label, detail, doc, text, snippet string) {
	if len(c.list) > maxCompletions || !c.fits(label) {
		return
	}
	c.list = append(c.list, Completion{kind, label, detail, doc, c.start, c.end,
		c.before + text + c.after, escapeSnippet(c.before) + snippet + escapeSnippet(c.after)})
}

// value offers a string.
func (c *completer) value(kind CompletionKind, value, detail string) {
	c.add(kind, value, detail, "", quoted(value), escapeSnippet(quoted(value)))
}

// member offers a key and, if there is no colon behind it yet, a value.
func (c *completer) member(kind CompletionKind, key, detail, doc string, colon bool, value, hole string) {
	text, snippet := quoted(key), escapeSnippet(quoted(key))
	if colon {
		text, snippet = text+": "+value, snippet+": "+hole
	}
	c.add(kind, key, detail, doc, text, snippet)
}

// keys offers the fields that the object has not yet, required ones first, and the keys of
// maps: artifacts that the path, the workspace and the folder know, and actors.
func (c *completer) keys(colon bool) {
	has := map[string]bool{}
	for k := range c.p.object.Members() {
		if !c.p.onKey || k != c.p.frame.Key {
			has[k.Text()] = true
		}
	}
	fields := c.p.fields()
	slices.SortStableFunc(fields, func(a, b schema.Field) int { return cmp.Compare(optional(a), optional(b)) })
	for _, f := range fields {
		if has[f.Name] {
			continue
		}
		detail := f.Type
		if f.Required {
			detail = strings.TrimSpace("required " + detail)
		}
		c.member(KeyCompletion, f.Name, detail, c.p.describe(f.Name), colon, blank[f.Type], hole[f.Type])
	}
	switch c.last() {
	case "change":
		c.artifacts(has, colon)
	case "actors":
		for _, name := range c.actors() {
			if !has[name] && !strings.HasSuffix(name, ":") {
				c.member(ActorCompletion, name, "", "", colon, `{"name": ""}`, `{"name": "$1"\}`)
			}
		}
	}
}

func optional(f schema.Field) int {
	if f.Required {
		return 0
	}
	return 1
}

// blank and hole are the empty values of a type, plain and with the cursor's place.
var (
	blank = map[string]string{"string": `""`, "object": "{}", "array": "[]"}
	hole  = map[string]string{"string": `"$1"`, "object": `{$1\}`, "array": "[$1]", "": "$1"}
)

func escapeSnippet(s string) string {
	return strings.NewReplacer(`\`, `\\`, "$", `\$`, "}", `\}`).Replace(s)
}

// last returns the last field name on the way to the position.
func (c *completer) last() string {
	for i := len(c.p.pointer) - 1; i >= 0; i-- {
		if name := c.p.pointer[i]; strings.Trim(name, "0123456789") != "" {
			return name
		}
	}
	return ""
}

// offers are the values of fields, by the last names that lead to them; the first that fits
// counts.
var offers = []struct {
	names []string
	offer func(*completer)
}{
	{[]string{"parents"}, (*completer).parents},
	{[]string{"head"}, (*completer).heads},
	{[]string{"structural", "kept"}, (*completer).kept},
	{[]string{"step_id"}, (*completer).heads},
	{[]string{"parent", "uri"}, (*completer).documents},
	{[]string{"$ref"}, (*completer).documents},
	{[]string{"parent", "path"}, (*completer).parentPaths},
	{[]string{"parent", "step"}, (*completer).parentSteps},
	{[]string{"target"}, (*completer).targets},
	{[]string{"actor"}, (*completer).actorValues},
	{[]string{"signer"}, (*completer).actorValues},
	{[]string{"signatures", "key"}, (*completer).signerKeys},
	{[]string{"signature", "key"}, (*completer).signerKeys},
	{[]string{"timestamp"}, func(c *completer) { c.value(ValueCompletion, c.around.Now, "now") }},
	{[]string{"rel"}, func(c *completer) { c.strings(rels) }},
	{[]string{"meta", "kind"}, func(c *completer) { c.strings(schema.SessionKinds[:]) }},
	{[]string{"patch", "kind"}, func(c *completer) { c.strings(schema.SessionKinds[:]) }},
	{[]string{"structural", "type"}, (*completer).operations},
	{[]string{"base", "uri"}, func(c *completer) { c.toolpathURIs(false) }},
	{[]string{"refs", "href"}, func(c *completer) { c.toolpathURIs(true) }},
}

// values offers strings for the value at the position.
func (c *completer) values() {
	for _, o := range offers {
		if c.p.tail(o.names...) {
			o.offer(c)
			return
		}
	}
	c.strings(c.p.values())
}

func (c *completer) strings(values []string) {
	for _, v := range values {
		c.value(ValueCompletion, v, "")
	}
}

// elements offers what can be added to an array: a step, a parent.
func (c *completer) elements() {
	switch c.last() {
	case "parents":
		c.parents()
	case "kept":
		c.kept()
	case "steps":
		if c.p.path != nil && c.p.step < 0 {
			c.newStep("", "")
		}
	case "paths":
		c.add(SnippetCompletion, "new path", "", "", blankPath, holePath)
		c.add(SnippetCompletion, "$ref", "path in another document", "", `{"$ref": ""}`, `{"\$ref": "$1"\}`)
	}
}

// blankPath and holePath are a new path, plain and with places to fill in.
const (
	blankPath = `{"path": {"id": "", "head": ""}, "steps": []}`
	holePath  = `{"path": {"id": "$1", "head": "$2"\}, "steps": [$3]\}`
)

// newDocument offers a graph in a text that has nothing.
func (c *completer) newDocument() {
	c.start, c.end = c.off, c.off
	c.add(SnippetCompletion, "new graph", "with one path", "", `{"graph": {"id": ""}, "paths": [`+blankPath+`]}`,
		`{"graph": {"id": "$4"\}, "paths": [`+holePath+`]\}`)
}

// newStep offers a step that descends from the head, between what its form needs around it.
func (c *completer) newStep(open, shut string) {
	parents := ""
	if c.p.path.Head != "" {
		parents = `"parents": [` + quoted(c.p.path.Head) + `], `
	}
	time := `"timestamp": ` + quoted(c.around.Now)
	plain := open + `{"step": {"id": "", ` + parents + `"actor": "human:", ` + time + `}, "change": {}, "meta": {"intent": ""}}` + shut
	snippet := escapeSnippet(open) + `{"step": {"id": "$1", ` + escapeSnippet(parents) + `"actor": "${2:human:}", ` + escapeSnippet(time) +
		`\}, "change": {$3\}, "meta": {"intent": "$4"\}\}` + escapeSnippet(shut)
	c.add(SnippetCompletion, "new step", "descends from the head, at the current time", "", plain, snippet)
}

// lines offers the lines of a stream, at the offset of a blank one.
func (c *completer) lines() {
	t := c.d.Text
	line := t.Line(c.off)
	start, end := t.LineStart(line), t.LineEnd(line)
	if strings.TrimSpace(string(t.Slice(start, end))) != "" {
		return
	}
	c.start, c.end = start, end
	m := c.d.Model()
	if len(m.Paths) == 0 {
		c.line("PathOpen", `{"version": "1", "id": ""}`, `{"version": "1", "id": "$1"\}`)
		return
	}
	c.p.path, c.p.step = m.Paths[0], -1
	c.newStep(`{"Step": `, "}")
	c.line("Head", `{"step_id": ""}`, `{"step_id": "$1"\}`)
	c.line("ActorDef", `{"actor": "", "definition": {"name": ""}}`, `{"actor": "$1", "definition": {"name": "$2"\}\}`)
	c.line("PathMeta", `{"patch": {}}`, `{"patch": {$1\}\}`)
	c.line("Signature", `{"target": "path", "signature": {"signer": "", "key": "", "scope": "", "sig": ""}}`,
		`{"target": "${1:path}", "signature": {"signer": "$2", "key": "$3", "scope": "$4", "sig": "$5"\}\}`)
	c.line("PathClose", "{}", `{\}`)
}

func (c *completer) line(variant, body, snippet string) {
	c.add(SnippetCompletion, variant, "line", schema.Describe(schema.Line, variant),
		`{"`+variant+`": `+body+`}`, `{"`+variant+`": `+snippet+`\}`)
}

// latest calls offer with the steps of a path, the latest first, without those that skip
// names. Of very many steps the last ones of the document are looked at, which are the
// latest in what is written as it happens.
func latest(p *toolpath.Path, skip func(i int) bool, offer func(s toolpath.At)) {
	var order []int
	for i := p.Steps.Len() - 1; i >= 0 && len(order) < maxRanked; i-- {
		if p.Steps.At(i).ID != "" && !skip(i) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return p.Steps.At(b).Time().Compare(p.Steps.At(a).Time()) })
	for _, i := range order {
		offer(p.Steps.At(i))
	}
}

// offerStep offers the id of a step.
func (c *completer) offerStep(s toolpath.At) { c.value(StepCompletion, s.ID, stepDetail(s)) }

func stepDetail(s toolpath.At) string {
	if intent := s.Intent(); intent != "" {
		return s.Actor + " · " + clip(oneLine(intent), 60)
	}
	return s.Actor
}

// parents offers the steps that the step may descend from: neither itself nor what descends
// from it, nor what it names already.
func (c *completer) parents() {
	p := c.p.path
	if p == nil || c.p.step < 0 {
		return
	}
	below := descendants(p, c.p.step)
	named := map[string]bool{}
	for _, v := range p.Steps.At(c.p.step).ParentValues() {
		named[v.Text()] = v != c.p.frame.Value
	}
	latest(p, func(i int) bool { return below[i] || named[p.Steps.At(i).ID] }, c.offerStep)
}

// kept offers the steps before the compaction.
func (c *completer) kept() {
	if c.p.path != nil && c.p.step >= 0 {
		latest(c.p.path, func(i int) bool { return i >= c.p.step }, c.offerStep)
	}
}

// descendants marks a step and all that descend from it.
func descendants(p *toolpath.Path, i int) []bool {
	marks := make([]bool, p.Steps.Len())
	marks[i] = true
	for stack := []int32{int32(i)}; len(stack) > 0; {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, k := range p.DAG().Children.At(int(top)) {
			if !marks[k] {
				marks[k] = true
				stack = append(stack, k)
			}
		}
	}
	return marks
}

func all(int) bool { return false }

// heads offers steps for a head: first those that no step builds on.
func (c *completer) heads() {
	p := c.p.path
	if p == nil {
		return
	}
	inner := func(i int) bool { return len(p.DAG().Children.At(i)) > 0 }
	latest(p, inner, c.offerStep)
	latest(p, func(i int) bool { return !inner(i) }, c.offerStep)
}

func (c *completer) targets() {
	c.value(ValueCompletion, "path", "the whole path")
	if c.p.path != nil {
		latest(c.p.path, all, func(s toolpath.At) { c.value(StepCompletion, stepTarget+s.ID, stepDetail(s)) })
	}
}

// documents offers the documents of the workspace, relative to this one.
func (c *completer) documents() {
	if c.d.Path == "" {
		return
	}
	var files []string
	for _, d := range c.s.Documents() {
		if d.Path != "" && d.Kind() != Other {
			files = append(files, d.Path)
		}
	}
	for file := range c.s.closed.keys() {
		if c.s.docs[FileURI(file)] == nil {
			files = append(files, file)
		}
	}
	slices.Sort(files)
	for _, file := range slices.Compact(files) {
		// A $ref must not lead to a stream (RFC "File Extensions").
		if stream := strings.HasSuffix(strings.ToLower(file), "l"); file != c.d.Path && !(stream && c.last() == "$ref") {
			c.value(FileCompletion, relative(dir(c.d.Path), file), "")
		}
	}
}

// relative writes a file's path relative to a folder.
func relative(folder, file string) string {
	up := ""
	for folder != "/" && folder != "." {
		if rel, ok := within(folder, file); ok {
			return up + rel
		}
		folder, up = path.Dir(folder), up+"../"
	}
	return file
}

// parentDocument returns the document that the path's parent names.
func (c *completer) parentDocument() *Document {
	if c.p.path == nil {
		return nil
	}
	file := c.d.referencedFile(c.p.path.Parent().Get("uri").Text())
	if file == "" {
		return nil
	}
	d, need := c.s.documentAt(file)
	if need != nil {
		c.needs = append(c.needs, *need)
	}
	return d
}

func (c *completer) parentPaths() {
	if d := c.parentDocument(); d != nil && d.Model() != nil {
		for _, p := range d.Model().Paths {
			if !p.Ref.Valid() {
				c.value(ValueCompletion, p.ID, p.Title())
			}
		}
	}
}

func (c *completer) parentSteps() {
	d := c.parentDocument()
	if d == nil {
		return
	}
	id := c.p.path.Parent().Get("path").Text()
	if id == "" && len(d.ids()) == 1 {
		for only := range d.ids() {
			id = only
		}
	}
	p := FindPath(d.Model(), id)
	if p == nil {
		return
	}
	if head := p.DAG().Head; head >= 0 {
		c.value(StepCompletion, p.Steps.At(head).ID, "the head: a continuation · "+stepDetail(p.Steps.At(head)))
	}
	latest(p, func(i int) bool { return i == p.DAG().Head }, c.offerStep)
}

func (c *completer) actorValues() {
	for _, a := range c.actors() {
		c.value(ActorCompletion, a, "")
	}
}

// actors returns the actors that the document defines or uses, those of the latest steps
// first.
func (c *completer) actors() []string {
	seen := map[string]bool{"": true}
	var all []string
	add := func(name string) {
		if !seen[name] && len(all) < maxCompletions && c.fits(name) {
			seen[name] = true
			all = append(all, name)
		}
	}
	m := c.d.Model()
	paths := m.Paths
	if c.p.path != nil {
		paths = []*toolpath.Path{c.p.path}
	}
	for _, p := range paths {
		for i := p.Steps.Len() - 1; i >= 0; i-- {
			if i != c.p.step {
				add(p.Steps.At(i).Actor)
			}
		}
		for key := range p.Meta.Get("actors").Members() {
			add(key.Text())
		}
	}
	for key := range m.Meta.Get("actors").Members() {
		add(key.Text())
	}
	for _, kind := range toolpath.ActorKinds {
		add(kind + ":")
	}
	return all
}

// signerKeys offers the keys of the signer, as type and fingerprint.
func (c *completer) signerKeys() {
	if c.p.path == nil {
		return
	}
	def, ok := c.p.path.Actor(c.p.stepAt(), c.p.object.Get("signer").Text())
	if !ok {
		return
	}
	for _, key := range def.Value.Get("keys").Elements() {
		kind, print := key.Get("type").Text(), key.Get("fingerprint").Text()
		c.value(ValueCompletion, kind+":"+strings.ReplaceAll(print, " ", ""), def.Name)
	}
}

// toolpathURIs offers, once one is begun, URIs of the steps of the graph's paths and, as what a link
// may lead to, of the paths; a base is no step of its own path.
func (c *completer) toolpathURIs(link bool) {
	typed := string(c.typed)
	if typed == "" || !strings.HasPrefix(toolpathScheme, typed) && !strings.HasPrefix(typed, toolpathScheme) {
		return
	}
	for _, p := range c.d.Model().Paths {
		if p.Ref.Valid() || p.ID == "" || !link && p == c.p.path {
			continue
		}
		uri := toolpathScheme + p.ID
		if link {
			c.value(ValueCompletion, uri, p.Title())
		}
		latest(p, func(int) bool { return len(c.list) > maxCompletions }, func(s toolpath.At) {
			c.value(StepCompletion, uri+"/"+s.ID, stepDetail(s))
		})
	}
}

// operations offers the types of structural changes that the path's latest steps have, and those
// of its kind.
func (c *completer) operations() {
	seen := map[string]bool{}
	add := func(name string) {
		if name != "" && !seen[name] {
			seen[name] = true
			c.value(ValueCompletion, name, "")
		}
	}
	if c.p.path == nil {
		return
	}
	steps := c.p.path.Steps
	for i := steps.Len() - 1; i >= max(0, steps.Len()-maxRanked) && len(seen) < 100; i-- {
		if i == c.p.step {
			continue
		}
		s := steps.At(i)
		for _, change := range s.Value(s.Nodes.Change).Members() {
			add(change.Get("structural").Get("type").Text())
		}
	}
	for _, name := range schema.SessionOf(c.p.path.Kind()).Operations() {
		add(name)
	}
	add("file.write")
}

// TypedFolder returns the folder that the artifact key at an offset is about to name a file
// of, and what stands in the key before that name; not ok if there is no such key.
func (s *Snapshot) TypedFolder(d *Document, off int) (folder, prefix string, ok bool) {
	p, ok := d.position(off)
	if !ok || p.step < 0 || p.path == nil || len(p.pointer) == 0 || p.pointer[len(p.pointer)-1] != "change" {
		return "", "", false
	}
	if !p.onKey && p.frame.Value.Kind() != jsonsrc.Object {
		return "", "", false
	}
	if p.onKey && p.frame.Key.Start() < off {
		typed := string(d.Text.Slice(p.frame.Key.Start()+1, min(off, p.frame.Key.End())))
		prefix = typed[:strings.LastIndexByte(typed, '/')+1]
	}
	base := baseFolder(p.path)
	if prefix != "" && artifactName(strings.TrimSuffix(prefix, "/"), base) == "" {
		return "", "", false
	}
	folder = s.siteOf(d).fileOf(path.Clean("./"+prefix), base)
	return folder, prefix, folder != "" && !strings.HasPrefix(prefix, "/")
}

// maxNamed bounds the names of the workspace's other documents that are looked at.
const maxNamed = 200_000

// artifacts offers artifact keys: those of the path, of the latest steps first, what the
// folder holds, and what other documents of the repository name.
func (c *completer) artifacts(has map[string]bool, colon bool) {
	if c.p.path == nil {
		return
	}
	offer := func(name, detail string) {
		if !has[name] && name != "" {
			has[name] = true
			c.member(FileCompletion, name, detail, "", colon, `{"raw": ""}`, `{"raw": "$1"\}`)
		}
	}
	steps := c.p.path.Steps
	for i := steps.Len() - 1; i >= 0 && len(c.list) <= maxCompletions; i-- {
		if i == c.p.step {
			continue
		}
		s := steps.At(i)
		for key := range s.Value(s.Nodes.Change).Members() {
			offer(key.Text(), "")
		}
	}
	if _, prefix, ok := c.s.TypedFolder(c.d, c.off); ok {
		for _, name := range c.around.Files {
			if strings.HasSuffix(name, "/") {
				c.add(FolderCompletion, prefix+name, "", "", quoted(prefix+name), escapeSnippet(quoted(prefix+name)))
				continue
			}
			offer(prefix+name, "")
		}
	}
	if len(c.typed) > 0 {
		c.namedElsewhere(offer)
	}
}

func (c *completer) namedElsewhere(offer func(name, detail string)) {
	root, n := c.s.rootOf(c.d), 0
	var names []string
	for _, e := range c.s.closed.all() {
		if e.root != root || e.path == c.d.Path {
			continue
		}
		for _, p := range e.touches.paths {
			for name := range p.names {
				if n++; n > maxNamed {
					break
				}
				if !isAbsolute(name) && c.fits(name) {
					names = append(names, name)
				}
			}
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		offer(name, "in another document")
	}
}

// rels are the relations of meta.refs in use: those of the RFC, of the Correlation RFC, and
// what documents have.
var rels = []string{"fixes", "implements", "references", "issue", "pr", "milestone", "changelog", "requested_by",
	"same-change", "produces", "produced-by", "context-for", "complements", "correlates", "continues",
	"view", "artifact", "session", "agent-session", "transcript", "at-revision", "tool-call"}
