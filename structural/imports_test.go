//go:build cgo

package structural

import (
	"fmt"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
)

// undeclared are steps of which nobody says that they format, and whose each line of the
// text after is: the number of the line that it was, with "m" if the step moved it, "-" if the
// step wrote it.
type undeclared struct{ file, name, old, new, lines string }

func (u undeclared) check(t *testing.T) {
	t.Helper()
	var f Formatter
	lines, p := ours(&f, reformatted{u.file, u.old, u.new}, false)
	var got []string
	for k, was := range lines {
		word := "-"
		if was >= 0 {
			word = fmt.Sprint(was + 1)
		}
		if p.Ident(p.Lines()[k]).Kind == provenance.Reorder {
			word += "m"
		}
		got = append(got, word)
	}
	if got := strings.Join(got, " "); got != u.lines {
		t.Errorf("lines come of %s, want %s\n%s\n%s", got, u.lines, u.old, u.new)
	}
}

// Imports of which the order may carry meaning, put in another one by a step that lays out
// something else too.
func TestReorderedImports(t *testing.T) {
	for _, u := range []undeclared{
		{"a.c", "two includes", "#include \"b.h\"\n#include \"a.h\"\nint x ;\n", "#include \"a.h\"\n#include \"b.h\"\nint x;\n", "2 1m 3"},
		{"a.c", "behind a guard", "#ifndef A\n#define A\n#include <b>\n#include <a>\nint x ;\n#endif\n", "#ifndef A\n#define A\n#include <a>\n#include <b>\nint x;\n#endif\n", "1 2 4 3m 5 6"},
		{"a.c", "with blank lines and comments between", "#include <c>\n\n// of ours\n#include <b>\n#include <a>\nint x ;\n", "#include <a>\n\n// of ours\n#include <b>\n#include <c>\nint x;\n", "5m 2 3 4 1m 6"},
		{"a.c", "with a comment behind it", "#include <b> // for f\n#include <a>\nint x ;\n", "#include <a>\n#include <b> // for f\nint x;\n", "2 1m 3"},
		{"a.h", "laid out too", "#  include \"b.h\"\n#  include \"a.h\"\nint x ;\n", "#include \"a.h\"\n#include \"b.h\"\nint x;\n", "2m 1m 3"},
		{"a.cpp", "using declarations", "#include <x>\nusing std::c;\nusing std::a;\nusing std::b;\nint x ;\n", "#include <x>\nusing std::a;\nusing std::b;\nusing std::c;\nint x;\n", "1 3 4 2m 5"},
		{"a.hpp", "of a file that the grammar cannot read", "#include <b>\n#include <a>\nnamespace std _VISIBILITY(default)\n{\n_BEGIN\nint f() _NOEXCEPT_IF(x) { return 1 ; }\n_END\n}\n", "#include <a>\n#include <b>\nnamespace std _VISIBILITY(default) {\n_BEGIN\nint f() _NOEXCEPT_IF(x) { return 1; }\n_END\n}\n", "2 1m 3 5 6 7 8"},
		{"a.py", "Python", "import b\nfrom a import x\nf( x )\n", "from a import x\nimport b\nf(x)\n", "2 1m 3"},
		{"a.py", "of several lines", "import c\nfrom a import (\n  x,\n  y,\n)\nf( x )\n", "from a import (\n    x,\n    y,\n)\nimport c\nf(x)\n", "2 3 4 5 1m 6"},
		{"a.js", "JavaScript", "import b from 'b'\nimport './a.css'\nf( b )\n", "import \"./a.css\";\nimport b from \"b\";\nf(b);\n", "2m 1m 3"},
		{"a.ts", "TypeScript", "import {b} from 'b'\nimport type {A} from 'a'\nf( b )\n", "import type { A } from 'a'\nimport { b } from 'b'\nf(b)\n", "2m 1m 3"},
		{"a.scala", "Scala", "import b.B\nimport a.A\nobject O { val x=1 }\n", "import a.A\nimport b.B\nobject O { val x = 1 }\n", "2 1m 3"},
		// Where the order means nothing, it is layout.
		{"a.go", "Go", "package a\n\nimport (\n\"b\"\n\"a\"\n)\n", "package a\n\nimport (\n\t\"a\"\n\t\"b\"\n)\n", "1 2 3 5 4 6"},
		{"A.java", "Java", "import b.B;\nimport a.A;\nclass A{}\n", "import a.A;\nimport b.B;\n\nclass A {\n}\n", "2 1 1 3 3"},

		{"a.c", "edited on the way", "#include \"b.h\"\n#include \"a.h\"\nint x ;\n", "#include \"a2.h\"\n#include \"b.h\"\nint x;\n", "- 1 3"},
		{"a.c", "another comment behind it", "#include <b> // for f\n#include <a>\nint x ;\n", "#include <a>\n#include <b> // for g\nint x;\n", "2 - 3"},
		{"a.c", "twice afterwards", "#include <b>\n#include <a>\nint x ;\n", "#include <a>\n#include <b>\n#include <a>\nint x;\n", "- 1 2 3"},
		{"a.c", "one more", "#include <b>\n#include <a>\nint x ;\n", "#include <a>\n#include <c>\n#include <b>\nint x;\n", "2 - 1m 3"},
		{"a.c", "into a condition", "#include <b>\n#include <a>\n#if X\n#include <c>\n#endif\nint x ;\n", "#include <a>\n#if X\n#include <b>\n#include <c>\n#endif\nint x;\n", "2 3 - 4 5 6"},
		{"a.c", "out of a condition", "#if X\n#include <c>\n#include <b>\n#endif\n#include <a>\nint x ;\n", "#if X\n#include <c>\n#endif\n#include <a>\n#include <b>\nint x;\n", "1 2 4 5 - 6"},
		{"a.c", "behind a definition", "#include <b>\n#include <a>\nint x ;\n", "#include <a>\n#define A\n#include <b>\nint x;\n", "2 - - 3"},
		{"a.c", "behind the code", "#include <a>\nint x ;\nint y ;\n#define A\nint z ;\n", "int x;\nint y;\n#include <a>\n#define A\nint z;\n", "2 3 - 4 5"},
		{"a.c", "and nothing else", "#include <b>\n#include <a>\nint x;\n", "#include <a>\n#include <b>\nint x;\n", "2 - 3"},
		{"a.c", "and an edit", "#include <b>\n#include <a>\nint x;\n", "#include <a>\n#include <b>\nint y;\n", "2 - -"},
		{"a.c", "and other layout of imports alone", "#include <c>\n#include  <b>\n#include  <a>\nint x;\n", "#include <b>\n#include <a>\n#include <c>\nint x;\n", "- - 1 4"},
	} {
		t.Run(u.file+"/"+u.name, u.check)
	}
}

// A line that changed places with another one is the step's; what else it laid out is not.
func TestMovedLines(t *testing.T) {
	for _, u := range []undeclared{
		{"a.c", "statements", "void f() {\n first();\n second();\n}\nint x ;\n", "void f() {\n  second();\n  first();\n}\nint x;\n", "1 - - 4 5"},
		{"a.c", "of one layout", "int a;\nint b;\n#ifdef A\nint x ;\n#endif\n", "int b;\nint a;\n#ifdef A\nint x;\n#endif\n", "2 - 3 4 5"},
		{"a.go", "calls", "package a\n\nfunc f() {\nfirst()\nsecond()\n}\nvar  x = 1\n", "package a\n\nfunc f() {\n\tsecond()\n\tfirst()\n}\n\nvar x = 1\n", "1 2 3 - - 6 6 7"},
		{"a.cpp", "far from what is laid out", "using a::c;\nusing a::b;\nint x ;\n#if A\n  int y ;\n#endif\n", "using a::b;\nusing a::c;\nint x;\n#if A\nint y;\n#endif\n", "2 1m 3 4 5 6"},
	} {
		t.Run(u.file+"/"+u.name, u.check)
	}
}
