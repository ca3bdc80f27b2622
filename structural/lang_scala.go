//go:build cgo

package structural

import (
	_ "embed"

	ts "github.com/tree-sitter/tree-sitter-scala/bindings/go"
)

//go:embed queries/scala.scm
var scalaQuery string

var _ = register(&Language{
	Name:       "scala",
	Title:      "Scala",
	Extensions: []string{".scala", ".sc", ".sbt"},
	Grammar:    ts.Language,
	Query:      scalaQuery,
	Rules: Rules{
		Comments:        []string{"comment", "block_comment"},
		Strings:         []string{"string", "interpolated_string", "character_literal"},
		Interpolations:  []string{"interpolation"},
		Blocks:          []string{"indented_block", "indented_cases"},
		DeclaredImports: []string{"import_declaration"},
		Hard:            []string{"{", "}"},
	},
})
