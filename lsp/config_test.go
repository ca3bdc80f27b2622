package lsp

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/toolpath-ls/toolpath-ls/analysis"
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
		{`{"inlayHints":{"blame":"run"}}`, func(s *Settings) { s.BlameHints = hintsRun }, nil},
		{`{"inlayHints":{"deadEnd":true,"merge":true,"descent":false,"time":true},"codeLens.steps":true}`, func(s *Settings) {
			s.Notes = analysis.Notes{DeadEnd: true, Merge: true, Time: true}
			s.CodeLensSteps = true
		}, nil},
		{`{"inlayHints.blame":"run","hover":{"source":false}}`, func(s *Settings) { s.BlameHints = hintsRun; s.HoverSource = false }, nil},
		{`{"inlayHints.blame":"line","blame":{"ignore":["tool:*"]}}`, func(s *Settings) {
			s.BlameHints = hintsLine
			s.Ignore, _ = analysis.NewIgnore([]string{"tool:*"})
		}, nil},
		{`{"blame.ignore":"tool:*"}`, nil, []string{`toolpath.blame.ignore must be a list of patterns such as ["tool:*"], not "tool:*"`}},
		{`{"blame.ignore":[""]}`, nil, []string{"toolpath.blame.ignore has a pattern that cannot be used: the pattern is empty; leave it out, or write *"}},
		{`{"limits":{"fileSize":1048576}}`, func(s *Settings) { s.FileSize = 1 << 20 }, nil},
		{`{"limits.fileSize":0}`, nil, []string{"toolpath.limits.fileSize must be a number of bytes from 1024 to 1073741824, not 0"}},
		{`{"limits.fileSize":"big"}`, nil, []string{`toolpath.limits.fileSize must be a number of bytes from 1024 to 1073741824, not "big"`}},
		{`{"severity":{"TP2003":"error","actor-form":"off"}}`, func(s *Settings) {
			s.Severity = map[string]analysis.Severity{"TP2003": analysis.Error, "actor-form": analysis.Off}
		}, nil},
		{`{"severity":{"TP2003":"loud"}}`, nil, []string{`toolpath.severity.TP2003 must be error, warning, information, hint or off, not "loud"`}},
		{`{"privacy":{"patterns":["a+","b"]}}`, func(s *Settings) {
			s.PrivacyPatterns = []*regexp.Regexp{regexp.MustCompile("a+"), regexp.MustCompile("b")}
		}, nil},
		{`{"privacy.patterns":["a("]}`, nil, []string{`toolpath.privacy.patterns has a pattern that is no regular expression of RE2 with at most 1000 bytes: a(`}},
		{`{"privacy.patterns":"a"}`, nil, []string{`toolpath.privacy.patterns must be a list of regular expressions, not "a"`}},
		{`{"inlayHints":{"blame":"always"}}`, nil, []string{`toolpath.inlayHints.blame must be "off", "line" or "run", not "always"`}},
		{`{"hover":{"source":"yes"}}`, nil, []string{`toolpath.hover.source must be true or false, not "yes"`}},
		{`{"hovr":{"source":true}}`, nil, []string{"there is no setting toolpath.hovr.source; did you mean toolpath.hover.source?"}},
		{`{"zzzzzzzz":1}`, nil, []string{"there is no setting toolpath.zzzzzzzz"}},
		{`7`, nil, []string{"there is no setting toolpath."}},
	} {
		want := defaultSettings()
		if c.want != nil {
			c.want(&want)
		}
		got, problems := decodeSettings([]byte(c.in))
		if !got.equal(&want) || !slices.Equal(problems, c.problems) {
			t.Errorf("%s: %+v %q, want %+v %q", c.in, got, problems, want, c.problems)
		}
	}
	deep := strings.Repeat(`{"a":`, 50) + "1" + strings.Repeat("}", 50)
	if _, problems := decodeSettings([]byte(deep)); len(problems) != 1 {
		t.Errorf("deep settings: %q", problems)
	}
}

// Settings come with initialize, are asked for after it, and asked for again when the
// client says that they changed. A change of what is reported has the documents checked
// again; one of what is shown beside them has not.
func TestConfiguration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, Options{check: checkWords})
		answer := `{"inlayHints":{"blame":"run"}}`
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
			"initializationOptions": map[string]any{"hover": map[string]any{"source": false}, "speling": 1},
		})
		e.Open(doc, "json", 1, "bad")
		synctest.Wait()
		if n := len(e.Received("workspace/inlayHint/refresh")); n < 1 {
			t.Errorf("%d refreshes after the settings changed", n)
		}
		before := len(e.Publishes(doc))
		answer = `{"inlayHints":{"blame":"line"},"hover.source":false}`
		e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": nil})
		synctest.Wait()
		if after := len(e.Publishes(doc)); after != before {
			t.Errorf("%d publishes after hints changed, %d before", after, before)
		}
		answer = `{"severity":{"TP2003":"off"},"hover.source":false}`
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
		e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{"toolpath": map[string]any{"severity": map[string]any{"TP2003": "off"}}}})
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
