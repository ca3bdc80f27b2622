package analysis_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// Documents in the tests are written in a short notation:
//
//	path pr-1 head=s2 base=abc123            attributes: head, base (a ref), uri, kind,
//	                                         title, parent (file#path/step)
//	actor human:alex Alex Kesling            a definition of the path
//	step s1 human:alex 10:00 Add a greeting  id, actor, time or timestamp, intent
//	step s2 agent:x 11:00 <s1 Say more       "<a,b" are the parents; without it a step
//	                                         descends from the one before, "<" is a root
//	commit 1234abcd                          meta.source of the step
//	file src/a.go                            what follows is the raw diff
//	head rename from a.go                    a line of that diff before its first hunk
//	write src/a.go tool=Write op=add id=t1   a file.write; what follows is "after", in lines
//	|content                                 that start with "|"; diff lines are "raw"
//	was                                      the "|" lines after this one are "before"
//	failed t1                                the tool call of that id ended in an error
//	op src/a.go rust.rename                  a structural change without raw
//
// Time 10:00 is 2026-01-29T10:00:00Z. In texts ␍ is a carriage return, and ␄ at the end of
// a line takes its line feed away.
type notation struct {
	paths []*notedPath
}

type notedPath struct {
	identity, meta map[string]any
	actors         map[string]any
	steps          []*notedStep
}

type notedStep struct {
	identity, meta map[string]any
	change         map[string]map[string]any
	order          []string
	uses           []any
}

func untexted(s string) string {
	return strings.NewReplacer("␍", "\r", "␀", "\x00", "␄\n", "").Replace(s)
}

func parseNotation(t testing.TB, src string) *notation {
	t.Helper()
	n := &notation{}
	var path *notedPath
	var step *notedStep
	var into func(line string) // takes a line of a diff or content
	for line := range strings.Lines(src) {
		if into != nil && strings.ContainsRune("@+-| \\.#", rune(line[0])) {
			into(line)
			continue
		}
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		switch words[0] {
		case "path":
			path = newNotedPath(words)
			n.paths = append(n.paths, path)
		case "actor":
			path.actors[words[1]] = map[string]any{"name": strings.Join(words[2:], " ")}
		case "step":
			step = newNotedStep(words, path.steps)
			path.steps = append(path.steps, step)
		case "commit":
			step.meta["source"] = map[string]any{"type": "git", "revision": words[1]}
		case "file":
			into = appendTo(step.at(words[1]), "raw")
		case "Binary":
			into(line)
		case "head":
			into(strings.TrimPrefix(line, "head "))
		case "write":
			c := step.at(words[1])
			op := map[string]any{"type": "file.write"}
			for _, w := range words[2:] {
				k, v, _ := strings.Cut(w, "=")
				op[map[string]string{"tool": "tool", "op": "operation", "id": "tool_id", "to": "rename_to"}[k]] = v
			}
			c["structural"] = op
			into = writes(c, op, "after")
			step.uses = append(step.uses, map[string]any{"id": op["tool_id"], "name": op["tool"], "input": map[string]any{}, "category": "file_write", "result": map[string]any{"content": "ok", "is_error": false}})
		case "was":
			c := step.change[step.order[len(step.order)-1]]
			into = writes(c, c["structural"].(map[string]any), "before")
		case "failed":
			for _, u := range step.uses {
				if u.(map[string]any)["id"] == words[1] {
					u.(map[string]any)["result"] = map[string]any{"content": "denied", "is_error": true}
				}
			}
		case "op":
			step.at(words[1])["structural"] = map[string]any{"type": words[2]}
		default:
			t.Fatalf("the notation has no %q", line)
		}
	}
	return n
}

func appendTo(m map[string]any, field string) func(string) {
	return func(line string) {
		s, _ := m[field].(string)
		m[field] = s + untexted(line)
	}
}

func writes(change, op map[string]any, field string) func(string) {
	op[field] = ""
	return func(line string) {
		if line[0] == '|' {
			appendTo(op, field)(line[1:])
			return
		}
		appendTo(change, "raw")(line)
	}
}

