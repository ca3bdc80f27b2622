//go:build cgo

package structural

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
)

// hidden is a small edit in the middle of formatting. The marks are in the text before: a
// formatter lays the rest out anew, and of «old→new» makes new.
type hidden struct{ file, name, before string }

var hiddenEdits = []hidden{
	{"a.go", "and to or", "package a\n\nfunc f(a,b bool) bool {\nreturn a «&&→||» b\n}\n"},
	{"a.go", "less to less or equal", "package a\n\nfunc f(a []int) {\nfor i:=0;i «<→<=» len(a);i++ { g(i) }\n}\n"},
	{"a.go", "negation dropped", "package a\n\nfunc f(a bool) {\nif «!→»a { g() }\n}\n"},
	{"a.go", "number", "package a\n\nconst   x=«10→100»\n"},
	{"a.go", "octal", "package a\n\nconst   x=«0644→644»\n"},
	{"a.go", "swapped arguments", "package a\n\nfunc f() {\ncopy( «a→b», «b→a» )\n}\n"},
	{"a.go", "string", "package a\n\nvar   s=\"a «b→  b»\"\n"},
	{"a.go", "raw string", "package a\n\nvar   s=`a\n«  →    »b`\n"},
	{"a.go", "defer dropped", "package a\n\nfunc f() {\n«defer →»mu.Unlock( )\n}\n"},
	{"a.go", "pointer receiver", "package a\n\nfunc (t «*→»T) f( ) { }\n"},
	{"a.go", "define to assign", "package a\n\nfunc f() {\nx «:=→=» g( )\n}\n"},
	{"a.go", "build constraint", "«//go:build linux→//go:build darwin»\n\npackage a\nvar  x  = 1\n"},
	{"a.go", "directive cut off", "package a\n\n«//go:noinline→// go:noinline»\nfunc f( ) { }\n"},
	{"a.go", "struct tag", "package a\n\ntype T struct {\nX   int `json:\"x«→,omitempty»\"`\n}\n"},
	{"a.go", "statement out of a block", "package a\n\nfunc f(a bool) {\nif a {\n«→}\n»  g()\n  h()\n«}\n→»}\n"},
	{"a.go", "parentheses that count", "package a\n\nvar  x = «(a+b)*c→a+b*c»\n"},

	{"a.rs", "tail semicolon", "fn f() -> i32 {\n  1«→;»\n}\n"},
	{"a.rs", "operator", "fn f(a:i32,b:i32)->i32 {\n  a «+→-» b\n}\n"},
	{"a.rs", "negation", "fn f(a:bool) {\n  if «!→»a { g() }\n}\n"},
	{"a.rs", "question mark dropped", "fn f() -> R {\n  g()«?→»;\n  Ok(())\n}\n"},
	{"a.rs", "mutable", "fn f() {\n  let «→mut » x=1;\n}\n"},
	{"a.rs", "reference", "fn f() {\n  g(«&→»x);\n}\n"},
	{"a.rs", "raw string", "fn f() {\n  g(«r→»\"a\\n\");\n}\n"},
	{"a.rs", "range", "fn f() {\n  for i in 0«..→..=»n { g(i) }\n}\n"},
	{"a.rs", "macro argument", "fn f() {\n  assert_eq!(a,  «b→c»);\n}\n"},
	{"a.rs", "macro operator", "fn f() {\n  assert!(a «==→!=» b);\n}\n"},
	{"a.rs", "another import", "use a::{b,  «c→d»};\nfn f() { }\n"},
	{"a.rs", "derive", "#[derive(Clone«, Copy→»)]\nstruct S{x:i32}\n"},

	{"a.py", "indentation out of an if", "def f(a):\n  if a:\n    g()\n  «  →»h()\n"},
	{"a.py", "indentation into an if", "def f(a):\n  if a:\n    g()\n«→  »  h()\n"},
	{"a.py", "return in the loop", "def f(a):\n  for x in a:\n    g(x)\n  «→  »return a\n"},
	{"a.py", "else of another if", "def f(a,b):\n  if a:\n    if b:\n      g()\n«  →    »else:\n«  →    »  h()\n"},
	{"a.py", "not dropped", "def f(a):\n  if «not →»a:\n    g()\n"},
	{"a.py", "tuple of one", "x = (1«,→»)\n"},
	{"a.py", "string to number", "f( «'1'→1» )\n"},
	{"a.py", "raw prefix", "f( «r→»'\\d' )\n"},
	{"a.py", "format prefix", "f( «f→»'{x}' )\n"},
	{"a.py", "comma in a list of strings", "x = [\n 'a'«,→»\n 'b',\n]\n"},
	{"a.py", "keyword argument", "f( a, «b=1→b=2» )\n"},
	{"a.py", "is to equals", "x = a «is→==» b\n"},
	{"a.py", "async", "«async →»def f():\n  pass\n"},
	{"a.py", "star", "f( «*→**»a )\n"},
	{"a.py", "white space in a string", "x = '''a\n«  →    »b'''\ny = 1\n"},
	{"a.py", "interpolation", "x = f'{ a«+→-»b }'\n"},

	{"a.js", "strict to loose", "if (a «===→==» b) { f( ) }\n"},
	{"a.js", "return alone", "function f() { return«→\n» x }\n"},
	{"a.js", "directive gone", "«'use strict';→('use strict');»\nf( )\n"},
	{"a.js", "template text", "x = `a«→ »${b}`\n"},
	{"a.js", "await dropped", "async function f() { «await →»g( ) }\n"},
	{"a.js", "and to or", "x = a «&&→||» b\n"},
	{"a.js", "precedence", "x = «(a || b) && c→a || b && c»\n"},
	{"a.js", "spread", "x = [ «...→»a ]\n"},
	{"a.js", "hole in an array", "x = [ 1,«→,» 2 ]\n"},
	{"a.js", "optional chain", "x = a«?.→.»b( )\n"},
	{"a.js", "const to let", "«const→let» x = 1\n"},
	{"a.js", "regular expression", "x = /a«+→*»/g\n"},
	{"a.jsx", "text of an element", "x = <b>a «b→c»</b>\n"},
	{"a.jsx", "white space of an element", "x = <b>a«→ »<i/></b>\n"},
	{"a.ts", "type", "function f(a: «string→any») { return  a }\n"},
	{"a.ts", "optional", "interface I { a«?→»: string ; b:  number }\n"},
	{"a.ts", "union in brackets", "type T = «(A | B)[]→A | B[]»\nlet  x = 1\n"},
	{"a.tsx", "attribute", "x = <A b=\"«c→d»\"   />\n"},

	{"A.java", "operator", "class A { boolean f(int a) { return a «>→>=» 0; } }\n"},
	{"A.java", "statement out of an if", "class A { void f() { if (a) «{→» g();  h();  «}→» } }\n"},
	{"A.java", "final dropped", "class A { «final →»int x=1; }\n"},
	{"A.java", "string", "class A { String s=\"a«b→c»\"; }\n"},

	{"a.c", "assignment in a condition", "int f(int a) {\nif (a «==→=» 1) return 2;\nreturn 3;\n}\n"},
	{"a.c", "semicolon behind if", "int f(int a) {\nif (a)«→;»\n  g();\nreturn 3;\n}\n"},
	{"a.c", "macro body", "#define X(a)   ((a)«+→-»1)\nint  y;\n"},
	{"a.c", "macro increment", "#define X(a)   (a «+ +→++»b)\nint  y;\n"},
	{"a.c", "macro string", "#define X   \"a«→ »b\"\nint  y;\n"},
	{"a.c", "unsigned", "«unsigned →»int   x;\n"},
	{"a.c", "goto fail twice", "int f() {\nif (a)\n  goto fail;\n«→  goto fail;\n»fail:  return 1;\n}\n"},
	{"a.cpp", "reference", "void f(const T «&→»x) { g( x ); }\n"},
	{"a.cpp", "negation", "bool f(bool x) { return «!→»x; }\n"},
	{"a.cpp", "include", "#include \"«a→b».h\"\nint  x;\n"},
	{"a.cs", "operator", "class A { int f(int a) { return a «*→/» 2; } }\n"},
	{"a.cs", "await", "class A { async Task f() { «await →»g( ); } }\n"},
	{"a.rb", "unless", "def f(a)\n  g() «if→unless» a\nend\n"},
	{"a.rb", "interpolation in quotes", "x = «\"a#{b}\"→'a#{b}'»\ny  = 1\n"},
	{"a.rb", "symbol", "x = «:a→'a'»\ny  = 1\n"},
	{"a.php", "operator", "<?php\nif ($a «===→==» $b) { f( ); }\n"},
	{"a.php", "text outside", "<b>«a→b»</b>\n<?php\nf( );\n"},
	{"a.sh", "word split", "f() {\necho   «a b→\"a b\"»\n}\n"},
	{"a.sh", "quotes dropped", "rm   «\"$x\"→$x»\n"},
	{"a.scala", "operator", "object O { val x = a «+→-» b }\n"},
	{"a.json", "number", "{\"a\":   «1→1.0»}\n"},
	{"a.json", "order of keys", "{«\"a\":1→\"b\":2», «\"b\":2→\"a\":1»}\n"},
	{"a.css", "descendant to both", "a«→ ».b{color:red}\n"},
	{"a.toml", "key", "[a]\n«b→c»   = 1\n"},
}

