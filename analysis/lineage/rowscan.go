package lineage

import (
	"bytes"
	"unicode/utf8"
)

// span is a place in a line, [start, end).
type span struct{ start, end int }

// rowSpans are the places of a row's values, quotes included, and of where some members
// begin.
type rowSpans struct {
	artifactPath, contentHash, entryHash, hmac, prevHash, stepID span

	entryHashMember, hmacMember, modelMember, versionMember int
}

// scanRow finds the places of a row that is spelt exactly as writers do: the members of a
// row and no others, sorted, in the canonical form, which for texts and integers is the
// same in both profiles. What is hashed and tagged are then parts of the line itself. It
// returns false for any other line, which may be a valid row all the same.
func scanRow(b []byte) (rowSpans, bool) {
	s := rowScanner{b: b}
	var at rowSpans
	ok := s.lead(`{"actor":`) && s.text(nil) &&
		s.lead(`,"artifact_path":`) && s.text(&at.artifactPath)
	if ok && s.lead(`,"baggage":`) {
		ok = s.text(nil)
	}
	ok = ok && s.lead(`,"content_hash":`) && s.plain(&at.contentHash)
	at.entryHashMember = s.pos + 1
	ok = ok && s.lead(`,"entry_hash":`) && s.plain(&at.entryHash)
	at.hmacMember = s.pos + 1
	ok = ok && s.lead(`,"hmac":`) && s.plain(&at.hmac)
	at.modelMember = s.pos + 1
	ok = ok && s.lead(`,"model":`) && s.text(nil) &&
		s.lead(`,"prev_hash":`) && s.plain(&at.prevHash) &&
		s.lead(`,"step_id":`) && s.text(&at.stepID) &&
		s.lead(`,"timestamp":`) && s.integer()
	if ok && s.lead(`,"traceparent":`) {
		ok = s.text(nil)
	}
	if ok && s.lead(`,"tracestate":`) {
		ok = s.text(nil)
	}
	at.versionMember = s.pos + 1
	return at, ok && (s.lead(`,"v":2}`) || s.lead(`,"v":1}`)) && s.pos == len(b)
}

type rowScanner struct {
	b   []byte
	pos int
}

func (s *rowScanner) lead(text string) bool {
	if len(s.b)-s.pos >= len(text) && string(s.b[s.pos:s.pos+len(text)]) == text {
		s.pos += len(text)
		return true
	}
	return false
}

// plainByte marks what stands for itself in a string: ASCII without quotes, backslashes and
// control characters.
var plainByte = func() (t [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return
}()

// plain takes a string of nothing but plain bytes.
func (s *rowScanner) plain(at *span) bool {
	if s.pos >= len(s.b) || s.b[s.pos] != '"' {
		return false
	}
	i := s.pos + 1
	for i < len(s.b) && plainByte[s.b[i]] {
		i++
	}
	if i >= len(s.b) || s.b[i] != '"' {
		return false
	}
	*at = span{s.pos, i + 1}
	s.pos = i + 1
	return true
}

// text takes a string in its canonical spelling.
func (s *rowScanner) text(at *span) bool {
	if s.pos >= len(s.b) || s.b[s.pos] != '"' {
		return false
	}
	start := s.pos
	for i := s.pos + 1; i < len(s.b); {
		c := s.b[i]
		switch {
		case plainByte[c]:
			i++
		case c == '"':
			s.pos = i + 1
			if at != nil {
				*at = span{start, s.pos}
			}
			return true
		case c == '\\':
			n := canonicalEscape(s.b[i:])
			if n == 0 {
				return false
			}
			i += n
		case c < ' ':
			return false
		default:
			r, n := utf8.DecodeRune(s.b[i:])
			if r == utf8.RuneError && n == 1 {
				return false
			}
			i += n
		}
	}
	return false
}

// canonicalEscape returns the length of the escape at the start of b, 0 if a writer would
// have written it otherwise.
func canonicalEscape(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	if bytes.IndexByte([]byte(`"\bfnrt`), b[1]) >= 0 {
		return 2
	}
	if len(b) < 6 || string(b[:4]) != `\u00` {
		return 0
	}
	high, low := b[4], b[5]
	digit := low >= '0' && low <= '9' || low >= 'a' && low <= 'f'
	if !digit || high != '0' && high != '1' {
		return 0
	}
	if high == '0' && bytes.IndexByte([]byte("89acd"), low) >= 0 { // they have a short escape
		return 0
	}
	return 6
}

// integer takes an integer in its canonical spelling.
func (s *rowScanner) integer() bool {
	start := s.pos
	i := start
	if i < len(s.b) && s.b[i] == '-' {
		i++
	}
	first := i
	for i < len(s.b) && s.b[i] >= '0' && s.b[i] <= '9' {
		i++
	}
	digits := i - first
	if digits == 0 || digits > 1000 || s.b[first] == '0' && (digits > 1 || first > start) {
		return false
	}
	s.pos = i
	return true
}
