package lsp

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/internal/race"
)

// many returns documents that have very many of one thing each, n of them.
func many(n int) map[string]string {
	list := func(sep, format string) string {
		var b strings.Builder
		verbs := strings.Count(format, "%")
		for i := range n {
			if i > 0 {
				b.WriteString(sep)
			}
			fmt.Fprintf(&b, format, slices.Repeat([]any{i}, verbs)...)
		}
		return b.String()
	}
	const by = `"actor": "human:asa", "timestamp": "2026-01-01T10:00:00Z"`
	step := func(id, identity, change, meta string) string {
		if identity != "" {
			identity += ", "
		}
		return fmt.Sprintf(`{"step": {"id": %q, %s%s}, "change": {%s}, "meta": {%s}}`, id, identity, by, change, meta)
	}
	graph := func(paths, meta string) string {
		return fmt.Sprintf("{\"graph\": {\"id\": \"g\"}, \"meta\": {%s}, \"paths\": [\n%s\n]}\n", meta, paths)
	}
	path := func(identity, steps, meta string) string {
		if identity != "" {
			identity = ", " + identity
		}
		return graph(fmt.Sprintf("{\"path\": {\"id\": \"p\", \"head\": \"s1\"%s}, \"meta\": {%s}, \"steps\": [\n%s\n]}", identity, meta, steps), "")
	}
	s0 := step("s0", "", `"a.go": {"raw": "@@ -1 +1 @@\n-a\n+b"}`, "")
	one := func(identity, change, meta string) string {
		return path("", s0+",\n"+step("s1", identity, change, meta), "")
	}
	steps := func(identity, change, meta string) string {
		var b strings.Builder
		for i := range n {
			r := strings.NewReplacer("#-", fmt.Sprint(max(0, i-1)), "#", fmt.Sprint(i))
			b.WriteString(strings.Repeat(",\n", min(i, 1)) + step(fmt.Sprintf("s%d", i), r.Replace(identity), r.Replace(change), r.Replace(meta)))
		}
		return b.String()
	}
	session := func(steps string) string {
		return path("", steps, `"kind": "https://toolpath.net/kinds/agent-coding-session/v1.2.0", "source": "claude-code"`)
	}
	turn := func(more string) string {
		return `"claude-code://1": {"structural": {"type": "conversation.append", "role": "assistant", "text": "t"` + more + `}}`
	}
	stream := func(lines string) string {
		return `{"PathOpen": {"version": "1", "id": "p", "base": {"uri": "file:///w"}}}` + "\n" + lines + "\n"
	}
	line := func(id string) string { return `{"Step": ` + step(id, "", `"a.go": {}`, "") + "}\n" }
	var cases strings.Builder // of one name
	for i := range n {
		name := []byte("abcdefghijklmnopqrstuvw.go")
		for k := range 20 {
			name[k] ^= byte(i>>k&1) << 5
		}
		fmt.Fprintf(&cases, `%q: {"raw": "@@ -1 +1 @@\n-a\n+b"}, `, name)
	}
	hunk := `@@ -%d,1 +%d,1 @@\n-a\n+b\n`
	return map[string]string{
		"deep":                                 manySteps(n, deep),
		"wide":                                 manySteps(n, wide),
		"merging":                              manySteps(n, merging(n)),
		"ladder":                               manySteps(n, func(i int) []int { return []int{max(0, i-1), max(0, i-2)} }),
		"backwards":                            manySteps(n, func(i int) []int { return []int{min(n-1, i+1)} }),
		"equal parents":                        one(`"parents": [`+list(", ", `"s0"`)+`]`, "", ""),
		"unknown parents":                      one(`"parents": [`+list(", ", `"t%d"`)+`]`, "", ""),
		"steps of unknown parents":             path("", steps(`"parents": ["t#", "u#"]`, "", ""), ""),
		"steps that are parents of themselves": path("", steps(`"parents": ["s#"]`, "", ""), ""),
		"equal steps":                          path("", list(",\n", s0), ""),
		"unnamed steps":                        path("", list(",\n", `{"step": {}, "change": {}}`), ""),
		"refs":                                 one("", "", `"refs": [`+list(", ", `{"rel": "view", "href": "toolpath:p/t%d"}`)+`]`),
		"refs of the path":                     path("", s0, `"refs": [`+list(", ", `{"rel": "produces", "href": "toolpath:q%d/s"}`)+`]`),
		"steps with refs":                      path("", steps("", "", `"refs": [{"rel": "same-change", "href": "toolpath:p/s#"}]`), ""),
		"signatures": path("", s0, `"signatures": [`+list(", ", `{"signer": "human:a%d", "key": "gpg:%d", "scope": "author", "sig": "x"}`)+
			`], "actors": {`+list(", ", `"human:a%d": {"keys": [{"type": "gpg", "fingerprint": "%d"}]}`)+`}`),
		"signatures of one": one("", "", `"signatures": [`+list(", ", `{"signer": "human:asa", "key": "gpg:%d", "scope": "reviewer", "sig": "x"}`)+
			`], "actors": {"human:asa": {"keys": [`+list(", ", `{"type": "gpg", "fingerprint": "a%d"}`)+`]}}`),
		"signed steps": path("", steps("", "", `"signatures": [{"signer": "human:a#", "key": "gpg:1", "scope": "author", "sig": "x"}]`),
			`"actors": {`+list(", ", `"human:a%d": {}`)+`}`),
		"identities": path("", s0, `"actors": {"human:asa": {"identities": [`+list(", ", `{"system": "github", "id": "asa%d"}`)+`]}}`),
		"actors":     path("", s0, `"actors": {`+list(", ", `"human:a%d": {"name": "A"}`)+`}`),
		"steps of defined actors": path("", list(",\n", `{"step": {"id": "s%d", "actor": "human:a%d", "timestamp": "2026-01-01T10:00:00Z"}, "change": {}}`),
			`"actors": {`+list(", ", `"human:a%d": {"name": "A"}`)+`}`),
		"steps of undefined actors": path("", list(",\n", `{"step": {"id": "s%d", "actor": "human:a%d", "timestamp": "2026-01-01T10:00:00Z"}, "change": {}}`), ""),
		"definitions in steps":      path("", steps("", "", `"actors": {"human:asa": {"name": "A#"}, "human:b#": {}}`), ""),
		"paths":                     graph(list(",\n", `{"path": {"id": "p%d", "head": "s", "base": {"uri": "toolpath:p%d/s"}, "parent": {"uri": "a.path.json", "path": "p%d", "step": "s"}}, "steps": [{"step": {"id": "s", "parents": ["x"], `+by+`}, "change": {"a.go": {"raw": "@@ -1 +1 @@\n-a\n+b"}}}], "meta": {"refs": [{"rel": "x", "href": "toolpath:p%d/t"}]}}`), ""),
		"equal paths":               graph(list(",\n", `{"path": {"id": "p", "head": "s%d"}, "steps": [{"step": {"id": "t", "parents": ["x%d"], `+by+`}, "change": {}}]}`), ""),
		"paths with slashes":        graph(list(",\n", `{"path": {"id": "p/%d", "head": "s", "base": {"uri": "toolpath:p/%d/p/%d"}}, "steps": []}`), ""),
		"references":                graph(list(",\n", `{"$ref": "x%d.path.json"}`), ""),
		"equal references":          graph(list(",\n", `{"$ref": "x.path.json"}`), ""),
		"changes":                   one("", list(", ", `"src/f%d.go": {"raw": "@@ -1 +1 @@\n-a\n+b"}`), ""),
		"files of one name":         one("", list(", ", `"src/%d/index.js": {"raw": "@@ -1 +1 @@\n-a\n+b"}`), ""),
		"cases of one name":         one("", cases.String()+`"a.go": {}`, ""),
		"spellings":                 one("", list(", ", `"./x/../src/%d/../a.go": {"raw": "@@ -1 +1 @@\n-a\n+b"}`), ""),
		"equal changes":             one("", list(", ", `"a.go": {"raw": "@@ -1 +1 @@\n-a\n+b"}`), ""),
		"bad keys":                  one("", list(", ", `"../%d\\a/": {"raw": ""}`), ""),
		"hunks":                     one("", `"a.go": {"raw": "`+list("", hunk)+`"}`, ""),
		"headers":                   one("", `"a.go": {"raw": "`+list("", `--- a/%d\n+++ b/%d\n`)+`@@ -1 +1 @@\n-a\n+b\n"}`, ""),
		"files in a diff":           one("", `"a.go": {"raw": "`+list("", `--- a/%d\n+++ b/%d\n@@ -1 +1 @@\n-a\n+b\n`)+`"}`, ""),
		"lines in a diff":           one("", `"a.go": {"raw": "@@ -1,9 +1,9 @@\n`+list("", `+%d\n`)+`"}`, ""),
		"markers in a diff":         one("", `"a.go": {"raw": "@@ -1,9 +1,9 @@\n`+list("", `+%d\n\\ No newline at end of file\n`)+`"}`, ""),
		"operations":                one("", `"a.go": {"structural": {"type": "rust.add_items", "items": [`+list(", ", `{"kind": "fn", "name": "f%d"}`)+`]}}`, ""),
		"turns":                     session(steps(`"parents": ["s#-"]`, turn(`, "group_id": "g#"`), "")),
		"turns of one group":        session(steps(`"parents": ["s#-"]`, turn(`, "group_id": "g", "token_usage": {"input_tokens": 1, "output_tokens": null}`), "")),
		"groups that mix":           session(steps(`"parents": ["s#-"]`, turn(`, "group_id": "g#"`), "") + ",\n" + strings.ReplaceAll(steps("", turn(`, "group_id": "g#"`), ""), `"id": "s`, `"id": "t`)),
		"tool calls":                session(step("s1", "", turn(`, "tool_uses": [`+list(", ", `{"id": "u%d", "name": "Edit", "input": {}, "category": "file_write", "result": {"content": "", "is_error": true}}`)+`]`)+`, `+list(", ", `"f%d.go": {"structural": {"type": "file.write", "tool_id": "u%d", "after": "a"}}`), "")),
		"kept":                      session(step("s1", "", `"claude-code://1": {"structural": {"type": "conversation.compact", "trigger": "auto", "kept": [`+list(", ", `"t%d"`)+`]}}`, "")),
		"compactions":               session(steps(`"parents": ["s#-"]`, `"claude-code://1": {"structural": {"type": "conversation.compact", "kept": ["s#-", "s0"]}}`, "")),
		"delegations":               session(step("s1", "", turn(`, "delegations": [`+list(", ", `{"agent_id": "a%d", "prompt": "p", "turns": []}`)+`]`), "")),
		"breakdowns":                session(step("s1", "", turn(`, "token_usage": {"input_tokens": 1, "output_tokens": 1, "breakdowns": {"input_tokens": {`+list(", ", `"c%d": 1`)+`}}}`), "")),
		"equal keys":                one("", "", list(", ", `"x": 1`)),
		"unknown fields":            one(list(", ", `"x%d": 1`), "", ""),
		"faults of syntax":          one("", "", list(" ", `,]`)),
		"broken strings":            one("", "", `"x": [`+list(", ", "\"a%d\nb\"")+`]`),
		"steps with broken strings": path("", steps("", "", "\"intent\": \"a#\nb\""), ""),
		"strings without end":       path("", steps("", "", "\"intent\": \"a#\n"), ""),
		"a string of many lines":    one("", "", `"intent": "`+list("\n", `%d`)+`"`),
		"steps in an envelope":      `{"Path": {"path": {"id": "p", "head": "s1"}, "steps": [` + steps(`"parents": ["s#-"]`, `"a.go": {"raw": "@@ -1 +1 @@\n-a\n+b"}`, "") + `]}}`,
		"numbers":                   one("", "", `"x": [`+list(", ", `0.1234567890123456789%d`)+`]`),
		"keys beyond the BMP":       one("", "", `"x": {`+list(", ", `"𐀀%d": 1, "\uff5e%d": 2`)+`}`),
		"stream":                    stream(strings.ReplaceAll(list("\n", `{"Step": {"step": {"id": "s%d", `+by+`}, "change": {"a.go": {}}}}`), "\n\n", "\n")),
		"stream of heads":           stream(line("s0") + list("\n", `{"Head": {"step_id": "s%d"}}`)),
		"stream of actors":          stream(list("\n", `{"ActorDef": {"actor": "human:a%d", "definition": {"keys": [{"type": "gpg", "fingerprint": "1"}]}}}`) + "\n" + line("s0") + list("\n", `{"Signature": {"target": "step:s0", "signature": {"signer": "human:a%d", "key": "gpg:1", "scope": "author", "sig": "x"}}}`)),
		"stream of signatures":      stream(line("s0") + list("\n", `{"Signature": {"target": "step:t%d", "signature": {"signer": "human:asa", "key": "gpg:1", "scope": "author", "sig": "x"}}}`)),
		"stream of patches":         stream(line("s0") + list("\n", `{"PathMeta": {"patch": {"title": "t%d", "kind": "x", "refs": [{"rel": "x", "href": "toolpath:p/s0"}]}}}`)),
		"stream of openings":        stream(line("s0") + list("\n", `{"PathOpen": {"version": "%d", "id": "p%d"}}`)),
		"stream of nothing":         stream(strings.Repeat("\n", n)),
		"stream of broken strings":  stream(line("s0") + list("\n", "{\"PathMeta\": {\"patch\": {\"title\": \"t%d\n\"}}}")),
		"stream of cut lines":       stream(line("s0") + list("\n", "{\"PathMeta\": {\"patch\": {\"title\": \"t%d")),
		"stream of others":          stream(line("s0") + list("\n", `{"Unheard": {}}`)),
		"stream after its end":      stream(line("s0") + `{"PathClose": {}}` + "\n" + strings.Repeat(line("s0"), n)),
	}
}

// A document that has very many of one thing, whatever that is, is answered about: this ends.
// TOOLPATH_TEST_MANY says how many they are; `make test/long` asks about 100,000.
func TestEverythingOfMany(t *testing.T) {
	n := amountOf("TOOLPATH_TEST_MANY", race.Less(3000))
	for name, content := range many(n) {
		t.Run(name, func(t *testing.T) {
			a := newAsker(t)
			file := "a.path.json"
			if strings.HasPrefix(name, "stream") {
				file = "l"
			}
			uri := a.open(file, content)
			if _, err := a.work.CheckReferences(t.Context(), noFiles{}, uri); err != nil {
				t.Error(err)
			}
			a.everything(t.Context(), uri, len(content)/2)
			for _, what := range []string{`"head"`, `"human:asa"`, `"a.go"`, `"p"`, `"s1"`, `"id": "s0"`} {
				if at := strings.Index(content, what); at >= 0 {
					a.aboutPlace(t.Context(), uri, at+2)
				}
			}
			for part := range 3 {
				a.aboutPlace(t.Context(), uri, len(content)*(2*part+1)/6)
			}
		})
	}
}