// lay makes the texts before and after of a hidden edit. What is around the marks is laid
// out anew: lines get other indentation and blanks are doubled or halved, where that means
// nothing in the language.
func (h hidden) lay() (old, now string) {
	var a, b strings.Builder
	for rest := h.before; ; {
		plain, marked, ok := strings.Cut(rest, "«")
		a.WriteString(plain)
		b.WriteString(relaid(h.file, plain))
		if !ok {
			return a.String(), b.String()
		}
		inner, after, _ := strings.Cut(marked, "»")
		was, is, _ := strings.Cut(inner, "→")
		a.WriteString(was)
		b.WriteString(is)
		rest = after
	}
}

// relaid has two blanks for one between words, and one for two or three.
func relaid(file, s string) string {
	if strings.HasSuffix(file, ".jsx") || strings.HasSuffix(file, ".php") && !strings.Contains(s, "<?") {
		return s
	}
	lines := strings.SplitAfter(s, "\n")
	for i, l := range lines {
		body := strings.TrimLeft(l, " ")
		indent := l[:len(l)-len(body)]
		if i > 0 && !strings.HasSuffix(file, ".py") {
			indent += indent // twice as deep, the first of a piece goes on where the last one ended
		}
		for _, blanks := range []string{"   ", "  "} {
			body = strings.ReplaceAll(body, blanks, " ")
		}
		lines[i] = indent + body
	}
	return strings.Join(lines, "")
}

