//go:build cgo

package structural

import (
	_ "embed"

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
		Comments:       []string{"comment", "html_comment"},
		Strings:        []string{"string", "template_string", "regex"},
		Interpolations: []string{"template_substitution"},
		Quotes:         true,
		Numbers:        []string{"number"},
		Transparent:    []string{"parenthesized_expression", "empty_statement"},
	},
})
