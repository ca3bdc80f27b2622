// Command ansi-svg draws terminal output as an SVG picture: text with ANSI colours on standard input,
// the picture on standard output. The pictures of the README are made with it:
//
//	tmux capture-pane -e -p | go run ./scripts/ansi-svg >docs/images/neovim.svg
//
// A *cell* is one character of the terminal with its style. Every character counts as one cell wide.
package main

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// A style is what SGR sequences (ECMA-48 8.3.117) have set. Colours are CSS; empty is the default.
type style struct {
	fore, back                      string
	bold, faint, italic, underlined bool
	reversed                        bool
}

// A span is text of one style that begins in a column (0-based) of its row.
type span struct {
	style
	column int
	text   string
}

// Size of a cell and of the margin around all cells, in pixels. The font size is the one whose
// characters are a cell wide in most monospaced fonts; textLength, which not every program honours,
// does the rest.
const (
	cellWidth  = 8
	cellHeight = 18
	fontSize   = 13.3
	margin     = 12
)

const (
	paper = "#14161b"
	ink   = "#e0e2ea"
)

func main() {
	if err := draw(os.Stdout, os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "ansi-svg:", err)
		os.Exit(1)
	}
}

func draw(w io.Writer, r io.Reader) error {
	var rows [][]span
	columns := 0
	var s style
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var row []span
		row, s = split(lines.Text(), s)
		rows = append(rows, row)
		if len(row) > 0 {
			last := row[len(row)-1]
			columns = max(columns, last.column+len([]rune(last.text)))
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	for len(rows) > 0 && len(rows[len(rows)-1]) == 0 {
		rows = rows[:len(rows)-1]
	}
	out := bufio.NewWriter(w)
	write(out, rows, columns)
	return out.Flush()
}

var escape = regexp.MustCompile(`\x1b\[([0-9;:]*)([A-Za-z])|\x1b\][^\x07]*\x07|\x1b\(.|[\x0e\x0f]`)

// split cuts a line into spans and returns the style that holds after it.
func split(line string, s style) ([]span, style) {
	var row []span
	column := 0
	add := func(text string) {
		if text != "" {
			row = append(row, span{s, column, text})
			column += len([]rune(text))
		}
	}
	rest := line
	for {
		at := escape.FindStringSubmatchIndex(rest)
		if at == nil {
			add(rest)
			return trim(row), s
		}
		add(rest[:at[0]])
		if at[4] >= 0 && rest[at[4]:at[5]] == "m" {
			s = s.with(rest[at[2]:at[3]])
		}
		rest = rest[at[1]:]
	}
}

// trim drops blanks at the end of a row, which show nothing.
func trim(row []span) []span {
	for len(row) > 0 {
		last := &row[len(row)-1]
		if last.back != "" || last.reversed || last.underlined {
			return row
		}
		last.text = strings.TrimRight(last.text, " ")
		if last.text != "" {
			return row
		}
		row = row[:len(row)-1]
	}
	return row
}

// with applies the parameters of one SGR sequence.
func (s style) with(parameters string) style {
	fields := strings.Split(parameters, ";")
	for i := 0; i < len(fields); i++ {
		// Parts after a colon refine a parameter, as in 4:3 for a curly underline.
		number, part, _ := strings.Cut(fields[i], ":")
		n, _ := strconv.Atoi(number)
		switch {
		case n == 0:
			s = style{}
		case n == 1:
			s.bold = true
		case n == 2:
			s.faint = true
		case n == 3:
			s.italic = true
		case n == 4:
			s.underlined = part != "0"
		case n == 7:
			s.reversed = true
		case n == 22:
			s.bold, s.faint = false, false
		case n == 23:
			s.italic = false
		case n == 24:
			s.underlined = false
		case n == 27:
			s.reversed = false
		case n >= 30 && n <= 37:
			s.fore = indexed(n - 30)
		case n >= 90 && n <= 97:
			s.fore = indexed(n - 90 + 8)
		case n == 39:
			s.fore = ""
		case n >= 40 && n <= 47:
			s.back = indexed(n - 40)
		case n >= 100 && n <= 107:
			s.back = indexed(n - 100 + 8)
		case n == 49:
			s.back = ""
		case n == 38 || n == 48 || n == 58:
			color, used := extended(fields[i+1:])
			i += used
			if n == 38 {
				s.fore = color
			} else if n == 48 {
				s.back = color
			}
		}
	}
	return s
}

// extended reads what follows 38 or 48: 5;INDEX or 2;RED;GREEN;BLUE. It returns how many fields that
// were.
func extended(fields []string) (color string, used int) {
	number := func(i int) int {
		if i >= len(fields) {
			return 0
		}
		n, _ := strconv.Atoi(fields[i])
		return n & 255
	}
	switch number(0) {
	case 5:
		return indexed(number(1)), 2
	case 2:
		return fmt.Sprintf("#%02x%02x%02x", number(1), number(2), number(3)), 4
	}
	return "", 0
}

var palette = [16]string{
	"#07080d", "#ffc0b9", "#b3f6c0", "#fce094", "#a6dbff", "#ffcaff", "#8cf8f7", "#e0e2ea",
	"#4f5258", "#ffc0b9", "#b3f6c0", "#fce094", "#a6dbff", "#ffcaff", "#8cf8f7", "#eef1f8",
}

// indexed returns a colour of the 256 that terminals number: 16 named ones, a cube of 6×6×6, 24 greys.
func indexed(n int) string {
	switch {
	case n < 16:
		return palette[n]
	case n < 232:
		level := func(v int) int {
			if v == 0 {
				return 0
			}
			return 55 + 40*v
		}
		n -= 16
		return fmt.Sprintf("#%02x%02x%02x", level(n/36), level(n/6%6), level(n%6))
	default:
		grey := 8 + 10*(n-232)
		return fmt.Sprintf("#%02x%02x%02x", grey, grey, grey)
	}
}

func write(w io.Writer, rows [][]span, columns int) {
	width, height := columns*cellWidth+2*margin, len(rows)*cellHeight+2*margin
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" `, width, height, width, height)
	fmt.Fprintf(w, `font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="%g">`+"\n", fontSize)
	fmt.Fprintf(w, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", paper)
	for i, row := range rows {
		for _, s := range row {
			s.write(w, i)
		}
	}
	fmt.Fprintln(w, "</svg>")
}

func (s span) write(w io.Writer, row int) {
	fore, back := s.fore, s.back
	if s.reversed {
		fore, back = or(back, paper), or(fore, ink)
	}
	x, y := margin+s.column*cellWidth, margin+row*cellHeight
	width := len([]rune(s.text)) * cellWidth
	if back != "" && back != paper {
		fmt.Fprintf(w, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`+"\n", x, y, width, cellHeight, back)
	}
	indent := len(s.text) - len(strings.TrimLeft(s.text, " "))
	text := strings.TrimSpace(s.text)
	if text == "" {
		return
	}
	x += indent * cellWidth
	fmt.Fprintf(w, `<text x="%d" y="%d" textLength="%d" fill="%s"%s xml:space="preserve">%s</text>`+"\n",
		x, y+cellHeight-5, len([]rune(text))*cellWidth, or(fore, ink), s.attributes(), html.EscapeString(text))
}

func (s style) attributes() string {
	var b strings.Builder
	for _, a := range []struct {
		set  bool
		text string
	}{
		{s.bold, ` font-weight="bold"`},
		{s.faint, ` opacity="0.6"`},
		{s.italic, ` font-style="italic"`},
		{s.underlined, ` text-decoration="underline"`},
	} {
		if a.set {
			b.WriteString(a.text)
		}
	}
	return b.String()
}

func or(color, fallback string) string {
	if color == "" {
		return fallback
	}
	return color
}
