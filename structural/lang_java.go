//go:build cgo

package structural

import (
	_ "embed"

	ts "github.com/tree-sitter/tree-sitter-java/bindings/go"
)

//go:embed queries/java.scm
var javaQuery string

var _ = register(&Language{
	Name:       "java",
	Title:      "Java",
	Extensions: []string{".java"},
	Grammar:    ts.Language,
	Query:      javaQuery,
	Rules: Rules{
		Comments:       []string{"line_comment", "block_comment"},
		Strings:        []string{"string_literal", "character_literal"},
		Interpolations: []string{"string_interpolation"},
		Transparent:    []string{"parenthesized_expression"},
		Imports:        []string{"import_declaration"},
	},
})
