package structural

import (
	"strings"
	"testing"
)

// Why a file has no syntax tree is said in words that name the cause.
func TestReading(t *testing.T) {
	for _, c := range []struct{ file, source, why, layout string }{
		{"a.go", "package a\n", "", "the trees before and after"},
		{"a.go", "package a\n" + strings.Repeat("var x = 1\n", 1<<18), "too large to parse: ", "white space at the end of lines"},
		{"a.json", "[" + strings.Repeat("1,\n", 1<<20) + "1]", "too large to parse: ", "all tokens are the same"},
		{"a.dart", "void f() {}\n", "no grammar for files .dart", "all tokens are the same"},
		{"a.dart", "f('open\n", "no grammar for files .dart", "a quote does not close"},
		{"Makefile", "a:\n", "no grammar for the file Makefile", "white space at the end of lines"},
	} {
		r := Syntax{}.Reading(c.file, c.source)
		if !HasGrammars {
			if r.Tree || !strings.Contains(r.Why, "without cgo") {
				t.Errorf("%s without cgo: %+v", c.file, r)
			}
			continue
		}
		if r.Tree != (c.why == "") || !strings.Contains(r.Why, c.why) || !strings.Contains(r.Layout, c.layout) {
			t.Errorf("%s: %+v", c.file, r)
		}
	}
}
