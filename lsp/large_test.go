package lsp

import (
	"strings"
	"testing"
)

// BenchmarkLarge asks about a document of 184,000 steps, one a line (30 MB). Run with
// -bench 'Large/documentSymbol' for one query.
func BenchmarkLarge(b *testing.B) {
	content := manySteps(184_000, deep)
	a := newAsker(b)
	uri := a.open("a.path.json", content)
	doc := a.work.Snapshot().Document(uri)
	c := converter{text: doc.Text, encoding: a.encoding}
	place := func(off int) positionJSON {
		p := c.at(off)
		return positionJSON{p.Line, p.Character}
	}
	at := place(strings.Index(content, `"s9"`) + 2)
	screen := place(len(content) / 2)
	screen.Line += 60
	all := questions(uri, at, place(doc.Text.Len()))
	all["textDocument/semanticTokens/range"].(object)["range"] = object{"start": place(len(content) / 2), "end": screen}
	all["textDocument/inlayHint"].(object)["range"] = object{"start": place(len(content) / 2), "end": screen}
	doc.Model().Paths[0].DAG()
	for method, params := range all {
		b.Run(strings.TrimPrefix(method, "textDocument/"), func(b *testing.B) {
			q := &asker{a.session, b}
			b.ReportAllocs()
			for b.Loop() {
				_, _ = q.ask(b.Context(), method, params)
			}
		})
	}
}
