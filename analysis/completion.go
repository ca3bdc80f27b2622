package analysis

import (
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

// maxCompletions bounds a list; what is left out comes with more letters.
const maxCompletions = 300

// Completions returns what may stand at an offset of a Toolpath document, the likeliest
// first; more says that the list was cut. now is the time for a new step.
func (d *Document) Completions(off int, now string) (list []Completion, more bool) {
	p, ok := d.position(off)
	if !ok {
		return nil, false
	}
	c := completer{d: d, p: p, off: off, now: now}
	switch {
	case p.onKey || p.object.Kind() == jsonsrc.Object && p.frame.Value == p.object:
		c.keys()
	case p.frame.Value.Kind() == jsonsrc.String || p.frame.Value.Kind() == jsonsrc.Invalid && p.frame.Key.Valid():
		c.values()
	case p.frame.Value.Kind() == jsonsrc.Array:
		c.elements()
	}
	return c.list[:min(len(c.list), maxCompletions)], len(c.list) > maxCompletions
}

type completer struct {
	d    *Document
	p    position
	off  int
	now  string
	list []Completion
}

// keys offers the fields that the object has not yet, required ones first, and for the map
// change the artifacts that the path knows.
func (c *completer) keys() {
	start, end, colon := c.off, c.off, true
	if c.p.onKey {
		start, end = c.p.frame.Key.Start(), c.p.frame.Key.End()
		colon = c.p.frame.Value.Kind() == jsonsrc.Invalid && c.p.frame.Value.Start() == c.p.frame.Value.End()
	}
	has := map[string]bool{}
	for k := range c.p.object.Members() {
		if !c.p.onKey || k != c.p.frame.Key {
			has[k.Text()] = true
		}
	}
	fields := schema.Fields(c.p.def, c.p.pointer...)
	slices.SortStableFunc(fields, func(a, b schema.Field) int {
		if a.Required == b.Required {
			return 0
		}
		if a.Required {
			return -1
		}
		return 1
	})
	for _, f := range fields {
		if has[f.Name] {
			continue
		}
		detail := f.Type
		if f.Required {
			detail = strings.TrimSpace("required " + detail)
		}
		text, snippet := quoted(f.Name), quoted(f.Name)
		if colon {
			text += ": " + blank[f.Type]
			snippet = escapeSnippet(snippet) + ": " + hole[f.Type]
		}
		c.list = append(c.list, Completion{KeyCompletion, f.Name, detail,
			schema.Describe(c.p.def, append(slices.Clone(c.p.pointer), f.Name)...), start, end, text, snippet})
	}
	switch c.last() {
	case "change":
		for _, name := range c.artifacts() {
			if !has[name] {
				text := quoted(name)
				if colon {
					text += `: {"raw": ""}`
				}
				c.list = append(c.list, Completion{Kind: FileCompletion, Label: name, Start: start, End: end, New: text, Snippet: escapeSnippet(text)})
			}
		}
	case "actors":
		for _, name := range c.actors() {
			if !has[name] {
				text := quoted(name)
				if colon {
					text += `: {"name": ""}`
				}
				c.list = append(c.list, Completion{Kind: ActorCompletion, Label: name, Start: start, End: end, New: text, Snippet: escapeSnippet(text)})
			}
		}
	}
}

// blank and hole are the empty values of a type, plain and with the cursor's place.
var (
	blank = map[string]string{"string": `""`, "object": "{}", "array": "[]"}
	hole  = map[string]string{"string": `"$1"`, "object": "{$1}", "array": "[$1]", "": "$1"}
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

// values offers strings for the value at the position.
func (c *completer) values() {
	v := c.p.frame.Value
	start, end := v.Start(), v.End()
	if v.Kind() != jsonsrc.String {
		start, end = c.off, c.off
	}
	add := func(kind CompletionKind, value, detail string) {
		text := quoted(value)
		c.list = append(c.list, Completion{Kind: kind, Label: value, Detail: detail, Start: start, End: end, New: text, Snippet: escapeSnippet(text)})
	}
	switch c.last() {
	case "parents", "head", "step_id":
		c.steps(add)
	case "actor", "signer":
		for _, a := range c.actors() {
			add(ActorCompletion, a, "")
		}
	case "timestamp":
		add(ValueCompletion, c.now, "now")
	case "rel":
		for _, rel := range rels {
			add(ValueCompletion, rel, "")
		}
	case "kind":
		for _, kind := range Kinds {
			add(ValueCompletion, kind, "")
		}
	default:
		for _, value := range schema.Values(c.p.def, c.p.pointer...) {
			add(ValueCompletion, value, "")
		}
	}
}

// elements offers what can be added to an array: a step, a parent.
func (c *completer) elements() {
	switch c.last() {
	case "parents":
		c.steps(func(kind CompletionKind, value, detail string) {
			text := quoted(value)
			c.list = append(c.list, Completion{Kind: kind, Label: value, Detail: detail, Start: c.off, End: c.off, New: text, Snippet: escapeSnippet(text)})
		})
	case "steps":
		if c.p.path != nil {
			c.newStep()
		}
	}
}

// newStep offers a step that descends from the head.
func (c *completer) newStep() {
	parents := ""
	if c.p.path.Head != "" {
		parents = `"parents": [` + quoted(c.p.path.Head) + `], `
	}
	plain := `{"step": {"id": "", ` + parents + `"actor": "human:", "timestamp": ` + quoted(c.now) + `}, "change": {}, "meta": {"intent": ""}}`
	snippet := `{"step": {"id": "$1", ` + escapeSnippet(parents) + `"actor": "${2:human:}", "timestamp": ` + escapeSnippet(quoted(c.now)) +
		`}, "change": {$3}, "meta": {"intent": "$4"}}`
	c.list = append(c.list, Completion{Kind: SnippetCompletion, Label: "new step", Detail: "descends from the head, at the current time",
		Start: c.off, End: c.off, New: plain, Snippet: snippet})
}

// steps offers the steps of the path, the latest first, without the one that asks.
func (c *completer) steps(add func(CompletionKind, string, string)) {
	if c.p.path == nil {
		return
	}
	steps := c.p.path.Steps
	for i := len(steps) - 1; i >= 0 && len(c.list) <= maxCompletions; i-- {
		if i == c.p.step || steps[i].ID == "" {
			continue
		}
		detail := steps[i].Actor
		if steps[i].Intent != "" {
			detail += " · " + clip(oneLine(steps[i].Intent), 60)
		}
		add(StepCompletion, steps[i].ID, detail)
	}
}

// actors returns the actors that the document defines or uses, those of the latest steps
// first.
func (c *completer) actors() []string {
	seen := map[string]bool{"": true}
	var all []string
	add := func(name string) {
		if !seen[name] && len(all) < maxCompletions {
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
		for i := len(p.Steps) - 1; i >= 0; i-- {
			add(p.Steps[i].Actor)
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

// artifacts returns the keys that the path's steps have, those of the latest steps first.
func (c *completer) artifacts() []string {
	if c.p.path == nil {
		return nil
	}
	seen := map[string]bool{}
	var all []string
	steps := c.p.path.Steps
	for i := len(steps) - 1; i >= 0; i-- {
		for key := range steps[i].Value(steps[i].Nodes.Change).Members() {
			if name := key.Text(); !seen[name] && len(all) < maxCompletions {
				seen[name] = true
				all = append(all, name)
			}
		}
	}
	return all
}

// Kinds are the kinds of paths that the format defines.
var Kinds = []string{
	"https://toolpath.net/kinds/agent-coding-session/v1.0.0",
	"https://toolpath.net/kinds/agent-coding-session/v1.1.0",
	"https://toolpath.net/kinds/agent-coding-session/v1.2.0",
}

// rels are the relations of meta.refs in use.
var rels = []string{"fixes", "implements", "references", "milestone", "changelog", "same-change", "produces", "produced-by",
	"context-for", "complements", "correlates", "issue", "pr", "continues"}
