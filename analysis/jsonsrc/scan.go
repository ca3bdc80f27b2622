package jsonsrc

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"
	"unicode/utf8"
)

// str parses a string at its opening quote. For a string that its line does not close, see
// broken.
func (p *parser) str(flags uint8) {
	start := p.pos
	i := start + 1
	told := false // of the line breaks, and what they are indented by, up to the closing quote
	for {
		i = p.plain(i)
		if i >= p.end && !(p.lines && p.isBreak(i)) {
			p.fail(Missing, start, p.end, "the text ends within this string: its closing quote is missing")
			flags |= flagUnclosed
			break
		}
		switch c := p.src[i]; {
		case c == '"':
			i++
			n := p.open(String, start, flags)
			p.close(n, i)
			p.pos = i
			return
		case c == '\\':
			flags |= flagEscaped
			if flags&flagKey != 0 {
				p.simple = false
			}
			i = p.escape(i)
			continue
		case p.isBreak(i):
			open := false
			if !told {
				i, open = p.broken(start, i, flags)
				told = true
			}
			if !open {
				flags |= flagEscaped | flagBroken
				p.simple = p.simple && flags&flagKey == 0
				i = p.lineEnd(i) + 1
				continue
			}
			flags |= flagUnclosed
		case c == '\t' && told: // of it too
			i++
			continue
		case c < 0x20:
			e := p.fail(BadString, i, i+1, fmt.Sprintf("a control character (U+%04X) in a string must be written as an escape", c))
			p.repair(e, i, i+1, escaped(c))
			i++
			continue
		default:
			if flags&flagKey != 0 {
				p.simple = false
			}
			i = p.wide(i)
			continue
		}
		break
	}
	n := p.open(String, start, flags)
	p.close(n, i)
	p.pos = max(i, p.faulty)
}

// plain returns the offset of the first byte from i on that is no plain ASCII character
// of a string. It looks at eight bytes at a time.
func (p *parser) plain(i int) int {
	const (
		ones  = 0x0101010101010101
		highs = 0x8080808080808080
	)
	for i+8 <= p.end {
		w := binary.LittleEndian.Uint64(p.src[i:])
		quote := w ^ ones*'"'
		slash := w ^ ones*'\\'
		// A byte below n has its high bit set in (b - n) &^ b, and perhaps those behind it; a byte
		// that is wide has it anyway.
		odd := (quote-ones)&^quote | (slash-ones)&^slash | (w-ones*0x20)&^w | w
		if odd &= highs; odd != 0 {
			return i + bits.TrailingZeros64(odd)/8
		}
		i += 8
	}
	for i < p.end {
		if c := p.src[i]; c < 0x20 || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return i
		}
		i++
	}
	return i
}

// wide passes over one character beyond ASCII, or over a run of bytes that are none.
func (p *parser) wide(i int) int {
	start := i
	for i < p.end && p.src[i] >= utf8.RuneSelf {
		r, size := utf8.DecodeRune(p.src[i:p.end])
		if r != utf8.RuneError || size > 1 {
			break
		}
		i++
	}
	if i > start {
		p.fail(InvalidUTF8, start, i, notUTF8(i-start))
		return i
	}
	_, size := utf8.DecodeRune(p.src[i:p.end])
	return i + size
}

// escape checks the escape at i and returns the offset behind it.
func (p *parser) escape(i int) int {
	if i+1 >= p.end {
		return p.end
	}
	if c := p.src[i+1]; c != 'u' {
		if escapes[c] == 0 {
			if c == '\n' || c == '\r' {
				return i + 1
			}
			_, size := utf8.DecodeRune(p.src[i+1 : p.end])
			p.fail(BadString, i, i+1+size, fmt.Sprintf("%q is no escape of JSON; a backslash itself is written \\\\", short(p.src[i:i+1+size])))
			return i + 1 + size
		}
		return i + 2
	}
	r, ok := hex4(p.src[i:p.end])
	if !ok {
		stop := i + 2
		for stop < p.end && stop < i+6 && hexDigits[p.src[stop]] != 0 {
			stop++
		}
		p.fail(BadString, i, stop, `\u must be followed by four hex digits`)
		return stop
	}
	if r < 0xD800 || r > 0xDFFF {
		return i + 6
	}
	if low, ok := hex4(p.src[i+6 : p.end]); ok && r < 0xDC00 && low >= 0xDC00 && low <= 0xDFFF {
		return i + 12
	}
	p.fail(LoneSurrogate, i, i+6, fmt.Sprintf(`\u%04x is half of a surrogate pair: the other half is missing, so that it stands for no character`, r))
	return i + 6
}

func notUTF8(n int) string {
	if n == 1 {
		return "a byte that is no UTF-8; save the file as UTF-8"
	}
	return fmt.Sprintf("%d bytes that are no UTF-8; save the file as UTF-8", n)
}

// escaped writes a control character as JSON does.
func escaped(c byte) string {
	const short = "\b\f\n\r\t"
	if i := strings.IndexByte(short, c); i >= 0 {
		return `\` + "bfnrt"[i:i+1]
	}
	return fmt.Sprintf(`\u%04x`, c)
}
