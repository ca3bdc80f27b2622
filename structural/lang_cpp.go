//go:build cgo

package structural

import (
	_ "embed"

	ts "github.com/tree-sitter/tree-sitter-cpp/bindings/go"
)

//go:embed queries/cpp.scm
var cppQuery string

var _ = register(&Language{
	Name:       "cpp",
	Title:      "C++",
	Extensions: []string{".cpp", ".h", ".cc", ".cxx", ".c++", ".hpp", ".hh", ".hxx", ".ipp", ".inl"},
	Grammar:    ts.Language,
	Query:      cppQuery,
	Rules: Rules{
		Comments:        []string{"comment"},
		Strings:         []string{"string_literal", "char_literal", "system_lib_string", "raw_string_literal"},
		Transparent:     []string{"parenthesized_expression"},
		DeclaredImports: []string{"preproc_include", "using_declaration"},
		Tokens:          cTokens,
		Form:            cForm,
	},
})
