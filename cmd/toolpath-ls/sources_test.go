package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/query"
	"github.com/toolpath-ls/toolpath-ls/analysis/repo"
	"github.com/toolpath-ls/toolpath-ls/analysis/text"
	"github.com/toolpath-ls/toolpath-ls/lsp"
)

// places is a machine with a workspace, a cache of the Toolpath tools, a folder of live
// documents and other folders.
type places struct {
	root string
	f    *files
	w    *analysis.Workspace
	from lsp.Sources
}

func newPlaces(t *testing.T, content map[string]string) *places {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range content {
		content[name] = strings.ReplaceAll(text, "$ROOT", filepath.ToSlash(root))
	}
	write(t, root, content)
	t.Setenv("TOOLPATH_CONFIG_DIR", filepath.Join(root, "config"))
	p := &places{root: root, f: newFiles(0), from: lsp.Sources{Folders: []string{filepath.Join(root, "work")}, Cache: true}}
	t.Cleanup(p.f.close)
	p.w = newWorkspace(p.f, "", 0)
	return p
}

func (p *places) load(t *testing.T) {
	t.Helper()
	if err := p.f.Load(t.Context(), p.w, p.from, nil); err != nil {
		t.Error(err)
	}
}

// held are the documents of the workspace, relative to the root.
func (p *places) held() string {
	var held []string
	for _, c := range p.w.Snapshot().ClosedDocuments() {
		held = append(held, strings.TrimPrefix(c.Path, filepath.ToSlash(p.root)+"/"))
	}
	return strings.Join(held, " ")
}

// about is a document whose base is a folder or repository, and whose one step adds a file.
func about(base, key string) string {
	return fmt.Sprintf(`{"graph":{"id":"g"},"paths":[{"path":{"id":"p","base":{"uri":%q},"head":"s"},"steps":[{"step":{"id":"s","actor":"human:mira","timestamp":"2026-01-02T03:04:05Z"},"change":{%q:{"raw":"--- /dev/null\n+++ b/a.go\n@@ -0,0 +1 @@\n+a\n"}}}]}]}`, base, key)
}

// Of the cache those documents count that speak of the workspace, and nothing else in it is
// read: not the credentials, and not what a link leads to.
func TestCache(t *testing.T) {
	p := newPlaces(t, map[string]string{
		"work/a.path.json":                     graph(step),
		"work/.git/config":                     "[remote \"origin\"]\n\turl = git@github.com:org/repo.git\n",
		"work/.git/HEAD":                       "ref: refs/heads/main\n",
		"work/.git/objects/x":                  "",
		"work/.git/refs/x":                     "",
		"config/documents/claude-1.json":       about("file://$ROOT/work", "a.go"),
		"config/documents/keys.json":           about("file:///elsewhere", "$ROOT/work/a.go"),
		"config/documents/git-main.json":       about("github:org/repo", "a.go"),
		"config/documents/other.json":          about("file://$ROOT/workshop", "a.go"),
		"config/documents/other-repo.json":     about("github:org/repository", "a.go"),
		"config/documents/nonsense.json":       `{"$ROOT/work/": 1}`,
		"config/credentials.json":              about("file://$ROOT/work", "a.go"),
		"config/documents/below/too/deep.json": about("file://$ROOT/work", "a.go"),
	})
	if err := os.Symlink(filepath.Join(p.root, "config", "credentials.json"), filepath.Join(p.root, "config", "documents", "link.json")); err != nil {
		t.Fatal(err)
	}
	p.load(t)
	const want = "config/documents/claude-1.json config/documents/git-main.json config/documents/keys.json work/a.path.json"
	if p.held() != want {
		t.Errorf("holds %s", p.held())
	}
	// Their relative keys are about the workspace.
	_, prov, err := p.w.ProvenanceOf(t.Context(), p.f, analysis.FileURI(filepath.ToSlash(p.root)+"/work/a.go"), text.New([]byte("a\n")))
	if err != nil || len(prov.Accounts) != 3 {
		t.Errorf("%d accounts, %v", len(prov.Accounts), err)
	}
	p.from.Cache = false
	p.load(t)
	if p.held() != "work/a.path.json" {
		t.Errorf("without the cache: holds %s", p.held())
	}
}

