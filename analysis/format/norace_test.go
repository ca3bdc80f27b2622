//go:build !race

package format_test

// many is how many steps a very large document has.
const many = 100_000
