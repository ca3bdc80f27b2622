//go:build cgo

package structural

import (
	_ "embed"

	ts "github.com/tree-sitter/tree-sitter-html/bindings/go"
)

//go:embed queries/html.scm
var htmlQuery string

var _ = register(&Language{
	Name:       "html",
	Title:      "HTML",
	Extensions: []string{".html", ".htm", ".xhtml"},
	Grammar:    ts.Language,
	Query:      htmlQuery,
	Rules: Rules{
		Comments: []string{"comment"},
		Strings:  []string{"text", "raw_text", "quoted_attribute_value", "attribute_value"},
		Lines:    true,
	},
})
