//go:build cgo

package structural

import "testing"

// A comment behind the bracket of a block, of words of the block's head, does not make the
// step the author of the line; any other comment does.
func TestLabels(t *testing.T) {
	for _, u := range []undeclared{
		{"a.cpp", "namespace", "namespace a {\nint x ;\n}\n", "namespace a {\nint x;\n} // namespace a\n", "1 2 3"},
		{"a.cpp", "in another", "namespace a { namespace b {\nint x ;\n}\n}\n", "namespace a {\nnamespace b {\nint x;\n} // namespace b\n} // namespace a\n", "1 1 2 3 4"},
		{"a.cpp", "of the same name", "namespace a {\nint x ;\n}\nnamespace a {\nint y ;\n} // namespace a\n", "namespace a {\nint x;\n} // namespace a\nnamespace a {\nint y;\n} // namespace a\n", "1 2 3 4 5 6"},
		{"a.cpp", "corrected", "namespace a {\nint x ;\n} // a\n", "namespace a {\nint x;\n} // namespace a\n", "1 2 3"},
		{"a.cpp", "end", "namespace a {\nint x ;\n} // end namespace a\n", "namespace a {\nint x;\n} // namespace a\n", "1 2 3"},
		{"a.cpp", "dropped", "namespace a {\nint x ;\n} // namespace a\n", "namespace a {\nint x;\n}\n", "1 2 3"},
		{"a.h", "behind a macro, of which a formatter makes nothing", "namespace std _VISIBILITY(default)\n{\n_BEGIN\nint f() _NOEXCEPT_IF(x) { return 1 ; }\n_END\n} // namespace std\n", "namespace std _VISIBILITY(default) {\n_BEGIN\nint f() _NOEXCEPT_IF(x) { return 1; }\n_END\n} // namespace )\n", "1 3 4 5 6"},
		{"a.go", "Go", "package a\n\nfunc main() {\nf( )\n}\n", "package a\n\nfunc main() {\n\tf()\n} // func main\n", "1 2 3 4 5"},
		{"A.java", "Java", "class A {\nint x ;\n}\n", "class A {\n  int x;\n} // class A\n", "1 2 3"},
		{"a.js", "JavaScript", "if (a) {\nf( )\n}\n", "if (a) {\n  f();\n} /* if a */\n", "1 2 3"},
		{"a.rs", "Rust", "mod a {\nfn f( ) {}\n}\n", "mod a {\n    fn f() {}\n} // mod a\n", "1 2 3"},
		{"a.cs", "C#", "namespace A\n{\nclass B { int x ; }\n}\n", "namespace A\n{\n    class B { int x; }\n} // namespace A\n", "1 2 3 4"},

		{"a.cpp", "a remark", "namespace a {\nint x ;\n}\n", "namespace a {\nint x;\n} // keep this last\n", "1 2 -"},
		{"a.cpp", "a remark made a label", "namespace a {\nint x ;\n} // keep this last\n", "namespace a {\nint x;\n} // namespace a\n", "1 2 -"},
		{"a.cpp", "a label with a remark", "namespace a {\nint x ;\n}\n", "namespace a {\nint x;\n} // namespace a, frozen\n", "1 2 -"},
		{"a.cpp", "another block's", "namespace a {\nint x ;\n}\nnamespace b {\nint y ;\n}\n", "namespace a {\nint x;\n} // namespace b\nnamespace b {\nint y;\n} // namespace b\n", "1 2 - 4 5 6"},
		{"a.cpp", "of a block that was renamed", "namespace a {\nint x ;\n} // namespace a\n", "namespace b {\nint x;\n} // namespace b\n", "- 2 -"},
		{"a.cpp", "of a new block", "int x ;\n", "int x;\nnamespace a {\nint y;\n} // namespace a\n", "1 - - -"},
		{"a.cpp", "and nothing else", "namespace a {\nint x;\n}\n", "namespace a {\nint x;\n} // namespace a\n", "1 2 -"},
		{"a.cpp", "and an edit", "namespace a {\nint x;\n} // a\n", "namespace a {\nint y;\n} // namespace a\n", "1 - -"},
		{"a.cpp", "behind more code", "namespace a {\nint x ;\nvoid f() {\n}\n}\n", "namespace a {\nint x;\nvoid f() {\n} int z; // void f\n}\n", "1 2 3 - 5"},
	} {
		t.Run(u.file+"/"+u.name, u.check)
	}
}

// Tokens that C and C++ read alike, in macros and where the grammar cannot read the text.
func TestTokensOfC(t *testing.T) {
	for _, u := range []undeclared{
		{"a.h", "brackets of templates", "_GLIBCXX_BEGIN(v7)\nint f(A<B<int> > x) _NOEXCEPT_IF(x) ;\n_GLIBCXX_END\n", "_GLIBCXX_BEGIN(v7)\nint f(A<B<int>> x) _NOEXCEPT_IF(x);\n_GLIBCXX_END\n", "1 2 3"},
		{"a.h", "operators in a macro", "#define F(x)  f(A<x>&  y)\n", "#define F(x) f(A<x> &y)\n", "1"},
		{"a.h", "dots in a macro", "#define F  A<B... ...>\n", "#define F A<B......>\n", "1"},
	} {
		t.Run(u.name, u.check)
	}
}
