package lsp

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/rules"
	"github.com/toolpath-ls/toolpath-ls/lsp/lsptest"
)

// faultySteps returns a document over largeFrame, with some faults.
func faultySteps() string {
	var doc strings.Builder
	doc.WriteString("{\n  \"graph\": {\"id\": \"g\"},\n  \"paths\": [{\"path\": {\"id\": \"p\", \"head\": \"s4999\"}, \"steps\": [\n")
	for i := range 5000 {
		actor, time := "human:alex", "2026-01-29T10:00:00Z"
		switch i % 997 {
		case 5:
			actor = "nobody"
		case 6:
			time = "today"
		case 7:
			actor = `human:é\"`
		}
		fmt.Fprintf(&doc, "%s  {\"step\": {\"id\": \"s%d\", \"parents\": [\"s%d\"], \"actor\": \"%s\", \"timestamp\": \"%s\"},\n   \"change\": {\"src/f%d.rs\": {\"raw\": \"@@ -1 +1 @@\\n-x\\n+y\"}}, \"meta\": {\"intent\": \"%s\"}}",
			strings.Repeat(",\n", min(i, 1)), i, max(i-1, 0), actor, time, i, strings.Repeat("why ", 20))
	}
	doc.WriteString("\n]}]}\n")
	return doc.String()
}

// A document that is read while it arrives is the one that is read when it is there: a trace
// keeps whole messages, so that with one it is.
func TestADocumentIsTheSameHoweverItArrives(t *testing.T) {
	const uri = "file:///w/a.path.json"
	text := faultySteps()
	quoted, _ := json.Marshal(text)
	escaped := strings.ReplaceAll(string(quoted), "é", `\u00e9`)
	spaced := strings.Replace(text, "  {", "  {   \t", 3)
	open := func(text string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":%q,"languageId":"json","version":1,"text":%s}}}`, uri, text)
	}
	asJSON := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	for name, body := range map[string]string{
		"as clients write it": open(string(quoted)),
		"spaces":              strings.NewReplacer(`"text":`, "\"text\" :\n ", `}}}`, "} }\n}").Replace(open(asJSON(spaced))),
		"escapes":             open(escaped),
		"carriage returns":    open(asJSON(strings.ReplaceAll(text, "\n", "\r\n"))),
		"text first":          fmt.Sprintf(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"text":%s,"uri":%q,"languageId":"json","version":1}}}`, quoted, uri),
		"method last":         fmt.Sprintf(`{"params":{"textDocument":{"uri":%q,"languageId":"json","version":1,"text":%s}},"jsonrpc":"2.0","method":"textDocument/didOpen"}`, uri, quoted),
		"more members":        strings.Replace(open(string(quoted)), `"languageId"`, `"x":{"text":"no","uri":[1]},"languageId"`, 1),
		"lone surrogate":      open(strings.Replace(string(quoted), "why why", `why \ud800 why`, 9)),
		"no UTF-8":            open(strings.Replace(string(quoted), "why why", "why \xff\xe2\x82 why", 9)),
		"cut off":             open(asJSON(text[:len(text)-3000])),
		"broken":              open(asJSON(strings.Replace(text, "}}, ", "}, ", 7))),
		"no document":         open(asJSON(strings.Repeat("no JSON\n", 200_000))),
		"a stream":            strings.ReplaceAll(open(asJSON(strings.Repeat(`{"Step":{"step":{"id":"a","actor":"x"},"change":{"`+strings.Repeat("f", 800)+`":{}}}}`+"\n", 1500))), "a.path.json", "a.path.jsonl"),
	} {
		t.Run(name, func(t *testing.T) {
			if len(body) <= largeFrame {
				t.Fatalf("only %d bytes", len(body))
			}
			uri := uri
			if name == "a stream" {
				uri += "l"
			}
			told := func(trace io.Writer) string {
				e := startInitialized(t, Options{Workspace: analysis.NewWorkspace(&analysis.Options{Rules: rules.All()}, nil), Trace: trace})
				if err := e.SendBody(body); err != nil {
					t.Fatal(err)
				}
				told := described(e.Published(uri, 1))
				e.Change(uri, 2, lsptest.Change{Range: &lsptest.Range{Start: lsptest.Pos{Line: 2}, End: lsptest.Pos{Line: 2, Character: 1}}})
				told += described(e.Published(uri, 2))
				got, _ := textOf(t, e, uri)
				if err := e.Shutdown(); err != nil {
					t.Error(err)
				}
				return told + got.Text
			}
			if got, want := told(nil), told(io.Discard); got != want || len(got) < 1<<20 {
				t.Errorf("%d bytes are told of the document, %d if it is there at once", len(got), len(want))
			}
		})
	}
}

func TestALargeMalformedMessageDoesNotEndTheSession(t *testing.T) {
	const uri = "file:///w/a.path.json"
	quoted, _ := json.Marshal(faultySteps())
	head := fmt.Sprintf(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":%q,"languageId":"json","version":1,"text":`, uri)
	for name, body := range map[string]string{
		"escape":      head + strings.Replace(string(quoted), "why", `\x`, 1) + "}}}",
		"hex":         head + strings.Replace(string(quoted), "why", `\u12g4`, 1) + "}}}",
		"control":     head + strings.Replace(string(quoted), "why", "\x01", 1) + "}}}",
		"no end":      head + string(quoted[:len(quoted)-1]),
		"half escape": head + string(quoted[:len(quoted)-1]) + `\u00`,
		"no brackets": head + string(quoted),
		"more":        head + string(quoted) + `}}} x`,
	} {
		t.Run(name, func(t *testing.T) {
			e := startInitialized(t, Options{check: noCheck})
			if err := e.SendBody(body); err != nil {
				t.Fatal(err)
			}
			if _, known := textOf(t, e, uri); known {
				t.Error("the document is open")
			}
			e.Open(uri, "json", 2, "{}")
			wantText(t, e, uri, "{}")
			if err := e.Shutdown(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A panic while a document arrives costs nothing but time.
func TestADraftThatFailsIsNotUsed(t *testing.T) {
	const uri = "file:///w/a.path.json"
	text := faultySteps()
	bugs := make(chan string, 99)
	rule := &analysis.Rule{ID: "TP0001", Name: "bug", Severity: analysis.Error, Step: func(p *analysis.StepPass) {
		if p.Step.ID == "s4000" {
			panic("a bug")
		}
	}}
	e := startInitialized(t, Options{
		Workspace: analysis.NewWorkspace(&analysis.Options{Rules: []*analysis.Rule{rule}}, nil),
		OnBug:     func(where string, _ any) { bugs <- where },
	})
	e.Open(uri, "json", 1, text)
	if got := described(e.Published(uri, 1)); !strings.Contains(got, "not checked") {
		t.Errorf("published %s", got)
	}
	wantText(t, e, uri, text)
	if err := e.Shutdown(); err != nil {
		t.Error(err)
	}
	where := ""
	for len(bugs) > 0 {
		where += <-bugs + " "
	}
	if !strings.Contains(where, "check") {
		t.Errorf("bugs in %s", where)
	}
}
