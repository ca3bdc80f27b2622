package lsp

import (
	"errors"
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
	u := unquoter{most: len(raw)}
	if _, closed, err := u.write(raw[1:]); err != nil || !closed {
		return errBadString // which package jsontext does not let pass
	}
	*q = quoted(u.string())
	return nil
}

// simpleEscapes maps the letter of an escape to what it stands for; 0 is none.
var simpleEscapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

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
