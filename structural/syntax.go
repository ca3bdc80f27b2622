package structural

import "github.com/toolpath-ls/toolpath-ls/analysis/entity"

// Syntax implements analysis.Syntax with the languages of this package.
type Syntax struct{}

// Language is the name of the file's language, "" without a grammar.
func (Syntax) Language(file, source string) string {
	if l := ForFile(file, source); l != nil {
		return l.Name
	}
	return ""
}

// Entities lists the definitions of a source; see [Parse] for the errors.
func (Syntax) Entities(file, source string) (entity.File, error) {
	t, err := Parse(source, ForFile(file, source), Options{Query: true})
	if err != nil {
		return entity.File{}, err
	}
	return Entities(t, file), nil
}
