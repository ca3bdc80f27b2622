//go:build cgo

package structural

import (
	_ "embed"

	ts "github.com/tree-sitter/tree-sitter-ruby/bindings/go"
)

//go:embed queries/ruby.scm
var rubyQuery string

var _ = register(&Language{
	Name:         "ruby",
	Title:        "Ruby",
	Extensions:   []string{".rb", ".rake", ".gemspec", ".ru"},
	Filenames:    []string{"Rakefile", "Gemfile", "Guardfile", "Vagrantfile"},
	Interpreters: []string{"ruby"},
	Grammar:      ts.Language,
	Query:        rubyQuery,
	Rules: Rules{
		Comments:       []string{"comment"},
		Strings:        []string{"string", "heredoc_body", "regex", "subshell", "string_array", "symbol_array", "character", "delimited_symbol", "uninterpreted"},
		Interpolations: []string{"interpolation"},
		Transparent:    []string{"parenthesized_statements"},
		Hard:           []string{"{", "}"},
	},
})
