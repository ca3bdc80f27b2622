package structural

import "slices"

// Rules say what of a language's texts is layout, by kinds of nodes.
type Rules struct {
	// Comments are kinds of comments. Their words are compared, and where they stand
	// does not count.
	Comments []string
	// Strings are kinds whose text is content, byte for byte, white space included.
	Strings []string
	// Interpolations are kinds of code inside of strings.
	Interpolations []string
	// Quotes says that ' and " mean the same around a string.
	Quotes bool
	// Numbers are kinds of numbers whose letter case does not count.
	Numbers []string
	// Transparent are kinds that mean what is in them, such as parentheses.
	Transparent []string
	// Opaque are kinds in which every token counts, since what they mean is decided
	// elsewhere: macros.
	Opaque []string
	// Blocks are kinds that indentation makes.
	Blocks []string
	// Imports are kinds of which a run may stand in any order.
	Imports []string
	// DeclaredImports are those whose order may carry meaning, so that only a step which
	// says that it formats may change it.
	DeclaredImports []string
	// Hard are tokens that count although they look like layout (see softTokens).
	Hard []string
	// Lines says that line ends count where the tree does not show them, so that only
	// white space at the end of lines is layout.
	Lines bool
	// Tokens, if set, cuts a text into tokens that mean the same whatever stands between
	// them: what proves layout where the grammar could not read the text.
	Tokens func(source string) []token
	// Form, if set, sees every node first, and under which field the form has it. It
	// returns false to leave the node to the common rules.
	Form func(f *former, n int, field uint16) bool
}

// kindRule is what Rules say of one kind.
type kindRule uint16

const (
	isComment kindRule = 1 << iota
	isString
	isInterpolation
	isNumber
	isTransparent
	isOpaque
	isBlock
	isImport
	isDeclaredImport
	isSoft
)

// softTokens are what formatters add and drop; what they stand for shows in the tree.
var softTokens = []string{",", ";", "(", ")", "{", "}"}

// byKind makes a table of the rules, by number of the kind.
func (r *Rules) byKind(kinds []string) []kindRule {
	table := make([]kindRule, len(kinds))
	for _, part := range []struct {
		names []string
		rule  kindRule
	}{
		{r.Comments, isComment}, {r.Strings, isString}, {r.Interpolations, isInterpolation}, {r.Numbers, isNumber},
		{r.Transparent, isTransparent}, {r.Opaque, isOpaque}, {r.Blocks, isBlock}, {r.Imports, isImport}, {r.DeclaredImports, isDeclaredImport}, {softTokens, isSoft},
	} {
		for k, name := range kinds {
			if slices.Contains(part.names, name) && !(part.rule == isSoft && slices.Contains(r.Hard, name)) {
				table[k] |= part.rule
			}
		}
	}
	return table
}

// names are all kinds that the rules speak of.
func (r *Rules) names() []string {
	return slices.Concat(r.Comments, r.Strings, r.Interpolations, r.Numbers, r.Transparent, r.Opaque, r.Blocks, r.Imports, r.DeclaredImports, r.Hard)
}
