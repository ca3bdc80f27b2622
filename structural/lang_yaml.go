//go:build cgo

package structural

import (
	_ "embed"

	ts "github.com/tree-sitter-grammars/tree-sitter-yaml/bindings/go"
)

//go:embed queries/yaml.scm
var yamlQuery string

var _ = register(&Language{
	Name:       "yaml",
	Title:      "YAML",
	Extensions: []string{".yaml", ".yml"},
	Filenames:  []string{".clang-format", ".clang-tidy"},
	Grammar:    ts.Language,
	Query:      yamlQuery,
	Rules: Rules{
		Comments: []string{"comment"},
		Strings:  []string{"double_quote_scalar", "single_quote_scalar", "block_scalar", "plain_scalar"},
		Hard:     []string{"{", "}", ","},
		Lines:    true,
	},
})