// Files of other names are documents if the setting names them and their content says so.
func TestNamedFiles(t *testing.T) {
	p := newPlaces(t, map[string]string{
		"work/sessions/1.json":    graph(step),
		"work/sessions/2.jsonl":   `{"PathOpen":{"version":"1","id":"p"}}` + "\n",
		"work/sessions/no.json":   `{"graph": 1}`,
		"work/other/session.json": graph(step),
	})
	p.load(t)
	if p.held() != "" {
		t.Errorf("without the setting: %s", p.held())
	}
	glob, err := query.NewArtifactGlob("sessions/**/*.json*")
	if err != nil {
		t.Fatal(err)
	}
	p.from.Files = []query.Glob{glob}
	p.load(t)
	if p.held() != "work/sessions/1.json work/sessions/2.jsonl" {
		t.Errorf("holds %s", p.held())
	}
	// A change of one is seen, and so is that it is no document any more.
	write(t, p.root, map[string]string{"work/sessions/1.json": "{}", "work/sessions/no.json": graph(step)})
	for _, name := range []string{"work/sessions/1.json", "work/sessions/no.json", "work/other/session.json"} {
		if err := p.f.Reload(t.Context(), p.w, p.from, []string{filepath.Join(p.root, name)}); err != nil {
			t.Error(err)
		}
	}
	if p.held() != "work/sessions/2.jsonl work/sessions/no.json" {
		t.Errorf("after the change: %s", p.held())
	}
}

// What $ref and path.parent name on disk is read wherever it is, and what that names; what is
// no document is not kept.
func TestPointedDocuments(t *testing.T) {
	ref := func(uri string) string { return fmt.Sprintf(`{"graph":{"id":"g"},"paths":[{"$ref":%q}]}`, uri) }
	child := strings.Replace(graph(step), `"head"`, `"parent":{"uri":"../c.path.json","path":"p","step":"s1"},"head"`, 1)
	p := newPlaces(t, map[string]string{
		"work/a.path.json":      ref("../elsewhere/b.path.json"),
		"work/secret.path.json": ref("file://$ROOT/secret"),
		"work/net.path.json":    ref("file://machine/share/x.path.json"),
		"elsewhere/b.path.json": child,
		"c.path.json":           graph(step),
		"secret":                "password",
		"d.path.json":           graph(step),
	})
	p.load(t)
	if p.held() != "c.path.json elsewhere/b.path.json work/a.path.json work/net.path.json work/secret.path.json" {
		t.Errorf("holds %s", p.held())
	}
	// Once nothing leads there any more, they do not count.
	write(t, p.root, map[string]string{"work/a.path.json": graph(step)})
	p.load(t)
	if p.held() != "work/a.path.json work/net.path.json work/secret.path.json" {
		t.Errorf("after the change: %s", p.held())
	}
}

