//go:build cgo

package structural

import (
	_ "embed"

	ts "github.com/tree-sitter-grammars/tree-sitter-toml/bindings/go"
)

//go:embed queries/toml.scm
var tomlQuery string

var _ = register(&Language{
	Name:       "toml",
	Title:      "TOML",
	Extensions: []string{".toml"},
	Filenames:  []string{"Cargo.lock", "Pipfile", "poetry.lock", "uv.lock"},
	Grammar:    ts.Language,
	Query:      tomlQuery,
	Rules: Rules{
		Comments: []string{"comment"},
		Strings:  []string{"string"},
		Hard:     []string{"{", "}"},
	},
})
