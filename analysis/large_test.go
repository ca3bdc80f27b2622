package analysis_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/rules"
)

// A source file over the limit has lines of which none is on record, and says why. It is as
// before when it is shorter again, and a file that no document speaks of has nothing to say.
func TestSourceFileOverTheLimit(t *testing.T) {
	const limit = 4 << 10
	m := &memory{files: map[string]string{}}
	w := analysis.NewWorkspace(&analysis.Options{Rules: rules.All(), MaxFileSize: limit}, m.Root)
	m.files["/w/p.path.json"] = chain(1, func(int) string { return `{"a.go":{"raw":"--- /dev/null\n+++ b/a.go\n@@ -0,0 +1 @@\n+package a\n"}}` })
	w.Add("/w/p.path.json", []byte(m.files["/w/p.path.json"]))
	ask := func(uri, content string) *analysis.Provenance {
		w.Open(uri, "go", 1, content)
		_, p, err := w.ProvenanceOf(t.Context(), m, uri, nil)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	const long = "package a\n"
	large := strings.Repeat(long, limit/len(long)+1)
	p := ask("file:///w/a.go", large)
	if p.Line(0).State == recorded || p.Line(0).Step != nil {
		t.Errorf("a line of a file over the limit is %+v", p.Line(0))
	}
	if h := p.HoverLine(0); h == nil || !strings.Contains(h.Plain(), "Not recorded\n") || !strings.Contains(h.Plain(), "more than the limit of") {
		t.Errorf("hover: %v", h)
	}
	if p.Problems() == nil {
		t.Error("it has no problem")
	}
	if p := ask("file:///w/a.go", long); p.Line(0).State != recorded {
		t.Errorf("a shorter one: %s", annotated(p))
	}
	if p := ask("file:///w/other.go", large); p.HoverLine(0) != nil || p.Problems() != nil {
		t.Errorf("a file that nobody speaks of: %v", p.Problems())
	}
}

// tooLarge is a source of which the content of one file in a commit is too large.
type tooLarge struct {
	*memory
	path string
}

func (s tooLarge) ReadObject(ctx context.Context, root, rev, path string) ([]byte, error) {
	if path == s.path {
		return nil, fmt.Errorf("%w: it has 80 MB", analysis.ErrTooLarge)
	}
	return s.memory.ReadObject(ctx, root, rev, path)
}

func (s tooLarge) ReadFile(ctx context.Context, path string) ([]byte, error) {
	if path == "/w/"+s.path {
		return nil, analysis.ErrTooLarge
	}
	return s.memory.ReadFile(ctx, path)
}

// A file that is too large or binary at the base is told of at its key, each such file once;
// the base itself can be read. A file on disk that is too large to be compared is not drifting.
func TestFilesThatCannotBeReadAtTheBase(t *testing.T) {
	src := tooLarge{&memory{files: map[string]string{"/w/fine.go": "package a\nvar x = 1\n"}, objects: map[[2]string]string{
		{"abc", "fine.go"}: "package a\n", {"abc", "image"}: "\x00\n"}}, "large.go"}
	const edit = `{"raw":"@@ -1 +1,2 @@\n package a\n+var x = 1\n"}`
	doc := strings.Replace(chain(1, func(int) string {
		return `{"large.go":` + edit + `,"fine.go":` + edit + `,"image":` + edit + `}`
	}), `"id":"p",`, `"id":"p","base":{"uri":"github:o/r","ref":"abc"},`, 1)
	w := src.workspace()
	w.Open("file:///w/p.path.json", "", 1, doc)
	found, err := w.CheckReferences(t.Context(), src, "file:///w/p.path.json")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range found {
		got = append(got, fmt.Sprintf("%s %s: %s", d.Rule.ID, doc[d.Start:d.End], d.Message))
	}
	want := []string{
		`TP5001 "large.go": the file is too large at the base, so that its diffs cannot be replayed from there: over the size limit: it has 80 MB`,
		`TP5001 "image": the file is binary at the base, so that its diffs cannot be replayed from there`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
