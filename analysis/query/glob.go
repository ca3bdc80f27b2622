package query

import (
	"fmt"
	"unicode/utf8"
)

// Glob is a pattern of names. The zero Glob is none: it is not asked.
//
// "?" stands for one character and "[a-z]" or "[!a-z]" for one of a set; "\" takes the
// meaning from the next character. A name that is spelled as the pattern matches too. In a pattern of artifacts "*" stands for any characters
// but "/", "**" for any at all, and "**/" also for nothing. In a pattern of actors "*"
// stands for any characters.
type Glob struct {
	pattern string
	tokens  []token
}

// maxPattern and maxName are the longest pattern, and the longest name that one matches, in
// bytes.
const (
	maxPattern = 1 << 10
	maxName    = 1 << 13
)

type token struct {
	kind   tokenKind
	char   rune
	ranges []charRange
	not    bool
}

type tokenKind uint8

const (
	literal tokenKind = iota
	anyOne
	set
	star    // any characters but "/"
	stars   // any characters
	folders // nothing, or any characters up to a "/"
)

type charRange struct{ lo, hi rune }

// NewArtifactGlob reads a pattern of artifact keys.
func NewArtifactGlob(pattern string) (Glob, error) { return newGlob(pattern, star) }

// NewActorGlob reads a pattern of actors.
func NewActorGlob(pattern string) (Glob, error) { return newGlob(pattern, stars) }

func newGlob(pattern string, one tokenKind) (Glob, error) {
	if pattern == "" {
		return Glob{}, fmt.Errorf("the pattern is empty; leave it out, or write *")
	}
	if len(pattern) > maxPattern {
		return Glob{}, fmt.Errorf("the pattern is longer than %d bytes", maxPattern)
	}
	g := Glob{pattern: pattern}
	rs := []rune(pattern)
	for i := 0; i < len(rs); {
		t, size := token{kind: literal, char: rs[i]}, 1
		switch rs[i] {
		case '\\':
			if i+1 == len(rs) {
				return Glob{}, fmt.Errorf("the pattern %s ends with a backslash", quote(pattern))
			}
			t.char, size = rs[i+1], 2
		case '?':
			t.kind = anyOne
		case '*':
			t.kind = one
			for i+size < len(rs) && rs[i+size] == '*' {
				t.kind = stars
				size++
			}
			atStart := i == 0 || rs[i-1] == '/'
			if t.kind == stars && one == star && atStart && i+size < len(rs) && rs[i+size] == '/' {
				t.kind = folders
				size++
			}
		case '[':
			if s, n := readSet(rs[i:]); n > 0 {
				t, size = s, n
			}
		}
		if n := len(g.tokens); n == 0 || t.kind != folders || g.tokens[n-1].kind != folders {
			g.tokens = append(g.tokens, t)
		}
		i += size
	}
	return g, nil
}

// readSet reads a set at its opening bracket. Its size is 0 if it has no end.
func readSet(rs []rune) (t token, size int) {
	t.kind, size = set, 1
	if size < len(rs) && (rs[size] == '!' || rs[size] == '^') {
		t.not = true
		size++
	}
	for first := true; size < len(rs); first = false {
		if rs[size] == ']' && !first {
			return t, size + 1
		}
		r := charRange{rs[size], rs[size]}
		size++
		if size+1 < len(rs) && rs[size] == '-' && rs[size+1] != ']' {
			r.hi = rs[size+1]
			size += 2
		}
		t.ranges = append(t.ranges, r)
	}
	return t, 0
}

// IsZero says whether there is no pattern.
func (g Glob) IsZero() bool { return g.pattern == "" }

// String returns the pattern.
func (g Glob) String() string { return g.pattern }

// Match says whether the pattern matches the whole name. The zero Glob matches every name,
// any other one none of more than 8 kB.
func (g Glob) Match(name string) bool {
	if g.IsZero() || name == g.pattern {
		return true
	}
	if len(name) > maxName {
		return false
	}
	// All ways to match are followed at once: at[i] says that the tokens before i have
	// matched what came so far.
	at, next := make([]bool, len(g.tokens)+1), make([]bool, len(g.tokens)+1)
	g.arrive(at, 0)
	for i := 0; i < len(name); {
		c, size := utf8.DecodeRuneInString(name[i:])
		i += size
		clear(next)
		alive := false
		for k, t := range g.tokens {
			alive = at[k] && g.step(t, c, k, next) || alive
		}
		if !alive {
			return false
		}
		at, next = next, at
	}
	return at[len(g.tokens)]
}

// arrive marks the place before the token k, and those behind tokens that may stand for
// nothing.
func (g Glob) arrive(at []bool, k int) {
	at[k] = true
	for ; k < len(g.tokens) && g.tokens[k].kind >= star; k++ {
		at[k+1] = true
	}
}

// step marks the places that the token k leads to with a character, if there is one.
func (g Glob) step(t token, c rune, k int, next []bool) bool {
	switch {
	case t.kind == folders && c != '/':
		next[k] = true
	case t.kind == stars, t.kind == folders, t.kind == star && c != '/':
		g.arrive(next, k)
	case t.kind != star && t.is(c):
		g.arrive(next, k+1)
	default:
		return false
	}
	return true
}

func (t token) is(c rune) bool {
	switch t.kind {
	case literal:
		return c == t.char
	case anyOne:
		return c != '/'
	}
	in := false
	for _, r := range t.ranges {
		in = in || c >= r.lo && c <= r.hi
	}
	return in != t.not && c != '/'
}
