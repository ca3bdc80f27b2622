//go:build cgo

package structural

import (
	_ "embed"

	ts "github.com/tree-sitter/tree-sitter-bash/bindings/go"
)

//go:embed queries/bash.scm
var bashQuery string

var _ = register(&Language{
	Name:         "bash",
	Title:        "Bash",
	Extensions:   []string{".sh", ".bash", ".bats"},
	Filenames:    []string{".bashrc", ".bash_profile", ".profile", "PKGBUILD"},
	Interpreters: []string{"bash", "sh", "dash", "ksh"},
	Grammar:      ts.Language,
	Query:        bashQuery,
	Rules: Rules{
		Comments:       []string{"comment"},
		Strings:        []string{"string", "raw_string", "ansi_c_string", "translated_string", "heredoc_body", "word", "concatenation", "regex"},
		Interpolations: []string{"command_substitution", "expansion", "simple_expansion"},
		Hard:           []string{"(", ")", "{", "}", ","},
	},
})
