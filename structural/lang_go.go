//go:build cgo

package structural

import (
	_ "embed"

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
	},
})
