package lsp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/rules"
	"github.com/toolpath-ls/toolpath-ls/lsp"
	"github.com/toolpath-ls/toolpath-ls/lsp/lsptest"
)

// BenchmarkOpen is the time from didOpen to diagnostics of a document of 30 MB.
func BenchmarkOpen(b *testing.B) {
	var doc strings.Builder
	doc.WriteString("{\n  \"graph\": {\n    \"id\": \"g\"\n  },\n  \"paths\": [\n    {\n      \"path\": {\n        \"id\": \"p\",\n        \"head\": \"s85000\"\n      },\n      \"steps\": [\n")
	for i := 1; i <= 85000; i++ {
		fmt.Fprintf(&doc, "%s        {\n          \"step\": {\n            \"id\": \"s%d\",\n            \"actor\": \"human:alex\",\n            \"timestamp\": \"2026-01-29T10:00:00Z\"\n          },\n          \"change\": {\n            \"src/f%d.rs\": {\n              \"raw\": \"@@ -1,1 +1,1 @@\\n-x\\n+y\"\n            }\n          }\n        }",
			strings.Repeat(",\n", min(i-1, 1)), i, i%97)
	}
	doc.WriteString("\n      ]\n    }\n  ]\n}\n")
	b.SetBytes(int64(doc.Len()))
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		e := lsptest.Start(b, func(ctx context.Context, rwc io.ReadWriteCloser) error {
			return lsp.Serve(ctx, rwc, lsp.Options{Workspace: analysis.NewWorkspace(&analysis.Options{Rules: rules.All()}, nil)})
		})
		e.Initialize(nil)
		uri := "file:///w/a.path.json"
		body, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": map[string]any{
			"textDocument": map[string]any{"uri": uri, "languageId": "json", "version": 1, "text": doc.String()}}})
		b.StartTimer()
		if err := e.SendBody(string(body)); err != nil {
			b.Fatal(err)
		}
		e.Published(uri, 1)
		b.StopTimer()
		if err := e.Shutdown(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}
