//go:build cgo

package structural

import (
	_ "embed"
	"strings"

	ts "github.com/tree-sitter/tree-sitter-python/bindings/go"
)

//go:embed queries/python.scm
var pythonQuery string

var _ = register(&Language{
	Name:         "python",
	Title:        "Python",
	Extensions:   []string{".py", ".pyi", ".pyw"},
	Interpreters: []string{"python"},
	Grammar:      ts.Language,
	Query:        pythonQuery,
	Rules: Rules{
		Comments:        []string{"comment"},
		Strings:         []string{"string"},
		Interpolations:  []string{"interpolation"},
		Quotes:          true,
		Numbers:         []string{"integer", "float"},
		Transparent:     []string{"parenthesized_expression", "parenthesized_list_splat", "line_continuation"},
		Blocks:          []string{"block"},
		DeclaredImports: []string{"import_statement", "import_from_statement"},
		Form:            pythonForm,
	},
})

// pythonForm knows what black changes: parentheses around tuples and after class names,
// and the indentation of docstrings.
func pythonForm(f *former, n int, field uint16) bool {
	switch f.kind(n) {
	case "expression_list", "pattern_list", "tuple_pattern", "tuple":
		f.marked(n, field, "tuple", func() { f.children(n) })
		return true
	case "argument_list":
		p := int(f.tree.Nodes[n].Parent)
		return f.kind(p) == "class_definition" && f.named(n) == 0 && f.only(n) < 0
	case "string":
		if !pythonIsDocstring(f, n) {
			return false
		}
		text := f.literal(f.tree.Text(n))
		f.leaf(classString, dedent(text), f.tree.Nodes[n].Start, f.tree.Nodes[n].End, n)
		return true
	}
	return false
}

// pythonIsDocstring says whether a string is the first statement of its body.
func pythonIsDocstring(f *former, n int) bool {
	statement := int(f.tree.Nodes[n].Parent)
	if f.kind(statement) != "expression_statement" || int(f.tree.Nodes[n].Next) != int(f.tree.Nodes[statement].Next) {
		return false
	}
	body := int(f.tree.Nodes[statement].Parent)
	if k := f.kind(body); k != "block" && k != "module" {
		return false
	}
	for c := range f.tree.Children(body) {
		if f.rule(c)&isComment == 0 {
			return c == statement
		}
	}
	return false
}

// dedent is the text of a docstring as programs see it (PEP 257): without the indentation
// that all lines but the first share, and without blanks at the ends.
func dedent(text string) string {
	lines := strings.Split(text, "\n")
	least := -1
	for _, l := range lines[1:] {
		if inner := strings.TrimLeft(l, " \t"); inner != "" && inner != `"` {
			if indent := len(l) - len(inner); least < 0 || indent < least {
				least = indent
			}
		}
	}
	for i, l := range lines {
		l = strings.TrimRight(l, " \t")
		if i > 0 {
			l = l[min(max(least, 0), len(l)):]
		}
		lines[i] = l
	}
	text = strings.Join(lines, "\n")
	prefix, quote := opening(text)
	text = strings.TrimSuffix(text[len(prefix)+len(quote):], `"`)
	return prefix + strings.TrimSpace(text)
}
