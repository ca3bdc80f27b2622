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
	Rules:      typescriptRules,
})
