// Package structural reads source files with tree-sitter's grammars. It is the only
// package that uses cgo; without cgo, or for a file whose language has no grammar here, a
// generic lexer takes its place and less can be said.
//
// Terms:
//
//   - Language: a grammar with what it takes to compare two texts: which nodes are
//     strings and comments, and what a formatter may change without changing the
//     meaning. One Go file (lang_NAME.go) and one query (queries/NAME.scm) each.
//   - Tree: a syntax tree as a flat list of nodes in pre-order, in memory of Go. The
//     tree of tree-sitter never leaves the function that parsed it, so nothing has to
//     be closed.
//   - Node: an entry of that list, named by its index; 0 is the root.
//   - Capture: a node that the language's query named.
//   - Form: a text without what is layout, as a list of items: the tokens that carry
//     meaning, and the marks that say how they nest. Two texts of one form mean the
//     same.
//   - Proven: two texts have one form. Declared: the step says that it formats, and
//     the tokens that it can say something about are the same.
//
// Parsing is bounded in bytes, nodes and time ([Limits]). A file that cannot be parsed is
// an error that says why; whoever asked goes on with the generic lexer.
package structural
