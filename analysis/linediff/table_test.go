package linediff

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// TestPlaces shows diffs as people read them: lines of the old text only begin
// with '-', of the new text only with '+', of both with a blank. '~' stands for
// a missing line end.
func TestPlaces(t *testing.T) {
	context, heuristic := Options{}, Options{IndentHeuristic: true}
	for _, test := range []struct {
		name    string
		options Options
		diff    string
	}{
		{"nothing", context, ""},
		{"equal", context, " a\n b\n"},
		{"all new", context, "+a\n+b\n"},
		{"all gone", context, "-a\n-b\n"},
		{"one line in the middle", context, " a\n-b\n+c\n d\n"},
		{"both ends", context, "-a\n b\n+c\n"},
		{"nothing in common", context, "-a\n-b\n+c\n+d\n"},
		{"line end added", context, " a\n-b~\n+b\n"},
		{"line end gone", context, "-a\n+a~\n"},
		{"line end is part of the line", context, "-a\r\n+a\n b\r\n"},
		{"bytes that are no text", context, " \x00\xff\n-\xfe\n+\x00\n"},

		{"an equal line is added at the end of its run", context, " a\n a\n+a\n b\n"},
		{"an equal line goes from the end of its run", context, " a\n a\n-a\n b\n"},
		{"an added block goes down as far as it can", context, `
 f {
 }
+g {
+}
 h {
 }
`},
		{"a block that ends like its neighbour goes down", context, `
 f {
 
 }
+
+g {
+
+}
`},
		{"the comment of the next function counts as new", context, `
 // f
 func f() {
 }
 
 // f
+func g() {
+}
+
+// f
 func h() {
 }
`},
		{"indent: the comment of the new function counts as new", heuristic, `
 // f
 func f() {
 }
 
+// f
+func g() {
+}
+
 // f
 func h() {
 }
`},
		{"indent: a loop stays whole", heuristic, `
 for {
 	a
 }
+for {
+	b
+}
 for {
 	c
 }
`},
		{"a block is found inside another", context, `
 if a {
 	x
 	end
+	y
+	end
 	z
 	end
 }
`},
		{"a group prefers to stand beside one of the other side", context, `
 a
-x
+a
 b
 a
 c
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := strings.TrimPrefix(test.diff, "\n")
			old, new := sides(want)
			if got := show(old, new, Bytes(old, new, test.options)); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// TestFrequentLineAmidNewLines: closing braces do not hold apart functions that
// are all new, once there are as many as the rough square root of the lines.
func TestFrequentLineAmidNewLines(t *testing.T) {
	for n, want := range map[int]int{7: 8, 8: 1} {
		if got := len(Bytes(functions("f", n, 6), functions("g", n, 6), Options{})); got != want {
			t.Errorf("%d functions: %d hunks, want %d", n, got, want)
		}
	}
}

// functions is n functions of so many lines and a closing brace each.
func functions(name string, n, lines int) (b []byte) {
	for i := range n {
		for line := range lines {
			b = fmt.Appendf(b, "%s %d %d\n", name, i, line)
		}
		b = append(b, "}\n"...)
	}
	return fmt.Appendf(b, "%s\n", name)
}

// sides reads both texts from a diff.
func sides(diff string) (old, new []byte) {
	for line := range strings.Lines(diff) {
		text := strings.ReplaceAll(line[1:], "~\n", "")
		if line[0] != '+' {
			old = append(old, text...)
		}
		if line[0] != '-' {
			new = append(new, text...)
		}
	}
	return old, new
}

// show writes a diff as sides reads it.
func show(old, new []byte, hunks []Hunk) string {
	var b strings.Builder
	write := func(sign string, lines [][]byte) {
		for _, line := range lines {
			if !bytes.HasSuffix(line, newline) {
				line = append(bytes.Clone(line), "~\n"...)
			}
			fmt.Fprintf(&b, "%s%s", sign, line)
		}
	}
	o, n := Split(old), Split(new)
	end := 0
	for _, h := range hunks {
		write(" ", o[end:h.OldStart])
		write("-", o[h.OldStart:h.OldEnd])
		write("+", n[h.NewStart:h.NewEnd])
		end = h.OldEnd
	}
	write(" ", o[end:])
	return b.String()
}
