package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/rules"
	"github.com/toolpath-ls/toolpath-ls/internal/race"
	"github.com/toolpath-ls/toolpath-ls/lsp"
	"github.com/toolpath-ls/toolpath-ls/lsp/lsptest"
)

// The log goes to stderr, or is appended to a file; the trace holds every frame of both
// directions.
func TestServeLogAndTrace(t *testing.T) {
	dir := t.TempDir()
	log, trace := filepath.Join(dir, "log"), filepath.Join(dir, "trace")
	session := func(args ...string) *lsptest.Editor {
		e := lsptest.Spawn(t, build(t), append([]string{"serve", "--verbose"}, args...)...)
		e.Initialize(nil)
		e.Notify("no/such/notification", nil)
		if err := e.Shutdown(); err != nil {
			t.Error(err)
		}
		return e
	}
	if s := session().Stderr(); !strings.Contains(s, "no/such/notification") {
		t.Errorf("nothing of it on stderr: %q", s)
	}
	for range 2 {
		if s := session("--log", log, "--trace", trace).Stderr(); s != "" {
			t.Errorf("stderr beside --log: %q", s)
		}
	}
	content, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(content), "no/such/notification"); n < 2 {
		t.Errorf("the log tells %d times of the notification that both sessions sent:\n%s", n, content)
	}
	content, err = os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(content)) {
		if !json.Valid([]byte(line)) {
			t.Errorf("no JSON line: %q", line)
		}
	}
	for _, word := range []string{"no/such/notification", "shutdown", "positionEncoding"} {
		if n := strings.Count(string(content), word); n < 2 {
			t.Errorf("the trace has %q %d times", word, n)
		}
	}
}

// Hostile documents are told of as any others, and the session goes on.
func TestServeBadInput(t *testing.T) {
	const big = 1 << 20
	e := lsptest.Spawn(t, build(t), "serve")
	e.Initialize(nil)
	for i, c := range []struct{ content, code string }{
		{"", "TP1001"},
		{strings.Repeat("[", big), "TP1001"},
		{strings.Repeat(`{"a":`, big/4), "TP1001"},
		{graph(strings.Repeat(strings.Replace(step, "human:mira", "mira", 1)+",", big/256) + step), "TP2004"},
		{"{\x00", "TP1001"},
		{`{"graph": {"id": "\ud800"}, "paths": []}`, "TP1001"},
		{"{\r\n\"graph\": {\"id\": \"\U0001F600\"},\r\n\"paths\": [],,\r\n}", "TP1001"},
	} {
		uri := fmt.Sprintf("file:///work/%d.path.json", i)
		e.Open(uri, "toolpath", 1, c.content)
		p := e.Published(uri, 1)
		told := func(d lsptest.Diagnostic) bool { return string(d.Code) == `"`+c.code+`"` }
		if !slices.ContainsFunc(p.Diagnostics, told) {
			t.Errorf("%.40q: no %s in %.500s", c.content, c.code, fmt.Sprint(p.Diagnostics))
		}
		if _, err := e.Call("textDocument/hover", map[string]any{
			"textDocument": map[string]any{"uri": uri}, "position": map[string]any{"line": 0, "character": 1 << 30},
		}); err != nil {
			t.Errorf("%.40q: hover: %v", c.content, err)
		}
		e.CloseDocument(uri)
	}
	if err := e.Shutdown(); err != nil {
		t.Errorf("%v: %s", err, e.Stderr())
	}
}

// counted is a rule that finds nothing and counts how often it is asked to look.
func counted(n *atomic.Int64) *analysis.Rule {
	return &analysis.Rule{ID: "TP0000", Name: "counted", Severity: analysis.Hint, Doc: "Counts\n",
		Document: func(*analysis.Pass) { n.Add(1) }}
}

// serveRules serves a client in memory with all rules and one more.
func serveRules(t *testing.T, extra *analysis.Rule) *lsptest.Editor {
	return lsptest.Start(t, func(ctx context.Context, rwc io.ReadWriteCloser) error {
		options := &analysis.Options{Rules: append(rules.All(), extra), MaxFileSize: analysis.DefaultMaxFileSize}
		return lsp.Serve(ctx, rwc, lsp.Options{
			Workspace: analysis.NewWorkspace(options, nil),
			OnBug:     func(where string, value any) { t.Errorf("panic in %s: %v", where, value) },
		})
	})
}

// A document whose bytes do not change is not analysed again, however often it is saved.
func TestSavesAnalyseNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var looks atomic.Int64
		e := serveRules(t, counted(&looks))
		e.Initialize(nil)
		const uri = "file:///work/a.path.json"
		e.Open(uri, "toolpath", 1, graph(step))
		e.Published(uri, 1)
		time.Sleep(time.Minute)
		synctest.Wait()
		before := looks.Load()
		for range 100 {
			e.Notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": uri}})
			time.Sleep(time.Second)
		}
		synctest.Wait()
		if n := looks.Load() - before; before == 0 || n != 0 {
			t.Errorf("%d analyses after opening, %d more by saving", before, n)
		}
		if err := e.Shutdown(); err != nil {
			t.Error(err)
		}
	})
}

// What 200 documents took is given back when they are closed.
func TestClosedDocumentsAreFreed(t *testing.T) {
	body, err := json.Marshal(strings.Repeat("a line of text\n", 20_000))
	if err != nil {
		t.Fatal(err)
	}
	document := graph(strings.Replace(step, "{}", `{"a.txt": {"raw": `+string(body)+`}}`, 1))
	synctest.Test(t, func(t *testing.T) {
		e := serveRules(t, counted(new(atomic.Int64)))
		e.Initialize(nil)
		session := func(i int) {
			uri := fmt.Sprintf("file:///work/%d.path.json", i)
			e.Open(uri, "toolpath", 1, document)
			e.Change(uri, 2, lsptest.Change{Range: &lsptest.Range{}, Text: " "})
			e.Published(uri, 2)
			e.CloseDocument(uri)
		}
		session(0)
		before := heap(t, e)
		for i := range race.Less(200) {
			session(i + 1)
		}
		if after := heap(t, e); after > before+8<<20 {
			t.Errorf("the heap grew from %d to %d MB by documents of %d KB", before>>20, after>>20, len(document)>>10)
		}
		if err := e.Shutdown(); err != nil {
			t.Error(err)
		}
	})
}

// heap is what is in use when the server has answered all and the garbage is gone, without
// what the Editor keeps of the frames.
func heap(t *testing.T, e *lsptest.Editor) int {
	t.Helper()
	if _, err := e.Call("textDocument/hover", map[string]any{
		"textDocument": map[string]any{"uri": "file:///none"}, "position": map[string]any{"line": 0, "character": 0},
	}); err != nil {
		t.Fatal(err)
	}
	kept := 0
	for _, f := range e.Frames() {
		kept += cap(f.Params) + cap(f.Result)
	}
	var stats runtime.MemStats
	for range 3 { // finalizers and pools need more than one
		runtime.GC()
	}
	runtime.ReadMemStats(&stats)
	return int(stats.HeapAlloc) - kept
}