// Whatever is hidden in a formatting step is reported, and belongs to the step.
func TestHiddenEdits(t *testing.T) {
	if len(hiddenEdits) < 60 {
		t.Fatalf("%d edits", len(hiddenEdits))
	}
	var f Formatter
	missed := 0
	for _, h := range hiddenEdits {
		t.Run(h.file+"/"+h.name, func(t *testing.T) {
			old, now := h.lay()
			lines, p := ours(&f, reformatted{h.file, old, now}, true)
			if len(p.Meanings) == 0 {
				missed++
				t.Errorf("not reported\n%s\n%s", old, now)
			}
			owned := false
			for _, l := range lines {
				owned = owned || l < 0
			}
			if !owned && strings.Count(old, "\n") <= strings.Count(now, "\n") {
				t.Errorf("no line belongs to the step\n%s\n%s", old, now)
			}
			for _, c := range p.Meanings {
				t.Log(c.Words("tool:x"))
			}
		})
	}
	t.Logf("%d of %d edits reported", len(hiddenEdits)-missed, len(hiddenEdits))
}

// Formatting in each language, of which nothing may be reported, declared or not.
func TestMereFormatting(t *testing.T) {
	var f Formatter
	for _, c := range []reformatted{
		{"a.go", "package a\nimport (\n\"b\"\n\"a\"\n)\nvar (\nx=1\n)\n", "package a\n\nimport (\n\t\"a\"\n\t\"b\"\n)\n\nvar x = 1\n"},
		{"a.rs", "use b::{d,c};\nuse a::x;\nfn f()->i32 { match x { A=>{ 1 } | B=>2 } }\n", "use a::x;\nuse b::{c, d};\n\nfn f() -> i32 {\n    match x {\n        A => 1,\n        B => 2,\n    }\n}\n"},
		{"a.rs", "fn f() { if (a) { return 1 } }\n", "fn f() {\n    if a {\n        return 1;\n    }\n}\n"},
		{"a.rs", "fn f() { vec![1,2]; }\n", "fn f() {\n    vec![\n        1,\n        2,\n    ];\n}\n"},
		{"a.py", "def f( a ):\n  '''Doc.\n  more'''\n  x = 'it\\'s'; return (a)\n", "def f(a):\n    \"\"\"Doc.\n    more\"\"\"\n    x = \"it's\"\n    return a\n"},
		{"a.py", "class A():\n  x = f(1,\\\n 2)\n", "class A:\n    x = f(\n        1,\n        2,\n    )\n"},
		{"a.js", "const f = x => ({'a':1,b:.50})\nnew A\n", "const f = (x) => ({\n  a: 1,\n  b: 0.5,\n});\nnew A();\n"},
		{"a.js", "if (a || ((b) || c && d)) e()\n", "if (a || b || (c && d)) e();\n"},
		{"a.jsx", "x = <b>one two <i>x</i></b>\n", "x = (\n  <b>\n    one two{\" \"}\n    <i>x</i>\n  </b>\n);\n"},
		{"a.ts", "type T = A|B\nlet f = (a) => a as any\n", "type T =\n  | A\n  | B;\nlet f = a => a as any;\n"},
		{"A.java", "class A{int f(){return (1);}}\n", "class A {\n  int f() {\n    return 1;\n  }\n}\n"},
		{"a.c", "#  define X \\\n 1\nint f(){return \"a b\" ;}\n", "#define X 1\nint f() {\n  return \"a \"\n         \"b\";\n}\n"},
		{"a.cpp", "#include \"b.h\"\n#include \"a.h\"\nint x ;\n", "#include \"a.h\"\n#include \"b.h\"\nint x;\n"},
		{"a.cs", "class A{int f(){return 1;}}\n", "class A\n{\n    int f()\n    {\n        return 1;\n    }\n}\n"},
		{"a.rb", "x = 'a'\nf 1, 2\n", "x = \"a\"\nf(1, 2)\n"},
		{"a.php", "<?php\nif($a){f();}\n", "<?php\nif ($a) {\n    f();\n}\n"},
		{"a.sh", "if a; then b; fi\n", "if a; then\n  b\nfi\n"},
		{"a.json", "{\"a\":[1,2]}\n", "{\n  \"a\": [\n    1,\n    2\n  ]\n}\n"},
		{"a.css", "a,b{color:red}\n", "a,\nb {\n  color: red;\n}\n"},
		{"a.toml", "a=1\nb=[1,2]\n", "a = 1\nb = [\n  1,\n  2,\n]\n"},
		{"a.go", "package a\r\nvar x=1\r\n", "package a\n\nvar x = 1\n"},
	} {
		lines, p := ours(&f, c, true)
		for _, m := range p.Meanings {
			t.Errorf("%s: %s\n%s\n%s", c.name, m.Words("tool:x"), c.old, c.new)
		}
		for l, old := range lines {
			if old < 0 {
				t.Errorf("%s: line %d belongs to the step\n%s\n%s", c.name, l+1, c.old, c.new)
				break
			}
		}
	}
}

