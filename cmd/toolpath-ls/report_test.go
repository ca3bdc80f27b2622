package main

import (
	"encoding/json"
	"encoding/xml"
	"io"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Findings of every severity and span, in names and messages that need to be escaped.
var testReport = report{
	findings: []finding{
		{"a b,c:d%.path.json", 1, 2, 1, 5, "error", "TP2001", "50 % of\nit, <b> & \"x\"]]>"},
		{"a b,c:d%.path.json", 1, 2, 3, 1, "error", "TP1001", "over lines"},
		{"/abs/é.path.json", 2, 1, 2, 1, "warning", "TP9002", "no rule of the list"},
		{"/abs/é.path.json", 3, 1, 3, 9, "information", "TP2003", "info"},
		{"/abs/é.path.json", 4, 1, 4, 9, "hint", "TP2003", "hint"},
	},
	documents: []string{"a b,c:d%.path.json", "/abs/é.path.json", "clean.path.json"},
	failed:    true,
}

func printed(t *testing.T, print func(io.Writer, report) error, r report) string {
	t.Helper()
	var b strings.Builder
	if err := print(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGitHub(t *testing.T) {
	want := `::error file=a b%2Cc%3Ad%25.path.json,line=1,endLine=1,col=2,endColumn=5,title=TP2001::50 %25 of%0Ait, <b> & "x"]]>
::error file=a b%2Cc%3Ad%25.path.json,line=1,endLine=3,title=TP1001::over lines
::warning file=/abs/é.path.json,line=2,endLine=2,col=1,endColumn=1,title=TP9002::no rule of the list
::notice file=/abs/é.path.json,line=3,endLine=3,col=1,endColumn=9,title=TP2003::info
::notice file=/abs/é.path.json,line=4,endLine=4,col=1,endColumn=9,title=TP2003::hint
`
	if got := printed(t, printGitHub, testReport); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := printed(t, printGitHub, report{}); got != "" {
		t.Errorf("nothing found is %q", got)
	}
}

// A document is a test case, which fails for errors alone.
func TestJUnit(t *testing.T) {
	text := printed(t, printJUnit, testReport)
	var got junitSuites
	if err := xml.Unmarshal([]byte(text), &got); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if got.Tests != 3 || got.Failures != 1 || len(got.Suites) != 1 || len(got.Suites[0].Cases) != 3 {
		t.Fatalf("%+v", got)
	}
	bad, warned, clean := got.Suites[0].Cases[0], got.Suites[0].Cases[1], got.Suites[0].Cases[2]
	if f := bad.Failure; f == nil || f.Type != "TP2001" || !strings.Contains(f.Text, "50 % of\nit, <b> & \"x\"]]>") || !strings.HasSuffix(f.Message, "(and 1 more)") || bad.Name != testReport.documents[0] {
		t.Errorf("%+v, %+v", bad, f)
	}
	if warned.Failure != nil || strings.Count(warned.Output, "\n") != 3 {
		t.Errorf("%+v", warned)
	}
	if clean.Failure != nil || clean.Output != "" {
		t.Errorf("%+v", clean)
	}
	if err := xml.Unmarshal([]byte(printed(t, printJUnit, report{})), &got); err != nil {
		t.Error(err)
	}
}

// What SARIF 2.1.0 asks of the parts that are filled: the rules of its schema and of its
// text, sections 3.14 to 3.52.
func TestSARIF(t *testing.T) {
	for _, r := range []report{testReport, {}} {
		text := printed(t, printSARIF, r)
		var log sarifLog
		if err := json.Unmarshal([]byte(text), &log); err != nil {
			t.Fatal(err)
		}
		run := log.Runs[0]
		if log.Version != "2.1.0" || len(log.Runs) != 1 || len(run.Results) != len(r.findings) || len(run.Artifacts) != len(r.documents) {
			t.Errorf("%s", text)
		}
		if len(run.Invocations) != 1 || run.Invocations[0].Successful == r.failed || run.ColumnKind != "utf16CodeUnits" {
			t.Errorf("%+v", run)
		}
		ids := map[string]bool{}
		for _, rule := range run.Tool.Driver.Rules {
			if ids[rule.ID] || rule.ID == "" {
				t.Errorf("the rule %q comes twice, or has no id", rule.ID)
			}
			ids[rule.ID] = true
			if rule.Help != nil && (rule.Help.Text == "" || rule.Short.Text == "" || strings.HasPrefix(rule.Short.Text, "#")) {
				t.Errorf("%+v", rule)
			}
		}
		for i, result := range run.Results {
			f := r.findings[i]
			if run.Tool.Driver.Rules[result.RuleIndex].ID != result.RuleID || result.RuleID != f.Code || result.Message.Text != f.Message {
				t.Errorf("%+v of %+v", result, f)
			}
			if want := map[string]string{"error": "error", "warning": "warning"}[f.Severity]; want != "" && result.Level != want || want == "" && result.Level != "note" {
				t.Errorf("the level of %s is %s", f.Severity, result.Level)
			}
			p := result.Locations[0].Physical
			if p.Region != (sarifRegion{f.Line, f.Column, f.EndLine, f.EndColumn}) || run.Artifacts[*p.Artifact.Index].Location.URI != p.Artifact.URI {
				t.Errorf("%+v", p)
			}
			u, err := url.Parse(p.Artifact.URI)
			if err != nil || strings.TrimPrefix(u.Path, "./") != f.File || strings.ContainsAny(p.Artifact.URI, " é") {
				t.Errorf("the URI of %s is %s: %v", f.File, p.Artifact.URI, err)
			}
		}
	}
	// Arrays are never null, which the schema refuses.
	if text := printed(t, printSARIF, report{}); strings.Contains(text, "null") {
		t.Error(text)
	}
}

// With the schema of the standard, whose file SARIF_SCHEMA names, the whole log is checked.
func TestSARIFSchema(t *testing.T) {
	name := os.Getenv("SARIF_SCHEMA")
	if name == "" {
		const want = "SARIF_SCHEMA names no file; get one with: scripts/sarif-schema FILE"
		if os.Getenv("TOOLPATH_TEST_REQUIRE") == "1" {
			t.Fatal(want)
		}
		t.Skip(want)
	}
	schema, err := jsonschema.NewCompiler().Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []report{testReport, {}} {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(printed(t, printSARIF, r)))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); err != nil {
			t.Errorf("%#v", err)
		}
	}
}

// The command prints what it has found in each format, and its exit code is the same.
func TestCheckSARIF(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"ws/a b.path.json": `{"graph": {"id": "g"}, "paths": [], "x": 1}`, "ws/fine.path.json": `{"graph": {"id": "g"}, "paths": []}`})
	o := execute(t, dir, "", "check", "--format", "sarif", "ws", "no-such-file")
	var log sarifLog
	if err := json.Unmarshal([]byte(o.stdout), &log); err != nil || o.code != exitFailure {
		t.Fatalf("%v, %+v", err, o)
	}
	run := log.Runs[0]
	if len(run.Artifacts) != 2 || len(run.Results) != 1 || run.Invocations[0].Successful {
		t.Fatalf("%s", o.stdout)
	}
	r, rule := run.Results[0], run.Tool.Driver.Rules[0]
	if r.RuleID != "TP2001" || rule.ID != "TP2001" || rule.Name != "shape" || r.Level != "error" || r.Locations[0].Physical.Artifact.URI != "ws/a%20b.path.json" {
		t.Errorf("%s", o.stdout)
	}
}
