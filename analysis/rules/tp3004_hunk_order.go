package rules

import (
	"fmt"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/udiff"
)

var hunkOrder = &analysis.Rule{
	ID: "TP3004", Name: "hunk-order", Severity: analysis.Warning,
	Doc: `The hunks of a diff overlap or stand in the wrong order

All hunks of a diff speak of the same text before it, from its beginning to its end. Where a
hunk starts before the one above it has ended, one of the two has a wrong line number, and other
tools refuse the diff.

## Bad

    "raw": "@@ -10,2 +10,2 @@\n a\n-b\n+c\n@@ -11,2 +11,2 @@\n b\n-d\n+e"

## Good

    "raw": "@@ -10,3 +10,3 @@\n a\n-b\n-d\n+c\n+e"
`,
	Needs: diffFaults,
	Step:  loudDiffRule("TP3004"),
}

func (in *inspection) hunkOrder() {
	var above *udiff.Hunk
	for i := range in.Hunks {
		h := &in.Hunks[i]
		if h.Numbers != udiff.NumbersStated {
			continue
		}
		if above != nil && above.Section == h.Section {
			if last := lastLine(above); firstLine(h) <= last {
				in.add("TP3004", h.Header, fmt.Sprintf("this hunk starts at line %d, but the one above it reaches to line %d", h.Old.Start, last))
			}
		}
		above = h
	}
}

// firstLine returns the first line of the old text that a hunk speaks of; one that only adds
// stands behind the line that it names.
func firstLine(h *udiff.Hunk) int {
	if h.OldLines == 0 && h.Old.Count == 0 {
		return h.Old.Start + 1
	}
	return h.Old.Start
}

func lastLine(h *udiff.Hunk) int { return firstLine(h) + h.OldLines - 1 }
