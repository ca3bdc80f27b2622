//go:build race

package query_test

// many is how many steps a very large document has; few, as the race detector is slow.
const many = 5_000
