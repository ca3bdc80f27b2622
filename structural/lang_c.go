//go:build cgo

package structural

import (
	_ "embed"

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
		Comments:    []string{"comment"},
		Strings:     []string{"string_literal", "char_literal", "system_lib_string"},
		Transparent: []string{"parenthesized_expression"},
	},
})
