package pyjson

import (
	"bytes"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	// MaxDepth bounds how deep arrays and objects nest. Python gives up at about 1000.
	MaxDepth = 500
	// maxDigits bounds an integer's digits, as Python does.
	maxDigits = 4300
)

// SyntaxError says why a text is no JSON, and where: a 0-based offset in bytes.
type SyntaxError struct {
	Offset int
	Fault  string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("%s at byte %d", e.Fault, e.Offset) }

// Notes are what Python accepts without a word, and a careful reader may not.
type Notes struct {
	Duplicate bool // a member's name occurs twice in an object
	Mark      bool // the text begins with a byte order mark
}

// Parse reads one value, as Python's json.loads does with bytes in UTF-8. Whitespace may
// surround it. The error is a [SyntaxError].
//
// Beyond what Python refuses, nesting deeper than [MaxDepth] and text in UTF-16 or UTF-32
// are.
func Parse(src []byte) (Value, error) {
	v, _, err := ParseNotes(src)
	return v, err
}

// ParseNotes is [Parse], and tells what was accepted silently.
func ParseNotes(src []byte) (Value, Notes, error) {
	var p parser
	p.src = src
	if bytes.HasPrefix(src, []byte("\xef\xbb\xbf")) {
		p.notes.Mark = true
		p.pos = 3
	}
	p.space()
	v, err := p.value(0)
	if err != nil {
		return Value{}, p.notes, err
	}
	p.space()
	if p.pos < len(src) {
		return Value{}, p.notes, p.fault("more follows the value")
	}
	return v, p.notes, nil
}

type parser struct {
	src   []byte
	pos   int
	notes Notes
}

func (p *parser) fault(what string) error { return &SyntaxError{p.pos, what} }

