package lsp_test

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/rules"
	"github.com/toolpath-ls/toolpath-ls/lsp"
	"github.com/toolpath-ls/toolpath-ls/lsp/lsptest"
)

// session returns a pretty document of n steps in a chain.
func session(n int) string {
	var doc strings.Builder
	fmt.Fprintf(&doc, "{\n  \"graph\": {\n    \"id\": \"g\"\n  },\n  \"paths\": [\n    {\n      \"path\": {\n        \"id\": \"p\",\n        \"head\": \"s%d\"\n      },\n      \"steps\": [\n", n)
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&doc, "%s        {\n          \"step\": {\n            \"id\": \"s%d\",\n            \"parents\": [\"s%d\"],\n            \"actor\": \"human:alex\",\n            \"timestamp\": \"2026-01-29T10:00:00Z\"\n          },\n          \"change\": {\n            \"src/f%d.rs\": {\n              \"raw\": \"@@ -1,1 +1,1 @@\\n-x\\n+y\"\n            }\n          }\n        }",
			strings.Repeat(",\n", min(i-1, 1)), i, i-1, i%97)
	}
	doc.WriteString("\n      ]\n    }\n  ]\n}\n")
	return doc.String()
}

// open starts a server and opens a document in it.
func open(b *testing.B, uri, text string) *lsptest.Editor {
	b.Helper()
	e := lsptest.Start(b, func(ctx context.Context, rwc io.ReadWriteCloser) error {
		return lsp.Serve(ctx, rwc, lsp.Options{Workspace: analysis.NewWorkspace(&analysis.Options{Rules: rules.All()}, nil)})
	})
	e.Initialize(nil)
	e.Open(uri, "json", 1, text)
	e.Published(uri, 1)
	return e
}

// BenchmarkHoverWhileTyping measures hovers that each follow directly on a keystroke, in
// documents of several sizes. It reports the median and the 99th percentile.
func BenchmarkHoverWhileTyping(b *testing.B) {
	const uri = "file:///w/a.path.json"
	for _, steps := range []int{1_000, 14_000, 85_000} {
		text := session(steps)
		b.Run(fmt.Sprintf("%.1fMB", float64(len(text))/1e6), func(b *testing.B) {
			e := open(b, uri, text)
			line := strings.Count(text[:strings.Index(text, fmt.Sprintf(`"s%d",`, steps/2))], "\n")
			at := map[string]any{"line": line, "character": 20}
			var took []time.Duration
			for i := 0; b.Loop(); i++ {
				e.Change(uri, i+2, lsptest.Change{Range: &lsptest.Range{Start: lsptest.Pos{Line: line + 2, Character: 24}, End: lsptest.Pos{Line: line + 2, Character: 25}}, Text: string("abcdefgh"[i%8])})
				begin := time.Now()
				raw, err := e.Call("textDocument/hover", map[string]any{"textDocument": map[string]any{"uri": uri}, "position": at})
				if err != nil || len(raw) < 20 {
					b.Fatalf("%s %v", raw, err)
				}
				took = append(took, time.Since(begin))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-median")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "ms-p99")
			if err := e.Shutdown(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// BenchmarkOpen is the time from didOpen to diagnostics of a document of 30 MB.
func BenchmarkOpen(b *testing.B) {
	text := session(85_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		e := open(b, "file:///w/a.path.json", text)
		b.StopTimer()
		if err := e.Shutdown(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}