// Live documents are followed as they grow, and forgotten once they are gone.
func TestLiveDocuments(t *testing.T) {
	line := `{"Step":{"step":{"id":"s%d","actor":"human:mira","timestamp":"2026-01-02T03:04:05Z"},"change":{"a.go":{"raw":""}}}}` + "\n"
	open := `{"PathOpen":{"version":"1","id":"p","base":{"uri":"file://$ROOT/work"}}}` + "\n"
	p := newPlaces(t, map[string]string{
		"work/x":                       "",
		"tmp/track-1-2.path.jsonl":     open + fmt.Sprintf(line, 1),
		"tmp/other.path.jsonl":         open,
		"tmp/track-other.path.jsonl":   strings.ReplaceAll(open, "$ROOT/work", "/elsewhere"),
		"tmp/below/track-9.path.jsonl": open,
	})
	p.from.Live = filepath.Join(p.root, "tmp")
	p.load(t)
	if p.held() != "tmp/track-1-2.path.jsonl" {
		t.Errorf("holds %s", p.held())
	}
	grown := func() []string {
		var names []string
		for _, path := range p.f.Grown(p.from) {
			names = append(names, filepath.Base(path))
		}
		if err := p.f.Reload(t.Context(), p.w, p.from, p.f.Grown(p.from)); err != nil {
			t.Error(err)
		}
		return names
	}
	if got := grown(); len(got) != 2 {
		t.Errorf("at first %q", got)
	}
	if got := grown(); len(got) != 0 {
		t.Errorf("unchanged, but %q", got)
	}
	live := filepath.Join(p.root, "tmp", "track-1-2.path.jsonl")
	content, err := os.ReadFile(live)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(live, append(content, fmt.Sprintf(line, 2)...), 0o600); err != nil {
		t.Fatal(err)
	}
	changed := p.f.Grown(p.from)
	if !slices.Equal(changed, []string{live}) {
		t.Fatalf("grown: %q", changed)
	}
	before := p.w.Snapshot()
	if err := p.f.Reload(t.Context(), p.w, p.from, changed); err != nil || p.w.Snapshot().SameDisk(before) {
		t.Errorf("the new step was not seen: %v", err)
	}
	os.Remove(live)
	if err := p.f.Reload(t.Context(), p.w, p.from, p.f.Grown(p.from)); err != nil || p.held() != "" {
		t.Errorf("it is gone, but held: %s, %v", p.held(), err)
	}
}

// Reading many documents tells how far it is, and can be stopped; what is known stays.
func TestLoadManyDocuments(t *testing.T) {
	content := map[string]string{}
	for i := range 300 {
		content[fmt.Sprintf("work/d%d/%d.path.json", i%7, i)] = graph(step)
	}
	p := newPlaces(t, content)
	var most, total atomic.Int64
	ctx, cancel := context.WithCancel(t.Context())
	err := p.f.Load(ctx, p.w, p.from, func(done, of int) {
		most.Add(1)
		total.Store(int64(of))
		if done >= 50 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || total.Load() != 300 || most.Load() > 60 {
		t.Errorf("%d of %d, %v", most.Load(), total.Load(), err)
	}
	if n := len(p.w.Snapshot().ClosedDocuments()); n < 40 || n > 60 {
		t.Errorf("%d documents are known", n)
	}
	p.load(t)
	if n := len(p.w.Snapshot().ClosedDocuments()); n != 300 {
		t.Errorf("%d documents are known", n)
	}
}

// The names of remotes are those that a base.uri has.
func TestConcern(t *testing.T) {
	p := newPlaces(t, map[string]string{"work/x": ""})
	root := filepath.Join(p.root, "work")
	for _, c := range []struct {
		url, uri string
		want     bool
	}{
		{"https://github.com/org/repo.git", "github:org/repo", true},
		{"https://token@github.com/org/repo", "github:org/repo", true},
		{"ssh://git@github.com:22/org/repo", "github:org/repo", true},
		{"git@gitlab.com:group/sub/repo.git", "gitlab:group/sub/repo", true},
		{"git@github.com:org/repo.git", "github:org/rep", false},
		{"https://example.com/org/repo", "github:org/repo", false},
		{"/srv/git/repo", "github:git/repo", false},
		{"", "github:", false},
	} {
		write(t, p.root, map[string]string{"work/.git/config": "[remote \"o\"]\n url = " + c.url + "\n", "work/.git/HEAD": "ref: refs/heads/m\n", "work/.git/objects/x": "", "work/.git/refs/x": ""})
		got := repo.Source{}.Concern([]byte(`{"uri":"`+c.uri+`"}`), []string{root})
		if (got != "") != c.want {
			t.Errorf("%s and %s: %q", c.url, c.uri, got)
		}
	}
}
