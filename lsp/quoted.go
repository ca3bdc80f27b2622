package lsp

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// quoted is a string of a message that may be as long as a document: nearly every line of
// a JSON document has quotes, which are escaped in a message, and package json decodes
// escapes slowly. Lone surrogates and bytes that are no UTF-8 become U+FFFD.
type quoted string

// UnmarshalJSONFrom implements [json.UnmarshalerFrom].
func (q *quoted) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	if raw.Kind() != '"' {
		return errors.New("a string is wanted")
	}
	*q = quoted(unquote(raw[1 : len(raw)-1]))
	return nil
}

// simpleEscapes maps the letter of an escape to what it stands for; 0 is none.
var simpleEscapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unquote decodes the inside of a JSON string that package jsontext has accepted.
func unquote(b []byte) string {
	var out strings.Builder
	out.Grow(len(b))
	for {
		i := bytes.IndexByte(b, '\\')
		if i < 0 || i+1 == len(b) {
			out.Write(b)
			break
		}
		out.Write(b[:i])
		if c := simpleEscapes[b[i+1]]; c != 0 {
			out.WriteByte(c)
			b = b[i+2:]
			continue
		}
		r, size := unicodeEscape(b[i:])
		out.WriteRune(r)
		b = b[i+size:]
	}
	if s := out.String(); utf8.ValidString(s) {
		return s
	}
	return string([]rune(out.String()))
}

// unicodeEscape decodes \uXXXX, or two of them that are a surrogate pair.
func unicodeEscape(b []byte) (r rune, size int) {
	r = hex4(b)
	if !utf16.IsSurrogate(r) {
		return r, min(6, len(b))
	}
	if len(b) >= 12 && b[6] == '\\' && b[7] == 'u' {
		if pair := utf16.DecodeRune(r, hex4(b[6:])); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return utf8.RuneError, 6
}

// hex4 reads the digits of \uXXXX.
func hex4(b []byte) (r rune) {
	for _, c := range b[min(2, len(b)):min(6, len(b))] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		default:
			c -= 'A' - 10
		}
		r = r<<4 | rune(c&15)
	}
	return r
}
