package rules_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/rules"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust/keyring"
)

var update = flag.Bool("update", false, "write the messages into the archives of testdata/rules")

const archives = "../../testdata/rules"

// A rule stands in the file that is named after it, is listed by its id, and has a page
// that says what is bad, and what is good.
func TestEveryRuleHasAPlaceAndAPage(t *testing.T) {
	all := rules.All()
	form := regexp.MustCompile(`^TP\d{4}$`)
	name := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	names := map[string]bool{}
	for i, r := range all {
		if !form.MatchString(r.ID) || !name.MatchString(r.Name) || names[r.Name] {
			t.Errorf("%s %q: not a rule's id and name, or not the only one", r.ID, r.Name)
		}
		names[r.Name] = true
		if i > 0 && r.ID <= all[i-1].ID {
			t.Errorf("%s stands behind %s", r.ID, all[i-1].ID)
		}
		if r.Severity < analysis.Off || r.Severity > analysis.Hint {
			t.Errorf("%s has the severity %d", r.ID, r.Severity)
		}
		title, _, _ := strings.Cut(r.Doc, "\n")
		if title == "" || strings.HasSuffix(title, ".") || title[:1] == "#" {
			t.Errorf("%s: the title of the page is %q", r.ID, title)
		}
		for _, section := range []string{"\n## Bad\n", "\n## Good\n"} {
			_, body, ok := strings.Cut(r.Doc, section)
			body, _, _ = strings.Cut(body, "\n## ")
			if !ok || strings.TrimSpace(body) == "" {
				t.Errorf("%s: the page has no %q", r.ID, strings.TrimSpace(section))
			}
		}
		file := strings.ToLower(r.ID) + "_" + strings.ReplaceAll(r.Name, "-", "_") + ".go"
		if _, err := os.Stat(file); err != nil && !slices.Contains(engine, r) && !analysis.IsLineageRule(r) {
			t.Errorf("%s: there is no file %s", r.ID, file)
		}
	}
}

// engine are the rules that stand in the engine, since they are about its replay; of them
// cmd/toolpath-ls tests the grammatical ones, which need grammars.
var (
	engine      = append(slices.Clip(grammatical), analysis.UnreadableBase, analysis.NotReplayed, analysis.Drift)
	grammatical = []*analysis.Rule{analysis.FormatChangesMeaning, analysis.ContradictedOperation, analysis.UnlikeDiff}
)

// Every rule has a case that it says nothing of, and one that it finds fault with.
func TestEveryRuleHasCases(t *testing.T) {
	for _, r := range rules.All() {
		if analysis.IsLineageRule(r) {
			continue // they need keys, and are tested with logs that the tests make
		}
		for _, kind := range []string{"ok", "bad"} {
			if found, _ := filepath.Glob(filepath.Join(archives, r.ID, kind+"*.txtar")); len(found) == 0 {
				t.Errorf("testdata/rules/%s has no %s*.txtar", r.ID, kind)
			}
		}
	}
	folders, _ := os.ReadDir(archives)
	for _, f := range folders {
		if !slices.ContainsFunc(rules.All(), func(r *analysis.Rule) bool { return r.ID == f.Name() }) {
			t.Errorf("testdata/rules/%s is about no rule", f.Name())
		}
	}
}

// An archive of testdata/rules/ID holds the document that is checked, first, in which
// «…» stands around each place that the rule finds fault with and nothing else; other
// documents, which lie beside it; "git REV PATH", what a commit has; "limit", the size in
// bytes up to which documents are read; "patterns", the setting privacy.patterns, one a line;
// "keys/NAME", a file of public keys; "fixed", for TestFixes; and "messages", one a line in the order of the
// places, related places below, indented.
func TestRules(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(archives, "*", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, file := range files {
		id := filepath.Base(filepath.Dir(file))
		if slices.ContainsFunc(grammatical, func(r *analysis.Rule) bool { return r.ID == id }) {
			continue
		}
		t.Run(id+"/"+strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			c := readCase(t, a)
			found := c.check(t, id)
			if spans := spansOf(found); !slices.Equal(spans, c.spans) {
				t.Errorf("found %s, but marked is %s", c.quote(spans), c.quote(c.spans))
			}
			got := c.messages(found)
			if *update {
				c.write(t, file, a, got)
				return
			}
			if got != c.expected {
				t.Errorf("says\n%sbut should say\n%s", got, c.expected)
			}
			if bad := strings.HasPrefix(filepath.Base(file), "bad"); bad != (len(found) > 0) {
				t.Errorf("%d findings", len(found))
			}
		})
	}
}

type span struct{ start, end int }

type ruleCase struct {
	name     string
	content  string
	spans    []span
	disk     disk
	limit    int
	patterns []*regexp.Regexp
	keys     []trust.Material
	expected string
}

