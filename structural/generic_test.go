package structural

import (
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/linediff"
	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
)

// Files without a grammar, and all of them in a program without cgo: equal tokens prove that
// a step formats only where nothing but tokens counts.
func TestGenericProof(t *testing.T) {
	for _, c := range []struct {
		name     string
		file     string
		old, new string
		proven   bool
	}{
		{"dart", "a.dart", "f( a )  ;\n", "f(a);\n", true},
		{"protobuf", "a.proto", "message A{string b=1;}\n", "message A {\n  string b = 1;\n}\n", true},
		{"sql", "a.sql", "select  a\nfrom b;\n", "select a from b;\n", true},
		{"sql, string of two lines", "a.sql", "select  'a\n b';\n", "select 'a\n  b';\n", false},
		{"sql, string", "a.sql", "select  'a b';\n", "select 'a  b';\n", false},
		{"scss, descendant", "a.scss", ".a .b{color:red}\n", ".a.b {color:red}\n", false},
		{"less, descendant", "a.less", "a :hover{}\n", "a:hover {}\n", false},
		{"lua, long string", "a.lua", "x = [[a  b]]\n", "x  = [[a b]]\n", false},
		{"zig, lines of a string", "a.zig", "const a =\n    \\\\a  b\n;\n", "const a =\n  \\\\a b\n;\n", false},
		{"objective-c", "a.m", "int x=1 ;\n", "int x = 1;\n", true},
		{"objective-c, macro", "a.m", "#define F(x)  (x)\n", "#define F (x) (x)\n", false},
		{"shader, directive", "a.glsl", "#define F  1\nvoid f() {}\n", "#define F 1 void f() {}\n", false},
		{"shader, operators", "a.glsl", "int a=-b;\n", "int a = -b;\n", true},
		{"kotlin, line end", "a.kt", "return\nx\n", "return x\n", false},
		{"makefile", "Makefile", "a:\n\tb  c\n", "a:\n    b c\n", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := new(Formatter)
			p := provenance.Project(provenance.History{Base: &c.old, File: c.file, Formatter: f, Edits: []provenance.Edit{{Step: 1, Whole: &c.new}}})
			own := 0
			for _, id := range p.Lines() {
				if p.Ident(p.Owner(id)).Kind != provenance.Base {
					own++
				}
			}
			if c.proven != (own == 0) {
				t.Errorf("%d lines belong to the step", own)
			}
		})
	}
}

// Rust, C#, PHP and Go have grammars; by tokens alone, white space in their strings and line
// ends are not known to be layout.
func TestGenericLexerProvesLittle(t *testing.T) {
	for _, c := range []struct {
		file, old, new string
		proven         bool
	}{
		{"a.go", "return\nx\n", "return x\n", false},
		{"a.rs", "let a = r#\"b\n  c\"#;\n", "let a = r#\"b\n    c\"#;\n", false},
		{"a.php", "<b>a  b</b>\n", "<b>a b</b>\n", false},
		{"a.cs", "var a = @\"b\n  c\";\n", "var a = @\"b\n    c\";\n", false},
		{"a.css", "a .b{}\n", "a.b{}\n", false},
		{"a.c", "#define F(x) (x)\n", "#define F (x) (x)\n", false},
		{"a.c", "int x=1;\n", "int x = 1;\n", true},
		{"A.java", "int x=1;\n", "int x = 1;\n", true},
	} {
		forms := [2]*form{}
		for i, source := range []string{c.old, c.new} {
			forms[i] = &form{source: source, lines: lineStarts(source)}
			forms[i].lexed(rulesFor(c.file))
		}
		comparison := provenance.Comparison{File: c.file, Old: c.old, New: c.new, Hunks: linediff.Bytes([]byte(c.old), []byte(c.new), linediff.Options{})}
		if proven := len(compare(comparison, forms[0], forms[1]).Lines) > 0; proven != c.proven {
			t.Errorf("%s: %q to %q is proven: %v", c.file, c.old, c.new, proven)
		}
	}
}
