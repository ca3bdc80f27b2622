package lsp

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"
	"testing"

	"go.lsp.dev/jsonrpc2"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/lsp/lsptest"
)

// largeText is a document of about the given size, with quotes, line ends and other
// characters as JSON has them.
func largeText(mb int) string {
	line := `    {"step": {"id": "s1", "actor": "human:asa", "timestamp": "2026-01-01T10:00:00Z"}, "change": {"src/é.rs": {"raw": "@@ -1 +1 @@\n-x\n+y"}}},` + "\n"
	return strings.Repeat(line, mb<<20/len(line))
}

// BenchmarkOpenStages measures what a message of 30 MB costs before the document is
// known, stage by stage.
func BenchmarkOpenStages(b *testing.B) {
	text := largeText(30)
	params, err := codec{}.Marshal(map[string]any{"textDocument": map[string]any{"uri": doc, "languageId": "json", "version": 1, "text": text}})
	if err != nil {
		b.Fatal(err)
	}
	body := jsonrpc2.AppendNotification(nil, "textDocument/didOpen", params)
	frame := fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(body), body)
	stage := func(name string, f func() error) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	stage("read", func() error {
		_, err := readFrame(bufio.NewReaderSize(bytes.NewReader(frame), maxHeader), defaultMaxFrame)
		return err
	})
	stage("scan", func() error { _, err := scan(body); return err })
	stage("decode", func() error { return new(openParams).decodeParams(params) })
	stage("open", func() error {
		analysis.NewWorkspace(&analysis.Options{}, nil).Open(doc, "json", 1, text)
		return nil
	})
}

// BenchmarkKeystroke measures an edit of a document up to its (empty) diagnostics: what
// the server adds to the check.
func BenchmarkKeystroke(b *testing.B) {
	for _, mb := range []int{1, 10} {
		b.Run(fmt.Sprintf("%dMB", mb), func(b *testing.B) {
			e := startInitialized(b, Options{check: noCheck})
			e.Open(doc, "json", 0, largeText(mb))
			e.Published(doc, 0)
			at := lsptest.Pos{Line: 1000, Character: 20}
			version := 0
			for b.Loop() {
				version++
				e.Change(doc, version, lsptest.Change{Range: &lsptest.Range{Start: at, End: at}, Text: "x"})
				if _, err := e.Call("test/text", textParams{"file:///none"}); err != nil {
					b.Fatal(err)
				}
			}
			if err := e.Shutdown(); err != nil {
				b.Error(err)
			}
		})
	}
}
