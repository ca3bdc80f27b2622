//go:build cgo

package structural

import (
	_ "embed"
	"strings"

	ts "github.com/tree-sitter/tree-sitter-ruby/bindings/go"
)

//go:embed queries/ruby.scm
var rubyQuery string

var _ = register(&Language{
	Name:         "ruby",
	Title:        "Ruby",
	Extensions:   []string{".rb", ".rake", ".gemspec", ".ru"},
	Filenames:    []string{"Rakefile", "Gemfile", "Guardfile", "Vagrantfile"},
	Interpreters: []string{"ruby"},
	Grammar:      ts.Language,
	Query:        rubyQuery,
	Rules: Rules{
		Comments:       []string{"comment"},
		Strings:        []string{"string", "heredoc_body", "regex", "subshell", "string_array", "symbol_array", "character", "delimited_symbol", "uninterpreted"},
		Interpolations: []string{"interpolation"},
		Transparent:    []string{"parenthesized_statements"},
		Hard:           []string{"{", "}"},
		Form:           rubyForm,
	},
})

// rubyForm knows that a string without escapes means the same in either quotes.
func rubyForm(f *former, n int, field uint16) bool {
	if f.kind(n) != "string" {
		return false
	}
	text := f.tree.Text(n)
	if len(text) < 2 || text[0] != '"' && text[0] != '\'' || strings.ContainsAny(text[1:len(text)-1], "\\#\"'") {
		return false
	}
	f.leaf(classString+uint64(field)<<8, `"`+unCR(text[1:len(text)-1])+`"`, f.tree.Nodes[n].Start, f.tree.Nodes[n].End, n)
	return true
}
