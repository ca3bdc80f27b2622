package analysis_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"weak"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/text"
)

// created is a document that creates a file with one line.
func created(file, step, at string) string {
	return chain(1, func(int) string {
		return encode(map[string]any{file: map[string]any{"raw": "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+" + step + "\n"}})
	})
}

// Report B 14 and 26: URIs as clients write them, and what is no file at all.
func TestFilePath(t *testing.T) {
	for uri, want := range map[string]string{
		"file:///home/alex/a.go":          "/home/alex/a.go",
		"file:///home/alex/a%20b%23c.go":  "/home/alex/a b#c.go",
		"file:///app/(auth)/page.tsx":     "/app/(auth)/page.tsx",
		"file:///app/%28auth%29/page.tsx": "/app/(auth)/page.tsx",
		"file:///C:/Users/a.go":           "c:/Users/a.go",
		"file:///c%3A/Users/a.go":         "c:/Users/a.go",
		"file:///c:/Users/../a.go":        "c:/a.go",
		"FILE:///a.go":                    "/a.go",
		"file://localhost/a.go":           "/a.go",
		"file:/home/alex/a.go":            "/home/alex/a.go",
		"file://server/share/a.go":        "//server/share/a.go",
		"file:///%E8%B7%AF/𐐀.go":          "/路/𐐀.go",
		"file:///a//b/./c":                "/a/b/c",
		"file:///100%":                    "",
		"file:///a%00b":                   "",
		"untitled:Untitled-1":             "",
		"vscode-notebook-cell:/a.ipynb#x": "",
		"https://example.com/a.go":        "",
		"":                                "",
		"file:":                           "",
		"/home/alex/a.go":                 "",
	} {
		if got := analysis.FilePath(uri); got != want {
			t.Errorf("%q is %q, not %q", uri, got, want)
		}
	}
	for _, path := range []string{"/", "//server/share/a.go", "/a b/#?%/(c)/é𐐀.go", "c:/Users/a.go", "/a&b=c+d;e,f@g!$'*"} {
		if got := analysis.FilePath(analysis.FileURI(path)); got != path {
			t.Errorf("%q comes back as %q from %q", path, got, analysis.FileURI(path))
		}
	}
}

// Report B 15: what is not open cannot be changed, in whatever order messages come.
func TestChangeOfWhatIsNotOpen(t *testing.T) {
	w := (&memory{}).workspace()
	uri := "file:///w/a.path.json"
	change := func() error { _, err := w.Change(uri, 2, text.UTF16, []text.Change{{Text: "{}"}}); return err }
	if err := change(); !errors.Is(err, analysis.ErrNotOpen) {
		t.Error(err)
	}
	w.Close(uri)
	w.Open(uri, "", 1, "")
	w.Open(uri, "", 1, "{")
	if err := change(); err != nil || string(w.Snapshot().Document(uri).Text.Bytes()) != "{}" {
		t.Error(err)
	}
	w.Close(uri)
	if err := change(); !errors.Is(err, analysis.ErrNotOpen) || w.Snapshot().Document(uri) != nil {
		t.Error(err)
	}
}

// Report B 23: with several folders, each document speaks of the files of its own, whatever
// the folder is called and wherever it was when the work was recorded.
func TestSeveralFolders(t *testing.T) {
	m := &memory{files: map[string]string{
		"/one/renamed/docs/a.path.json": created("src/a.go", "first", ""),
		"/two/b.path.json":              created("src/a.go", "second", ""),
	}}
	w := analysis.NewWorkspace(&analysis.Options{}, func(path string) string {
		for _, root := range []string{"/one/renamed", "/two"} {
			if strings.HasPrefix(path, root+"/") {
				return root
			}
		}
		return ""
	})
	for path, content := range m.files {
		w.Add(path, []byte(content))
	}
	for file, want := range map[string]string{"/one/renamed/src/a.go": "first", "/two/src/a.go": "second", "/one/src/a.go": "", "/src/a.go": ""} {
		_, p, err := w.ProvenanceOf(t.Context(), m, analysis.FileURI(file), text.New([]byte("first\nsecond\n")))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for i, line := range []string{"first", "second"} {
			if p.Line(i).State == recorded {
				got += line
			}
		}
		if got != want {
			t.Errorf("%s: on record is %q, not %q", file, got, want)
		}
	}
}

