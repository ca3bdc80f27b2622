package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/toolpath-ls/toolpath-ls/structural"
)

// The archives of the rules that need grammars, as the other rules have them: «…» stands
// around each place that the rule finds fault with.
func TestRulesWithGrammars(t *testing.T) {
	needGrammars(t)
	var files []string
	for _, id := range []string{"TP5003", "TP5101", "TP5102"} {
		found, err := filepath.Glob(filepath.Join("../../testdata/rules", id, "*.txtar"))
		if err != nil || len(found) < 2 {
			t.Fatalf("%s has %d archives: %v", id, len(found), err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		id := filepath.Base(filepath.Dir(file))
		t.Run(id+"/"+strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			tree, messages, marked := map[string]string{}, "", []string(nil)
			for _, f := range a.Files {
				text := string(f.Data)
				if f.Name == "messages" {
					messages = text
					continue
				}
				for _, part := range strings.Split(text, "«")[1:] {
					inner, _, _ := strings.Cut(part, "»")
					marked = append(marked, inner)
				}
				tree[f.Name] = strings.NewReplacer("«", "", "»", "").Replace(text)
			}
			dir := t.TempDir()
			write(t, dir, tree)
			o := execute(t, dir, "", "check", "--format", "json", "doc.path.json")
			var findings []struct {
				Line, Column, EndColumn int
				Severity, Code, Message string
			}
			if err := json.Unmarshal([]byte(o.stdout), &findings); err != nil {
				t.Fatalf("%v in %s%s", err, o.stdout, o.stderr)
			}
			var got strings.Builder
			var places []string
			lines := strings.Split(tree["doc.path.json"], "\n")
			for _, f := range findings {
				if f.Code != id {
					continue
				}
				got.WriteString(f.Severity + ": " + f.Message + "\n")
				places = append(places, lines[f.Line-1][f.Column-1:f.EndColumn-1])
			}
			if got.String() != messages {
				t.Errorf("says\n%sbut should say\n%s%s", &got, messages, o.stdout)
			}
			if strings.Join(places, "|") != strings.Join(marked, "|") {
				t.Errorf("places %q, want %q", places, marked)
			}
		})
	}
}

// A formatter's lines keep their authors, an edit in the same step is the step's; --raw tells
// of the last step that touched a line.
func TestBlameThroughFormatter(t *testing.T) {
	needGrammars(t)
	dir := t.TempDir()
	old, now := "package a\n\nfunc f(a, b int) int {\nif a > b { return a }\nreturn   b\n}\n",
		"package a\n\nfunc f(a, b int) int {\n\tif a > b {\n\t\treturn a\n\t}\n\treturn b + 1\n}\n"
	write(t, dir, map[string]string{"a.go": now, "a.path.json": `{"graph": {"id": "g"}, "paths": [{"path": {"id": "p", "head": "s2"}, "steps": [
		{"step": {"id": "s1", "actor": "human:mira", "timestamp": "2026-01-02T03:04:05Z"}, "change": {"a.go": {"structural": {"type": "file.write", "operation": "add", "after": ` + quoted(old) + `}}}},
		{"step": {"id": "s2", "parents": ["s1"], "actor": "agent:x", "timestamp": "2026-01-03T03:04:05Z"}, "change": {"a.go": {"structural": {"type": "file.write", "operation": "update", "tool": "Write", "after": ` + quoted(now) + `}}}}
	]}]}`})
	const s1, s2 = "s1 (human:mira 2026-01-02 ", "s2 (agent:x    2026-01-03 "
	o := execute(t, dir, "", "blame", "a.go")
	want := s1 + "1) package a\n" + s1 + "2) \n" + s1 + "3) func f(a, b int) int {\n" + s1 + "4) \tif a > b {\n" + s1 + "5) \t\treturn a\n" +
		s1 + "6) \t}\n" + s2 + "7) \treturn b + 1\n" + s1 + "8) }\n"
	if o.stdout != want || o.code != 0 {
		t.Errorf("%s%s\nwant\n%s", o.stdout, o.stderr, want)
	}
	o = execute(t, dir, "", "blame", "--raw", "a.go")
	want = s1 + "1) package a\n" + s1 + "2) \n" + s1 + "3) func f(a, b int) int {\n" + s2 + "4) \tif a > b {\n" + s2 + "5) \t\treturn a\n" +
		s2 + "6) \t}\n" + s2 + "7) \treturn b + 1\n" + s1 + "8) }\n"
	if o.stdout != want || o.code != 0 {
		t.Errorf("--raw: %s%s\nwant\n%s", o.stdout, o.stderr, want)
	}
}

func needGrammars(t *testing.T) {
	t.Helper()
	if !structural.HasGrammars {
		t.Skip("built without cgo: no grammars")
	}
}
