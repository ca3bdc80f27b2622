package provenance_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
	"github.com/toolpath-ls/toolpath-ls/internal/race"
)

// Records made to be slow to search. Each takes a few seconds at most; without
// bounds they would take hours. There is no other assertion than an answer.
func TestHostileRecords(t *testing.T) {
	race.Skip(t)
	if testing.Short() {
		t.Skip("takes seconds")
	}
	same := strings.Repeat("}\n", 20_000)
	garbage := func(n, step int, prefix string) string {
		var b strings.Builder
		b.WriteString("@@ -7 +9 @@\n")
		for i := range n {
			fmt.Fprintf(&b, "%sline %d\n", prefix, (i*7+step)%997)
		}
		return b.String()
	}
	known := strings.ReplaceAll(garbage(20_000, 1, " ")[len("@@ -7 +9 @@\n"):], " ", "")
	for _, tc := range []struct {
		name string
		text string
		edit func(i int) provenance.Edit
		n    int
	}{
		{"the same line everywhere", same, func(int) provenance.Edit {
			return provenance.Edit{Raw: "@@\n-{\n+}\n", HasRaw: true, Snippet: true}
		}, 2000},
		{"large hunks that fit nowhere", known, func(i int) provenance.Edit {
			return provenance.Edit{Raw: garbage(2000, i, "+"), HasRaw: true}
		}, 500},
		{"large hunks of both sides", known, func(i int) provenance.Edit {
			return provenance.Edit{Raw: garbage(1000, i, "-") + strings.TrimPrefix(garbage(1000, i+1, "+"), "@@ -7 +9 @@\n"), HasRaw: true, Snippet: true}
		}, 500},
		{"pieces of lines", strings.Repeat("abab", 50_000) + "\n" + same, func(int) provenance.Edit {
			return provenance.Edit{Raw: "@@ -1 +1 @@\n-b\n\\ No newline\n+ab\n\\ No newline\n", HasRaw: true, Snippet: true}
		}, 500},
		{"whole contents", known, func(i int) provenance.Edit {
			whole := strings.Replace(known, "line", fmt.Sprintf("l%d", i), 1+i%3)
			if i%2 == 0 {
				return provenance.Edit{}
			}
			return provenance.Edit{Whole: &whole}
		}, 100},
	} {
		for _, base := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, base known %v", tc.name, base), func(t *testing.T) {
				h := provenance.History{}
				if base {
					h.Base = &same
				}
				for i := range tc.n {
					e := tc.edit(i)
					e.Step = provenance.StepID(i + 1)
					h.Edits = append(h.Edits, e)
				}
				if o := recovered(h, tc.text); o.Len() == 0 {
					t.Error("no lines")
				}
			})
		}
	}
}
