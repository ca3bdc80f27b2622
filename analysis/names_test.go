package analysis_test

import (
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// Which file a key means, by the base that the record has and the folder that the document
// lies in: its definition is that file, and the file has that change.
func TestFileOfKey(t *testing.T) {
	for _, c := range []struct{ key, base, want string }{
		{"src/a.go", "github:org/repo", "/w/src/a.go"},
		{"./src/../src//a.go", "github:org/repo", "/w/src/a.go"},
		{`src\a.go`, "github:org/repo", "/w/src/a.go"},
		{"src/%61.go", "github:org/repo", "/w/src/%61.go"},
		{"file:///w/src/%61.go", "github:org/repo", "/w/src/a.go"},
		{"file:/w/src/a.go", "github:org/repo", "/w/src/a.go"},
		{"/w/src/a.go", "github:org/repo", "/w/src/a.go"},
		{"/elsewhere/a.go", "github:org/repo", "/elsewhere/a.go"},
		// The record is of another machine: its folder is this one.
		{"src/a.go", "file:///home/alex/repo", "/w/src/a.go"},
		{"/home/alex/repo/src/a.go", "file:///home/alex/repo", "/w/src/a.go"},
		{"/home/alex/repo/src/a.go", "file:///home/alex/repo/", "/w/src/a.go"},
		{"/home/alex/repository/a.go", "file:///home/alex/repo", "/home/alex/repository/a.go"},
		{`C:\Users\alex\repo\src\a.go`, "file:///c%3A/Users/alex/repo", "/w/src/a.go"},
		{"c:/Users/alex/repo/src/a.go", "file:///C:/Users/alex/repo", "/w/src/a.go"},
		{`\\server\share\repo\a.go`, "file://server/share/repo", "/w/a.go"},
		{"/private/var/repo/a.go", "file:///var/repo", "/w/a.go"},
		{"/tmp/repo/a.go", "file:///private/tmp/repo", "/w/a.go"},
		{"/private/other/a.go", "github:org/repo", "/private/other/a.go"},
		// The record is of this machine: keys are relative to its folder.
		{"a.go", "file:///w", "/w/a.go"},
		{"a.go", "file:///w/sub", "/w/sub/a.go"},
		{"sub/a.go", "file:///w/sub", "/w/sub/sub/a.go"},
		{"/w/sub/a.go", "file:///w/sub", "/w/sub/a.go"},
		{"../a.go", "file:///w/sub", "/w/a.go"},
		{"a.go", "file:///", "/a.go"},
		// No file.
		{"../a.go", "github:org/repo", ""},
		{"..", "github:org/repo", ""},
		{".", "github:org/repo", ""},
		{"", "github:org/repo", ""},
		{"src/", "github:org/repo", ""},
		{"https://example.com/a.go", "github:org/repo", ""},
		{"review://src/a.go#L3", "github:org/repo", ""},
		{"claude-code://0a1b", "file:///w", ""},
		{"file:///100%", "github:org/repo", ""},
	} {
		doc := encode(map[string]any{"graph": map[string]any{"id": "g"}, "paths": []any{map[string]any{
			"path": map[string]any{"id": "p", "head": "s", "base": map[string]any{"uri": c.base}},
			"steps": []any{map[string]any{"step": map[string]any{"id": "s", "actor": "human:a", "timestamp": "2026-01-29T10:00:00Z"},
				"change": map[string]any{c.key: map[string]any{"raw": "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+line\n"}}}}}}})
		uri := "file:///w/p.path.json"
		m := &memory{}
		w := m.workspace()
		s := w.Open(uri, "", 1, doc)
		got := ""
		for off := range doc {
			if _, targets, _ := s.Definition(s.Document(uri), off); len(targets) == 1 && targets[0].Doc == nil {
				got = targets[0].Path
			}
		}
		if got != c.want {
			t.Errorf("%q in %s is %q, not %q", c.key, c.base, got, c.want)
		}
		for _, file := range []string{c.want, "/w/a.go", "/w/src/a.go"} {
			w.Open(analysis.FileURI(file), "go", 1, "line\n")
			p, needs := w.Snapshot().Provenance(analysis.FileURI(file), nil, nil)
			if named := len(needs) == 0 && p.Line(0).State == recorded; named != (file == c.want && file != "") {
				t.Errorf("%q in %s: the change is told of %s: %v", c.key, c.base, file, named)
			}
		}
	}
}
