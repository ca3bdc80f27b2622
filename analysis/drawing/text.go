package drawing

import (
	"fmt"
	"io"
	"strings"
)

// textLanes bounds the lanes of a drawing in text.
const textLanes = 24

// marks are the kinds of actors in text; a dead end is hollow.
var marks = map[string][2]string{"human": {"●", "○"}, "agent": {"◆", "◇"}, "tool": {"■", "□"}, "ci": {"▲", "△"}}

// WriteText draws the paths as lines of text, the newest step first.
func (d *Drawing) WriteText(w io.Writer) error { return d.writeText(w, func(TextMark) {}) }

// TextMark is the mark of a step in a drawing in text.
type TextMark struct {
	Start, End int // offsets in the text
	Path, Step int // indexes in Drawing.Paths and Path.Steps
}

// Text draws as WriteText does, and says where the marks of steps are, by offset.
func (d *Drawing) Text() (drawn string, all []TextMark) {
	var b strings.Builder
	_ = d.writeText(&b, func(m TextMark) { all = append(all, m) }) // a Builder takes everything
	return b.String(), all
}

// writeText tells of each mark that it writes.
func (d *Drawing) writeText(w io.Writer, marked func(TextMark)) error {
	var b strings.Builder
	written := 0 // before what is in b
	for i := range d.Paths {
		if i > 0 {
			b.WriteByte('\n')
		}
		p := &d.Paths[i]
		name := "path " + p.ID
		if p.Title != "" {
			name += " · " + p.Title
		}
		fmt.Fprintf(&b, "%s\n", short(name, 120))
		(&texter{b: &b, p: p, lanes: min(p.Lanes, textLanes), marked: func(start, end, step int) {
			marked(TextMark{written + start, written + end, i, step})
		}}).draw()
		if b.Len() > 1<<20 {
			if _, err := io.WriteString(w, b.String()); err != nil {
				return err
			}
			written += b.Len()
			b.Reset()
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// texter draws one path.
type texter struct {
	b     *strings.Builder
	p     *Path
	lanes int

	marked func(start, end, step int) // is told of marks, by their offsets in b

	starts, ends [][]int // the edges that start, and those that end, in a row
	running      []int   // how many edges run along a lane below the row
}

// The lines that meet in a cell.
const (
	up = 1 << iota
	down
	left
	right
)

var cells = [16]string{
	up: "│", down: "│", up | down: "│", left: "─", right: "─", left | right: "─",
	down | right: "╭", down | left: "╮", up | right: "╰", up | left: "╯",
	up | down | right: "├", up | down | left: "┤", down | left | right: "┬", up | left | right: "┴",
	up | down | left | right: "┼",
}

func (t *texter) lane(lane int) int { return min(lane, t.lanes-1) }

func (t *texter) draw() {
	n := len(t.p.Steps)
	t.starts, t.ends, t.running = make([][]int, n), make([][]int, n), make([]int, t.lanes)
	for i, e := range t.p.Edges {
		t.starts[min(e[0], e[1])] = append(t.starts[min(e[0], e[1])], i)
		t.ends[max(e[0], e[1])] = append(t.ends[max(e[0], e[1])], i)
	}
	for row, s := range t.p.Steps {
		t.row(row, s)
		for _, i := range t.starts[row] {
			t.running[t.lane(t.p.Edges[i][2])]++
		}
		if row+1 < n {
			t.bends(t.starts[row], row)
			t.bends(t.ends[row+1], row+1)
			for _, i := range t.ends[row+1] {
				t.running[t.lane(t.p.Edges[i][2])]--
			}
		}
	}
}

// row writes a step and the lanes that pass it.
func (t *texter) row(row int, s Step) {
	a := t.p.Actors[s.Actor]
	for lane := range t.lanes {
		mark := " "
		if lane == t.lane(s.Lane) {
			pair, known := marks[a.Kind]
			if !known {
				pair = marks["human"]
			}
			if mark = pair[0]; s.Dead {
				mark = pair[1]
			}
			t.marked(t.b.Len(), t.b.Len()+len(mark), row)
		} else if t.running[lane] > 0 {
			mark = cells[up|down]
		}
		t.b.WriteString(mark + " ")
	}
	day, clock := when(s)
	words := []string{short(s.ID, 40), strings.TrimSpace(day + " " + clock), short(a.Name, 30)}
	switch {
	case row == t.p.Head:
		words = append(words, "head")
	case s.Dead:
		words = append(words, "dead end")
	}
	if s.Intent != "" {
		words = append(words, short(s.Intent, 100))
	}
	fmt.Fprintf(t.b, " %s\n", strings.Join(words, " · "))
}

// bends writes the line in which edges change between their lane and that of the step of a
// row; none if no edge does.
func (t *texter) bends(edges []int, row int) {
	at := t.lane(t.p.Steps[row].Lane)
	grid := make([]int, 2*t.lanes)
	bent := make([]int, t.lanes)
	towards := up
	if len(edges) > 0 && row == max(t.p.Edges[edges[0]][0], t.p.Edges[edges[0]][1]) {
		towards = down
	}
	any := false
	for _, i := range edges {
		lane := t.lane(t.p.Edges[i][2])
		if lane == at {
			continue
		}
		any = true
		bent[lane]++
		grid[2*at] |= towards
		grid[2*lane] |= up + down - towards
		for c := 2*min(at, lane) + 1; c < 2*max(at, lane); c++ {
			grid[c] |= left | right
		}
		if lane > at {
			grid[2*at] |= right
			grid[2*lane] |= left
		} else {
			grid[2*at] |= left
			grid[2*lane] |= right
		}
	}
	if !any {
		return
	}
	for lane, n := range t.running {
		if n > bent[lane] {
			grid[2*lane] |= up | down
		}
	}
	var line strings.Builder
	for _, c := range grid {
		if c == 0 {
			line.WriteByte(' ')
		} else {
			line.WriteString(cells[c])
		}
	}
	t.b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
}
