package analysis_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/text"
)

// watchful is a memory that notes what is read.
type watchful struct {
	*memory
	mu   sync.Mutex
	read []string
}

func (w *watchful) ReadFile(ctx context.Context, path string) ([]byte, error) {
	w.mu.Lock()
	w.read = append(w.read, path)
	w.mu.Unlock()
	return w.memory.ReadFile(ctx, path)
}

// check opens a document and runs everything over it.
func (w *watchful) check(t *testing.T, content string) (found []analysis.Diagnostic) {
	t.Helper()
	const uri = "file:///w/a.path.json"
	work := w.workspace()
	s := work.Open(uri, "", 1, content)
	found = s.Check(uri, nil)
	more, err := work.CheckReferences(t.Context(), w, uri)
	if err != nil {
		t.Fatal(err)
	}
	return append(found, more...)
}

// Files outside of the workspace of which steps speak are never read, however their keys spell
// them.
func TestFilesOutsideAreNeverRead(t *testing.T) {
	for _, base := range []string{"file:///", "file:///w/../etc", "github:o/r"} {
		w := &watchful{memory: &memory{files: map[string]string{"/etc/passwd": "secret\n", "/w/in.txt": "x\n"}}}
		var changes []string
		for _, key := range []string{"/etc/passwd", "../etc/passwd", "file:///etc/passwd", "//machine/share/passwd", "etc/passwd", "sub/../../etc/passwd", "in.txt"} {
			changes = append(changes, fmt.Sprintf(`%q:{"raw":"--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n"}`, key))
		}
		w.check(t, strings.Replace(chain(1, func(int) string { return "{" + strings.Join(changes, ",") + "}" }), `"id":"p",`, `"id":"p","base":{"uri":"`+base+`"},`, 1))
		for _, path := range w.read {
			if !strings.HasPrefix(path, "/w/") {
				t.Errorf("base %s: %s was read", base, path)
			}
		}
	}
}

// A step with very many files is looked at as far as the bound goes, and says so.
func TestStepWithManyFiles(t *testing.T) {
	w := &watchful{memory: &memory{files: map[string]string{}}}
	var changes []string
	for i := range 10_000 {
		changes = append(changes, fmt.Sprintf(`"f%d.txt":{"raw":"@@ -0,0 +1 @@\n+a\n"}`, i))
	}
	found := w.check(t, chain(1, func(int) string { return "{" + strings.Join(changes, ",") + "}" }))
	told := false
	for _, d := range found {
		told = told || strings.Contains(d.Message, "too large to be replayed as a whole: 8000 of its 10000 files")
	}
	if !told {
		t.Errorf("%d findings, and none says that files were left out", len(found))
	}
}

// A graph with very many merges is replayed; the file at its head is what its steps left.
func TestManyMerges(t *testing.T) {
	const n = 100_000
	var b strings.Builder
	b.WriteString(`{"graph":{"id":"g"},"paths":[{"path":{"id":"p","head":"s99999"},"steps":[`)
	for i := range n {
		parents, change := "", "{}"
		if i > 0 {
			b.WriteByte(',')
			parents = fmt.Sprintf(`"parents":["s%d","s%d"],`, i-1, max(0, i-2-i%50))
		}
		if i%10_000 == 0 {
			change = fmt.Sprintf(`{"a.txt":{"raw":"@@ -%d,0 +%d @@\n+line %d\n"}}`, i/10_000, i/10_000+1, i)
		}
		fmt.Fprintf(&b, `{"step":{"id":"s%d",%s"actor":"human:a","timestamp":"2026-01-29T10:00:00Z"},"change":%s}`, i, parents, change)
	}
	b.WriteString("]}]}")
	m := &memory{files: map[string]string{"/w/a.path.json": b.String()}}
	work := m.workspace()
	work.Add("/w/a.path.json", []byte(b.String()))
	var want strings.Builder
	for i := 0; i < n; i += 10_000 {
		fmt.Fprintf(&want, "line %d\n", i)
	}
	_, p, err := work.ProvenanceOf(t.Context(), m, "file:///w/a.txt", text.New([]byte(want.String())))
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.Len() {
		if l := p.Line(i); l.State != recorded || l.Step.At().ID != fmt.Sprintf("s%d", i*10_000) {
			t.Errorf("line %d: %s", i+1, annotated(p))
			break
		}
	}
}

// A key that names a folder, and a file that is one on disk, are no more than not known.
func TestFileThatIsAFolder(t *testing.T) {
	w := &watchful{memory: &memory{files: map[string]string{}}}
	found := w.check(t, chain(1, func(int) string {
		return `{"src/":{"raw":"@@ -0,0 +1 @@\n+a\n"},"src":{"raw":"@@ -1 +1 @@\n-a\n+b\n"}}`
	}))
	for _, d := range found {
		if strings.Contains(d.Message, "panic") {
			t.Error(d.Message)
		}
	}
}
