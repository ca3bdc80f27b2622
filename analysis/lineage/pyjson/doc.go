// Package pyjson reads and writes JSON the way the Python programs do that write lineage
// logs, to the byte: hashes and tags are over what they write, and they accept what
// encoding/json does not (NaN, integers of any length, unpaired surrogates, a byte order
// mark, duplicate members of which the last one counts).
//
// Terms: a [Value] is what was read. A text is WTF-8: UTF-8 that may have unpaired
// surrogates as three bytes, which no encoding but [ASCII] can write. A [Form] is one of
// the three ways to write: they differ in the order of members, in floats and in what they
// escape.
package pyjson
