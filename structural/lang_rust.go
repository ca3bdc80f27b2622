//go:build cgo

package structural

import (
	_ "embed"
	"strings"

	ts "github.com/tree-sitter/tree-sitter-rust/bindings/go"
)

//go:embed queries/rust.scm
var rustQuery string

var _ = register(&Language{
	Name:       "rust",
	Title:      "Rust",
	Extensions: []string{".rs"},
	Grammar:    ts.Language,
	Query:      rustQuery,
	Rules: Rules{
		Comments:    []string{"line_comment", "block_comment"},
		Strings:     []string{"string_literal", "raw_string_literal", "char_literal"},
		Transparent: []string{"parenthesized_expression"},
		Opaque:      []string{"token_tree", "token_tree_pattern", "macro_definition"},
		Imports:     []string{"use_declaration", "extern_crate_declaration"},
		Tokens:      rustTokens,
		Form:        rustForm,
	},
})

// rustForm knows what rustfmt changes: blocks around a single expression, semicolons
// behind return and break, braces and order of use lists, the order of modules, and
// vertical bars before a pattern.
func rustForm(f *former, n int, field uint16) bool {
	switch f.kind(n) {
	case "block":
		_, parent := f.parent(n)
		if parent != "match_arm" && parent != "closure_expression" {
			return false
		}
		only := f.only(n)
		if only < 0 || !rustIsExpression(f, only) {
			return false
		}
		f.inside(n, only, field)
		return true
	case "expression_statement":
		only := f.only(n)
		if only < 0 {
			return false
		}
		switch kind := f.kind(only); {
		case kind == "return_expression", kind == "break_expression", kind == "continue_expression", !rustHasSemicolon(f, n):
			f.inside(n, only, field)
			return true
		}
	case "use_declaration":
		f.marked(n, field, "use_declaration", func() { f.children(n) })
		return true
	case "scoped_use_list", "scoped_identifier":
		if rustInUse(f, n) {
			f.children(n)
			return true
		}
	case "use_list":
		if only := f.only(n); only >= 0 && f.kind(only) != "self" {
			f.children(n)
			return true
		}
		f.marked(n, 0, "use_list", func() { f.sorted(n) })
		return true
	case "or_pattern":
		if p := int(f.tree.Nodes[n].Parent); f.kind(p) == "or_pattern" || f.only(n) >= 0 {
			f.children(n)
		} else {
			f.marked(n, 0, "or_pattern", func() { f.children(n) })
		}
		return true
	case "|":
		// Before the first pattern.
		p := int(f.tree.Nodes[n].Parent)
		return n == p+1 && (f.kind(p) == "or_pattern" || f.kind(p) == "match_pattern") && !rustFollows(f, p)
	}
	return false
}

// rustFollows says whether a pattern is the right side of another one.
func rustFollows(f *former, n int) bool {
	p := int(f.tree.Nodes[n].Parent)
	return f.kind(p) == "or_pattern" && n != p+1
}

func rustIsExpression(f *former, n int) bool {
	switch kind := f.kind(n); kind {
	case "expression_statement":
		only := f.only(n)
		return only >= 0 && (strings.HasPrefix(f.kind(only), "return_") || !rustHasSemicolon(f, n))
	case "let_declaration", "empty_statement", "attribute_item", "inner_attribute_item", "label":
		return false
	default:
		return !strings.HasSuffix(kind, "_item") && !strings.HasSuffix(kind, "_declaration") && kind != "macro_definition"
	}
}

func rustHasSemicolon(f *former, n int) bool {
	for c := range f.tree.Children(n) {
		if f.kind(c) == ";" {
			return true
		}
	}
	return false
}

func rustInUse(f *former, n int) bool {
	for p := int(f.tree.Nodes[n].Parent); p > 0; p = int(f.tree.Nodes[p].Parent) {
		switch f.kind(p) {
		case "use_declaration":
			return true
		case "scoped_use_list", "scoped_identifier", "use_list", "use_as_clause", "use_wildcard":
		default:
			return false
		}
	}
	return false
}
