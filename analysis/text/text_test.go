package text

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
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
		if src[:edit.Start] != want[:edit.Start] || src[edit.OldEnd:] != want[edit.NewEnd:] {
			t.Fatalf("edit %v does not span the difference of %q and %q", edit, src, want)
		}
		least := Between([]byte(src), []byte(want))
		if src[:least.Start]+want[least.Start:least.NewEnd]+src[least.OldEnd:] != want || least.OldEnd-least.Start > edit.OldEnd-edit.Start {
			t.Fatalf("%v is not what lies between %q and %q", least, src, want)
		}
	}
}

// Texts are compared in blocks; where those end does not matter.
func TestBetweenLongTexts(t *testing.T) {
	for _, at := range []int{0, 1, 4095, 4096, 4097, 12287, 12288, 20000} {
		for _, size := range []int{20000, 4096, 8192} {
			before := bytes.Repeat([]byte("a"), size)
			now := slices.Clone(before)
			at := min(at, size)
			now = slices.Insert(now, at, 'b')
			if got, want := Between(before, now), (Edit{at, at, at + 1}); got != want {
				t.Errorf("%d of %d: %v", at, size, got)
			}
			if got := Between(now, now); got.Start != got.OldEnd || got.Start != got.NewEnd {
				t.Errorf("the same text: %v", got)
			}
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

// positions converts every place of a text there and back, in words.
func positions(t *Text) string {
	var b strings.Builder
	fmt.Fprintln(&b, t.Lines())
	for line := range t.Lines() {
		fmt.Fprintln(&b, t.LineStart(line), t.LineEnd(line))
	}
	cursor := NewCursor(t, UTF16)
	for off := range t.Len() + 1 {
		if off%3 == 2 {
			continue
		}
		fmt.Fprint(&b, off, t.Line(off), t.CharacterStart(off))
		for enc := range UTF32 + 1 {
			p := t.Pos(off, enc)
			back, exact := t.Offset(p, enc)
			past, _ := t.Offset(Pos{p.Line, p.Column + 3}, enc)
			fmt.Fprint(&b, p, back, exact, past)
		}
		if p := cursor.Pos(off); p != t.Pos(off, UTF16) {
			fmt.Fprint(&b, "the cursor says ", p)
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

// cut returns the text in parts, cut at any places.
func cut(t *Text, rng *rand.Rand) *Text {
	rest := t.Bytes()
	next := &Text{size: len(rest), parts: []part{}, held: len(rest), ix: t.ix}
	for off := 0; len(rest) > 0; {
		n := 1 + rng.IntN(min(len(rest), 20))
		next.parts = append(next.parts, part{slices.Clone(rest[:n]), off})
		off, rest = off+n, rest[n:]
	}
	return next
}

// However far apart the marks of an index lie, and however the text was edited, positions
// are those of a text without marks but the first.
func TestPositionsDoNotDependOnTheIndex(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	alphabet := []string{"a", "bcdefghij", "é", "𐐀", "\n", "\r", "\r\n", "漢", "\xff", "\xe6\xbc", "\xa2", strings.Repeat("x", 40), strings.Repeat("漢", 9), ""}
	random := func(n int) string {
		var b strings.Builder
		for range rng.IntN(n + 1) {
			b.WriteString(alphabet[rng.IntN(len(alphabet))])
		}
		return b.String()
	}
	for round := range 400 {
		src := New([]byte(random(12)))
		src.ix = newIndex(src, 1+round%17)
		for range 6 {
			start := rng.IntN(src.Len() + 1)
			src = cut(src, rng).Splice(start, start+rng.IntN(1+rng.IntN(30)), random(3))
			plain := New(src.Bytes())
			plain.ix = newIndex(plain, 1<<30)
			for _, src := range []*Text{src, cut(src, rng)} {
				if got, want := positions(src), positions(plain); got != want || strings.Contains(got, "cursor") {
					t.Fatalf("%q with marks %v and parts at %v:\n%s\nwant\n%s", plain.b, src.ix.marks, src.Cuts(), got, want)
				}
			}
		}
		if most := 3 + 2*src.Len()/src.ix.step; len(src.ix.marks) > most {
			t.Fatalf("%d marks on %d bytes, one every %d", len(src.ix.marks), src.Len(), src.ix.step)
		}
	}
}

// The marks are set so far apart that setting them takes little of the time of a parse.
func BenchmarkIndex(b *testing.B) {
	src := New([]byte(strings.Repeat("          \"timestamp\": \"2026-01-29T10:00:00Z\",\n", 600_000)))
	b.SetBytes(int64(src.Len()))
	for b.Loop() {
		newIndex(src, blockSize)
	}
}

func BenchmarkLine(b *testing.B) {
	src := New([]byte(strings.Repeat("          \"timestamp\": \"2026-01-29T10:00:00Z\",\n", 600_000)))
	for i := 0; b.Loop(); i++ {
		src.Pos(i*9973%src.Len(), UTF16)
	}
}

func BenchmarkSplice(b *testing.B) {
	src := New([]byte(strings.Repeat("          \"timestamp\": \"2026-01-29T10:00:00Z\",\n", 600_000)))
	src.Lines()
	for b.Loop() {
		src.Splice(src.Len()/2, src.Len()/2+1, "x")
	}
}

// However a large text is edited, its parts are the text, and they stay few.
func TestALargeTextInParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	want := bytes.Repeat([]byte("0123456789abcdé\n"), 2*inPartsFrom/16)
	src := New(slices.Clone(want))
	at, inParts := 0, 0
	for round := range 4000 {
		if rng.IntN(8) == 0 {
			at = rng.IntN(len(want) + 1)
		}
		start := min(at, len(want))
		end := min(len(want), start+rng.IntN(3)*rng.IntN(4))
		if rng.IntN(500) == 0 {
			end = min(len(want), start+rng.IntN(len(want)))
		}
		repl := strings.Repeat("x", rng.IntN(4)*rng.IntN(3))
		if rng.IntN(300) == 0 {
			repl = strings.Repeat("long\n", rng.IntN(inPartsFrom/4))
		}
		before := src
		src = src.Splice(start, end, repl)
		want = slices.Replace(want, start, end, []byte(repl)...)
		at = start + len(repl)
		if src.Len() != len(want) {
			t.Fatalf("round %d: %d bytes, want %d", round, src.Len(), len(want))
		}
		if src.InParts() {
			inParts++
		}
		if n := len(src.parts); n > maxParts || src.held/2 > src.Len() {
			t.Fatalf("round %d: %d parts that hold %d bytes of %d", round, n, src.held, src.Len())
		}
		from := rng.IntN(len(want) + 1)
		to := from + rng.IntN(len(want)-from+1)
		if rng.IntN(2) == 0 {
			from, to = max(start-20, 0), min(at+20, len(want))
		}
		if got := src.Slice(from, to); !bytes.Equal(got, want[from:to]) {
			t.Fatalf("round %d: %d bytes from %d to %d are not those of the text", round, len(got), from, to)
		}
		if got := src.Run(from); len(got) == 0 && from < len(want) || !bytes.HasPrefix(want[from:], got) {
			t.Fatalf("round %d: the run from %d is not that of the text", round, from)
		}
		if rng.IntN(400) == 0 && !bytes.Equal(before.Splice(start, end, repl).Bytes(), want) {
			t.Fatalf("round %d: the text before was written to", round)
		}
		if rng.IntN(400) == 0 && !bytes.Equal(src.Bytes(), want) {
			t.Fatalf("round %d: the parts are not the text", round)
		}
		if line := src.Line(at); rng.IntN(40) == 0 && line != bytes.Count(want[:at], []byte("\n")) {
			t.Fatalf("round %d: line %d, want %d", round, line, bytes.Count(want[:at], []byte("\n")))
		}
		if len(want) < inPartsFrom/2 || len(want) > 8*inPartsFrom {
			want = bytes.Repeat([]byte("0123456789abcdé\n"), 2*inPartsFrom/16)
			src, at = New(slices.Clone(want)), 0
		}
	}
	if inParts < 2000 {
		t.Errorf("the text was in parts %d times", inParts)
	}
}

// What is asked of a text in parts is as of one piece.
func TestAQuestionDoesNotStopAtACut(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for range 300 {
		src := cut(New([]byte(strings.Repeat(" \n\t", rng.IntN(30))+strings.Repeat("graph\n", rng.IntN(3)))), rng)
		whole := string(cut(src, rng).Bytes())
		for _, s := range []string{"", "graph", "graphs", "h\ng", " \n\t \n\t \n\t \n\t \n\t \n\t \n\t \n\t \n\t"} {
			if got := src.Contains(s); got != strings.Contains(whole, s) {
				t.Errorf("%q contains %q: %v", whole, s, got)
			}
			for off := range len(whole) + 1 {
				if got := src.EndsWith(off, s); got != strings.HasSuffix(whole[:off], s) {
					t.Errorf("%q up to %d ends with %q: %v", whole, off, s, got)
				}
			}
		}
		if got := src.IsBlank(); got != (strings.TrimSpace(whole) == "") {
			t.Errorf("%q is blank: %v", whole, got)
		}
	}
}

// Typing at one place makes few parts, whose copies are small.
func TestTypingMakesFewParts(t *testing.T) {
	src := New(bytes.Repeat([]byte("x"), 4*inPartsFrom))
	for i := range 10_000 {
		src = src.Splice(1000+i, 1000+i, "y")
	}
	if n := len(src.parts); n > 8 {
		t.Errorf("%d parts", n)
	}
}

// A text is joined by whoever wants it in one piece, while others ask for parts of it and make
// the next version.
func TestManyAskForATextInParts(t *testing.T) {
	whole := bytes.Repeat([]byte("0123456789\n"), inPartsFrom/8)
	src := New(whole).Splice(100, 101, "x")
	want := slices.Concat(whole[:100], []byte("x"), whole[101:])
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for k := range 200 {
				at := (i*7919 + k*104729) % (len(want) - 50)
				switch {
				case k == 100 && !bytes.Equal(src.Bytes(), want):
					t.Error("the parts are not the text")
				case !bytes.Equal(src.Slice(at, at+50), want[at:at+50]):
					t.Errorf("at %d: %q, want %q", at, src.Slice(at, at+50), want[at:at+50])
				case src.Splice(at, at+1, "y").Line(at) != bytes.Count(want[:at], []byte("\n")):
					t.Errorf("at %d: line %d", at, src.Line(at))
				}
			}
		})
	}
	all.Wait()
}
