//go:build !race

package convert_test

// many is how many steps a very large document has.
const many = 100_000
