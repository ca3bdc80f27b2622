package text

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

func TestPositionsCountTheUnitsOfTheEncoding(t *testing.T) {
	src := New([]byte("aé𐐀b\r\nx\ry\n"))
	for _, c := range []struct {
		off  int
		enc  Encoding
		want Pos
	}{
		{0, UTF16, Pos{0, 0}},
		{3, UTF16, Pos{0, 2}},
		{7, UTF16, Pos{0, 4}},
		{7, UTF32, Pos{0, 3}},
		{7, UTF8, Pos{0, 7}},
		{10, UTF16, Pos{1, 0}},
		{12, UTF16, Pos{2, 0}},
		{14, UTF16, Pos{3, 0}},
		{5, UTF16, Pos{0, 2}}, // inside the four bytes of U+10400
		{99, UTF8, Pos{3, 0}},
		{-1, UTF8, Pos{0, 0}},
	} {
		if got := src.Pos(c.off, c.enc); got != c.want {
			t.Errorf("Pos(%d, %d) = %v, want %v", c.off, c.enc, got, c.want)
		}
	}
}

func TestOffsetClampsAndSaysSo(t *testing.T) {
	src := New([]byte("aé𐐀b\r\nx\n"))
	for _, c := range []struct {
		pos   Pos
		enc   Encoding
		off   int
		exact bool
	}{
		{Pos{0, 4}, UTF16, 7, true},
		{Pos{0, 3}, UTF16, 3, false}, // between two surrogates
		{Pos{0, 4}, UTF8, 3, false},
		{Pos{0, 2}, UTF8, 1, false},
		{Pos{0, 99}, UTF16, 8, false},
		{Pos{0, 6}, UTF16, 8, false},
		{Pos{1, 1}, UTF16, 11, true},
		{Pos{9, 0}, UTF16, 12, false},
		{Pos{-1, 4}, UTF16, 0, false},
		{Pos{1, -4}, UTF16, 10, false},
	} {
		off, exact := src.Offset(c.pos, c.enc)
		if off != c.off || exact != c.exact {
			t.Errorf("Offset(%v, %d) = %d, %v, want %d, %v", c.pos, c.enc, off, exact, c.off, c.exact)
		}
	}
}

// reference applies changes to a slice of characters, as slowly and plainly as can be.
func reference(s string, changes []Change, enc Encoding) string {
	for _, c := range changes {
		if c.Range == nil {
			s = c.Text
			continue
		}
		a, b := referenceOffset(s, c.Range.Start, enc), referenceOffset(s, c.Range.End, enc)
		s = s[:a] + c.Text + s[max(a, b):]
	}
	return s
}

func referenceOffset(s string, p Pos, enc Encoding) int {
	var lines []string
	for rest := s; ; {
		i := strings.IndexAny(rest, "\r\n")
		if i < 0 {
			lines = append(lines, rest)
			break
		}
		if strings.HasPrefix(rest[i:], "\r\n") {
			i++
		}
		lines, rest = append(lines, rest[:i+1]), rest[i+1:]
	}
	if p.Line >= len(lines) {
		return len(s)
	}
	off := 0
	for _, l := range lines[:p.Line] {
		off += len(l)
	}
	units := 0
	for _, r := range strings.TrimRight(lines[p.Line], "\r\n") {
		switch n := len(utf16.Encode([]rune{r})); enc {
		case UTF16:
			units += n
		case UTF8:
			units += utf8.RuneLen(r)
		default:
			units++
		}
		if units > p.Column {
			break
		}
		off += utf8.RuneLen(r)
	}
	return off
}

func TestApplyEqualsPlainStringEditing(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	alphabet := []string{"a", "é", "𐐀", "\n", "\r", "\r\n", "漢", "{\"x\":1}\n", ""}
	random := func(n int) string {
		var b strings.Builder
		for range rng.IntN(n + 1) {
			b.WriteString(alphabet[rng.IntN(len(alphabet))])
		}
		return b.String()
	}
	for round := range 4000 {
		enc := Encoding(round % 3)
		src := random(30)
		var changes []Change
		for range 1 + rng.IntN(4) {
			c := Change{Text: random(4)}
			if rng.IntN(10) > 0 {
				start := Pos{rng.IntN(12), rng.IntN(8)}
				end := start
				if rng.IntN(2) > 0 {
					end = Pos{start.Line + rng.IntN(3), rng.IntN(8)}
				}
				c.Range = &Range{start, end}
			}
			changes = append(changes, c)
		}
		before := New([]byte(src))
		got, edit := before.Apply(changes, enc)
		want := reference(src, changes, enc)
		if string(got.Bytes()) != want {
			t.Fatalf("Apply(%q, %v) = %q, want %q", src, changes, got.Bytes(), want)
		}
		if fresh := New([]byte(want)); len(fresh.lines()) != len(got.lines()) {
			t.Fatalf("line starts of %q after %v: %v, want %v", want, changes, got.lines(), fresh.lines())
		} else {
			for i := range fresh.lines() {
				if fresh.lines()[i] != got.lines()[i] {
					t.Fatalf("line starts of %q after %v: %v, want %v", want, changes, got.lines(), fresh.lines())
				}
			}
		}
		if src[:edit.Start] != want[:edit.Start] || src[edit.OldEnd:] != want[edit.NewEnd:] {
			t.Fatalf("edit %v does not span the difference of %q and %q", edit, src, want)
		}
	}
}

// In a long line columns are counted from marks: they are what counting from its start gives.
func TestColumnsOfALongLine(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	pieces := []string{"a", "é", "𐐀", "\xff", "\xf0\x90", "bcdefgh", "\n"}
	var b strings.Builder
	for b.Len() < 9_000 {
		b.WriteString(pieces[r.IntN(len(pieces)-r.IntN(2))%len(pieces)])
		if b.Len() > 10 && r.IntN(6_000) != 0 {
			continue
		}
		b.WriteByte('\n')
	}
	src := New([]byte(strings.ReplaceAll(b.String(), "\n", "") + "\n" + b.String()))
	for _, enc := range []Encoding{UTF16, UTF32} {
		start, col := 0, 0
		for off := 0; off < src.Len(); {
			if line := src.Line(off); src.LineStart(line) != start {
				start, col = src.LineStart(line), 0
			}
			if got := src.Pos(off, enc); got.Column != col {
				t.Fatalf("Pos(%d, %d) has column %d, want %d", off, enc, got.Column, col)
			}
			size, units := unitsAt(src.b, off, enc)
			if size > 1 {
				if got := src.Pos(off+1, enc); got.Column != col {
					t.Fatalf("Pos(%d, %d) in a character has column %d, want %d", off+1, enc, got.Column, col)
				}
			}
			off, col = off+size, col+units
		}
	}
}
