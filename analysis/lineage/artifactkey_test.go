package lineage

import (
	"errors"
	"strings"
	"testing"
)

// A part of a URI's path has 255 characters at most, and at least one.
func TestArtifactKeySegments(t *testing.T) {
	for _, c := range []struct {
		segment string
		ok      bool
	}{
		{strings.Repeat("a", 255), true},
		{strings.Repeat("a", 256), false},
		{"a/" + strings.Repeat("b", 255), true},
		{"a/" + strings.Repeat("b", 256), false},
		{"a//b", false},
		{"a\n", false},
	} {
		key := "doc://example.org/" + c.segment
		_, err := CanonicalArtifactKey(key)
		if fault := new(KeyError); c.ok != (err == nil) || err != nil && (!errors.As(err, &fault) || fault.Reason != "malformed-uri") {
			t.Errorf("%.40q, %d characters: %v", key, len(c.segment), err)
		}
	}
	for _, n := range []int{255, 256} {
		pattern := "doc://example.org/" + strings.Repeat("?", n)
		if matches, err := MatchArtifactKey(pattern, "doc://example.org/"+strings.Repeat("a", 255)); matches != (n == 255) || (err == nil) != (n == 255) {
			t.Errorf("%d question marks: %v, %v", n, matches, err)
		}
	}
}
