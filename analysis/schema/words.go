package schema

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxQuoted is the most runes of a document's own text in a message.
const maxQuoted = 60

// quote returns s in quotes, on one line, cut to a readable length.
func quote(s string) string {
	n := 0
	for i := range s {
		if n == maxQuoted {
			return strconv.Quote(s[:i] + "…")
		}
		n++
	}
	return strconv.Quote(s)
}

// kindOf names the JSON type of a decoded value.
func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case string:
		return "a string"
	case json.Number, float64, float32, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		return "a number"
	case []any:
		return "an array"
	case map[string]any:
		return "an object"
	}
	return "a value that is not JSON"
}

// nearest returns the candidate that word is probably a misspelling of: the
// same but for case and separators, or one or (in words of six letters and
// more) two edits away. Ties go to the earlier candidate.
func nearest(word string, candidates []string) (string, bool) {
	const longest = 40
	if len(word) > longest || !utf8.ValidString(word) {
		return "", false
	}
	word = fold(word)
	best, bestDistance := "", 3
	for _, c := range candidates {
		folded := fold(c)
		if len(folded) < 2 {
			continue // any other letter would be near
		}
		limit := 1
		if len(folded) >= 6 {
			limit = 2
		}
		if d := distance(word, folded); d <= limit && d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best, best != ""
}

// fold drops what spellings of one name often differ in.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '$' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToLower(s))
}

// distance returns the number of single-byte insertions, deletions,
// replacements and swaps of neighbours that lead from a to b.
func distance(a, b string) int {
	before, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range above {
		above[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, above, row = above, row, before
	}
	return above[len(b)]
}
