package analysis

import (
	"cmp"
	"slices"
)

// SafeFixes returns the edits of all safe fixes of the findings that can be applied
// together, in the order of their places: of two that overlap the first one counts.
func SafeFixes(found []Diagnostic) []TextEdit {
	var edits []TextEdit
	for _, d := range found {
		for _, f := range d.Fixes {
			if f.Safe && !overlaps(edits, f.Edits) {
				edits = append(edits, f.Edits...)
				break
			}
		}
	}
	slices.SortFunc(edits, func(a, b TextEdit) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	return edits
}

func overlaps(edits, more []TextEdit) bool {
	for _, e := range more {
		for _, f := range edits {
			if e.Start < f.End && f.Start < e.End || e.Start == f.Start {
				return true
			}
		}
	}
	return false
}

// ApplyEdits returns the text with the edits made; they must not overlap.
func ApplyEdits(src []byte, edits []TextEdit) []byte {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b TextEdit) int { return cmp.Compare(a.Start, b.Start) })
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(append(out, src[at:e.Start]...), e.New...)
		at = e.End
	}
	return append(out, src[at:]...)
}
