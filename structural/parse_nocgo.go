//go:build !cgo

package structural

// HasGrammars says whether the program can parse, or has the generic lexer alone.
const HasGrammars = false

// grammar is what tree-sitter knows of a language: nothing, without cgo.
type grammar struct {
	captures []string
	rules    []kindRule
}

func (*grammar) kind(uint16) string  { return "" }
func (*grammar) field(uint16) string { return "" }

func parse(string, *Language, Options) (*Tree, error) { return nil, ErrNoGrammar }
