//go:build cgo

package structural

import (
	_ "embed"

	ts "github.com/tree-sitter/tree-sitter-typescript/bindings/go"
)

//go:embed queries/tsx.scm
var tsxQuery string

var _ = register(&Language{
	Name:       "tsx",
	Title:      "TSX",
	Extensions: []string{".tsx"},
	Grammar:    ts.LanguageTSX,
	Query:      tsxQuery,
	Rules: Rules{
		Comments:        []string{"comment"},
		Strings:         []string{"string", "template_string", "regex", "template_literal_type"},
		Interpolations:  []string{"template_substitution", "template_type"},
		Quotes:          true,
		Numbers:         []string{"number"},
		Transparent:     []string{"parenthesized_expression", "empty_statement", "parenthesized_type"},
		DeclaredImports: []string{"import_statement"},
		Form:            javascriptForm,
	},
})
