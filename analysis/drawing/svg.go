package drawing

import (
	"fmt"
	"io"
	"strings"
	"unicode"
)

// Sizes of an SVG in its units.
const (
	svgRow   = 30
	svgLane  = 18
	svgLeft  = 16
	svgTitle = 44
	svgTimes = 150
	// The widths of the texts of steps: what they are for, and who did them.
	svgWhat, svgWho = 470, 190
)

// WriteSVG draws the paths one below the other, each with all of its steps. It is light or
// dark as its reader wants it.
func (d *Drawing) WriteSVG(w io.Writer) error {
	height, lanes := 0, 1
	for _, p := range d.Paths {
		height += svgTitle + len(p.Steps)*svgRow + svgRow/2
		lanes = max(lanes, p.Lanes)
	}
	s := svg{w: w, text: svgTimes + svgLeft*2 + (lanes-1)*svgLane}
	width := s.text + svgWhat + svgWho
	s.put(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-label="%s">`+"\n",
		width, max(height, svgTitle), width, max(height, svgTitle), escape(d.title()))
	s.put("<style>\ntext { font: 13px system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif; }\n.path { font-weight: 600; font-size: 15px; }\n"+
		".edge { fill: none; stroke-width: 2; }\n.dead { stroke-dasharray: 3 3; }\n%s@media (prefers-color-scheme: dark) {\n%s}\n</style>\n",
		svgTheme(light), svgTheme(dark))
	if len(d.Paths) == 0 {
		s.put(`<text class="faint" x="%d" y="28">There are no steps to draw.</text>`+"\n", svgLeft)
	}
	for i := range d.Paths {
		s.path(&d.Paths[i])
	}
	s.put("</svg>\n")
	return s.err
}

func svgTheme(t theme) string {
	var b strings.Builder
	fmt.Fprintf(&b, "text { fill: %s; }\n.faint { fill: %s; }\n.hollow { fill: %s; }\n", t.text, t.faint, t.background)
	for i, c := range t.actors {
		fmt.Fprintf(&b, ".s%d { stroke: %s; }\n.f%d { fill: %s; }\n", i, c, i, c)
	}
	return b.String()
}

// svg writes an SVG and keeps the first error.
type svg struct {
	w    io.Writer
	text int // where the texts of steps begin
	top  int
	err  error
}

func (s *svg) put(format string, args ...any) {
	if s.err == nil {
		_, s.err = fmt.Fprintf(s.w, format, args...)
	}
}

func (s *svg) x(lane int) int { return svgTimes + svgLeft + lane*svgLane }
func (s *svg) y(row int) int  { return s.top + row*svgRow + svgRow/2 }

func (s *svg) path(p *Path) {
	name := p.Title
	if name == "" {
		name = p.ID
	}
	s.put(`<text class="path" x="%d" y="%d">%s</text>`+"\n", svgLeft, s.top+28, escape(short(name, 90)))
	s.top += svgTitle
	for _, e := range p.Edges {
		s.edge(p, e)
	}
	day := ""
	for row := range p.Steps {
		day = s.step(p, row, day)
	}
	s.top += len(p.Steps)*svgRow + svgRow/2
}

func (s *svg) edge(p *Path, e [4]int) {
	from, to, lane, flags := e[0], e[1], s.x(e[2]), e[3]
	owner := p.Steps[from]
	if flags&1 != 0 {
		owner = p.Steps[to]
	}
	top, bottom := min(from, to), max(from, to)
	const bend = svgRow * 9 / 10
	y1, y2 := s.y(top), s.y(bottom)
	x1, x2 := s.x(p.Steps[top].Lane), s.x(p.Steps[bottom].Lane)
	way := fmt.Sprintf("M%d %d", x1, y1)
	if x1 != lane {
		y1 = min(y1+bend, y2)
		way += fmt.Sprintf(" C%d %d %d %d %d %d", x1, y1-bend/3, lane, y1-bend/2, lane, y1)
	}
	if x2 == lane {
		way += fmt.Sprintf(" V%d", y2)
	} else {
		turn := max(y2-bend, y1)
		way += fmt.Sprintf(" V%d C%d %d %d %d %d %d", turn, lane, turn+bend/2, x2, y2-bend/2, x2, y2)
	}
	s.put(`<path class="edge s%d%s" d="%s"/>`+"\n", p.Actors[owner.Actor].Color, deadClass(owner), way)
}

func deadClass(step Step) string {
	if step.Dead {
		return " dead"
	}
	return ""
}

// step draws a step and returns its day.
func (s *svg) step(p *Path, row int, before string) (day string) {
	step := p.Steps[row]
	actor := p.Actors[step.Actor]
	x, y := s.x(step.Lane), s.y(row)
	class := fmt.Sprintf("s%d f%d", actor.Color, actor.Color)
	if step.Dead {
		class = fmt.Sprintf("s%d hollow", actor.Color)
	}
	s.put("%s\n", shape(actor.Kind, class, x, y))
	if row == p.Head {
		s.put(`<circle class="s%d" fill="none" stroke-width="1.5" cx="%d" cy="%d" r="9"/>`+"\n", actor.Color, x, y)
	}
	day, clock := when(step)
	if day == before {
		s.put(`<text class="faint" text-anchor="end" x="%d" y="%d">%s</text>`+"\n", svgTimes-8, y+5, escape(clock))
	} else {
		s.put(`<text text-anchor="end" x="%d" y="%d">%s <tspan class="faint">%s</tspan></text>`+"\n", svgTimes-8, y+5, escape(day), escape(clock))
	}
	what := step.Intent
	if what == "" {
		what = step.ID
	}
	tag := ""
	switch {
	case row == p.Head:
		tag = " · head"
	case step.Dead:
		tag = " · dead end"
	}
	faint := ""
	if step.Dead {
		faint = ` class="faint"`
	}
	s.put(`<text%s x="%d" y="%d">%s<title>%s</title></text>`+"\n", faint, s.text, y+5, escape(short(what, 60)), escape(step.ID+": "+step.Intent))
	s.put(`<text class="faint" x="%d" y="%d">%s%s</text>`+"\n", s.text+svgWhat, y+5, escape(short(actor.Name, 24)), tag)
	return day
}

// shape draws a step in the shape of its actor's kind.
func shape(kind, class string, x, y int) string {
	switch kind {
	case "agent":
		return fmt.Sprintf(`<path class="%s" stroke-width="2" d="M%d %d l6 6 l-6 6 l-6 -6 Z"/>`, class, x, y-6)
	case "tool":
		return fmt.Sprintf(`<rect class="%s" stroke-width="2" x="%d" y="%d" width="10" height="10" rx="1"/>`, class, x-5, y-5)
	case "ci":
		return fmt.Sprintf(`<path class="%s" stroke-width="2" d="M%d %d l6 10 h-12 Z"/>`, class, x, y-6)
	}
	return fmt.Sprintf(`<circle class="%s" stroke-width="2" cx="%d" cy="%d" r="5"/>`, class, x, y)
}

// short makes one line of a text, of so many characters at most. What is not to be seen, such
// as what turns the direction of writing, becomes U+FFFD.
func short(s string, most int) string {
	words := strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	line := []rune(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.Join(words, " ")))
	if len(line) > most {
		return string(line[:most-1]) + "…"
	}
	return string(line)
}

// escape makes text of XML, which has no control characters (XML 1.0, section 2.2).
func escape(s string) string {
	return xmlEscapes.Replace(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' || r == 0xfffe || r == 0xffff || r == 0x7f {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd")))
}

var xmlEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")