func (p *parser) space() {
	for p.pos < len(p.src) {
		switch p.src[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}

func (p *parser) next(c byte) bool {
	if p.pos < len(p.src) && p.src[p.pos] == c {
		p.pos++
		return true
	}
	return false
}

func (p *parser) word(s string) bool {
	if bytes.HasPrefix(p.src[p.pos:], []byte(s)) {
		p.pos += len(s)
		return true
	}
	return false
}

func (p *parser) value(depth int) (Value, error) {
	if p.pos >= len(p.src) {
		return Value{}, p.fault("a value is missing")
	}
	if depth > MaxDepth {
		return Value{}, p.fault("values nest too deep")
	}
	switch c := p.src[p.pos]; c {
	case '"':
		s, err := p.string()
		return Value{kind: String, text: s}, err
	case '{':
		return p.object(depth)
	case '[':
		return p.array(depth)
	}
	switch {
	case p.word("null"):
		return Value{}, nil
	case p.word("true"):
		return Truth(true), nil
	case p.word("false"):
		return Truth(false), nil
	case p.word(nan):
		return Value{kind: Float, text: nan}, nil
	case p.word(inf):
		return Value{kind: Float, text: inf}, nil
	case p.word(negInf):
		return Value{kind: Float, text: negInf}, nil
	}
	return p.number()
}

func (p *parser) digits() int {
	start := p.pos
	for p.pos < len(p.src) && p.src[p.pos] >= '0' && p.src[p.pos] <= '9' {
		p.pos++
	}
	return p.pos - start
}

func (p *parser) number() (Value, error) {
	start := p.pos
	p.next('-')
	if !p.next('0') && p.digits() == 0 {
		p.pos = start
		return Value{}, p.fault("a value is missing")
	}
	whole := p.pos
	if p.next('.') && p.digits() == 0 {
		p.pos = whole // Python reads the number up to here, and stumbles over the point
	}
	if mark := p.pos; p.next('e') || p.next('E') {
		if !p.next('+') {
			p.next('-')
		}
		if p.digits() == 0 {
			p.pos = mark
		}
	}
	literal := string(p.src[start:p.pos])
	if p.pos > whole {
		v := Value{kind: Float, text: literal}
		switch f := v.float(); {
		case f > 1.7976931348623157e308:
			v.text = inf
		case f < -1.7976931348623157e308:
			v.text = negInf
		}
		return v, nil
	}
	if len(literal) > maxDigits {
		p.pos = start
		return Value{}, p.fault("an integer has too many digits")
	}
	if literal == "-0" {
		literal = "0"
	}
	return Value{kind: Int, text: literal}, nil
}

func (p *parser) array(depth int) (Value, error) {
	p.pos++
	v := Value{kind: List}
	p.space()
	if p.next(']') {
		return v, nil
	}
	for {
		p.space()
		item, err := p.value(depth + 1)
		if err != nil {
			return Value{}, err
		}
		v.items = append(v.items, item)
		p.space()
		if p.next(']') {
			return v, nil
		}
		if !p.next(',') {
			return Value{}, p.fault("a comma or a bracket is missing")
		}
	}
}

// fewMembers is up to how many members a name is looked for one by one.
const fewMembers = 16

func (p *parser) object(depth int) (Value, error) {
	p.pos++
	v := Value{kind: Object}
	var index map[string]int
	p.space()
	if p.next('}') {
		return v, nil
	}
	for {
		p.space()
		if p.pos >= len(p.src) || p.src[p.pos] != '"' {
			return Value{}, p.fault("a member's name is missing")
		}
		name, err := p.string()
		if err != nil {
			return Value{}, err
		}
		p.space()
		if !p.next(':') {
			return Value{}, p.fault("a colon is missing")
		}
		p.space()
		value, err := p.value(depth + 1)
		if err != nil {
			return Value{}, err
		}
		at := -1
		if index == nil && len(v.members) > fewMembers {
			index = make(map[string]int, 2*len(v.members))
			for i, m := range v.members {
				index[m.Name] = i
			}
		}
		if index != nil {
			if i, ok := index[name]; ok {
				at = i
			}
		} else {
			for i, m := range v.members {
				if m.Name == name {
					at = i
				}
			}
		}
		if at >= 0 {
			p.notes.Duplicate = true
			v.members[at].Value = value
		} else {
			if index != nil {
				index[name] = len(v.members)
			}
			v.members = append(v.members, Member{name, value})
		}
		p.space()
		if p.next('}') {
			return v, nil
		}
		if !p.next(',') {
			return Value{}, p.fault("a comma or a brace is missing")
		}
	}
}

// string reads a string. The text is WTF-8.
func (p *parser) string() (string, error) {
	p.pos++
	start := p.pos
	var out []byte // nil as long as the text is the source
	for p.pos < len(p.src) {
		switch c := p.src[p.pos]; {
		case c == '"':
			s := p.src[start:p.pos]
			p.pos++
			if out != nil {
				return string(append(out, s...)), nil
			}
			return string(s), nil
		case c == '\\':
			out = append(out, p.src[start:p.pos]...)
			var err error
			if out, err = p.escape(out); err != nil {
				return "", err
			}
			start = p.pos
		case c < ' ':
			return "", p.fault("a control character stands in a string")
		case c < utf8.RuneSelf:
			p.pos++
		default:
			n := runeLen(p.src[p.pos:])
			if n == 0 {
				return "", p.fault("the text is not UTF-8")
			}
			p.pos += n
		}
	}
	return "", p.fault("a string does not end")
}

// runeLen returns the length in bytes of the code point, a surrogate too, at the start of
// s; 0 if there is none.
func runeLen(s []byte) int {
	if r, n := utf8.DecodeRune(s); r != utf8.RuneError || n == 3 {
		return n
	}
	if isSurrogate(s) {
		return 3
	}
	return 0
}

// ValidText says whether bytes are text: UTF-8 with, it may be, unpaired surrogates.
func ValidText(src []byte) bool {
	for len(src) > 0 {
		n := runeLen(src)
		if n == 0 {
			return false
		}
		src = src[n:]
	}
	return true
}

// isSurrogate says whether WTF-8 begins with a surrogate.
func isSurrogate[T []byte | string](s T) bool {
	return len(s) >= 3 && s[0] == 0xed && s[1]&0xe0 == 0xa0 && s[2]&0xc0 == 0x80
}

func appendCodePoint(out []byte, r rune) []byte {
	if utf16.IsSurrogate(r) {
		return append(out, 0xed, 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f)
	}
	return utf8.AppendRune(out, r)
}

var escaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func (p *parser) escape(out []byte) ([]byte, error) {
	if p.pos+1 >= len(p.src) {
		return nil, p.fault("a string does not end")
	}
	c := p.src[p.pos+1]
	if e := escaped[c]; e != 0 {
		p.pos += 2
		return append(out, e), nil
	}
	r, ok := p.unit(p.pos)
	if !ok {
		return nil, p.fault("an escape is not known")
	}
	p.pos += 6
	if utf16.IsSurrogate(r) {
		if low, ok := p.unit(p.pos); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				p.pos += 6
				r = pair
			}
		}
	}
	return appendCodePoint(out, r), nil
}

// unit reads the escape of a UTF-16 unit at an offset.
func (p *parser) unit(at int) (rune, bool) {
	if at+6 > len(p.src) || p.src[at] != '\\' || p.src[at+1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range p.src[at+2 : at+6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
