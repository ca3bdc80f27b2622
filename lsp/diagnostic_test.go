package lsp

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/rules"
	"github.com/toolpath-ls/toolpath-ls/lsp/lsptest"
)

const faulty = `{"graph": {"id": "g"}, "paths": [,]}`

// startPulling starts a session whose client says that it can pull.
func startPulling(t *testing.T) *lsptest.Editor {
	e := start(t, Options{Workspace: analysis.NewWorkspace(&analysis.Options{Rules: rules.All()}, nil)})
	e.Initialize(map[string]any{"capabilities": map[string]any{"textDocument": map[string]any{"diagnostic": map[string]any{}}}})
	return e
}

func pull(t *testing.T, e *lsptest.Editor) string {
	t.Helper()
	raw, err := e.Call("textDocument/diagnostic", map[string]any{"textDocument": map[string]any{"uri": doc}})
	if err != nil {
		t.Fatal(err)
	}
	var report struct {
		Kind  string
		Items []json.RawMessage
	}
	if err := json.Unmarshal(raw, &report); err != nil || report.Kind != "full" || len(report.Items) == 0 {
		t.Fatalf("report %s, %v", raw, err)
	}
	return string(raw)
}

// What a client pulls is not pushed as well: editors would show it twice.
func TestPulledDiagnosticsAreNotPushed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := startPulling(t)
		e.Open(doc, "json", 1, faulty)
		if got := pull(t, e); !strings.Contains(got, "TP1001") {
			t.Errorf("pulled %s", got)
		}
		e.Change(doc, 2, lsptest.Change{Text: faulty + " "})
		pull(t, e)
		time.Sleep(2 * pullGrace)
		synctest.Wait()
		if pushed := e.Publishes(doc); len(pushed) > 0 {
			t.Errorf("pushed %v", pushed)
		}
		if err := e.Shutdown(); err != nil {
			t.Error(err)
		}
	})
}

// A client that can pull and does not is served by pushing, after a grace, with the
// newest version only.
func TestClientThatDoesNotPullIsPushedTo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := startPulling(t)
		e.Open(doc, "json", 1, faulty)
		e.Change(doc, 2, lsptest.Change{Text: faulty + " "})
		time.Sleep(2 * pullGrace)
		synctest.Wait()
		if pushed := e.Publishes(doc); len(pushed) != 1 || pushed[0].Version == nil || *pushed[0].Version != 2 {
			t.Errorf("pushed %v", pushed)
		}
		// Once it pulls after all, what was pushed goes.
		pull(t, e)
		synctest.Wait()
		if pushed := e.Publishes(doc); len(pushed) != 2 || len(pushed[1].Diagnostics) != 0 {
			t.Errorf("pushed %v", pushed)
		}
		if err := e.Shutdown(); err != nil {
			t.Error(err)
		}
	})
}
