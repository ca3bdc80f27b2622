//go:build cgo

package structural

import (
	_ "embed"

	ts "github.com/tree-sitter/tree-sitter-json/bindings/go"
)

//go:embed queries/json.scm
var jsonQuery string

var _ = register(&Language{
	Name:       "json",
	Title:      "JSON",
	Extensions: []string{".json", ".jsonc", ".webmanifest", ".geojson"},
	Filenames:  []string{".prettierrc", ".babelrc", ".eslintrc", "composer.lock"},
	Grammar:    ts.Language,
	Query:      jsonQuery,
	Rules: Rules{
		Comments: []string{"comment"},
		Strings:  []string{"string"},
		Hard:     []string{"{", "}"},
	},
})
