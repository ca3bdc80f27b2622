//go:build cgo

package structural

import (
	_ "embed"

	ts "github.com/tree-sitter/tree-sitter-php/bindings/go"
)

//go:embed queries/php.scm
var phpQuery string

var _ = register(&Language{
	Name:         "php",
	Title:        "PHP",
	Extensions:   []string{".php", ".phtml"},
	Interpreters: []string{"php"},
	Grammar:      ts.LanguagePHP,
	Query:        phpQuery,
	Rules: Rules{
		Comments:    []string{"comment"},
		Strings:     []string{"string", "encapsed_string", "heredoc_body", "nowdoc_body", "shell_command_expression", "text"},
		Transparent: []string{"parenthesized_expression", "empty_statement"},
		Imports:     []string{"namespace_use_declaration"},
	},
})
