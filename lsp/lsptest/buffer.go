package lsptest

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// encodings are the units that columns can be counted in.
var encodings = []string{"utf-8", "utf-16", "utf-32"}

// buffer is a document as the editor has it, with named places. It is written for
// plainness: tests compare the server with it.
type buffer struct {
	text    string
	version int
}

// units returns the length of s in the units of the encoding.
func units(s, encoding string) (n int) {
	if encoding == "utf-8" {
		return len(s)
	}
	for _, r := range s {
		n++
		if encoding == "utf-16" && r > 0xFFFF {
			n++
		}
	}
	return n
}

// lineStart returns the offset of the last line start at or before the offset, and the
// number of lines before it. Lines end with LF, CRLF or CR.
func lineStart(text string, offset int) (start, line int) {
	for i := 0; i < offset; i++ {
		if text[i] == '\n' || text[i] == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			start, line = i+1, line+1
		}
	}
	return start, line
}

// toPos converts an offset.
func toPos(text string, offset int, encoding string) Pos {
	start, line := lineStart(text, offset)
	return Pos{Line: line, Character: units(text[start:offset], encoding)}
}

// toOffset converts a position that must exist in the text.
func toOffset(text string, p Pos, encoding string) (int, error) {
	at, line := 0, 0
	for line < p.Line {
		i := strings.IndexAny(text[at:], "\r\n")
		if i < 0 {
			return 0, fmt.Errorf("there is no line %d", p.Line)
		}
		at += i + 1
		if text[at-1] == '\r' && strings.HasPrefix(text[at:], "\n") {
			at++
		}
		line++
	}
	for column := 0; column < p.Character; {
		if at == len(text) || text[at] == '\n' || text[at] == '\r' {
			return 0, fmt.Errorf("line %d has no column %d in %s", p.Line, p.Character, encoding)
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		column += units(text[at:at+size], encoding)
		at += size
		if column > p.Character {
			return 0, fmt.Errorf("column %d of line %d lies within a character in %s", p.Character, p.Line, encoding)
		}
	}
	return at, nil
}

// mark is a named place in a file.
type mark struct {
	file       string
	start, end int
}

// unmark takes the marks out of a text: «name» is a point, «name:text» the range of the
// text, which may hold further marks.
func unmark(file, text string) (plain string, marks map[string]mark, err error) {
	marks = map[string]mark{}
	var out strings.Builder
	var open []string
	for len(text) > 0 {
		switch i := strings.IndexAny(text, "«»"); {
		case i < 0:
			out.WriteString(text)
			text = ""
		case i > 0:
			out.WriteString(text[:i])
			text = text[i:]
		case strings.HasPrefix(text, "»"):
			if len(open) == 0 {
				return "", nil, fmt.Errorf("%s: a » without its «", file)
			}
			name := open[len(open)-1]
			open = open[:len(open)-1]
			m := marks[name]
			m.end = out.Len()
			marks[name] = m
			text = strings.TrimPrefix(text, "»")
		default:
			text = strings.TrimPrefix(text, "«")
			n := strings.IndexFunc(text, func(r rune) bool { return r == ':' || r == '»' })
			if n <= 0 || strings.ContainsAny(text[:n], " \t\r\n\"«") {
				return "", nil, fmt.Errorf("%s: a « without a name before : or »", file)
			}
			name := text[:n]
			if _, twice := marks[name]; twice {
				return "", nil, fmt.Errorf("%s: the name %s is used twice", file, name)
			}
			marks[name] = mark{file, out.Len(), out.Len()}
			open = append(open, name)
			if text[n] == ':' {
				n++
			}
			text = text[n:]
		}
	}
	if len(open) > 0 {
		return "", nil, fmt.Errorf("%s: the mark %s does not end", file, open[len(open)-1])
	}
	return out.String(), marks, nil
}

// shift moves marks with an edit of their file that replaces the text in [start, end) by
// n bytes. The mark of the name, if any, becomes the new text.
func shift(marks map[string]mark, name, file string, start, end, n int) {
	move := func(at int) int {
		switch {
		case at >= end:
			return at - (end - start) + n
		case at > start:
			return start
		}
		return at
	}
	for k, m := range marks {
		switch {
		case m.file != file:
		case k == name:
			marks[k] = mark{file, start, start + n}
		default:
			marks[k] = mark{file, move(m.start), move(m.end)}
		}
	}
}
