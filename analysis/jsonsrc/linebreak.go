package jsonsrc

import (
	"bytes"
	"fmt"
	"slices"
	"unicode"
)

// ahead is what follows a line break in a string: the first quote that no backslash escapes,
// and the first byte behind it that is no white space. Both are len(src) if there is none.
// It holds for every line break from from on up to the quote.
type ahead struct{ from, quote, next int }

// look finds what follows the line break at i.
func (p *parser) look(i int) ahead {
	a := &p.ahead
	if i < a.from || i >= a.quote {
		*a = ahead{from: i, quote: len(p.src), next: len(p.src)}
		for q := i; q < len(p.src); q = p.pass(q) {
			if p.src[q] == '"' {
				a.quote = q
				break
			}
		}
		for n := a.quote + 1; n < len(p.src); n++ {
			if !isSpace(p.src[n]) {
				a.next = n
				break
			}
		}
	}
	if p.looked == 0 {
		p.from = i
	}
	p.looked = max(p.looked, a.next+1)
	return *a
}

// pass returns the offset behind the character, or the short escape, at i of a string.
func (p *parser) pass(i int) int {
	if p.src[i] == '\\' && i+1 < len(p.src) && p.src[i+1] != '\n' && p.src[i+1] != '\r' {
		return i + 2
	}
	return i + 1
}

// isBreak says whether a line ends at i.
func (p *parser) isBreak(i int) bool { return i < len(p.src) && breakSize(p.src[i:]) > 0 }

// broken reports the line break at i in the string that starts at start, and returns where the
// string's text goes on. That is at i if it does: the quote that closes it is the one behind
// which stands what has to follow a string. In JSON that goes on on the next line, the next
// quote opens a string, and what follows it is that string's text. Else the closing quote is
// missing (open), and the string ends with the line, or with those below it that can be no JSON
// either; p.faulty is where to read on.
func (p *parser) broken(start, i int, flags uint8) (at int, open bool) {
	a := p.look(i)
	if p.closes(a, flags) {
		if p.lines && a.quote >= p.end {
			p.end = p.lineEnd(a.quote)
		}
		p.lineBreaks(start, i, a.quote)
		return i, false
	}
	e := p.fail(Missing, start, i, "the closing quote of this string is missing on its line; a line break inside of a string is written \\n")
	at = p.prose(i, a.quote)
	if at == i && flags&flagKey == 0 && !p.lines {
		at = p.closeLine(e, start, i)
	}
	// The fault ends at the line end: the comma that may be missing is no second one.
	p.faulty = at
	if at >= i {
		p.faulty = p.lineEnd(at)
	}
	if p.lines {
		p.end = p.faulty
	}
	return at, true
}

// closes says whether what follows the quote is what follows a key, or a value.
func (p *parser) closes(a ahead, flags uint8) bool {
	isKey := flags&flagKey != 0
	switch {
	case a.quote == len(p.src):
		return false
	case a.next == len(p.src):
		return !isKey
	}
	switch p.src[a.next] {
	case ':':
		return isKey
	case ',', '}', ']':
		return !isKey
	}
	return false
}

