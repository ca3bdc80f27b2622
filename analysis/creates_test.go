package analysis

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/text"
)

// What is taken for a mere change of lines without decoding it is no creation, however it
// is spelled; and an ordinary diff is taken for one.
func TestChangesLines(t *testing.T) {
	const added = "+a\n+b\n"
	plain := map[string]bool{ // by diff: it changes lines
		"@@ -1,1 +1,2 @@\n a\n+b\n":                                     true,
		"@@ -1 +1 @@\n-a\n+b\n":                                         true,
		"--- a/x\n+++ b/x\n@@ -12,1 +12,2 @@\n a\n+b\n":                 true,
		"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,1 +1,2 @@\n a\n+b": true,
		"@@ -0,0 +1,2 @@\n" + added:                                     false,
		"--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n" + added:             false,
		"--- /dev/null\n+++ b/x\n@@ -1,0 +1,2 @@\n" + added:             false,
		"--- /dev/null\n+++ b/x\n@@ @@\n" + added:                       false,
		"new file mode 100644\n@@ -1,0 +1,2 @@\n" + added:               false,
		"@@\n" + added: false,
		"":             false,
		"+@@ -1 +1 @@": false,
		"--- a/@@ -1\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n": false,
	}
	spellings := []func(string) string{
		func(s string) string { return s },
		func(s string) string { return strings.ReplaceAll(s, "/", `\/`) },
		func(s string) string { return strings.ReplaceAll(s, "0", `\u0030`) },
		func(s string) string { return strings.ReplaceAll(s, "/", `\u002f`) },
		func(s string) string { return strings.ReplaceAll(s, "new", `\u006eew`) },
		func(s string) string { return strings.ReplaceAll(s, `\n`, `\u000a`) },
	}
	for raw, lines := range plain {
		quoted, err := json.Marshal(raw)
		if err != nil {
			t.Fatal(err)
		}
		for i, spell := range spellings {
			src := `{"graph":{"id":"g"},"paths":[{"path":{"id":"p","head":"s"},"steps":[{"step":{"id":"s","actor":"human:a","timestamp":"2026-01-29T10:00:00Z"},"change":{"x":{"raw":` + spell(string(quoted)) + `}}}]}]}`
			d := newDocument("file:///w/a.path.json", "", 1, true, text.New([]byte(src)), 0)
			touches := &d.changes()[0]
			c := touches.at(touches.steps["x"][0])
			got := touches.changesLines(c)
			if _, created := touches.created(c); got && created {
				t.Errorf("%s: a creation is taken for a change of lines", spell(string(quoted)))
			}
			if i == 0 && got != lines {
				t.Errorf("%s: %v", quoted, got)
			}
		}
	}
}
