package rules

import (
	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/udiff"
)

var newlineMarker = &analysis.Rule{
	ID: "TP3006", Name: "newline-marker", Severity: analysis.Hint,
	Doc: `A no-newline marker is not at the end of the file

"\ No newline at end of file" says that the line above it is the last one of the file and has
no line end. Where more lines of the same side follow, or no line stands above it, it cannot be
true; nor is it said twice. In an agent session only the first one is shown.

## Bad

    "raw": "@@ -1,2 +1,2 @@\n-a\n\\ No newline at end of file\n+A\n b"

## Good

    "raw": "@@ -1,2 +1,2 @@\n-a\n+A\n b\n\\ No newline at end of file"
`,
	Needs:    diffFaults,
	Step:     diffRule("TP3006"),
	Document: oncePerSession("TP3006"),
}

// markers goes through the hunks from the end, so that what follows a line is known.
func (in *inspection) markers() {
	const message = "more lines of the file follow, so that the line above has a line end"
	section, oldFollows, newFollows := -1, false, false
	for i := len(in.Hunks) - 1; i >= 0; i-- {
		h := &in.Hunks[i]
		if h.Section != section {
			section, oldFollows, newFollows = h.Section, false, false
		}
		body := in.Lines(h)
		for k := len(body) - 1; k >= 0; k-- {
			l := body[k]
			isOld, isNew := l.Kind != udiff.Added, l.Kind != udiff.Removed
			if l.NoEOL && (isOld && oldFollows || isNew && newFollows) {
				in.falseMarker(l.Span().End, message)
			} else if l.NoEOL {
				in.glued(l)
			}
			if l.NoEOL {
				_, at := in.lineAt(l.Span().End)
				if marker, next := in.lineAt(at); next < len(in.Raw) && in.Raw[next] == '\\' {
					in.falseMarker(marker.End, "the marker stands twice")
				}
			}
			oldFollows, newFollows = oldFollows || isOld, newFollows || isNew
		}
		if _, next := in.lineAt(h.Header.Start); next < len(in.Raw) && in.Raw[next] == '\\' {
			in.falseMarker(h.Header.End, "no line stands above this marker")
		}
	}
}

// falseMarker reports the marker in the line after the one that ends at end.
func (in *inspection) falseMarker(end int, message string) {
	_, start := in.lineAt(end)
	marker, next := in.lineAt(start)
	f := in.add("TP3006", marker, message)
	if next > marker.End {
		f.fix = &analysis.Fix{Title: "Remove the marker", Edits: []analysis.TextEdit{in.edit(udiff.Span{Start: start, End: next}, "")}}
	}
}
