package analysis_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/rules"
	"github.com/toolpath-ls/toolpath-ls/analysis/text"
)

var lineNumbers = regexp.MustCompile(`#L\d+>`)

var update = flag.Bool("update", false, "write what is expected into the archives of testdata")

// memory is a Source in memory: files by path, and objects by revision and path relative
// to its one repository, "/w".
type memory struct {
	files   map[string]string
	objects map[[2]string]string
	folder  []string // names of what lies in "/w"; nil: nobody knows them
}

var errNoCommit = errors.New("the commit is not in the repository")

func (m *memory) ReadFile(_ context.Context, path string) ([]byte, error) {
	content, ok := m.files[path]
	if !ok {
		return nil, os.ErrNotExist
	}
	return []byte(content), nil
}

func (m *memory) ReadObject(_ context.Context, root, rev, path string) ([]byte, error) {
	if content, ok := m.objects[[2]string{rev, path}]; ok {
		return []byte(content), nil
	}
	for k := range m.objects {
		if k[0] == rev {
			return nil, fmt.Errorf("%w: %s", analysis.ErrNoFile, path)
		}
	}
	return nil, errNoCommit
}

func (m *memory) Spellings(_ context.Context, path string) ([]string, error) {
	rel, ok := strings.CutPrefix(path, "/w/")
	if !ok || m.folder == nil {
		return nil, os.ErrNotExist
	}
	var names []string
	for _, name := range m.folder {
		if strings.EqualFold(name, rel) {
			names = append(names, name)
		}
	}
	return names, nil
}

func (m *memory) Root(path string) string {
	if strings.HasPrefix(path, "/w/") {
		return "/w"
	}
	return ""
}

// workspace returns a workspace whose documents are relative to the source's root.
func (m *memory) workspace() *analysis.Workspace {
	return analysis.NewWorkspace(&analysis.Options{Rules: rules.All(), MaxFileSize: analysis.DefaultMaxFileSize}, m.Root)
}

// attribution is one archive of testdata/attribution. Sections: documents
// ("pr.path.json", in the short notation or as they are), "git REV PATH" for what a commit
// has, "folder" for the names in the folder, if they are known, "buffer PATH" for the text that
// is asked about, and what is said of it: "want" with
// a line for each of its lines, "ignoring PATTERN…" with what is said to who ignores such
// actors, "problems", "title", and "hover N" for line N from 1.
type attribution struct {
	*memory
	docs   []string // by name
	noted  map[string]*notation
	uri    string
	buffer string
	work   *analysis.Workspace // that was asked last
	want   map[string]string
}

func readAttribution(t *testing.T, a *txtar.Archive) *attribution {
	t.Helper()
	c := &attribution{memory: &memory{files: map[string]string{}, objects: map[[2]string]string{}}, noted: map[string]*notation{}, want: map[string]string{}}
	for _, f := range a.Files {
		content, words := string(f.Data), strings.Fields(f.Name)
		switch {
		case words[0] == "git":
			c.objects[[2]string{words[1], words[2]}] = untexted(content)
		case words[0] == "folder":
			c.folder = strings.Fields(content)
		case words[0] == "buffer":
			c.uri, c.buffer = analysis.FileURI("/w/"+words[1]), untexted(content)
		case strings.HasSuffix(f.Name, ".path.json"):
			path := "/w/" + f.Name
			c.docs = append(c.docs, path)
			if content[0] != '{' {
				c.noted[path] = parseNotation(t, content)
				content = c.noted[path].canonical()
			}
			c.files[path] = content
		default:
			c.want[f.Name] = content
		}
	}
	return c
}

// The forms in which a document can come: they must say the same.
var forms = []struct {
	name         string
	open, stream bool
}{{"on disk", false, false}, {"open", true, false}, {"stream", false, true}, {"open stream", true, true}}