// Report B 33 and 34: an answer is about the text that was asked about, although the editor
// has gone on.
func TestAnswersAreAboutTheTextAskedAbout(t *testing.T) {
	m := &memory{}
	w := m.workspace()
	w.Open("file:///w/a.path.json", "", 1, created("a.go", "line", ""))
	asked := w.Open("file:///w/a.go", "go", 1, "line\n").Document("file:///w/a.go").Text
	if _, err := w.Change("file:///w/a.go", 2, text.UTF16, []text.Change{{Range: &text.Range{}, Text: "new\n"}}); err != nil {
		t.Fatal(err)
	}
	for content, want := range map[*text.Text]string{asked: "recorded", nil: "changed"} {
		_, p, err := w.ProvenanceOf(t.Context(), m, "file:///w/a.go", content)
		if err != nil || analysis.StateName(p.Line(0).State) != want {
			t.Errorf("the first line is %v, not %s", p.Line(0).State, want)
		}
	}
}

// A file can be touched by more documents than are kept in memory at a time.
func TestManyDocumentsOnOneFile(t *testing.T) {
	const n = 200
	m := &memory{files: map[string]string{}}
	w := m.workspace()
	var lines strings.Builder
	for i := range n {
		path, line := fmt.Sprintf("/w/%d.path.json", i), fmt.Sprintf("line %d of the file", i)
		m.files[path] = created("a.go", line, "")
		w.Add(path, []byte(m.files[path]))
		lines.WriteString(line + "\n")
	}
	_, p, err := w.ProvenanceOf(t.Context(), m, "file:///w/a.go", text.New([]byte(lines.String())))
	if err != nil || len(p.Accounts) != n {
		t.Fatalf("%v: %d accounts", err, len(p.Accounts))
	}
	for i := range n {
		if p.Line(i).State != recorded {
			t.Errorf("line %d is %v", i, p.Line(i).State)
		}
	}
}

// A document that cannot be read any more is told of (report B 14), and tried again.
func TestDocumentThatIsGone(t *testing.T) {
	m := &memory{files: map[string]string{}}
	w := m.workspace()
	w.Add("/w/a.path.json", []byte(created("a.go", "line", "")))
	_, p, err := w.ProvenanceOf(t.Context(), m, "file:///w/a.go", text.New([]byte("line\n")))
	if err != nil || p.Line(0).State == recorded || len(p.Problems()) != 1 || !strings.Contains(p.HoverLine(0).Plain(), "a.path.json could not be read") {
		t.Errorf("%v: %v, %s", err, p.Problems(), p.HoverLine(0).Plain())
	}
	m.files["/w/a.path.json"] = created("a.go", "line", "")
	w.Forget()
	if _, p, err = w.ProvenanceOf(t.Context(), m, "file:///w/a.go", text.New([]byte("line\n"))); err != nil || p.Line(0).State != recorded {
		t.Errorf("%v: %s", err, annotated(p))
	}
}

// Report B 36: the summary of a file names the same steps while somebody types.
func TestSummaryStaysWhileTyping(t *testing.T) {
	m := &memory{}
	w := m.workspace()
	w.Open("file:///w/a.path.json", "", 1, created("a.go", "line", ""))
	w.Open("file:///w/a.go", "go", 1, "line\n")
	for i, typed := range []string{"a", "b", "\n", "line\n"} {
		if _, err := w.Change("file:///w/a.go", int32(i), text.UTF16, []text.Change{{Range: &text.Range{}, Text: typed}}); err != nil {
			t.Fatal(err)
		}
		_, p, err := w.ProvenanceOf(t.Context(), m, "file:///w/a.go", nil)
		if sum := p.Summary(); err != nil || len(sum.Steps) != 1 || len(sum.Shares) > 1 {
			t.Errorf("after %q: %v, %s", typed, err, sum.Title())
		}
	}
}

// A stream and what it was sealed to are one record of the same steps.
func TestTwinsCountOnce(t *testing.T) {
	n := parseNotation(t, "path p head=s1\nstep s1 human:alex 10:00\nfile a.go\n--- /dev/null\n+++ b/a.go\n@@ -0,0 +1 @@\n+line\n")
	m := &memory{}
	w := m.workspace()
	w.Open("file:///w/a.path.json", "", 1, n.canonical())
	w.Open("file:///w/a.path.jsonl", "", 1, n.stream())
	_, p, err := w.ProvenanceOf(t.Context(), m, "file:///w/a.go", text.New([]byte("line\n")))
	if err != nil || p.Summary().Title() != "1 actor · 100 % human:alex · 1 step" || len(p.Also(0)) != 0 {
		t.Errorf("%v: %s, also %v", err, p.Summary().Title(), p.Also(0))
	}
}

