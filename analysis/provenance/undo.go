package provenance

import (
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/udiff"
)

// Undo is the content before an edit, of which the content after it and Raw are
// known. Not ok if Raw does not lead there from anything: its new side must stand
// where its numbers say.
func Undo(content string, e Edit) (before string, ok bool) {
	d := udiff.Parse(e.Raw)
	if _, whole := d.Replayable(); !whole {
		return "", false
	}
	lines := strings.SplitAfter(content, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	text := func(l udiff.Line) string {
		if e.GitDeriver {
			s, _ := d.Unglued(l)
			return s
		}
		return d.Text(l)
	}
	var out strings.Builder
	at := 0
	for i := range d.Hunks {
		h := &d.Hunks[i]
		start := stated(h.New)
		if h.Numbers != udiff.NumbersStated || h.Section > 0 || start < at || start > len(lines) {
			return "", false
		}
		for ; at < start; at++ {
			out.WriteString(lines[at])
		}
		for _, l := range d.Lines(h) {
			if l.Kind == udiff.Removed {
				out.WriteString(text(l))
				if !l.NoEOL {
					out.WriteByte('\n')
				}
				continue
			}
			if at == len(lines) || strings.TrimSuffix(lines[at], "\n") != text(l) {
				return "", false
			}
			if l.Kind == udiff.Context {
				out.WriteString(lines[at])
			}
			at++
		}
	}
	for ; at < len(lines); at++ {
		out.WriteString(lines[at])
	}
	return out.String(), true
}
