package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A program that was built without cgo has no grammars, says so, and still tells what of a
// file without need of one is formatting, and who wrote the rest.
func TestWithoutCgo(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	dir := t.TempDir()
	program := executable(dir)
	without := func(name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	without("go", "build", "-o", program, ".")
	write := func(name, content string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	write("doc.path.json", `{"graph": {"id": "g"}, "paths": [{"path": {"id": "p", "head": "s2"}, "steps": [
 {"step": {"id": "s1", "actor": "human:mira", "timestamp": "2026-01-02T10:00:00Z"}, "change": {
   "a.c": {"structural": {"type": "file.write", "operation": "add", "after": "int f(int n){return n+1;}\n"}},
   "a.go": {"structural": {"type": "file.write", "operation": "add", "after": "package a\nvar x=1\n"}}}},
 {"step": {"id": "s2", "parents": ["s1"], "actor": "agent:claude", "timestamp": "2026-01-02T11:00:00Z"}, "change": {
   "a.c": {"raw": "@@ -1 +1,3 @@\n-int f(int n){return n+1;}\n+int f(int n) {\n+  return n + 1;\n+}\n"},
   "a.go": {"raw": "@@ -1,2 +1,3 @@\n package a\n-var x=1\n+\n+var x = 1\n"}}}]}]}`)
	c := write("a.c", "int f(int n) {\n  return n + 1;\n}\n")
	g := write("a.go", "package a\n\nvar x = 1\n")
	if out := without(program, "version"); !strings.Contains(out, "without syntax trees: built without cgo") {
		t.Errorf("version: %s", out)
	}
	if out := without(program, "structural", "--why", g); !strings.Contains(out, "built without cgo") || !strings.Contains(out, "only white space at the end of lines") {
		t.Errorf("structural --why: %s", out)
	}
	if out := without(program, "blame", "--workspace", dir, c); strings.Contains(out, "s2") || strings.Count(out, "s1") != 3 {
		t.Errorf("blame of tokens that are the same:\n%s", out)
	}
	if out := without(program, "blame", "--workspace", dir, g); !strings.Contains(out, "s2") {
		t.Errorf("blame of a language in which line ends count:\n%s", out)
	}
}
