//go:build cgo

package structural

import (
	_ "embed"

	ts "github.com/tree-sitter/tree-sitter-rust/bindings/go"
)

//go:embed queries/rust.scm
var rustQuery string

var _ = register(&Language{
	Name:       "rust",
	Title:      "Rust",
	Extensions: []string{".rs"},
	Grammar:    ts.Language,
	Query:      rustQuery,
	Rules: Rules{
		Comments:    []string{"line_comment", "block_comment"},
		Strings:     []string{"string_literal", "raw_string_literal", "char_literal"},
		Transparent: []string{"parenthesized_expression"},
		Opaque:      []string{"token_tree", "token_tree_pattern", "macro_definition"},
		Imports:     []string{"use_declaration", "extern_crate_declaration"},
	},
})
