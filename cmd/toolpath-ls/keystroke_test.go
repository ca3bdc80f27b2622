package main

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/entity"
	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
	"github.com/toolpath-ls/toolpath-ls/analysis/rules"
	"github.com/toolpath-ls/toolpath-ls/analysis/text"
	"github.com/toolpath-ls/toolpath-ls/structural"
)

// counter counts what is asked of the languages.
type counter struct {
	structural.Formatter
	structural.Syntax
	asked atomic.Int64
}

func (c *counter) Formatting(q provenance.Comparison) provenance.Formatting {
	c.asked.Add(1)
	return c.Formatter.Formatting(q)
}

func (c *counter) Entities(file, source string) (entity.File, error) {
	c.asked.Add(1)
	return c.Syntax.Entities(file, source)
}

// Who types waits for no parser: that a step formats is found out once, and hover and blame
// of what is typed ask nothing of a grammar.
func TestKeystrokesParseNothing(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.go")
	document := `{"graph": {"id": "g"}, "paths": [{"path": {"id": "p", "head": "s2"}, "steps": [
 {"step": {"id": "s1", "actor": "human:mira", "timestamp": "2026-01-02T10:00:00Z"}, "change": {"a.go": {"structural": {"type": "file.write", "operation": "add", "after": "package a\nvar x=1\n"}}}},
 {"step": {"id": "s2", "parents": ["s1"], "actor": "tool:gofmt", "timestamp": "2026-01-02T11:00:00Z"}, "change": {"a.go": {"raw": "@@ -1,2 +1,3 @@\n package a\n-var x=1\n+\n+var x = 1\n"}}}]}]}`
	for name, content := range map[string]string{"doc.path.json": document, "a.go": "package a\n\nvar x = 1\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f := newFiles(0)
	defer f.close()
	c := new(counter)
	w := analysis.NewWorkspace(&analysis.Options{Rules: rules.All(), MaxFileSize: analysis.DefaultMaxFileSize, Syntax: c, Formatter: c},
		func(string) string { return filepath.ToSlash(dir) })
	w.Add(filepath.ToSlash(filepath.Join(dir, "doc.path.json")), []byte(document))
	uri := analysis.FileURI(filepath.ToSlash(file))
	w.Open(uri, "go", 1, "package a\n\nvar x = 1\n")
	ask := func() *analysis.Provenance {
		_, p, err := w.ProvenanceOf(t.Context(), f, uri, nil)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if hover := ask().HoverLine(2); hover == nil || c.asked.Load() == 0 {
		t.Fatalf("this counts nothing: %d, %v", c.asked.Load(), hover)
	}
	c.asked.Store(0)
	for i := range 100 {
		at := text.Pos{Line: 2, Column: 9 + i}
		if _, err := w.Change(uri, int32(i+2), text.UTF8, []text.Change{{Range: &text.Range{Start: at, End: at}, Text: fmt.Sprint(i % 10)}}); err != nil {
			t.Fatal(err)
		}
		p := ask()
		if p.HoverLine(0) == nil || len(p.Runs(0, p.Len())) != 2 {
			t.Fatalf("after %d keys: %v", i+1, p.Runs(0, p.Len()))
		}
	}
	if n := c.asked.Load(); n > 0 {
		t.Errorf("100 keystrokes asked %d times", n)
	}
}