// lineEnd returns the offset of the line feed from i on, or of the end of the text.
func (p *parser) lineEnd(i int) int {
	if n := bytes.IndexByte(p.src[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(p.src)
}

// lineBreaks reports the line breaks of the string from start to quote, of which the first is
// at first. Tabs behind it, which lines are indented by, are part of the fault.
func (p *parser) lineBreaks(start, first, quote int) {
	var repair []Replacement
	n, sure := 0, true
	for i := start + 1; i < quote; i = p.pass(i) {
		if p.src[i] == '\t' && n > 0 {
			repair = append(repair, Replacement{i - p.off, i + 1 - p.off, `\t`})
			continue
		}
		if !p.isBreak(i) {
			// What a backslash at the end of a line means differs from language to language.
			sure = sure && !(p.src[i] == '\\' && p.isBreak(i+1))
			continue
		}
		n++
		at := i
		i += breakSize(p.src[i:]) - 1
		repair = append(repair, Replacement{at - p.off, i + 1 - p.off, `\n`})
	}
	message := `a line break inside of a string is written \n`
	if n > 1 {
		message = fmt.Sprintf(`this string has %d line breaks; a line break inside of a string is written \n`, n)
	}
	e := p.fail(BadString, start, first, message)
	if !sure {
		return
	}
	e.Repair = repair
	if from, to, ok := wordBreak(p.src[start+1 : quote]); ok {
		from, to = from+start+1-p.off, to+start+1-p.off
		e.Repair, e.Alternative = []Replacement{{from, to, ""}}, repair
	}
}

// wordBreak returns the line break, and the white space that the next line starts with, of
// the content of a string that is but one word without it: an id or a key is meant, and no
// text of two lines.
func wordBreak(in []byte) (from, to int, ok bool) {
	from = bytes.IndexByte(in, '\n')
	if from < 0 || bytes.IndexByte(in, '\\') >= 0 {
		return 0, 0, false
	}
	to = len(in) - len(bytes.TrimLeft(in[from+1:], " \t"))
	if from > 0 && in[from-1] == '\r' {
		from--
	}
	ok = to-from < len(in) && bytes.IndexFunc(in[:from], unicode.IsSpace) < 0 && bytes.IndexFunc(in[to:], unicode.IsSpace) < 0
	return from, to, ok
}

// mended returns the content of a string with the flags as its repair writes it.
func mended(in []byte, flags uint8) []byte {
	if flags&flagBroken == 0 {
		return in
	}
	if from, to, ok := wordBreak(in); ok {
		return slices.Concat(in[:from], in[to:])
	}
	out := make([]byte, 0, len(in)+8)
	for i := 0; i < len(in); {
		size := breakSize(in[i:])
		switch {
		case size > 0:
			out = append(out, `\n`...)
		case in[i] == '\\' && i+1 < len(in):
			size = 2
			out = append(out, in[i:i+2]...)
		default:
			size = 1
			out = append(out, in[i])
		}
		i += size
	}
	return out
}

// breakSize returns the length of the line break that b starts with, 0 if it starts with none.
func breakSize(b []byte) int {
	switch {
	case b[0] == '\n':
		return 1
	case b[0] == '\r' && len(b) > 1 && b[1] == '\n':
		return 2
	}
	return 0
}

// prose returns the end of the last of the lines behind the line break at i, and before the
// line of the quote, that can be no JSON; i if the next one can. Blank lines count as what
// follows them.
func (p *parser) prose(i, quote int) int {
	end := i
	for next := p.lineEnd(i) + 1; next < quote; {
		stop := p.lineEnd(next)
		if stop > quote {
			break
		}
		line := bytes.TrimSpace(p.src[next:stop])
		if len(line) > 0 {
			if isStructure(line) {
				break
			}
			end = stop
			if p.src[stop-1] == '\r' && stop < len(p.src) {
				end--
			}
		}
		next = stop + 1
	}
	return end
}

// isStructure says whether the text has nothing but brackets, commas, colons and words of JSON.
func isStructure(b []byte) bool {
	words := bytes.FieldsFunc(b, func(r rune) bool { return r < 0x80 && r != '"' && delimiter[r] })
	for _, w := range words {
		switch string(w) {
		case "true", "false", "null":
		default:
			if !isNumber(w) {
				return false
			}
		}
	}
	return true
}

// closeLine returns where the string that starts at start, and has no end on its line, ends: at
// the end of the line, i, or before the comma there. It makes the repair, unless there are
// brackets and such in the string which may stand behind it as well.
func (p *parser) closeLine(e *Error, start, i int) (end int) {
	text := bytes.TrimRight(p.src[start+1:i], " \t")
	if bytes.ContainsAny(text, "{}[]:\\") {
		return i
	}
	end = start + 1 + len(text)
	if bytes.HasSuffix(text, []byte(",")) {
		end = start + 1 + len(bytes.TrimRight(text, ", \t"))
		p.repair(e, end, end, `"`)
		return end
	}
	next := bytes.TrimLeft(p.src[i:], " \t\r\n")
	if len(next) == 0 || next[0] == '}' || next[0] == ']' || next[0] == ',' {
		p.repair(e, end, end, `"`)
	} else {
		p.repair(e, end, end, `",`)
	}
	return i
}
