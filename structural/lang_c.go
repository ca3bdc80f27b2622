//go:build cgo

package structural

import (
	_ "embed"
	"strings"

	ts "github.com/tree-sitter/tree-sitter-c/bindings/go"
)

//go:embed queries/c.scm
var cQuery string

var _ = register(&Language{
	Name:       "c",
	Title:      "C",
	Extensions: []string{".c"},
	Grammar:    ts.Language,
	Query:      cQuery,
	Rules: Rules{
		Comments:        []string{"comment"},
		Strings:         []string{"string_literal", "char_literal", "system_lib_string"},
		Transparent:     []string{"parenthesized_expression"},
		DeclaredImports: []string{"preproc_include"},
		Tokens:          cTokens,
		Form:            cForm,
	},
})

// cForm reads the text of macros, which the grammar does not, and joins adjacent
// strings. C++ has it too.
func cForm(f *former, n int, field uint16) bool {
	node := &f.tree.Nodes[n]
	switch f.kind(n) {
	case "preproc_arg":
		text := f.tree.Text(n)
		for _, t := range slashes.lex(text) {
			if t.kind == tokenComment {
				f.form.comments = append(f.form.comments, token{node.Start + t.start, node.Start + t.end, tokenComment})
			}
		}
		for _, t := range cTokens(text) {
			if t.start < t.end {
				f.leaf(classToken, text[t.start:t.end], node.Start+t.start, node.Start+t.end, n)
			}
		}
		return true
	case "preproc_directive":
		f.leaf(classToken, strings.Join(strings.Fields(f.tree.Text(n)), ""), node.Start, node.End, n)
		return true
	case "#include", "#define", "#if", "#ifdef", "#ifndef", "#elif", "#else", "#endif":
		f.leaf(classToken, f.kind(n), node.Start, node.End, n)
		return true
	case "concatenated_string":
		var joined strings.Builder
		for c := range f.tree.Children(n) {
			text := f.tree.Text(c)
			if f.kind(c) != "string_literal" || len(text) < 2 || text[0] != '"' || strings.Contains(text, `\x`) {
				return false
			}
			joined.WriteString(text[1 : len(text)-1])
		}
		f.leaf(classString+uint64(field)<<8, `"`+joined.String()+`"`, node.Start, node.End, n)
		return true
	}
	return false
}
