package schema

import (
	"bytes"
	"encoding/json"
)

// bounded replaces numbers that would cost the validator much time by a [Hole]: those with
// an exponent that no double has, which are faults of their own. v is changed.
func bounded(v any) any {
	switch c := v.(type) {
	case map[string]any:
		for key, inner := range c {
			c[key] = bounded(inner)
		}
	case []any:
		for i, inner := range c {
			c[i] = bounded(inner)
		}
	case json.Number:
		if costly([]byte(c)) {
			return Hole{}
		}
	}
	return v
}

// costly says whether the exponent of a number has more than three digits.
func costly(number []byte) bool {
	i := bytes.IndexAny(number, "eE")
	return i >= 0 && len(bytes.TrimLeft(number[i+1:], "+-0")) > 3
}