func newNotedPath(words []string) *notedPath {
	p := &notedPath{identity: map[string]any{"id": words[1]}, meta: map[string]any{}, actors: map[string]any{}}
	base := map[string]any{"uri": "github:org/repo"}
	for _, w := range words[2:] {
		k, v, _ := strings.Cut(w, "=")
		switch k {
		case "head":
			p.identity["head"] = v
		case "base":
			base["ref"] = v
		case "uri":
			base["uri"] = v
		case "kind":
			p.meta["kind"] = "https://toolpath.net/kinds/" + v + "/v1.1.0"
		case "title":
			p.meta["title"] = strings.ReplaceAll(v, "_", " ")
		case "parent":
			// A step of a path of a document, or of one that nobody has.
			doc, at, ok := strings.Cut(v, "#")
			if !ok {
				doc, at = "file:///elsewhere.path.json", "p0/"+v
			}
			path, step, _ := strings.Cut(at, "/")
			p.identity["parent"] = map[string]any{"uri": doc, "path": path, "step": step}
		}
	}
	p.identity["base"] = base
	return p
}

func newNotedStep(words []string, before []*notedStep) *notedStep {
	at := words[3]
	if len(at) == len("10:00") {
		at = "2026-01-29T" + at + ":00Z"
	}
	s := &notedStep{identity: map[string]any{"id": words[1], "actor": words[2], "timestamp": at},
		meta: map[string]any{}, change: map[string]map[string]any{}}
	words = words[4:]
	switch {
	case len(words) > 0 && words[0] == "<":
		words = words[1:]
	case len(words) > 0 && words[0][0] == '<':
		s.identity["parents"] = strings.Split(words[0][1:], ",")
		words = words[1:]
	case len(before) > 0:
		s.identity["parents"] = []any{before[len(before)-1].identity["id"]}
	}
	if len(words) > 0 {
		s.meta["intent"] = strings.Join(words, " ")
	}
	return s
}

func (s *notedStep) at(key string) map[string]any {
	if s.change[key] == nil {
		s.change[key] = map[string]any{}
		s.order = append(s.order, key)
	}
	return s.change[key]
}

func (s *notedStep) json() map[string]any {
	change := map[string]any{}
	for k, v := range s.change {
		change[k] = v
	}
	if s.uses != nil {
		change["agent://session"] = map[string]any{"structural": map[string]any{"type": "conversation.append", "role": "assistant", "text": "", "tool_uses": s.uses}}
	}
	out := map[string]any{"step": s.identity, "change": change}
	if len(s.meta) > 0 {
		out["meta"] = s.meta
	}
	return out
}

func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// canonical writes a ".path.json".
func (n *notation) canonical() string {
	var paths []any
	for _, p := range n.paths {
		var steps []any
		for _, s := range p.steps {
			steps = append(steps, s.json())
		}
		meta := map[string]any{"actors": p.actors}
		for k, v := range p.meta {
			meta[k] = v
		}
		paths = append(paths, map[string]any{"path": p.identity, "steps": steps, "meta": meta})
	}
	return encode(map[string]any{"graph": map[string]any{"id": "g"}, "paths": paths})
}

// stream writes a ".path.jsonl" of the one path.
func (n *notation) stream() string {
	p := n.paths[0]
	open := map[string]any{"version": "1", "meta": p.meta}
	for k, v := range p.identity {
		if k != "head" {
			open[k] = v
		}
	}
	lines := []string{encode(map[string]any{"PathOpen": open})}
	for k, v := range p.actors {
		lines = append(lines, encode(map[string]any{"ActorDef": map[string]any{"actor": k, "definition": v}}))
	}
	for _, s := range p.steps {
		lines = append(lines, encode(map[string]any{"Step": s.json()}))
	}
	if head, ok := p.identity["head"]; ok {
		lines = append(lines, encode(map[string]any{"Head": map[string]any{"step_id": head}}))
	}
	return strings.Join(append(lines, `{"PathClose":{}}`), "\n") + "\n"
}

// chain writes a document of n steps, each with the changes that the function returns.
func chain(n int, change func(i int) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"graph":{"id":"g"},"paths":[{"path":{"id":"p","head":"s%d"},"steps":[`, n-1)
	for i := range n {
		parents := ""
		if i > 0 {
			parents = fmt.Sprintf(`"parents":["s%d"],`, i-1)
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "\n"+`{"step":{"id":"s%d",%s"actor":"human:alex","timestamp":"2026-01-29T10:00:00Z"},"change":%s}`, i, parents, change(i))
	}
	b.WriteString("]}]}")
	return b.String()
}
