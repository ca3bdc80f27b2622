package provenance

import (
	"slices"

	"github.com/toolpath-ls/toolpath-ls/analysis/linediff"
	"github.com/toolpath-ls/toolpath-ls/analysis/udiff"
)

// script is a history whose lines are numbered, for replays that have to search.
type script struct {
	symbols *symbols
	hunks   []scriptHunk
	first   []int // by edit: its first hunk; one more for the end
}

// scriptHunk is a hunk that says what it kept even if its producer did not: lines
// that both sides have are context.
type scriptHunk struct {
	edit    int32
	index   int32 // in its diff
	lines   []scriptLine
	old     []uint32
	new     []uint32
	oldAt   int // 0-based line that its numbers state, -1 if they state none
	newAt   int
	broken  bool // lines are missing
	rest    int  // of its old side, -1: nobody knows how many
	phantom bool // the last line, empty, may be none: see udiff and placeAll
	snippet bool // the first line of a side may be the end of a line of the text
	oldOpen bool // and the last one the start of one
	newOpen bool
}

type scriptLine struct {
	kind     udiff.Kind
	sym      uint32
	from, to uint32 // in Raw
}

// elided are the issues with which a diff still says something about lines.
var elided = map[udiff.IssueKind]bool{udiff.Elided: true, udiff.Prose: true, udiff.Counts: true, udiff.EmptyHunk: true}

func newScript(h History) *script {
	s := &script{symbols: newSymbols(), first: make([]int, len(h.Edits)+1)}
	var d udiff.Diff
	for i := range h.Edits {
		s.first[i] = len(s.hunks)
		e := &h.Edits[i]
		if !e.HasRaw {
			continue
		}
		d.Reset(e.Raw)
		s.read(&d, int32(i), e)
	}
	s.first[len(h.Edits)] = len(s.hunks)
	return s
}

func (s *script) read(d *udiff.Diff, edit int32, e *Edit) {
	broken := make([]bool, len(d.Hunks))
	for _, issue := range d.Issues {
		if !elided[issue.Kind] {
			return
		}
		if issue.Hunk >= 0 {
			broken[issue.Hunk] = true
		}
	}
	real := slices.ContainsFunc(d.Hunks, func(h udiff.Hunk) bool { return h.Old.Start > 1 })
	for i := range d.Hunks {
		h := &d.Hunks[i]
		sh := scriptHunk{edit: edit, index: int32(i), oldAt: -1, newAt: -1, broken: broken[i], rest: -1}
		if h.Numbers == udiff.NumbersStated {
			sh.rest = max(0, h.Old.Count-h.OldLines)
		}
		if h.Numbers == udiff.NumbersStated && !e.Snippet && (real || e.Late) {
			sh.oldAt, sh.newAt = stated(h.Old), stated(h.New)
		}
		s.fill(&sh, d, d.Lines(h), e)
		if len(sh.lines) > 0 {
			s.hunks = append(s.hunks, sh)
		}
	}
}

// fill numbers the lines of a hunk.
func (s *script) fill(h *scriptHunk, d *udiff.Diff, lines []udiff.Line, e *Edit) {
	context := false
	for i := 0; i < len(lines); {
		from := i
		for i < len(lines) && lines[i].Kind != udiff.Context {
			i++
		}
		s.change(h, d, lines[from:i], e)
		if i < len(lines) {
			context = true
			s.line(h, d, lines[i], udiff.Context, e)
			i++
		}
	}
	for _, l := range h.lines {
		if l.kind != udiff.Added {
			h.old = append(h.old, l.sym)
		}
		if l.kind != udiff.Removed {
			h.new = append(h.new, l.sym)
		}
	}
	if n := len(h.lines); n > 1 {
		last := h.lines[n-1]
		h.phantom = !context && last.kind == udiff.Context && s.symbols.texts[last.sym] == ""
	}
	h.snippet = e.Snippet
	for _, l := range lines {
		if l.Kind != udiff.Added {
			h.oldOpen = l.NoEOL
		}
		if l.Kind != udiff.Removed {
			h.newOpen = l.NoEOL
		}
	}
}

// change numbers removed and added lines that stand together.
func (s *script) change(h *scriptHunk, d *udiff.Diff, lines []udiff.Line, e *Edit) {
	var old, now []udiff.Line
	var a, b []uint32
	for _, l := range lines {
		if h.broken && elision(d.Text(l)) {
			continue
		}
		if l.Kind == udiff.Removed {
			old, a = append(old, l), append(a, s.symbols.number(s.text(d, l, e)))
		} else {
			now, b = append(now, l), append(b, s.symbols.number(s.text(d, l, e)))
		}
	}
	at, was := 0, 0
	if m, n := len(a), len(b); m > 0 && n > 0 && (a[0] == b[0] || a[m-1] == b[n-1] || s.shareLine(a, b)) {
		for _, k := range linediff.Numbered(linediff.Text{IDs: a}, linediff.Text{IDs: b}, linediff.Options{}) {
			for ; was < k.OldStart; was, at = was+1, at+1 {
				s.line(h, d, now[at], udiff.Context, e)
			}
			s.sides(h, d, old[was:k.OldEnd], now[at:k.NewEnd], e)
			was, at = k.OldEnd, k.NewEnd
		}
		for ; at < n; was, at = was+1, at+1 {
			s.line(h, d, now[at], udiff.Context, e)
		}
		return
	}
	s.sides(h, d, old, now, e)
}

func (s *script) shareLine(old, now []uint32) bool {
	text := func(side []uint32) func(int) string {
		return func(i int) string { return s.symbols.texts[side[i]] }
	}
	return shareLine(len(old), len(now), text(old), text(now))
}

func (s *script) sides(h *scriptHunk, d *udiff.Diff, old, now []udiff.Line, e *Edit) {
	for _, l := range old {
		s.line(h, d, l, udiff.Removed, e)
	}
	for _, l := range now {
		s.line(h, d, l, udiff.Added, e)
	}
}

func (s *script) line(h *scriptHunk, d *udiff.Diff, l udiff.Line, kind udiff.Kind, e *Edit) {
	span := l.Span()
	text := s.text(d, l, e)
	h.lines = append(h.lines, scriptLine{kind, s.symbols.number(text), uint32(span.Start), uint32(span.Start + len(text))})
}

func (s *script) text(d *udiff.Diff, l udiff.Line, e *Edit) string {
	if e.GitDeriver {
		text, _ := d.Unglued(l)
		return text
	}
	return d.Text(l)
}

// elision says that a line shows where a producer left lines out.
func elision(line string) bool {
	n := len(line)
	return n >= 3 && (line[n-3:] == "..." || line[n-3:] == "…")
}
