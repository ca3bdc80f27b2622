//go:build cgo

package structural

import (
	_ "embed"

	ts "github.com/tree-sitter/tree-sitter-css/bindings/go"
)

//go:embed queries/css.scm
var cssQuery string

var _ = register(&Language{
	Name:       "css",
	Title:      "CSS",
	Extensions: []string{".css"},
	Grammar:    ts.Language,
	Query:      cssQuery,
	Rules: Rules{
		Comments: []string{"comment", "js_comment"},
		Strings:  []string{"string_value", "plain_value"},
		Quotes:   true,
		Hard:     []string{"(", ")", "{", "}", ","},
	},
})
