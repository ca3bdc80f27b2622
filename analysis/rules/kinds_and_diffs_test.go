package rules_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/rules"
)

// own are the groups of rules that these tests are about: kinds, canonical form, diffs,
// artifact keys, privacy.
var own = regexp.MustCompile(`^TP(25|26|30|70)`)

func corpusDocuments(t *testing.T) map[string][]byte {
	t.Helper()
	const corpus = "../../../shared/corpus"
	if _, err := os.Stat(corpus); err != nil {
		t.Skip("needs ../shared/corpus beside the repository; nothing to install")
	}
	all := make(map[string][]byte)
	err := filepath.WalkDir(corpus, func(path string, e fs.DirEntry, err error) error {
		folder := filepath.Base(filepath.Dir(path))
		if err != nil || e.IsDir() || folder == "schemas" || folder == "sessions" || !strings.Contains(path, ".json") {
			return err
		}
		all[folder+"/"+filepath.Base(path)], err = os.ReadFile(path)
		return err
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("%d documents: %v", len(all), err)
	}
	return all
}

// What these rules say of the corpus: by rule, how often. Documents that are not listed are
// said nothing of.
var saidOfCorpus = map[string]map[string]int{
	"derived/claude-compacted.path.json": {"TP3005": 1, "TP3009": 1},
	"derived/claude.path.json":           {"TP2512": 5, "TP3005": 1, "TP3014": 2},
	"derived/cursor.path.json":           {"TP3005": 1},
	"derived/git-merge-eofnl.path.json":  {"TP3002": 1, "TP3008": 6},

	"edge/fault-kind-breakdown-exceeds.path.json":    {"TP2507": 1},
	"edge/fault-kind-category.path.json":             {"TP2504": 1},
	"edge/fault-kind-compact-under-v1.1.0.path.json": {"TP2511": 1},
	"edge/fault-kind-not-uri.path.json":              {"TP2502": 1},
	"edge/fault-kind-usage-not-last.path.json":       {"TP2506": 1},
	"edge/fault-kind-v1.2.0-trigger.path.json":       {"TP2504": 1, "TP2510": 1},
	"edge/ok-kind-unknown.path.json":                 {"TP2501": 1},

	"examples/graph-01-release.json":                           {"TP3001": 5},
	"examples/path-01-pr.path.json":                            {"TP3002": 4},
	"examples/path-01-pr.path.jsonl":                           {"TP3002": 4},
	"examples/path-02-local-session.path.json":                 {"TP3001": 3},
	"examples/path-02-local-session.path.jsonl":                {"TP3001": 3},
	"examples/path-03-signed-pr.path.json":                     {"TP3002": 3},
	"examples/path-03-signed-pr.path.jsonl":                    {"TP3002": 3},
	"examples/path-04-exploration.path.json":                   {"TP3001": 5},
	"examples/path-04-exploration.path.jsonl":                  {"TP3001": 5},
	"examples/path-05-complex-dag.json":                        {"TP3001": 12, "TP3002": 11},
	"examples/path-05-continuation.draft-relation.path.jsonl":  {"TP3001": 2},
	"examples/path-05-continuation.miscounted-hunks.path.json": {"TP3001": 2},
	"examples/step-02-agent.json":                              {"TP3001": 1},
	"examples/step-03-formatter.json":                          {"TP3001": 1},
	"examples/step-05-dead-end.json":                           {"TP3001": 1},
	"examples/step-07-merge.json":                              {"TP3002": 1},
}

func TestWhatIsSaidOfCorpus(t *testing.T) {
	for name, content := range corpusDocuments(t) {
		got := make(map[string]int)
		for _, d := range checkAll(name, content, &analysis.Options{Rules: rules.All()}) {
			if own.MatchString(d.Rule.ID) {
				got[d.Rule.ID]++
			}
			if own.MatchString(d.Rule.ID) && strings.HasPrefix(name, "examples/") && d.Severity < analysis.Information {
				t.Errorf("%s, an official example: %s %s", name, d.Severity, d.Message)
			}
		}
		for id := range saidOfCorpus[name] {
			got[id] += 0
		}
		for id, n := range got {
			if want := saidOfCorpus[name][id]; n != want {
				t.Errorf("%s: %s is said %d times, want %d", name, id, n, want)
			}
		}
	}
}

func checkAll(name string, content []byte, o *analysis.Options) []analysis.Diagnostic {
	uri := analysis.FileURI("/w/" + filepath.Base(name))
	return analysis.NewWorkspace(o, nil).Open(uri, "", 1, string(content)).Check(uri, nil)
}

// A document that is cut anywhere is checked all the same, and every place lies in it.
func TestCutDocuments(t *testing.T) {
	o := &analysis.Options{Rules: rules.All(), PrivacyPatterns: []*regexp.Regexp{regexp.MustCompile(`[a-z]+é?`)},
		Severity: map[string]analysis.Severity{"TP7001": analysis.Hint, "TP7002": analysis.Hint}}
	var documents [][2]string
	files, _ := filepath.Glob(filepath.Join(archives, "TP[237]*", "bad*.txtar"))
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		c := readCase(t, a)
		documents = append(documents, [2]string{c.name, c.content})
	}
	for _, d := range documents {
		for cut := 0; cut < len(d[1]); cut += 1 + len(d[1])/20 {
			for _, f := range checkAll(d[0], []byte(d[1][:cut]), o) {
				if f.Start < 0 || f.Start > f.End || f.End > cut {
					t.Fatalf("%s cut at %d: %s stands at %d to %d\n%s", d[0], cut, f.Rule.ID, f.Start, f.End, d[1][:cut])
				}
				for _, fix := range f.Fixes {
					if slices.ContainsFunc(fix.Edits, func(e analysis.TextEdit) bool { return e.Start < 0 || e.Start > e.End || e.End > cut }) {
						t.Fatalf("%s cut at %d: a fix of %s edits %v", d[0], cut, f.Rule.ID, fix.Edits)
					}
				}
			}
		}
	}
}
