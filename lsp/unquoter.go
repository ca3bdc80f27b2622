package lsp

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"strings"
	"unicode/utf8"
	"unsafe"
)

var errBadString = errors.New("the string is malformed")

// unquoter decodes the inside of a JSON string as it arrives, as unquote does of a whole
// one. It takes memory as bytes arrive, at most 64 times what has come.
type unquoter struct {
	most  int // length of all that will arrive, in bytes
	out   []byte
	valid int  // out[:valid] is UTF-8
	odd   bool // what follows there is not
}

const unquoterWord = 8

// write decodes what of in is complete: all of it but an escape that may go on. It returns
// how much that was; closed says that the closing quote came, which counts.
func (u *unquoter) write(in []byte) (read int, closed bool, err error) {
	const (
		ones  = 0x0101010101010101
		highs = 0x8080808080808080
	)
	u.reserve(len(in))
	out, n, i := u.out[:cap(u.out)], len(u.out), 0
	var wide uint64
	defer func() {
		u.out = out[:n]
		u.check(wide&highs != 0)
	}()
	for {
		for i+unquoterWord <= len(in) {
			w := binary.LittleEndian.Uint64(in[i:])
			binary.LittleEndian.PutUint64(out[n:], w) // what is not plain is written over
			wide |= w
			quote, slash := w^ones*'"', w^ones*'\\'
			stop := ((quote-ones)&^quote | (slash-ones)&^slash | (w-ones*' ')&^w) & highs
			if stop != 0 {
				plain := bits.TrailingZeros64(stop) / 8
				i, n = i+plain, n+plain
				break
			}
			i, n = i+unquoterWord, n+unquoterWord
		}
		if i == len(in) {
			return i, false, nil
		}
		switch c := in[i]; {
		case c == '"':
			return i + 1, true, nil
		case c == '\\':
			if i+1 < len(in) && simpleEscapes[in[i+1]] != 0 {
				out[n] = simpleEscapes[in[i+1]]
				i, n = i+2, n+1
				continue
			}
			size, ok := escapeSize(in[i:])
			if size == 0 || !ok {
				if !ok {
					err = errBadString
				}
				return i, false, err
			}
			r, _ := unicodeEscape(in[i : i+size])
			n += utf8.EncodeRune(out[n:n+utf8.UTFMax], r)
			i += size
		case c < ' ':
			return i, false, errBadString
		default:
			wide |= uint64(c)
			out[n] = c
			i, n = i+1, n+1
		}
	}
}

// escapeSize returns the length of the escape that b starts with, 12 for a surrogate pair;
// 0 if it may go on behind b, not ok if it is malformed.
func escapeSize(b []byte) (size int, ok bool) {
	const short, long = 6, 12
	switch {
	case len(b) < 2:
		return 0, true
	case b[1] != 'u':
		return 2, simpleEscapes[b[1]] != 0
	}
	for _, c := range b[2:min(short, len(b))] {
		if !isHex(c) {
			return 0, false
		}
	}
	if len(b) < short {
		return 0, true
	}
	if r := hex4(b); r < 0xD800 || r > 0xDBFF || len(b) > short && b[short] != '\\' || len(b) > short+1 && b[short+1] != 'u' {
		return short, true
	}
	for _, c := range b[min(short+2, len(b)):min(long, len(b))] {
		if !isHex(c) {
			return 0, false
		}
	}
	if len(b) < long {
		return 0, true
	}
	if r := hex4(b[short:]); r < 0xDC00 || r > 0xDFFF {
		return short, true
	}
	return long, true
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// reserve makes room for n more bytes and the word that is written at a time.
func (u *unquoter) reserve(n int) {
	need := len(u.out) + n + unquoterWord
	if need <= cap(u.out) {
		return
	}
	room := u.most + unquoterWord
	if come := len(u.out) + n; room > 64*come {
		room = 4 * come // little is copied before the rest is taken at once
	}
	room = max(room, need)
	u.out = append(uncleared(room), u.out...)
}

// uncleared returns an empty slice with room for n bytes. Unlike make, a strings.Builder does
// not clear what is about to be filled.
func uncleared(n int) []byte {
	var b strings.Builder
	b.Grow(n)
	b.WriteByte(0)
	return unsafe.Slice(unsafe.StringData(b.String()), n)[:0]
}

// check looks whether what was decoded is UTF-8, up to a character that may go on.
func (u *unquoter) check(wide bool) {
	if u.odd || !wide && u.valid == len(u.out) {
		return
	}
	end := len(u.out)
	for k := 1; k < utf8.UTFMax && k <= end-u.valid; k++ {
		if c := u.out[end-k]; utf8.RuneStart(c) {
			if !utf8.FullRune(u.out[end-k:]) {
				end -= k
			}
			break
		}
	}
	if u.odd = !utf8.Valid(u.out[u.valid:end]); !u.odd {
		u.valid = end
	}
}

// text returns what was decoded as far as it is known to be UTF-8. It is never written again.
func (u *unquoter) text() []byte { return u.out[:u.valid:u.valid] }

// string returns all that was decoded; bytes that are no UTF-8 become U+FFFD.
func (u *unquoter) string() string {
	if u.valid == len(u.out) {
		return unsafe.String(unsafe.SliceData(u.out), len(u.out)) // it is never written again
	}
	return string([]rune(string(u.out)))
}
