package analysis_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// An archive of testdata/answers is a document, first, with named places («here»), and
// what is answered there: sections "hover here", "markdown here" (the same for clients that
// render it), "definition here", "parent here", "children here", "head here", and
// "symbols".
func TestAnswers(t *testing.T) {
	files, err := filepath.Glob("../testdata/answers/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			q := ask(t, a.Files[0].Name, string(a.Files[0].Data))
			for i, f := range a.Files[1:] {
				got := q.answer(t, f.Name)
				if *update {
					a.Files[i+1].Data = []byte(got)
				} else if got != string(f.Data) {
					t.Errorf("%s is\n%sbut should be\n%s", f.Name, got, f.Data)
				}
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

type questions struct {
	snapshot *analysis.Snapshot
	doc      *analysis.Document
	places   map[string]int
}

// present is when the questions are asked.
var present = time.Date(2026, 2, 1, 10, 0, 0, 0, time.UTC)

var place = regexp.MustCompile(`«([^»]*)»`)

func ask(t *testing.T, name, content string) *questions {
	t.Helper()
	q := &questions{places: map[string]int{}}
	for {
		m := place.FindStringSubmatchIndex(content)
		if m == nil {
			break
		}
		q.places[content[m[2]:m[3]]] = m[0]
		content = content[:m[0]] + content[m[1]:]
	}
	uri := analysis.FileURI("/w/" + name)
	q.snapshot = (&memory{}).workspace().Open(uri, "", 1, content)
	q.doc = q.snapshot.Document(uri)
	return q
}

func (q *questions) answer(t *testing.T, section string) string {
	what, where, _ := strings.Cut(section, " ")
	off, ok := q.places[where]
	if !ok && where != "" {
		t.Fatalf("there is no place %q", where)
	}
	switch what {
	case "hover", "markdown":
		h, _ := q.snapshot.Hover(q.doc, off, present)
		switch {
		case h == nil:
			return "nothing\n"
		case what == "markdown":
			return h.Prose.Markdown() + "\n"
		}
		return h.Prose.Plain() + "\n"
	case "definition":
		_, targets, _ := q.snapshot.Definition(q.doc, off)
		return q.locations(targets...)
	case "parent":
		l, ok := q.doc.ParentStep(off)
		return q.locations([]analysis.Location{l}[:one(ok)]...)
	case "head":
		l, ok := q.doc.HeadStep(off)
		return q.locations([]analysis.Location{l}[:one(ok)]...)
	case "children":
		return q.locations(q.doc.ChildSteps(off)...)
	case "symbols":
		return outline(q.doc, q.doc.Symbols(), "")
	}
	t.Fatalf("no answer is called %q", what)
	return ""
}

func one(ok bool) int {
	if ok {
		return 1
	}
	return 0
}

// locations writes each place as its line number and text, from its start to the line's end.
func (q *questions) locations(all ...analysis.Location) string {
	if len(all) == 0 {
		return "nothing\n"
	}
	var b strings.Builder
	for _, l := range all {
		if l.Doc == nil {
			fmt.Fprintf(&b, "file %s\n", l.Path)
			continue
		}
		fmt.Fprintf(&b, "%d: %s\n", l.Doc.Text.Line(l.Start)+1, l.Doc.Text.Bytes()[l.Start:l.End])
	}
	return b.String()
}

func outline(d *analysis.Document, symbols []analysis.Symbol, indent string) string {
	var b strings.Builder
	for _, s := range symbols {
		fmt.Fprintf(&b, "%s%s", indent, s.Name)
		if s.Detail != "" {
			fmt.Fprintf(&b, " (%s)", s.Detail)
		}
		if s.DeadEnd {
			b.WriteString(" dead end")
		}
		fmt.Fprintf(&b, " at %s\n%s", d.Text.Slice(s.NameStart, s.NameEnd), outline(d, s.Children, indent+"  "))
	}
	return b.String()
}
