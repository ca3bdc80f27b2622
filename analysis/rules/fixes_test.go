package rules_test

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// A fix makes its finding go away and brings no other. What an archive of testdata/rules
// has under "fixed" is the document after the first fix of each finding of its rule.
func TestFixes(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(archives, "*", "bad*.txtar"))
	fixes := 0
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		id := filepath.Base(filepath.Dir(file))
		t.Run(id+"/"+strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			c := readCase(t, a)
			before := c.everything(id)
			var first []analysis.TextEdit
			for _, d := range before {
				if d.Rule.ID != id {
					continue
				}
				for i, fix := range d.Fixes {
					fixes++
					checkFix(t, c, before, d, fix)
					if i == 0 {
						first = append(first, fix.Edits...)
					}
				}
			}
			want, has := section(a, "fixed")
			if got := applied(c.content, first); has && got != want {
				t.Errorf("the first fixes make\n%swant\n%s", got, want)
			}
		})
	}
	if fixes == 0 {
		t.Error("no archive has a fix")
	}
}

func section(a *txtar.Archive, name string) (string, bool) {
	for _, f := range a.Files {
		if f.Name == name {
			return string(f.Data), true
		}
	}
	return "", false
}

// everything returns all that is found in the document alone.
func (c *ruleCase) everything(id string) []analysis.Diagnostic {
	uri := analysis.FileURI("/w/" + c.name)
	return analysis.NewWorkspace(c.options(id), nil).Open(uri, "", 1, c.content).Check(uri, nil)
}

func checkFix(t *testing.T, c *ruleCase, before []analysis.Diagnostic, d analysis.Diagnostic, fix analysis.Fix) {
	t.Helper()
	if fix.Title == "" || len(fix.Edits) == 0 {
		t.Errorf("a fix of %q has no title or does nothing", d.Message)
	}
	fixed := *c
	fixed.content = applied(c.content, fix.Edits)
	if !strings.HasSuffix(c.name, ".jsonl") && json.Valid([]byte(c.content)) && !json.Valid([]byte(fixed.content)) {
		t.Fatalf("%q leaves no JSON:\n%s", fix.Title, fixed.content)
	}
	left := tally(before)
	left[told(d)]--
	for _, e := range fixed.everything(d.Rule.ID) {
		if left[told(e)]--; left[told(e)] < 0 && e.Rule == d.Rule {
			t.Errorf("%q leaves, or brings, %q", fix.Title, e.Message)
		} else if left[told(e)] < 0 && e.Severity <= analysis.Warning {
			t.Errorf("%q brings %s %q", fix.Title, e.Rule.ID, e.Message)
		}
	}
}

// told is what is told of a finding, wherever it stands.
func told(d analysis.Diagnostic) string { return d.Rule.ID + " " + d.Message }

func tally(found []analysis.Diagnostic) map[string]int {
	n := make(map[string]int)
	for _, d := range found {
		n[told(d)]++
	}
	return n
}

func applied(s string, edits []analysis.TextEdit) string {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b analysis.TextEdit) int { return cmp.Or(b.Start-a.Start, b.End-a.End) })
	for _, e := range edits {
		s = s[:e.Start] + e.New + s[e.End:]
	}
	return s
}
