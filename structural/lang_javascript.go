//go:build cgo

package structural

import (
	_ "embed"
	"strings"

	ts "github.com/tree-sitter/tree-sitter-javascript/bindings/go"
)

//go:embed queries/javascript.scm
var javascriptQuery string

var _ = register(&Language{
	Name:         "javascript",
	Title:        "JavaScript",
	Extensions:   []string{".js", ".jsx", ".mjs", ".cjs"},
	Interpreters: []string{"node"},
	Grammar:      ts.Language,
	Query:        javascriptQuery,
	Rules: Rules{
		Comments:        []string{"comment", "html_comment"},
		Strings:         []string{"string", "template_string", "regex"},
		Interpolations:  []string{"template_substitution"},
		Quotes:          true,
		Numbers:         []string{"number"},
		Transparent:     []string{"parenthesized_expression", "empty_statement"},
		DeclaredImports: []string{"import_statement"},
		Form:            javascriptForm,
	},
})

// javascriptForm knows what prettier changes: parentheses around the parameter of an arrow
// function and behind new, quotes around keys, bars before a union, and white space in
// JSX. TypeScript has it too.
func javascriptForm(f *former, n int, field uint16) bool {
	switch f.kind(n) {
	case "formal_parameters":
		p := int(f.tree.Nodes[n].Parent)
		if f.kind(p) != "arrow_function" {
			return false
		}
		only := f.only(n)
		for only >= 0 && f.kind(only) == "required_parameter" {
			only = f.only(only)
		}
		if only < 0 || f.kind(only) != "identifier" {
			return false
		}
		f.inside(n, only, 0)
		return true
	case "identifier":
		if p := int(f.tree.Nodes[n].Parent); f.kind(p) == "arrow_function" && f.tree.Field(n) == "parameter" {
			f.token(n, 0, 0)
			return true
		}
	case "arguments":
		p := int(f.tree.Nodes[n].Parent)
		return f.kind(p) == "new_expression" && f.named(n) == 0
	case "string":
		if f.tree.Field(n) != "key" && f.tree.Field(n) != "name" {
			return false
		}
		text := f.tree.Text(n)
		if inner := strings.Trim(text, "\"'"); len(inner) == len(text)-2 && javascriptIsName(inner) {
			f.leaf(classToken+uint64(field)<<8, inner, f.tree.Nodes[n].Start, f.tree.Nodes[n].End, n)
			return true
		}
	case "number":
		text := number(f.tree.Text(n))
		if strings.Contains(text, ".") {
			mantissa, exponent, _ := strings.Cut(text, "e")
			if text = strings.TrimSuffix(mantissa, "."); exponent != "" {
				text += "e" + exponent
			}
		}
		f.leaf(classToken+uint64(field)<<8, text, f.tree.Nodes[n].Start, f.tree.Nodes[n].End, n)
		return true
	case ",":
		// Behind nothing it is a hole.
		p := int(f.tree.Nodes[n].Parent)
		if k := f.kind(p); k != "array" && k != "array_pattern" {
			return false
		}
		if before := f.before(n); before >= 0 && (f.kind(before) == "," || f.kind(before) == "[") {
			f.leaf(classToken, ",", f.tree.Nodes[n].Start, f.tree.Nodes[n].End, n)
			return true
		}
	case "binary_expression":
		// a && (b && c) is (a && b) && c.
		operator := javascriptLogical(f, n)
		if operator == "" {
			return false
		}
		add := func() {
			for c := range f.tree.Children(n) {
				f.emit(c, 0)
			}
		}
		if p, kind := f.parent(n); kind == "binary_expression" && javascriptLogical(f, p) == operator {
			add()
		} else {
			f.marked(n, field, "binary_expression", add)
		}
		return true
	case "union_type", "intersection_type":
		if _, parent := f.parent(n); parent == f.kind(n) {
			f.children(n)
			return true
		}
	case "|", "&":
		p := int(f.tree.Nodes[n].Parent)
		return n == p+1 && (f.kind(p) == "union_type" || f.kind(p) == "intersection_type")
	case "parenthesized_expression":
		// What is in parentheses is no directive.
		p := int(f.tree.Nodes[n].Parent)
		if only := f.only(n); only >= 0 && f.kind(p) == "expression_statement" && f.kind(only) == "string" {
			f.marked(n, field, "parenthesized_expression", func() { f.children(n) })
			return true
		}
	case "jsx_element", "jsx_fragment":
		f.marked(n, field, "jsx_element", func() { javascriptElement(f, n) })
		return true
	case "jsx_expression":
		// An attribute may be written as a string.
		if p := int(f.tree.Nodes[n].Parent); f.kind(p) == "jsx_attribute" {
			if only := f.only(n); only >= 0 && f.kind(only) == "string" && !strings.ContainsAny(f.tree.Text(only), "\\&") {
				f.children(n)
				return true
			}
		}
	}
	return false
}

// javascriptLogical is the operator of a binary expression if it takes one side or the other.
func javascriptLogical(f *former, n int) string {
	if o := f.tree.Child(n, "operator"); o >= 0 {
		if text := f.tree.Text(o); text == "&&" || text == "||" || text == "??" {
			return text
		}
	}
	return ""
}

func javascriptIsName(s string) bool {
	for i := range len(s) {
		if !isWordByte(s[i]) {
			return false
		}
	}
	return s != ""
}

// javascriptElement adds the children of a JSX element. Of text, lines are trimmed and
// joined with a space, as JSX has it; {" "} is text too.
func javascriptElement(f *former, n int) {
	spaces := "" // white space that is content, not yet added
	text := func(s string, start uint32, c int) {
		for at := 0; at < len(s); {
			end := at
			for end < len(s) && isBlank(s[end]) {
				end++
			}
			if blank := s[at:end]; blank != "" {
				if !strings.Contains(blank, "\n") {
					spaces += blank
				} else if at > 0 && end < len(s) {
					spaces += " "
				}
				at = end
				continue
			}
			for end < len(s) && !isBlank(s[end]) {
				end++
			}
			f.leaf(classString, spaces+s[at:end], start+uint32(at), start+uint32(end), c)
			spaces, at = "", end
		}
	}
	for c := range f.tree.Children(n) {
		node := &f.tree.Nodes[c]
		switch only := f.only(c); {
		case f.kind(c) == "jsx_text":
			text(f.tree.Text(c), node.Start, c)
			continue
		case f.kind(c) == "jsx_expression" && only >= 0 && f.kind(only) == "string" && strings.Trim(f.tree.Text(only), " \"'") == "":
			spaces += strings.Trim(f.tree.Text(only), "\"'")
			continue
		}
		if spaces != "" {
			f.leaf(classString, spaces, node.Start, node.Start, c)
			spaces = ""
		}
		f.emit(c, f.field(c))
	}
}
