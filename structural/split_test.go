//go:build cgo

package structural_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/entity"
	"github.com/toolpath-ls/toolpath-ls/internal/gosource"
	"github.com/toolpath-ls/toolpath-ls/structural"
)

// TestSplit cuts files of Go's standard library in three by function, in turn, and edits
// a line of each fourth: at least 90 % of the moved functions must be named as moved, and
// nothing may be said to come from where it did not.
func TestSplit(t *testing.T) {
	moved, named, wrong := 0, 0, 0
	for _, name := range []string{"strings/strings.go", "net/http/server.go", "go/parser/parser.go", "encoding/json/decode.go", "text/template/exec.go"} {
		source := gosource.Read(t, name)
		whole := parsed(t, "whole.go", source)
		parts := [3]strings.Builder{}
		for i := range parts {
			parts[i].WriteString("package p\n\n")
		}
		home := map[string]int{}
		n := 0
		for _, e := range whole.Entities {
			if e.Parent >= 0 || e.Kind == "import" {
				continue
			}
			text := source[e.Start:e.End]
			if e.Kind != "fn" && e.Kind != "method" {
				continue
			}
			if n%4 == 3 {
				if at := strings.Index(text, "return "); at >= 0 {
					text = text[:at] + "println(\"edited\")\n\t" + text[at:]
				}
			}
			home[e.Path()] = n % 3
			parts[n%3].WriteString(text + "\n\n")
			n++
		}
		var after []entity.File
		for i := range parts {
			after = append(after, parsed(t, fmt.Sprintf("part%d.go", i), parts[i].String()))
		}
		before := []entity.File{whole}
		moved += n
		for _, c := range entity.Compare(before, after) {
			if c.Action != entity.Move && c.Action != entity.Rename {
				continue
			}
			was := before[0].Entities[c.Before.Entity].Path()
			is := after[c.After.File].Entities[c.After.Entity].Path()
			if was == is && c.Action == entity.Move {
				named++
			} else {
				wrong++
				t.Logf("%s: %s is said to come from %s", name, is, was)
			}
		}
	}
	t.Logf("%d functions moved, %d named, %d wrong", moved, named, wrong)
	if named*10 < moved*9 || wrong > 0 {
		t.Errorf("%d of %d moved functions were named, %d wrong", named, moved, wrong)
	}
}

func parsed(t *testing.T, name, source string) entity.File {
	t.Helper()
	tree, err := structural.Parse(source, structural.ForFile(name, source), structural.Options{Query: true})
	if err != nil {
		t.Fatal(name, err)
	}
	return structural.Entities(tree, name)
}
