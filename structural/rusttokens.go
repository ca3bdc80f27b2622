package structural

import (
	"strings"
	"unicode/utf8"
)

// rustTokens cuts Rust into the tokens that its compiler sees before it expands macros:
// texts with equal ones differ in layout and comments alone.
func rustTokens(source string) []token {
	tokens := make([]token, 0, len(source)/4)
	for at := 0; at < len(source); {
		c, rest := source[at], source[at:]
		if isBlank(c) {
			at++
			continue
		}
		if strings.HasPrefix(rest, "//") {
			if n := strings.IndexByte(rest, '\n'); n >= 0 {
				at += n
				continue
			}
			break
		}
		if strings.HasPrefix(rest, "/*") {
			at += nestedComment(rest)
			continue
		}
		kind, size := rustToken(c, rest)
		tokens = append(tokens, token{uint32(at), uint32(at + size), kind})
		at += size
	}
	return tokens
}

func rustToken(c byte, rest string) (tokenKind, int) {
	switch {
	case c == '"':
		return tokenString, rustString(rest)
	case c == '\'':
		if n := rustChar(rest); n > 0 {
			return tokenString, n
		}
		n := 1 // a lifetime
		for n < len(rest) && isWordByte(rest[n]) {
			n++
		}
		return tokenWord, n
	case c >= '0' && c <= '9':
		return tokenWord, rustNumber(rest)
	case isWordByte(c):
		n := 1
		for n < len(rest) && isWordByte(rest[n]) {
			n++
		}
		switch word := rest[:n]; word {
		case "r", "br", "cr":
			if raw := rawString(rest[n:]); raw > 0 {
				return tokenString, n + raw
			}
			if word == "r" && n+1 < len(rest) && rest[n] == '#' && isWordByte(rest[n+1]) {
				for n++; n < len(rest) && isWordByte(rest[n]); n++ {
				}
				return tokenWord, n
			}
		case "b", "c":
			if strings.HasPrefix(rest[n:], `"`) {
				return tokenString, n + rustString(rest[n:])
			}
			if word == "b" && strings.HasPrefix(rest[n:], "'") {
				if char := rustChar(rest[n:]); char > 0 {
					return tokenString, n + char
				}
			}
		}
		return tokenWord, n
	}
	for _, p := range rustPunctuators {
		if strings.HasPrefix(rest, p) {
			return tokenPunct, len(p)
		}
	}
	_, n := utf8.DecodeRuneInString(rest)
	return tokenPunct, n
}

// rustPunctuators have more than one character, the longest first.
var rustPunctuators = []string{
	"<<=", ">>=", "...", "..=",
	"::", "->", "=>", "==", "!=", "<=", ">=", "&&", "||", "+=", "-=", "*=", "/=", "%=", "^=", "&=", "|=", "<<", ">>", "..",
}

// nestedComment is the length of a comment with those inside of it.
func nestedComment(s string) int {
	depth := 0
	for n := 0; n < len(s); {
		switch {
		case strings.HasPrefix(s[n:], "/*"):
			depth++
			n += 2
		case strings.HasPrefix(s[n:], "*/"):
			if depth--; depth == 0 {
				return n + 2
			}
			n += 2
		default:
			n++
		}
	}
	return len(s)
}

// rustString is the length of a string, which may be of several lines.
func rustString(s string) int {
	for n := 1; n < len(s); n++ {
		switch s[n] {
		case '\\':
			n++
		case '"':
			return n + 1
		}
	}
	return len(s)
}

// rustChar is the length of a character in quotes, 0 if it is none: a lifetime.
func rustChar(s string) int {
	if len(s) < 3 {
		return 0
	}
	if s[1] == '\\' {
		if end := strings.IndexByte(s[3:], '\''); end >= 0 && !strings.Contains(s[3:3+end], "\n") {
			return 3 + end + 1
		}
		return 0
	}
	_, n := utf8.DecodeRuneInString(s[1:])
	if 1+n < len(s) && s[1+n] == '\'' {
		return n + 2
	}
	return 0
}

// rawString is the length of what follows the "r" of a raw string, 0 if it is none.
func rawString(s string) int {
	hashes := len(s) - len(strings.TrimLeft(s, "#"))
	if hashes == len(s) || s[hashes] != '"' {
		return 0
	}
	end := strings.Index(s[hashes+1:], `"`+s[:hashes])
	if end < 0 {
		return len(s)
	}
	return hashes + 1 + end + 1 + hashes
}

// rustNumber is the length of a number: the dot of a range or of a method is not its own.
func rustNumber(s string) int {
	n := 1
	for n < len(s) {
		switch c := s[n]; {
		case isWordByte(c):
		case c == '.' && n+1 < len(s) && s[n+1] >= '0' && s[n+1] <= '9':
		case (c == '+' || c == '-') && (s[n-1] == 'e' || s[n-1] == 'E') && !strings.HasPrefix(s, "0x"):
		default:
			return n
		}
		n++
	}
	return n
}
