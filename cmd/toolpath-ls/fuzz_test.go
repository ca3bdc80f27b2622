package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
	"github.com/toolpath-ls/toolpath-ls/analysis/text"
)

// seeds are documents of both forms, sound and faulty.
func seeds(f *testing.F) (all []string) {
	all = []string{
		"", graph(step), graph(step) + "x", written("a.txt", "a\nb\n"),
		`{"PathOpen": {"version": "1", "id": "p"}}` + "\n" + `{"Step": ` + step + "}\n" + `{"Head": {"step_id": "s1"}}` + "\n",
		graph(strings.Replace(step, "{}", `{"a.txt": {"raw": "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"}}`, 1)),
		"\ufeff[{\"a\":\"\\ud800\", 'b': 1e999, /* */ \"a\": tru}",
	}
	for _, folder := range []string{"edge", "examples"} {
		names, _ := filepath.Glob(filepath.Join("..", "..", "..", "shared", "corpus", folder, "*.json*"))
		for _, name := range names {
			content, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			all = append(all, string(content))
		}
	}
	return all
}

// Whatever a file holds, check ends and its findings have places in it; what is no JSON to
// the standard library is an error here too.
func FuzzCheck(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s)
	}
	files := newFiles(0)
	f.Cleanup(files.close)
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, content string) {
		for _, name := range []string{"a.path.json", "a.path.jsonl"} {
			found, err := checkContent(context.Background(), files, name, filepath.Join(dir, name), []byte(content), analysis.DefaultMaxFileSize)
			if err != nil {
				t.Fatal(err)
			}
			for i, f := range found {
				if !within(content, f) || f.Message == "" || f.Code == "" || !utf8.ValidString(f.Message) || strings.ContainsFunc(f.Message, unprintable) {
					t.Errorf("%s of %q: %+v", name, content, f)
				}
				if i > 0 && (f.Line < found[i-1].Line || f.Line == found[i-1].Line && f.Column < found[i-1].Column) {
					t.Errorf("%s of %q: %+v comes after %+v", name, content, f, found[i-1])
				}
			}
			failed := slices.ContainsFunc(found, func(f finding) bool { return f.Severity == "error" })
			if name == "a.path.json" && !failed && !json.Valid([]byte(content)) {
				t.Errorf("%q is no JSON, and only %+v is said", content, found)
			}
		}
	})
}

// within says whether a finding's places are in the text, and in order.
func within(content string, f finding) bool {
	doc := text.New([]byte(content))
	end := doc.Pos(len(content), text.UTF16)
	if f.Line < 1 || f.Column < 1 || f.EndLine < f.Line || f.EndLine == f.Line && f.EndColumn < f.Column {
		return false
	}
	return f.EndLine < end.Line+1 || f.EndLine == end.Line+1 && f.EndColumn <= end.Column+1
}

// Whatever a document holds, every line of the file it speaks of has a state, and a step
// where it is recorded.
func FuzzBlame(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s, "a\nb\n")
		f.Add(s, "a\r\nc")
	}
	files := newFiles(0)
	f.Cleanup(files.close)
	dir := filepath.ToSlash(f.TempDir())
	f.Fuzz(func(t *testing.T, document, content string) {
		for _, name := range []string{"a.path.json", "a.path.jsonl"} {
			w := newWorkspace(files, dir, analysis.DefaultMaxFileSize)
			w.Open(analysis.FileURI(dir+"/"+name), documentLanguage(name, []byte(document)), 1, document)
			_, p, err := w.ProvenanceOf(context.Background(), files, analysis.FileURI(dir+"/a.txt"), text.New([]byte(content)))
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Accounts) > 0 && p.Len() != len(lineTexts(p)) {
				t.Fatalf("%q, %q: %d lines, not %d", document, content, p.Len(), len(lineTexts(p)))
			}
			for i := range lineTexts(p) {
				if l := p.Line(i); l.State == provenance.StateRecorded && (l.Step == nil || l.Step.Step >= l.Step.Path.Steps.Len()) {
					t.Errorf("%q, %q: line %d: %+v", document, content, i, l)
				}
				row(p.Line(i))
			}
			p.Problems()
		}
	})
}