// unreadable are edits in C++ that the grammar cannot read for its macros.
var unreadable = []hidden{
	{"a.h", "operator", "_GLIBCXX_BEGIN(v7)\nint f(a,b) _NOEXCEPT_IF(x) { return a «+→-» b; }\n_GLIBCXX_END\n"},
	{"a.h", "comparison to shift", "_GLIBCXX_BEGIN(v7)\nint f(a,b) _NOEXCEPT_IF(x) { return a «>→>>» b; }\n_GLIBCXX_END\n"},
	{"a.h", "operand gone", "_GLIBCXX_BEGIN(v7)\nint f(a,b) _NOEXCEPT_IF(x) { return a« + b→»; }\n_GLIBCXX_END\n"},
	{"a.h", "statement gone", "_GLIBCXX_BEGIN(v7)\nvoid f() _NOEXCEPT_IF(x) {\n lock();« check();→»\n  unlock(); }\n_GLIBCXX_END\n"},
	{"a.h", "statement twice", "_GLIBCXX_BEGIN(v7)\nint f() _NOEXCEPT_IF(x) {\nif (a)\n goto fail;\n« → goto fail;\n »fail: return 1; }\n_GLIBCXX_END\n"},
	{"a.h", "empty statement", "_GLIBCXX_BEGIN(v7)\nvoid f() _NOEXCEPT_IF(x) { if (a)«→;» g(); }\n_GLIBCXX_END\n"},
	{"a.h", "macro with parameters", "_GLIBCXX_BEGIN(v7)\n#define  F«→ »(x) (x)\nint f()  _NOEXCEPT_IF(x) { }\n_GLIBCXX_END\n"},
	{"a.h", "end of a directive", "_GLIBCXX_BEGIN(v7)\n#define  F 1«\n→ »+ 2\nint f()  _NOEXCEPT_IF(x) { }\n_GLIBCXX_END\n"},
	{"a.h", "included file", "_GLIBCXX_BEGIN(v7)\n#include  <a«→ »b.h>\nint f()  _NOEXCEPT_IF(x) { }\n_GLIBCXX_END\n"},
	{"a.h", "string", "_GLIBCXX_BEGIN(v7)\nint f()  _NOEXCEPT_IF(x) { g(\"a«→ » b\"); }\n_GLIBCXX_END\n"},
	{"a.h", "raw string", "_GLIBCXX_BEGIN(v7)\nint f()  _NOEXCEPT_IF(x) { g(«R\"x(a\n  b)x\"→R\"x(a\n    b)x\"»); }\n_GLIBCXX_END\n"},
	{"a.h", "prefix of a string", "_GLIBCXX_BEGIN(v7)\nint f()  _NOEXCEPT_IF(x) { g(L«→ »\"a\"); }\n_GLIBCXX_END\n"},
	{"a.h", "increment", "_GLIBCXX_BEGIN(v7)\nint f()  _NOEXCEPT_IF(x) { return a «+ +→++»  b; }\n_GLIBCXX_END\n"},
	{"a.h", "number cut in two", "_GLIBCXX_BEGIN(v7)\nint f()  _NOEXCEPT_IF(x) { return 1«e+→e +»2; }\n_GLIBCXX_END\n"},
	{"a.h", "comment", "_GLIBCXX_BEGIN(v7)\n// checks  «twice→once»\nint f()  _NOEXCEPT_IF(x) { }\n_GLIBCXX_END\n"},
	{"a.h", "code in a comment", "_GLIBCXX_BEGIN(v7)\nint f()  _NOEXCEPT_IF(x) { g(); «→// »h();\n }\n_GLIBCXX_END\n"},
	{"a.h", "swapped statements", "_GLIBCXX_BEGIN(v7)\nvoid f()  _NOEXCEPT_IF(x) {\n «first();\n second();→second();\n first();»\n }\n_GLIBCXX_END\n"},
}

