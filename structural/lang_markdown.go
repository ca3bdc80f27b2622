//go:build cgo

package structural

import (
	_ "embed"

	ts "github.com/tree-sitter-grammars/tree-sitter-markdown/bindings/go"
)

//go:embed queries/markdown.scm
var markdownQuery string

var _ = register(&Language{
	Name:       "markdown",
	Title:      "Markdown",
	Extensions: []string{".md", ".markdown", ".mdown"},
	Grammar:    ts.Language,
	Query:      markdownQuery,
	Rules: Rules{
		Lines: true,
	},
})