// stopping is a Source that ends the question it is read for.
type stopping struct {
	*memory
	stop context.CancelFunc
}

func (s stopping) ReadFile(ctx context.Context, path string) ([]byte, error) {
	s.stop()
	return nil, ctx.Err()
}

// A question that was given up leaves nothing behind.
func TestCancelledQuestion(t *testing.T) {
	m := &memory{files: map[string]string{"/w/a.path.json": created("a.go", "line", "")}}
	w := m.workspace()
	w.Add("/w/a.path.json", []byte(m.files["/w/a.path.json"]))
	ctx, stop := context.WithCancel(t.Context())
	if _, p, err := w.ProvenanceOf(ctx, stopping{m, stop}, "file:///w/a.go", text.New([]byte("line\n"))); !errors.Is(err, context.Canceled) || p != nil {
		t.Errorf("%v, %v", p, err)
	}
	// The documents are there, but time runs out while they are replayed.
	content := text.New([]byte("line\n"))
	if _, _, err := w.ProvenanceOf(t.Context(), m, "file:///w/a.go", content); err != nil {
		t.Fatal(err)
	}
	w.Add("/w/a.path.json", []byte(m.files["/w/a.path.json"]))
	w.Open("file:///w/a.path.json", "", 1, m.files["/w/a.path.json"])
	p, needs := w.Snapshot().Provenance("file:///w/a.go", content, func() bool { return true })
	if len(needs) > 0 || p.Line(0).State == recorded {
		t.Errorf("%v\n%s", needs, annotated(p))
	}
	if _, p, err := w.ProvenanceOf(t.Context(), m, "file:///w/a.go", content); err != nil || p.Line(0).State != recorded {
		t.Errorf("%v\n%s", err, annotated(p))
	}
}

// No cache keeps a text alive that no document has any more.
func TestOldTextsAreLetGo(t *testing.T) {
	m := &memory{}
	w := m.workspace()
	w.Open("file:///w/a.path.json", "", 1, created("a.go", "line", ""))
	w.Open("file:///w/a.go", "go", 1, "line\n"+strings.Repeat("and more\n", 100))
	var old []weak.Pointer[byte]
	for i := range 5 {
		s := w.Snapshot()
		for _, uri := range []string{"file:///w/a.path.json", "file:///w/a.go"} {
			old = append(old, weak.Make(&s.Document(uri).Text.Bytes()[0]))
			s.Check(uri, nil)
			s.Document(uri).Symbols()
			s.Hover(s.Document(uri), 30, present)
		}
		if _, p, err := w.ProvenanceOf(t.Context(), m, "file:///w/a.go", nil); err != nil || p.HoverLine(0) == nil {
			t.Fatal(err)
		}
		if _, err := w.CheckReferences(t.Context(), m, "file:///w/a.path.json"); err != nil {
			t.Fatal(err)
		}
		for _, uri := range []string{"file:///w/a.path.json", "file:///w/a.go"} {
			if _, err := w.Change(uri, int32(i), text.UTF16, []text.Change{{Range: &text.Range{}, Text: " "}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.Saved("file:///w/a.go") // what was saved before is a text that the document has
	// The newest versions derive what they need, and let go of what it was derived from.
	w.Snapshot().Check("file:///w/a.path.json", nil)
	if held := heldAfterGC(old); held > 0 {
		t.Errorf("%d of %d old texts are still held", held, len(old))
	}
	for _, uri := range []string{"file:///w/a.path.json", "file:///w/a.go"} {
		old = append(old, weak.Make(&w.Snapshot().Document(uri).Text.Bytes()[0]))
		w.Close(uri)
	}
	if held := heldAfterGC(old); held > 0 {
		t.Errorf("%d texts are held of closed documents", held)
	}
}

func heldAfterGC(old []weak.Pointer[byte]) (held int) {
	for range 3 {
		runtime.GC()
	}
	for _, p := range old {
		if p.Value() != nil {
			held++
		}
	}
	return held
}
