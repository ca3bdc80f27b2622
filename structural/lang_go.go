//go:build cgo

package structural

import (
	_ "embed"
	"slices"
	"strings"

	ts "github.com/tree-sitter/tree-sitter-go/bindings/go"
)

//go:embed queries/go.scm
var goQuery string

var _ = register(&Language{
	Name:       "go",
	Title:      "Go",
	Extensions: []string{".go"},
	Grammar:    ts.Language,
	Query:      goQuery,
	Rules: Rules{
		Comments:    []string{"comment"},
		Strings:     []string{"interpreted_string_literal", "raw_string_literal", "rune_literal"},
		Numbers:     []string{"int_literal", "float_literal", "imaginary_literal"},
		Transparent: []string{"parenthesized_expression", "parenthesized_type", "empty_statement"},
		Imports:     []string{"import_spec"},
		Form:        goForm,
	},
})

// goForm knows what gofumpt changes: whether declarations are grouped, and "var" for ":=".
func goForm(f *former, n int, field uint16) bool {
	switch f.kind(n) {
	case "import_spec_list":
		if only := f.only(n); only >= 0 {
			f.children(n)
			return true
		}
	case "const_declaration", "var_declaration", "type_declaration":
		var specs []int
		goSpecs(f, n, &specs)
		if len(specs) == 1 && goIsShort(f, n, specs[0]) {
			goShort(f, n, specs[0])
			return true
		}
		// In a group, iota counts and an expression that is left out is the one above.
		if f.kind(n) == "const_declaration" && (strings.Contains(f.tree.Text(n), "iota") || strings.Count(f.tree.Text(n), "=") < len(specs)) {
			return false
		}
		for c := range f.tree.Children(n) {
			f.declaration(c, n, specs)
		}
		return true
	case "short_var_declaration":
		f.marked(n, field, "short_var_declaration", func() {
			for c := range f.tree.Children(n) {
				f.emit(c, 0)
			}
		})
		return true
	}
	return false
}

// goSpecs lists the specs of a declaration.
func goSpecs(f *former, n int, specs *[]int) {
	for c := range f.tree.Children(n) {
		switch f.kind(c) {
		case "var_spec_list":
			goSpecs(f, c, specs)
		case "const_spec", "var_spec", "type_spec", "type_alias":
			*specs = append(*specs, c)
		}
	}
}

// declaration adds the parts of a declaration, the keyword before each spec.
func (f *former) declaration(c, n int, specs []int) {
	node := &f.tree.Nodes[c]
	switch {
	case f.kind(c) == "var_spec_list":
		for s := range f.tree.Children(c) {
			f.declaration(s, n, specs)
		}
	case slices.Contains(specs, c):
		keyword := &f.tree.Nodes[n+1]
		start, end := node.Start, node.Start
		if c == specs[0] {
			start, end = keyword.Start, keyword.End
		}
		f.leaf(classToken, f.kind(n+1), start, end, n)
		f.emit(c, 0)
	case c != n+1:
		f.emit(c, 0)
	}
}

// goIsShort says whether a declaration in a function could be written with ":=".
func goIsShort(f *former, n, spec int) bool {
	return f.kind(n) == "var_declaration" && f.kind(int(f.tree.Nodes[n].Parent)) != "source_file" &&
		f.tree.Child(spec, "value") >= 0 && f.tree.Child(spec, "type") < 0
}

// goShort adds a declaration as it would be with ":=".
func goShort(f *former, n, spec int) {
	f.marked(n, 0, "short_var_declaration", func() {
		keyword := &f.tree.Nodes[n+1]
		value := f.tree.Child(spec, "value")
		f.marked(spec, 0, "expression_list", func() {
			for c := range f.tree.Children(spec) {
				if c != value && f.kind(c) != "=" {
					f.emit(c, 0)
				}
			}
		})
		f.leaf(classToken, ":=", keyword.Start, keyword.End, n)
		f.emit(value, 0)
	})
}
