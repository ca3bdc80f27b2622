// Package analysis answers what an editor or a command asks about Toolpath documents and
// about the source files that they speak of. It is pure: it knows no protocol, starts no
// goroutine, and reaches files and git only through a [Source].
//
// Terms: a document is a text with a name (a URI); it is of some [Kind]. A snapshot is an
// immutable picture of all documents, of the closed ones that the workspace holds, and of
// the facts that were read through the Source. A workspace makes one snapshot after
// another. A rule looks at a document and reports diagnostics. A projection says for each
// line of a source file which step of which document wrote it. An account is what one path
// says about one file; a lineage is that file under all names that it had in the path.
//
// Data flows one way: bytes → text → tree → model → diagnostics, answers, projections.
// What is derived hangs off the document it was derived from, and is derived once, on
// first use; of an edited document only the steps that the edit touched are derived anew.
//
// Offsets are bytes. Columns do not occur in this package.
package analysis
