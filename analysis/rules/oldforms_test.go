package rules_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/convert"
	"github.com/toolpath-ls/toolpath-ls/analysis/format"
	"github.com/toolpath-ls/toolpath-ls/analysis/rules"
)

const (
	faultyStep = `{"step": {"id": "s1", "actor": "bot:x", "timestamp": "2026-01-29"},
 "change": {"../a.go": {"raw": "@@ -1,2 +1 @@\n-x\n+y"}, "b.go": {"rw": "x"}},
 "meta": {"kind": "x", "refs": [{"rel": "x"}], "signatures": [{"signer": "human:al", "key": "gpg:1", "scope": "nope", "sig": "x"}]}}`
	faultyPath = `{"path": {"id": "p", "head": "s3", "base": {"uri": "github:a/b", "commit": "abc"}}, "steps": [` + faultyStep + `,
 {"step": {"id": "s2", "parents": ["s0"], "actor": "human:alex", "timestamp": "2026-01-29T10:00:00Z", "x": 1}, "change": {}}],
 "meta": {"titel": "x", "actors": {"human:z": {}}}}`
)

// A document of an old form has the faults, and all that is told of its places, that it has
// once it is converted, at the places where they are: only its form is named beside them.
func TestOldFormsAreReadThroughTheirEnvelopes(t *testing.T) {
	for name, old := range map[string]string{
		"Graph":        `{"Graph": {"graph": {"id": "g", "x": 2}, "paths": [` + faultyPath + `, {"$ref": ""}], "meta": {"y": 1}}}`,
		"Path":         `{"Path": ` + faultyPath + `}`,
		"Step":         `{"Step": ` + faultyStep + `}`,
		"path alone":   faultyPath,
		"step alone":   faultyStep,
		"meta, a path": `{"meta": {"source": 1}, ` + faultyPath[1:strings.LastIndex(faultyPath, ",\n")] + "}",
	} {
		t.Run(name, func(t *testing.T) {
			was := analysis.NewWorkspace(&analysis.Options{Rules: rules.All()}, nil).Open("file:///w/a.path.json", "", 1, old)
			d := was.Document("file:///w/a.path.json")
			edits, losses, err := convert.Upgrade(d.Tree())
			if err != nil || len(losses) > 0 {
				t.Fatal(err, losses)
			}
			converted := string(format.Apply([]byte(old), edits))
			is := analysis.NewWorkspace(&analysis.Options{Rules: rules.All()}, nil).Open("file:///w/a.path.json", "", 1, converted)
			// moved returns where an offset of the old text is in the new one.
			moved := func(off int) int {
				by := 0
				for _, e := range edits {
					if e.End <= off && (e.Start < off || e.New != "" && e.Start < e.End) || e.Start == e.End && e.Start == off && old[off] == '{' {
						by += len(e.New) - (e.End - e.Start)
					}
				}
				return off + by
			}
			found := func(s *analysis.Snapshot, place func(int) int) (all []string) {
				for _, f := range s.Check("file:///w/a.path.json", nil) {
					if id := f.Rule.ID; id != "TP2010" && f.Message != `"commit" in path base is from a form before May 2026: write the revision in "ref"` {
						all = append(all, fmt.Sprintf("%d %s %s", place(f.Start), id, f.Message))
					}
				}
				slices.Sort(all)
				return all
			}
			here := func(off int) int { return off }
			if got, want := found(was, moved), found(is, here); !slices.Equal(got, want) || len(got) < 5 {
				t.Errorf("found\n%s\nbut once converted\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if forms := len(was.Check("file:///w/a.path.json", nil)) - len(found(was, here)); forms < 1 || forms > 2 {
				t.Errorf("%d findings on the form", forms)
			}
			now := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
			for off := strings.Index(old, `"s1"`); off < strings.LastIndex(old, "]}"); off++ {
				if strings.Contains(old[max(0, off-20):min(len(old), off+20)], "commit") {
					continue
				}
				told := func(s *analysis.Snapshot, off int, place func(int) int) string {
					d, out := s.Document("file:///w/a.path.json"), ""
					if h, _ := s.Hover(d, off, now); h != nil {
						out = fmt.Sprint(place(h.Start), " ", h.Prose.Plain())
					}
					_, targets, _ := s.Definition(d, off)
					for _, l := range targets {
						if l.Path == d.Path {
							l.Start = place(l.Start)
						}
						out += fmt.Sprint("\nto ", l.Path, l.Start)
					}
					return out
				}
				if got, want := told(was, off, moved), told(is, moved(off), here); got != want {
					t.Fatalf("at %q\n%s\nbut once converted\n%s", old[off:min(len(old), off+20)], got, want)
				}
			}
			names := func(s *analysis.Snapshot) (all []string) {
				for _, y := range s.Document("file:///w/a.path.json").Outline() {
					if y.Kind == analysis.StepSymbol {
						all = append(all, y.Name)
					}
				}
				return all
			}
			if got, want := names(was), names(is); !slices.Equal(got, want) {
				t.Errorf("symbols %q, but once converted %q", got, want)
			}
		})
	}
}
