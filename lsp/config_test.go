package lsp

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/toolpath-ls/toolpath-ls/lsp/lsptest"
)

func TestDecodeSettings(t *testing.T) {
	for _, c := range []struct {
		in       string
		want     func(*Settings)
		problems []string
	}{
		{``, nil, nil},
		{`null`, nil, nil},
		{`{}`, nil, nil},
		{`{"hover":null}`, nil, nil},
		{`{"inlayHints":{"enable":true}}`, func(s *Settings) { s.InlayHints = true }, nil},
		{`{"inlayHints.enable":true,"hover":{"enable":false}}`, func(s *Settings) { s.InlayHints = true; s.Hover = false }, nil},
		{`{"maxFileSize":1.5}`, func(s *Settings) { s.MaxFileSize = 3 << 19 }, nil},
		{`{"maxFileSize":0}`, nil, []string{"toolpath.maxFileSize must be a number of MB from 0 to 4096, not 0"}},
		{`{"maxFileSize":"big"}`, nil, []string{`toolpath.maxFileSize must be a number of MB from 0 to 4096, not "big"`}},
		{`{"hover":{"enable":"yes"}}`, nil, []string{`toolpath.hover.enable must be true or false, not "yes"`}},
		{`{"hovr":{"enable":true}}`, nil, []string{"there is no setting toolpath.hovr.enable; did you mean toolpath.hover.enable?"}},
		{`{"zzzzzzzz":1}`, nil, []string{"there is no setting toolpath.zzzzzzzz"}},
		{`7`, nil, []string{"there is no setting toolpath."}},
	} {
		want := defaultSettings()
		if c.want != nil {
			c.want(&want)
		}
		got, problems := decodeSettings([]byte(c.in))
		if got != want || !slices.Equal(problems, c.problems) {
			t.Errorf("%s: %+v %q, want %+v %q", c.in, got, problems, want, c.problems)
		}
	}
	deep := strings.Repeat(`{"a":`, 50) + "1" + strings.Repeat("}", 50)
	if _, problems := decodeSettings([]byte(deep)); len(problems) != 1 {
		t.Errorf("deep settings: %q", problems)
	}
}

// Settings come with initialize, are asked for after it, and asked for again when the
// client says that they changed. A change has the documents checked again.
func TestConfiguration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, Options{check: checkWords})
		answer := `{"inlayHints":{"enable":true}}`
		e.Answer = func(method string, params json.RawMessage) (any, bool) {
			if method != "workspace/configuration" {
				return nil, true
			}
			if want := `{"items":[{"section":"toolpath"}]}`; string(params) != want {
				t.Errorf("asked for %s, want %s", params, want)
			}
			return []json.RawMessage{json.RawMessage(answer)}, true
		}
		e.Initialize(map[string]any{
			"capabilities": map[string]any{"workspace": map[string]any{
				"configuration": true,
				"codeLens":      map[string]any{"refreshSupport": true},
				"inlayHint":     map[string]any{"refreshSupport": true},
			}},
			"initializationOptions": map[string]any{"hover": map[string]any{"enable": false}, "speling": 1},
		})
		e.Open(doc, "json", 1, "bad")
		synctest.Wait()
		if n := len(e.Received("workspace/inlayHint/refresh")); n < 1 {
			t.Errorf("%d refreshes after the settings changed", n)
		}
		before := len(e.Publishes(doc))
		answer = `{"inlayHints":{"enable":false},"hover.enable":false}`
		e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": nil})
		e.Until("a refresh", func(f lsptest.Frame) bool { return f.Method == "workspace/codeLens/refresh" })
		synctest.Wait()
		if after := len(e.Publishes(doc)); after != before+1 {
			t.Errorf("%d publishes after the settings changed, %d before", after, before)
		}
		if told := e.Received("window/logMessage"); len(told) != 1 || !strings.Contains(string(told[0]), "speling") {
			t.Errorf("the user was told %s", told)
		}
		if err := e.Shutdown(); err != nil {
			t.Error(err)
		}
	})
}

// A client that keeps no settings to be asked for pushes them.
func TestPushedConfiguration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := startInitialized(t, Options{check: checkWords})
		e.Open(doc, "json", 1, "bad")
		e.Published(doc, 1)
		e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{"toolpath": map[string]any{"hover.enable": false}}})
		e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{"other": 1}})
		synctest.Wait()
		if n := len(e.Publishes(doc)); n != 2 {
			t.Errorf("%d publishes, want 2", n)
		}
		if err := e.Shutdown(); err != nil {
			t.Error(err)
		}
	})
}
