//go:build cgo

package structural_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/toolpath-ls/toolpath-ls/analysis/entity"
	"github.com/toolpath-ls/toolpath-ls/structural"
)

var update = flag.Bool("update", false, "write the changes that were found into testdata/entities")

// versions parses the files of an archive whose names start with a folder.
func versions(t *testing.T, a *txtar.Archive, folder string) ([]entity.File, entity.Sources) {
	t.Helper()
	var files []entity.File
	sources := entity.Sources{}
	for _, f := range a.Files {
		name, ok := strings.CutPrefix(f.Name, folder+"/")
		if !ok {
			continue
		}
		tree, err := structural.Parse(string(f.Data), structural.ForFile(name, string(f.Data)), structural.Options{Query: true})
		if err != nil {
			t.Fatal(name, err)
		}
		files = append(files, structural.Entities(tree, name))
		sources[name] = string(f.Data)
	}
	return files, sources
}

// TestChanges compares the versions below before/ and after/ of each archive and wants
// the sentences of the file "changes", and the operations of the file "operations".
func TestChanges(t *testing.T) {
	names, err := filepath.Glob("testdata/entities/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("no archives", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			before, old := versions(t, a, "before")
			after, new := versions(t, a, "after")
			changes := entity.Compare(before, after)
			var words, operations strings.Builder
			for _, c := range changes {
				words.WriteString(c.Words(before, after) + "\n")
			}
			for _, f := range after {
				lang := structural.ForFile(f.Name, "").Name
				if op, ok := entity.Operations(lang, f.Name, changes, before, after, old, new); ok {
					text, err := json.MarshalIndent(op, "", " ")
					if err != nil {
						t.Fatal(err)
					}
					operations.WriteString(f.Name + ": " + string(text) + "\n")
				}
			}
			same := true
			for i, f := range a.Files {
				got := string(f.Data)
				switch f.Name {
				case "changes":
					got = words.String()
				case "operations":
					got = operations.String()
				}
				if got != string(f.Data) {
					a.Files[i].Data, same = []byte(got), false
					if !*update {
						t.Errorf("%s: found\n%s\nwant\n%s", f.Name, got, f.Data)
					}
				}
			}
			if *update && !same {
				if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// FuzzEntities: no text makes the comparison fail, and a version that is compared with
// itself has not changed.
func FuzzEntities(f *testing.F) {
	f.Add("go", "package a\n\nfunc f() {}\n\ntype t struct{ a, b int }\n", "package a\n\nfunc g() {}\n")
	f.Add("rust", "use a::{b, c};\nimpl<T> A for B<T> { fn f() {} }", "impl A for C {}")
	f.Add("python", "class A:\n    @x\n    def f(self): pass\n    def f(self): pass", "def f(): return")
	f.Add("typescript", "export const f = () => 1; function g(): void; function g() {}", "")
	f.Fuzz(func(t *testing.T, lang, old, new string) {
		l := structural.ByName(lang)
		if l == nil {
			return
		}
		var files [2]entity.File
		for i, source := range []string{old, new} {
			tree, err := structural.Parse(source, l, structural.Options{Query: true})
			if err != nil {
				return
			}
			files[i] = structural.Entities(tree, "a")
		}
		if same := entity.Compare(files[:1], files[:1]); len(same) > 0 {
			t.Errorf("compared with itself: %s", same[0].Words(files[:1], files[:1]))
		}
		sources := []entity.Sources{{"a": old}, {"a": new}}
		changes := entity.Compare(files[:1], files[1:])
		entity.Operations(lang, "a", changes, files[:1], files[1:], sources[0], sources[1])
		for _, c := range changes {
			c.Words(files[:1], files[1:])
		}
	})
}
