package rules

import (
	"fmt"
	"strconv"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/udiff"
)

var miscountedHunk = &analysis.Rule{
	ID: "TP3001", Name: "miscounted-hunk", Severity: analysis.Hint,
	Doc: `A hunk has more or fewer lines than its header counts

The header of a hunk counts its lines: @@ -start,count +start,count @@, where the old side is
what is kept and removed, the new side what is kept and added (RFC, "Change Perspectives"). Where
the counts do not fit, lines are missing or the counts are wrong. Blame goes by the lines. The
fix counts them anew; it changes nothing but the numbers. In an agent session only the first
hunk is shown.

## Bad

    "raw": "@@ -1,5 +1,5 @@\n-old\n+new"

## Good

    "raw": "@@ -1 +1 @@\n-old\n+new"
`,
	Needs:    diffFaults,
	Step:     diffRule("TP3001"),
	Document: oncePerSession("TP3001"),
}

func (in *inspection) miscounted() {
	for _, issue := range in.Issues {
		if issue.Kind != udiff.Counts {
			continue
		}
		h := &in.Hunks[issue.Hunk]
		f := in.add("TP3001", h.Header, fmt.Sprintf("the header counts %s before and %d after, but the hunk has %d and %d",
			lines(h.Old.Count), h.New.Count, h.OldLines, h.NewLines))
		f.fix = in.recount(h)
	}
}

func lines(n int) string {
	if n == 1 {
		return "1 line"
	}
	return strconv.Itoa(n) + " lines"
}

// recount returns the fix that makes a header count the lines that follow.
func (in *inspection) recount(h *udiff.Hunk) *analysis.Fix {
	fix := &analysis.Fix{Title: "Count the lines anew"}
	at := h.Header.Start
	for _, side := range []struct {
		sign   byte
		stated udiff.Range
		lines  int
	}{{'-', h.Old, h.OldLines}, {'+', h.New, h.NewLines}} {
		for in.Raw[at] != side.sign {
			at++
		}
		start := digits(in.Raw, at+1)
		count := udiff.Span{Start: start.End, End: start.End}
		if start.End < h.Header.End && in.Raw[start.End] == ',' {
			count = digits(in.Raw, start.End+1)
		}
		at = count.End
		if side.stated.Count == side.lines {
			continue
		}
		// With no lines the start is the line before the hunk, else the hunk's first one.
		switch {
		case side.lines == 0 && side.stated.Start > 0:
			fix.Edits = append(fix.Edits, in.edit(start, strconv.Itoa(side.stated.Start-1)))
		case side.stated.Count == 0:
			fix.Edits = append(fix.Edits, in.edit(start, strconv.Itoa(side.stated.Start+1)))
		}
		if text := strconv.Itoa(side.lines); count.Start > start.End {
			fix.Edits = append(fix.Edits, in.edit(count, text))
		} else {
			fix.Edits = append(fix.Edits, in.edit(count, ","+text))
		}
	}
	return fix
}

// digits returns the span of the digits at i.
func digits(s string, i int) udiff.Span {
	end := i
	for end < len(s) && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	return udiff.Span{Start: i, End: end}
}
