//go:build cgo

package structural

import (
	_ "embed"

	ts "github.com/tree-sitter/tree-sitter-typescript/bindings/go"
)

//go:embed queries/typescript.scm
var typescriptQuery string

// typescriptRules are those of TSX too.
var typescriptRules = Rules{
	Comments:        []string{"comment"},
	Strings:         []string{"string", "template_string", "regex", "template_literal_type"},
	Interpolations:  []string{"template_substitution", "template_type"},
	Quotes:          true,
	Numbers:         []string{"number"},
	Transparent:     []string{"parenthesized_expression", "empty_statement", "parenthesized_type"},
	DeclaredImports: []string{"import_statement"},
	Form:            javascriptForm,
}

var _ = register(&Language{
	Name:         "typescript",
	Title:        "TypeScript",
	Extensions:   []string{".ts", ".mts", ".cts"},
	Interpreters: []string{"deno", "ts-node", "bun"},
	Grammar:      ts.LanguageTypescript,
	Query:        typescriptQuery,
	Rules:        typescriptRules,
})
