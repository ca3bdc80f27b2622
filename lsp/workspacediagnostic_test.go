package lsp

import (
	"encoding/json"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/rules"
	"github.com/toolpath-ls/toolpath-ls/lsp/lsptest"
)

// poller asks for the diagnostics of the workspace as an editor does that asks again and again:
// with the result ids of the answer before.
type poller struct {
	t     *testing.T
	e     *lsptest.Editor
	known []any
}

func startPoller(t *testing.T, experimental any) *poller {
	e := start(t, Options{Workspace: analysis.NewWorkspace(&analysis.Options{Rules: rules.All()}, nil)})
	e.Initialize(map[string]any{"capabilities": map[string]any{
		"textDocument": map[string]any{"diagnostic": map[string]any{}}, "experimental": experimental}})
	return &poller{t: t, e: e, known: []any{}}
}

// ask sends the request and returns its id.
func (p *poller) ask() int {
	return p.e.Go("workspace/diagnostic", map[string]any{"previousResultIds": p.known})
}

// answered says whether an answer has come.
func (p *poller) answered(id int) bool {
	return slices.ContainsFunc(p.e.Frames(), func(f lsptest.Frame) bool { return !f.Out && string(f.ID) == strconv.Itoa(id) })
}

// take returns the kinds of the reports in the answer.
func (p *poller) take(id int) (kinds []string) {
	p.t.Helper()
	raw, err := p.e.Await(id)
	var report struct {
		Items []struct{ URI, Kind, ResultID string }
	}
	if err == nil {
		err = json.Unmarshal(raw, &report)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	p.known = []any{}
	for _, item := range report.Items {
		p.known = append(p.known, map[string]any{"uri": item.URI, "value": item.ResultID})
		kinds = append(kinds, item.Kind)
	}
	return kinds
}

// A client that says so gets its answer when there is something new: until then it and the
// server rest.
func TestPollWaitsForNews(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPoller(t, map[string]any{"toolpath": map[string]any{"workspaceDiagnosticWaits": true}})
		p.e.Open(doc, "json", 1, faulty)
		if got := p.take(p.ask()); !slices.Equal(got, []string{"full"}) {
			t.Fatalf("the first answer is %v", got)
		}
		for version, edit := range []struct{ text, want string }{
			{faulty + " ", "unchanged"},
			{`{"graph": {"id": "g"}, "paths": []}`, "full"},
		} {
			id := p.ask()
			synctest.Wait()
			if p.answered(id) {
				t.Errorf("answered although nothing happened")
			}
			p.e.Change(doc, version+2, lsptest.Change{Text: edit.text})
			if got := p.take(id); !slices.Equal(got, []string{edit.want}) {
				t.Errorf("after the edit to %s: %v, want %s", edit.text, got, edit.want)
			}
		}
		// What the client knows from elsewhere does not wait, and neither does what is cancelled.
		waiting := p.ask()
		p.known = []any{map[string]any{"uri": doc, "value": "of another session"}}
		if got := p.take(p.ask()); !slices.Equal(got, []string{"full"}) {
			t.Errorf("with an unknown id: %v", got)
		}
		p.e.Notify("$/cancelRequest", map[string]any{"id": waiting})
		_, err := p.e.Await(waiting)
		wantCode(t, err, -32800)
		p.ask() // does not keep the session from ending
		if err := p.e.Shutdown(); err != nil {
			t.Error(err)
		}
	})
}

// Settings change what is found as edits do.
func TestPollWaitsForSettings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPoller(t, map[string]any{"toolpath": map[string]any{"workspaceDiagnosticWaits": true}})
		p.e.Open(doc, "json", 1, faulty)
		p.take(p.ask())
		id := p.ask()
		p.e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{
			"toolpath": map[string]any{"severity": map[string]any{"TP1001": "off"}}}})
		if got := p.take(id); !slices.Equal(got, []string{"full"}) {
			t.Errorf("after the setting: %v", got)
		}
		if err := p.e.Shutdown(); err != nil {
			t.Error(err)
		}
	})
}

// Any other client is answered at once.
func TestPollOfAnyClientIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPoller(t, nil)
		p.e.Open(doc, "json", 1, faulty)
		p.take(p.ask())
		if got := p.take(p.ask()); !slices.Equal(got, []string{"unchanged"}) {
			t.Errorf("asked again: %v", got)
		}
		if err := p.e.Shutdown(); err != nil {
			t.Error(err)
		}
	})
}
