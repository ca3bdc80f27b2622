package jsonsrc

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// word parses true, false, null, or reports what stands in place of a value.
func (p *parser) word(start int) {
	p.token()
	w := p.src[start:p.pos]
	kind := Invalid
	switch string(w) {
	case "true":
		kind = True
	case "false":
		kind = False
	case "null":
		kind = Null
	default:
		e := p.fail(Unexpected, start, p.pos, wordMessage(w))
		if word := rightWord(w); word != "" {
			p.repair(e, start, p.pos, word)
		}
	}
	n := p.open(kind, start, 0)
	p.close(n, p.pos)
}

// rightWord returns the literal that a word of another language means, "" for none.
func rightWord(w []byte) string {
	switch word := lower(w); word {
	case "true", "false", "null":
		return word
	case "none", "nil", "undefined":
		return "null"
	}
	return ""
}

// lower is a word in lower case, "" if it is longer than those of other languages.
func lower(w []byte) string {
	if len(w) > len("undefined") {
		return ""
	}
	return string(bytes.ToLower(w))
}

func wordMessage(w []byte) string {
	switch word := lower(w); word {
	case "true", "false", "null":
		return word + " is written in lower case in JSON"
	case "none", "nil", "undefined":
		return fmt.Sprintf("%s is no JSON value; write null", w)
	case "nan", "inf", "infinity", "+inf":
		return fmt.Sprintf("JSON has no number %s", w)
	}
	if w[0] == '\'' {
		return "a string must stand in double quotes"
	}
	if !utf8.Valid(w) {
		return "bytes that are no UTF-8"
	}
	return fmt.Sprintf("%q is no JSON value", short(w))
}

func (p *parser) number() {
	start := p.pos
	p.simple = false
	p.token()
	w := p.src[start:p.pos]
	kind := Number
	if !isNumber(w) {
		kind = Invalid
		p.fail(BadNumber, start, p.pos, fmt.Sprintf("%q is no JSON number", short(w)))
	} else if len(w) > 300 || bytes.ContainsAny(w, "eE") {
		if _, err := strconv.ParseFloat(string(w), 64); err != nil {
			p.fail(NumberRange, start, p.pos, fmt.Sprintf("the number %s is out of range: readers hold numbers as 64-bit floating point", short(w)))
		}
	}
	n := p.open(kind, start, 0)
	p.close(n, p.pos)
}

// isNumber is the number grammar of RFC 8259, section 6.
func isNumber(w []byte) bool {
	digits := func() bool {
		n := 0
		for n < len(w) && w[n] >= '0' && w[n] <= '9' {
			n++
		}
		w = w[n:]
		return n > 0
	}
	if w[0] == '-' {
		w = w[1:]
	}
	if len(w) > 0 && w[0] == '0' {
		w = w[1:]
	} else if !digits() {
		return false
	}
	if len(w) > 0 && w[0] == '.' {
		w = w[1:]
		if !digits() {
			return false
		}
	}
	if len(w) > 0 && (w[0] == 'e' || w[0] == 'E') {
		w = w[1:]
		if len(w) > 0 && (w[0] == '+' || w[0] == '-') {
			w = w[1:]
		}
		if !digits() {
			return false
		}
	}
	return len(w) == 0
}
