package provenance_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
	"github.com/toolpath-ls/toolpath-ls/analysis/udiff"
)

const corpus = "../../../shared/corpus"

// document is as much of a Toolpath document as a replay needs.
type document struct {
	Paths []struct {
		Path  struct{ Head string }
		Steps []struct {
			Step struct {
				ID      string
				Parents []string
			}
			Change change
		}
	}
}

type change map[string]struct {
	Raw        *string
	Structural struct{ Before, After *string }
}

func readDocument(t *testing.T, name string) document {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(corpus, name))
	if err != nil {
		t.Skipf("the corpus is not here: %v", err)
	}
	var d document
	if err := json.Unmarshal(raw, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// chain is the first-parent chain to the head, root first.
func (d document) chain() (ids []string, changes []change) {
	path := d.Paths[0]
	at := map[string]int{}
	for i, s := range path.Steps {
		at[s.Step.ID] = i
	}
	for id := path.Path.Head; ; {
		i, ok := at[id]
		if !ok {
			break
		}
		ids = append(ids, id)
		changes = append(changes, path.Steps[i].Change)
		if len(path.Steps[i].Step.Parents) == 0 {
			break
		}
		id = path.Steps[i].Step.Parents[0]
	}
	slices.Reverse(ids)
	slices.Reverse(changes)
	return ids, changes
}

// gitEdits are the edits of name in the steps before end, and those of the files
// from which it was renamed; first is the name at the start.
func gitEdits(name string, end int, changes []change) (edits []provenance.Edit, first string) {
	for i := end - 1; i >= 0; i-- {
		raw := changes[i][name].Raw
		if raw == nil {
			continue
		}
		edit := provenance.Edit{Step: provenance.StepID(i + 1), Raw: *raw, HasRaw: true, GitDeriver: true}
		for other, c := range changes[i] {
			if c.Raw == nil || other == name || !strings.Contains(*c.Raw, " +0,0 @@") || !strings.HasPrefix(*raw, "@@ -0,0 ") {
				continue
			}
			if provenance.Similarity(udiff.Parse(*c.Raw).OldText(), udiff.Parse(*raw).NewText()) >= provenance.RenameSimilarity {
				before, first := gitEdits(other, i, changes)
				return append(append(before, edit), edits...), first
			}
		}
		edits = slices.Insert(edits, 0, edit)
	}
	return edits, name
}

// The corpus says to whom git gives each line of a history that the git deriver
// wrote down.
func TestCorpusBlame(t *testing.T) {
	d := readDocument(t, "blame/git-linear.path.json")
	raw, err := os.ReadFile(filepath.Join(corpus, "blame/expected-blame.json"))
	if err != nil {
		t.Fatal(err)
	}
	var expected map[string]struct {
		Base  string `json:"base_ref"`
		Files map[string]struct {
			Text   string
			Parent []string `json:"first_parent"`
		}
	}
	if err := json.Unmarshal(raw, &expected); err != nil {
		t.Fatal(err)
	}
	export, err := os.ReadFile(filepath.Join(corpus, "blame/repo.fast-export"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	git(t, dir, "", "init", "-q", ".")
	git(t, dir, string(export), "fast-import", "--quiet")
	linear := expected["linear"]
	inBase := strings.Fields(git(t, dir, "", "ls-tree", "-r", "--name-only", linear.Base))
	ids, changes := d.chain()
	for name, want := range linear.Files {
		t.Run(name, func(t *testing.T) {
			edits, first := gitEdits(name, len(changes), changes)
			base := ""
			if slices.Contains(inBase, first) {
				base = git(t, dir, "", "cat-file", "blob", linear.Base+":"+first)
			}
			p := provenance.Project(provenance.History{Base: &base, Edits: edits})
			if len(p.Problems) > 0 || p.HeadText() != want.Text {
				t.Fatalf("problems %v, head\n%s", p.Problems, p.HeadText())
			}
			o := p.Overlay([]byte(want.Text))
			got := make([]string, o.Len())
			for i := range got {
				got[i] = "base"
				if line := o.Line(i); line.State == provenance.StateRecorded {
					got[i] = ids[p.Ident(line.ID).Step-1]
				}
			}
			if !slices.Equal(got, want.Parent) {
				t.Errorf("got %v\nwant %v", got, want.Parent)
			}
		})
	}
}