func init() {
	for _, h := range []hidden{
		{"", "operator", "return  a «+→-» b;"},
		{"", "semicolon", "g()«→;»  "},
		{"", "question mark", "g( )«?→»;"},
		{"", "range", "for i in  0«..→..=»n { g(i) }"},
		{"", "white space in a string", "g( \"a«→ » b\" );"},
		{"", "string of two lines", "g( «\"a\n b\"→\"a\n   b\"» );"},
		{"", "raw string", "g( «r#\"a \"\n b\"#→r#\"a \"\n   b\"#» );"},
		{"", "byte string", "g( b\"a«→ »b\" );"},
		{"", "blank in quotes", "g( '«\\'→ »' );"},
		{"", "lifetime", "let x:  &'«a→b» str = y;"},
		{"", "raw name", "g( «r#→»type );"},
		{"", "nested comment", "/* a /* b */ «→*/»  g(); /* c */ h();"},
		{"", "code in a comment", "g(); «→// »h();\n"},
		{"", "words of a comment", "// calls  «g→h»\n g();"},
	} {
		h.file, h.before = "a.rs", "const fn f<T: ~const Default>(t: T)  {\n "+h.before+"\n}\n"
		h.name = "Rust, " + h.name
		unreadable = append(unreadable, h)
	}
}

// Where the grammar cannot read the text, nobody says that a step formats, and the tokens
// alone tell what it did: a line that is laid out anew keeps its author, an edit does not.
func TestUnreadable(t *testing.T) {
	var f Formatter
	for _, h := range unreadable {
		t.Run(h.name, func(t *testing.T) {
			mere := h
			mere.before = regexp.MustCompile("«([^→]*)→[^»]*»").ReplaceAllString(h.before, "«$1→$1»")
			old, now := mere.lay()
			if form, _ := newForm(h.file, old, ForFile(h.file, ""), false); len(form.faults) == 0 {
				t.Fatalf("the grammar reads\n%s", old)
			}
			lines, _ := ours(&f, reformatted{h.file, old, now}, false)
			for l, was := range lines {
				if was < 0 {
					t.Errorf("line %d of mere formatting belongs to the step\n%s\n%s", l+1, old, now)
				}
			}
			old, now = h.lay()
			lines, _ = ours(&f, reformatted{h.file, old, now}, false)
			if !slices.Contains(lines, -1) {
				t.Errorf("no line belongs to the step\n%s\n%s", old, now)
			}
		})
	}
}

var _ provenance.Formatter = (*Formatter)(nil)
