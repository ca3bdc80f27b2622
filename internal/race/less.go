// Package race lets a test do less under the race detector, which makes work ten times as costly. What is
// left out then, `make test/large` does without it.
package race

import "testing"

// Less is n, of something of which a test tries many, and a tenth of n under the race detector.
func Less(n int) int {
	if Enabled {
		return max(1, n/10)
	}
	return n
}

// Skip leaves out a test under the race detector: one about memory, or one that takes too long.
func Skip(t testing.TB) {
	t.Helper()
	if Enabled {
		t.Skip("is run without the race detector: make test/large")
	}
}