func (c *attribution) ask(t *testing.T, open, stream bool) *analysis.Provenance {
	t.Helper()
	w := c.workspace()
	for _, path := range c.docs {
		content := c.files[path]
		if n := c.noted[path]; stream && n != nil && len(n.paths) == 1 {
			content, path = strings.ReplaceAll(n.stream(), `.path.json"`, `.path.jsonl"`), path+"l"
			c.files[path] = content
		}
		if open {
			w.Open(analysis.FileURI(path), "", 1, content)
		} else {
			w.Add(path, []byte(content))
		}
	}
	w.Open(c.uri, "go", 1, c.buffer)
	c.work = w
	_, p, err := w.ProvenanceOf(t.Context(), c.memory, c.uri, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A line of "want" is: state, step and actor of a recorded line, and the text. A "?" after
// the state says that later steps could not be replayed, a "~" that the step wrote the whole
// file over one that nobody knows.
func annotated(p *analysis.Provenance) string {
	var b strings.Builder
	for i := range p.Len() {
		l := p.Line(i)
		state, who := analysis.StateName(l.State), ""
		if l.Gap {
			state += "?"
		}
		if l.Overwritten {
			state += "~"
		}
		if l.State == recorded {
			s := l.Step.At()
			who = s.ID + " " + s.Actor
		}
		line := strings.NewReplacer("\r", "␍").Replace(string(p.Text.Bytes()[p.LineStart(i):p.LineStart(i+1)]))
		fmt.Fprintf(&b, "%-11s %-20s | %s\n", state, who, strings.TrimSuffix(line, "\n"))
	}
	return b.String()
}

const recorded = 2 // provenance.StateRecorded

// hover is what is told of line i, from 0.
func (c *attribution) hover(t *testing.T, p *analysis.Provenance, i int) string {
	t.Helper()
	prose, err := analysis.Ask(t.Context(), c.work, c.memory, c.work.Snapshot(), func(s *analysis.Snapshot) (*analysis.Prose, []analysis.Need) {
		return s.DescribeLine(p, analysis.FilePath(c.uri), i, nil, present, nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	if prose == nil {
		return "nothing\n"
	}
	return prose.Plain() + "\n"
}

func (c *attribution) answer(t *testing.T, p *analysis.Provenance, section string) string {
	t.Helper()
	words := strings.Fields(section)
	switch words[0] {
	case "want":
		return annotated(p)
	case "problems":
		return strings.Join(append(p.Problems(), ""), "\n")
	case "ignoring":
		g, err := analysis.NewIgnore(words[1:])
		if err != nil {
			return err.Error() + "\n"
		}
		return annotated(p.Ignoring(g))
	case "title":
		return p.Summary().Title() + "\n"
	case "hover":
		n, _ := strconv.Atoi(words[1])
		return c.hover(t, p, n-1)
	}
	return "there is no section " + section + "\n"
}

func TestAttribution(t *testing.T) {
	files, err := filepath.Glob("../testdata/attribution/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			c := readAttribution(t, a)
			if *update {
				p := c.ask(t, false, false)
				for i, f := range a.Files {
					if _, expected := c.want[f.Name]; expected {
						a.Files[i].Data = []byte(c.answer(t, p, f.Name))
					}
				}
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			for _, form := range forms {
				p := c.ask(t, form.open, form.stream)
				for i := range p.Len() { // report B 38: a hover does not hide the others
					if prose := c.hover(t, p, i); strings.Count(prose, "\n") > 6 {
						t.Errorf("%s: the hover of line %d is long:\n%s", form.name, i+1, prose)
					}
				}
				for section, want := range c.want {
					got := c.answer(t, p, section)
					if form.stream {
						got = strings.ReplaceAll(got, ".path.jsonl", ".path.json")
						got = lineNumbers.ReplaceAllString(got, "#L1>")
						want = lineNumbers.ReplaceAllString(want, "#L1>")
					}
					if got != want {
						t.Errorf("%s: %s is\n%sbut should be\n%s", form.name, section, got, want)
					}
				}
			}
		})
	}
}

// A file whose text is not given and not open has no lines, and does not fail.
func TestProvenanceOfNothing(t *testing.T) {
	m := &memory{}
	for _, uri := range []string{"file:///w/a.go", "untitled:Untitled-1", ""} {
		_, p, err := m.workspace().ProvenanceOf(t.Context(), m, uri, nil)
		if err != nil || p.Len() != 0 || p.HoverLine(0) != nil || p.LineOf(3) != 0 || p.LineStart(2) != 0 || p.LineEnd(0) != 0 || len(p.Runs(0, 9)) != 0 {
			t.Errorf("%q: %v, %v", uri, p, err)
		}
	}
}

// A source file that no document speaks of has its lines, none of them on record.
func TestUnrecordedFile(t *testing.T) {
	m := &memory{}
	_, p, err := m.workspace().ProvenanceOf(t.Context(), m, "file:///w/a.go", text.New([]byte("a\nb")))
	if err != nil || annotated(p) != "unrecorded                       | a\nunrecorded                       | b\n" {
		t.Errorf("%v\n%s", err, annotated(p))
	}
}
