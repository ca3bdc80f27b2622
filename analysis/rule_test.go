package analysis_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/text"
)

const ruleDoc = `{"graph": {"id": "g"}, "paths": [{"path": {"id": "p", "head": "b"}, "meta": {"kind": "urn:k"}, "steps": [
  {"step": {"id": "a", "actor": "human:alex", "timestamp": "2026-01-29T10:00:00Z"}, "change": {}},
  {"step": {"id": "b", "parents": ["a"], "actor": "human:alex", "timestamp": "2026-01-29T10:00:00Z"}, "change": {}}
]}]}
`

const ruleURI = "file:///w/a.path.json"

// counting reports every step at its id, keeps the ids and reports them together.
func counting(calls *[]string) *analysis.Rule {
	return &analysis.Rule{ID: "TP0001", Name: "counting", Severity: analysis.Warning,
		Step: func(p *analysis.StepPass) {
			*calls = append(*calls, p.Step.ID)
			p.Keep("id", p.Step.ID)
			p.Keep("id", "kept by the first rule alone")
			p.Report(p.Step.IDValue(), p.Kind)
		},
		Document: func(p *analysis.Pass) {
			var kept []string
			for _, k := range p.Kept["id"] {
				kept = append(kept, fmt.Sprintf("%d %s %s", k.Step, k.At().ID, k.Fact))
			}
			p.ReportAt(0, 0, strings.Join(kept, ", ")).As(analysis.Hint)
		},
	}
}

func said(found []analysis.Diagnostic) string {
	var all []string
	for _, d := range found {
		all = append(all, d.Severity.String()+" "+d.Message)
	}
	return strings.Join(all, "; ")
}

func TestStepsAreCheckedOnceForTheirBytesAndKind(t *testing.T) {
	var calls []string
	w := analysis.NewWorkspace(&analysis.Options{Rules: []*analysis.Rule{counting(&calls)}}, nil)
	check := func(s *analysis.Snapshot, want string, called string) {
		t.Helper()
		calls = nil
		if got := said(s.Check(ruleURI, nil)); got != want {
			t.Errorf("said %q, want %q", got, want)
		}
		if got := strings.Join(calls, " "); got != called {
			t.Errorf("called for %q, want %q", got, called)
		}
	}
	replace := func(from, to string) *analysis.Snapshot {
		t.Helper()
		d := w.Snapshot().Document(ruleURI)
		i := strings.LastIndex(string(d.Text.Bytes()), from)
		line := strings.Count(string(d.Text.Bytes()[:i]), "\n")
		column := i - d.Text.LineStart(line)
		r := text.Range{Start: text.Pos{Line: line, Column: column}, End: text.Pos{Line: line, Column: column + len(from)}}
		s, err := w.Change(ruleURI, d.Version+1, text.UTF8, []text.Change{{Range: &r, Text: to}})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := w.Open(ruleURI, "json", 1, ruleDoc)
	check(s, "hint 0 a a, 1 b b; warning urn:k; warning urn:k", "a b")
	check(s, "hint 0 a a, 1 b b; warning urn:k; warning urn:k", "")
	check(replace("human:alex", "human:kim"), "hint 0 a a, 1 b b; warning urn:k; warning urn:k", "b")
	check(replace("urn:k", "urn:other"), "hint 0 a a, 1 b b; warning urn:other; warning urn:other", "a b")
	check(w.SetOptions(&analysis.Options{Rules: w.Snapshot().Options.Rules, Severity: map[string]analysis.Severity{"counting": analysis.Error}}),
		"error 0 a a, 1 b b; error urn:other; error urn:other", "a b")
}

func TestRuleThatIsOffIsNotRun(t *testing.T) {
	var calls []string
	rule := counting(&calls)
	rule.Document = func(*analysis.Pass) { t.Error("the document was checked") }
	for _, o := range []*analysis.Options{
		{Severity: map[string]analysis.Severity{"TP0001": analysis.Off}},
		{Severity: map[string]analysis.Severity{"counting": analysis.Off}},
	} {
		o.Rules = []*analysis.Rule{rule}
		found := analysis.NewWorkspace(o, nil).Open(ruleURI, "json", 1, ruleDoc).Check(ruleURI, nil)
		if len(found) > 0 || len(calls) > 0 {
			t.Errorf("said %q, called for %q", said(found), calls)
		}
	}
}
