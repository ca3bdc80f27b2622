//go:build cgo

package structural

import (
	_ "embed"

	ts "github.com/tree-sitter/tree-sitter-python/bindings/go"
)

//go:embed queries/python.scm
var pythonQuery string

var _ = register(&Language{
	Name:         "python",
	Title:        "Python",
	Extensions:   []string{".py", ".pyi", ".pyw"},
	Interpreters: []string{"python"},
	Grammar:      ts.Language,
	Query:        pythonQuery,
	Rules: Rules{
		Comments:       []string{"comment"},
		Strings:        []string{"string"},
		Interpolations: []string{"interpolation"},
		Quotes:         true,
		Numbers:        []string{"integer", "float"},
		Transparent:    []string{"parenthesized_expression", "parenthesized_list_splat", "line_continuation"},
		Blocks:         []string{"block"},
	},
})
