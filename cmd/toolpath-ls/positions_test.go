package main

import (
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/text"
)

// Counting on gives what counting anew does, in whatever order and wherever in a
// character the offsets are.
func TestPositions(t *testing.T) {
	for _, s := range []string{
		"", "a", "ab\ncd\r\nef\rgh\n", "é漢😀\n😀漢é", "\xff\xfe😀\xf0\x9f\n\x80\x80", "\xf0\x9f\x98", "\r\n\r\n",
	} {
		doc := text.New([]byte(s))
		for from := range len(s) + 1 {
			p := positions{doc: doc}
			p.at(from)
			for _, offset := range []int{from, from + 1, from + 3, len(s), 0, from, -1, len(s) + 1} {
				line, column := p.at(offset)
				if want := doc.Pos(offset, text.UTF16); line != want.Line+1 || column != want.Column+1 {
					t.Errorf("%q, after %d: offset %d is at %d:%d, want %d:%d", s, from, offset, line, column, want.Line+1, want.Column+1)
				}
			}
		}
	}
}
