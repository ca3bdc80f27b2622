package pyjson

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// Form is a way to write values. All are compact: no spaces, no byte order mark, no newline
// at the end.
type Form uint8

const (
	// Legacy is "py-json-v1": members by code point, floats as Python's repr.
	Legacy Form = iota
	// Canonical is "jcs-v2": members by UTF-16 unit, floats as in ECMAScript (RFC 8785),
	// integers exact, which is the one departure from the RFC.
	Canonical
	// ASCII is Legacy with every other character escaped.
	ASCII
)

// What a form cannot write.
var (
	ErrSurrogate = errors.New("a text has an unpaired surrogate, which UTF-8 cannot write")
	ErrNotFinite = errors.New("a number is infinite or not a number")
)

// Append appends the value in the form to dst. Errors: [ErrSurrogate] but for ASCII,
// [ErrNotFinite] for Canonical.
func Append(dst []byte, v Value, form Form) ([]byte, error) {
	var err error
	switch v.kind {
	case None:
		return append(dst, "null"...), nil
	case Bool:
		if v.truth {
			return append(dst, "true"...), nil
		}
		return append(dst, "false"...), nil
	case Int:
		return append(dst, v.text...), nil
	case Float:
		return appendFloat(dst, v, form)
	case String:
		return AppendText(dst, v.text, form)
	case List:
		dst = append(dst, '[')
		for i, item := range v.items {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = Append(dst, item, form); err != nil {
				return dst, err
			}
		}
		return append(dst, ']'), nil
	case Object:
		members := slices.Clone(v.members)
		slices.SortFunc(members, func(a, b Member) int { return compareNames(a.Name, b.Name, form) })
		dst = append(dst, '{')
		for i, m := range members {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = AppendText(dst, m.Name, form); err != nil {
				return dst, err
			}
			dst = append(dst, ':')
			if dst, err = Append(dst, m.Value, form); err != nil {
				return dst, err
			}
		}
		return append(dst, '}'), nil
	}
	panic(fmt.Sprintf("a value of kind %d", v.kind))
}

// Encode returns the value in the form.
func Encode(v Value, form Form) ([]byte, error) { return Append(nil, v, form) }

func appendFloat(dst []byte, v Value, form Form) ([]byte, error) {
	if v.text == nan || v.text == inf || v.text == negInf {
		if form == Canonical {
			return dst, ErrNotFinite
		}
		return append(dst, v.text...), nil
	}
	if form == Canonical {
		return append(dst, ecmaScript(v.float())...), nil
	}
	return append(dst, repr(v.float())...), nil
}

const hexDigits = "0123456789abcdef"

// AppendText appends a string with its quotes.
func AppendText(dst []byte, s string, form Form) ([]byte, error) {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				if form != ASCII || !isSurrogate(s[i:]) {
					return dst, ErrSurrogate
				}
				r, n = 0xd000|rune(s[i+1]&0x3f)<<6|rune(s[i+2]&0x3f), 3
			}
			if form == ASCII {
				dst = append(dst, s[start:i]...)
				if r > 0xffff {
					high, low := utf16.EncodeRune(r)
					dst = appendUnit(appendUnit(dst, high), low)
				} else {
					dst = appendUnit(dst, r)
				}
				start = i + n
			}
			i += n
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, s[start:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, `\b`...)
		case '\f':
			dst = append(dst, `\f`...)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		default:
			dst = appendUnit(dst, rune(c))
		}
		i++
		start = i
	}
	return append(append(dst, s[start:]...), '"'), nil
}

func appendUnit(dst []byte, r rune) []byte {
	return append(dst, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
}

// compareNames orders the names of members. UTF-8 sorts by code point; UTF-16 units differ
// from that only where a character beyond the first plane meets one of U+E000 to U+FFFF.
func compareNames(a, b string, form Form) int {
	if form != Canonical {
		return cmp.Compare(a, b)
	}
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	if n < len(a) && n < len(b) && a[n] >= 0xee && b[n] >= 0xee && (a[n] >= 0xf0) != (b[n] >= 0xf0) {
		return cmp.Compare(b[n], a[n])
	}
	return cmp.Compare(a, b)
}
