package jsonsrc

import (
	"encoding/binary"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

// inner returns the bytes between the quotes.
func (v Value) inner() []byte {
	n := v.node()
	end := v.off + int(n.end)
	if n.flags&flagUnclosed == 0 {
		end--
	}
	start := v.off + int(n.start) + 1
	return v.slice(min(start, end), end)
}

// Text returns the decoded content of a string, "" for every other value. Faulty escapes
// and lone surrogates decode to U+FFFD. A line break decodes to what its repair would write.
func (v Value) Text() string {
	if v.Kind() != String {
		return ""
	}
	if v.node().flags&flagEscaped == 0 {
		return string(v.inner())
	}
	out := unescapeAll(mended(v.inner(), v.node().flags))
	return unsafe.String(unsafe.SliceData(out), len(out)) // out is not written again
}

// unescapeAll decodes the content of a string.
func unescapeAll(in []byte) []byte {
	const ones, highs, slashes = 0x0101010101010101, 0x8080808080808080, 0x5C5C5C5C5C5C5C5C
	out := make([]byte, len(in)+utf8.UTFMax)
	n := 0
	for i := 0; i < len(in); {
		if i+8 <= len(in) {
			w := binary.LittleEndian.Uint64(in[i:])
			if x := w ^ slashes; (x-ones)&^x&highs == 0 {
				binary.LittleEndian.PutUint64(out[n:], w)
				i, n = i+8, n+8
				continue
			}
		}
		for i < len(in) && in[i] != '\\' {
			out[n] = in[i]
			i, n = i+1, n+1
		}
		for i < len(in) && in[i] == '\\' {
			r, size := unescape(in[i:])
			if n+utf8.UTFMax+len(in)-i > len(out) { // faulty escapes decode to more than they have
				out = append(out, make([]byte, len(out)/2+utf8.UTFMax)...)
			}
			if r < utf8.RuneSelf {
				out[n] = byte(r)
				n++
			} else {
				n += utf8.EncodeRune(out[n:n+utf8.UTFMax], r)
			}
			i += size
		}
	}
	return out[:n]
}

// AppendText appends the decoded content of a string to dst, and nothing for any other
// value.
func (v Value) AppendText(dst []byte) []byte {
	if v.Kind() != String {
		return dst
	}
	if v.node().flags&flagEscaped == 0 {
		return append(dst, v.inner()...)
	}
	return append(dst, unescapeAll(mended(v.inner(), v.node().flags))...)
}

// Str is the decoded content of a string that knows where each byte of it came from.
type Str struct {
	Value string
	start int    // source offset of Value[0]
	marks []mark // one behind each escape, ascending
}

type mark struct{ decoded, source uint32 } // source counts from Str.start

// Offset returns the source offset of the byte at position i of the decoded value; i is
// clamped to [0, len(Value)].
func (s Str) Offset(i int) int {
	i = min(max(i, 0), len(s.Value))
	k, found := slices.BinarySearchFunc(s.marks, i, func(m mark, i int) int { return int(m.decoded) - i })
	if !found {
		k--
	}
	if k < 0 {
		return s.start + i
	}
	// Within an escape that decodes to several bytes every byte stems from its start.
	off := int(s.marks[k].source) + i - int(s.marks[k].decoded)
	if k+1 < len(s.marks) {
		off = min(off, int(s.marks[k+1].source)-1)
	}
	return s.start + off
}

// Decode returns the decoded content with its way back to the source.
func (v Value) Decode() Str {
	if v.Kind() != String {
		return Str{start: v.Start()}
	}
	in := v.inner()
	s := Str{start: v.Start() + 1}
	if v.node().flags&flagEscaped == 0 {
		s.Value = string(in)
		return s
	}
	out := make([]byte, 0, len(in))
	broken := v.node().flags&flagBroken != 0
	from, to, cut := -1, 0, false
	if broken {
		from, to, cut = wordBreak(in)
	}
	for i := 0; i < len(in); {
		if size := breakSize(in[i:]); broken && size > 0 {
			s.marks = append(s.marks, mark{uint32(len(out)), uint32(i)})
			if cut && i == from {
				i = to
			} else {
				out = append(out, '\n')
				i += size
			}
			s.marks = append(s.marks, mark{uint32(len(out)), uint32(i)})
			continue
		}
		if in[i] != '\\' {
			out = append(out, in[i])
			i++
			continue
		}
		r, size := unescape(in[i:])
		// The mark before the escape keeps the bytes of a wide character together.
		s.marks = append(s.marks, mark{uint32(len(out)), uint32(i)})
		out = utf8.AppendRune(out, r)
		i += size
		s.marks = append(s.marks, mark{uint32(len(out)), uint32(i)})
	}
	s.marks = slices.CompactFunc(s.marks, func(a, b mark) bool { return a == b })
	s.Value = unsafe.String(unsafe.SliceData(out), len(out)) // out is not written again
	return s
}

// unescape decodes the escape at the start of in, which is a backslash and more.
func unescape(in []byte) (r rune, size int) {
	if len(in) < 2 {
		return utf8.RuneError, len(in)
	}
	if c := escapes[in[1]]; c != 0 {
		return rune(c), 2
	}
	if in[1] != 'u' {
		return utf8.RuneError, 2
	}
	r, ok := hex4(in)
	if !ok {
		return utf8.RuneError, 2
	}
	if utf16.IsSurrogate(r) {
		if low, ok := hex4(in[6:]); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return pair, 12
			}
		}
		return utf8.RuneError, 6
	}
	return r, 6
}

// hex4 reads \uXXXX at the start of in.
func hex4(in []byte) (rune, bool) {
	if len(in) < 6 || in[0] != '\\' || in[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range in[2:6] {
		d := hexDigits[c]
		if d == 0 {
			return 0, false
		}
		r = r<<4 | rune(d-1)
	}
	return r, true
}

// escapes maps the letter of a short escape to its character; hexDigits maps a hex digit
// to its value plus one.
var escapes, hexDigits = func() (esc, hex [256]byte) {
	for i, c := range []byte(`"\/bfnrt`) {
		esc[c] = "\"\\/\b\f\n\r\t"[i]
	}
	for i, c := range []byte("0123456789abcdef") {
		hex[c] = byte(i + 1)
	}
	for i, c := range []byte("ABCDEF") {
		hex[c] = byte(i + 11)
	}
	return esc, hex
}()
