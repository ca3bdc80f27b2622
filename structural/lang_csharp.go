//go:build cgo

package structural

import (
	_ "embed"

	ts "github.com/tree-sitter/tree-sitter-c-sharp/bindings/go"
)

//go:embed queries/csharp.scm
var csharpQuery string

var _ = register(&Language{
	Name:       "csharp",
	Title:      "C#",
	Extensions: []string{".cs"},
	Grammar:    ts.Language,
	Query:      csharpQuery,
	Rules: Rules{
		Comments:       []string{"comment"},
		Strings:        []string{"string_literal", "verbatim_string_literal", "raw_string_literal", "interpolated_string_expression", "character_literal"},
		Interpolations: []string{"interpolation"},
		Transparent:    []string{"parenthesized_expression"},
		Imports:        []string{"using_directive"},
	},
})