func readCase(t *testing.T, a *txtar.Archive) *ruleCase {
	t.Helper()
	c := &ruleCase{disk: disk{files: map[string]string{}, objects: map[string]string{}}, limit: analysis.DefaultMaxFileSize}
	for i, f := range a.Files {
		words := strings.Fields(f.Name)
		switch {
		case i == 0:
			c.name = f.Name
			c.content, c.spans = marked(t, strings.NewReplacer("␍", "\r", "␄\n", "", "␄", "").Replace(string(f.Data)))
		case words[0] == "git":
			c.disk.objects[words[1]+":"+words[2]] = string(f.Data)
		case f.Name == "limit":
			c.limit, _ = strconv.Atoi(strings.TrimSpace(string(f.Data)))
		case f.Name == "patterns":
			for pattern := range strings.Lines(string(f.Data)) {
				c.patterns = append(c.patterns, regexp.MustCompile(strings.TrimSuffix(pattern, "\n")))
			}
		case strings.HasPrefix(f.Name, "keys/"):
			c.keys = append(c.keys, trust.Material{Name: f.Name, Content: f.Data})
		case f.Name == "messages":
			c.expected = string(f.Data)
		default:
			c.disk.files["/w/"+f.Name] = string(f.Data)
		}
	}
	return c
}

// marked takes the marks out of a text.
func marked(t *testing.T, s string) (text string, spans []span) {
	t.Helper()
	var b strings.Builder
	var open []int
	for _, r := range s {
		switch r {
		case '«':
			open = append(open, b.Len())
		case '»':
			spans = append(spans, span{open[len(open)-1], b.Len()})
			open = open[:len(open)-1]
		default:
			b.WriteRune(r)
		}
	}
	if len(open) > 0 {
		t.Fatal("a mark is not closed")
	}
	sortSpans(spans)
	return b.String(), spans
}

func sortSpans(spans []span) {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Or(a.start-b.start, a.end-b.end) })
}

func (c *ruleCase) check(t *testing.T, id string) []analysis.Diagnostic {
	t.Helper()
	o := c.options(id)
	w := analysis.NewWorkspace(o, func(string) string { return "/w" })
	for path, content := range c.disk.files {
		if strings.HasSuffix(path, ".path.json") || strings.HasSuffix(path, ".path.jsonl") {
			w.Add(path, []byte(content))
		}
	}
	uri := analysis.FileURI("/w/" + c.name)
	found := w.Open(uri, "", 1, c.content).Check(uri, nil)
	more, err := w.CheckReferences(t.Context(), c.disk, uri)
	if err != nil {
		t.Fatal(err)
	}
	found = analysis.Merge(found, more)
	return slices.DeleteFunc(found, func(d analysis.Diagnostic) bool { return d.Rule.ID != id })
}

// options turn the rule on, if it is off by default.
func (c *ruleCase) options(id string) *analysis.Options {
	keys, _ := keyring.New(c.keys, time.Now())
	o := &analysis.Options{Rules: rules.All(), MaxFileSize: c.limit, PrivacyPatterns: c.patterns, Severity: map[string]analysis.Severity{},
		Keyring: func(string) *trust.Keyring { return keys }}
	for _, r := range o.Rules {
		if r.ID == id && r.Severity == analysis.Off {
			o.Severity[id] = analysis.Information
		}
	}
	return o
}

func spansOf(found []analysis.Diagnostic) []span {
	var spans []span
	for _, d := range found {
		spans = append(spans, span{d.Start, d.End})
	}
	sortSpans(spans)
	return spans
}

func (c *ruleCase) quote(spans []span) string {
	var all []string
	for _, s := range spans {
		all = append(all, fmt.Sprintf("%d «%s»", s.start, c.content[s.start:s.end]))
	}
	return fmt.Sprint(all)
}

func (c *ruleCase) messages(found []analysis.Diagnostic) string {
	var b strings.Builder
	for _, d := range found {
		fmt.Fprintf(&b, "%s: %s\n", d.Severity, d.Message)
		for _, r := range d.Related {
			of := c.content
			if r.Doc != nil {
				of = string(r.Doc.Text.Bytes())
			}
			fmt.Fprintf(&b, "  %s: %s\n", of[r.Start:r.End], r.Message)
		}
	}
	return b.String()
}

func (c *ruleCase) write(t *testing.T, file string, a *txtar.Archive, messages string) {
	a.Files = slices.DeleteFunc(a.Files, func(f txtar.File) bool { return f.Name == "messages" })
	if messages != "" {
		a.Files = append(a.Files, txtar.File{Name: "messages", Data: []byte(messages)})
	}
	if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
		t.Fatal(err)
	}
}

// disk is a Source in memory: files by path, and objects as "REV:PATH" of the one
// repository /w.
type disk struct{ files, objects map[string]string }

func (d disk) ReadFile(_ context.Context, path string) ([]byte, error) {
	if content, ok := d.files[path]; ok {
		return []byte(content), nil
	}
	return nil, os.ErrNotExist
}

func (d disk) ReadObject(_ context.Context, _, rev, path string) ([]byte, error) {
	if content, ok := d.objects[rev+":"+path]; ok {
		return []byte(content), nil
	}
	for name := range d.objects {
		if strings.HasPrefix(name, rev+":") {
			return nil, analysis.ErrNoFile
		}
	}
	return nil, fmt.Errorf("the commit %s is not in the repository", rev)
}

func (disk) Root(path string) string {
	if strings.HasPrefix(path, "/w/") {
		return "/w"
	}
	return ""
}
