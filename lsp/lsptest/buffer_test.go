package lsptest

import (
	"maps"
	"slices"
	"testing"
)

func TestUnmark(t *testing.T) {
	for _, c := range []struct {
		in, plain string
		marks     map[string]mark
		fails     bool
	}{
		{in: "plain", plain: "plain"},
		{in: "a«p»b", plain: "ab", marks: map[string]mark{"p": {"f", 1, 1}}},
		{in: "a«p:bc»d", plain: "abcd", marks: map[string]mark{"p": {"f", 1, 3}}},
		{in: "«o:x«i:y»z»«p»", plain: "xyz", marks: map[string]mark{"o": {"f", 0, 3}, "i": {"f", 1, 2}, "p": {"f", 3, 3}}},
		{in: `{"k": «k:"a:b"»}`, plain: `{"k": "a:b"}`, marks: map[string]mark{"k": {"f", 6, 11}}},
		{in: "«p:«q»»", plain: "", marks: map[string]mark{"p": {"f", 0, 0}, "q": {"f", 0, 0}}},
		{in: "a»", fails: true},
		{in: "«p:a", fails: true},
		{in: "«»", fails: true},
		{in: "«a b»", fails: true},
		{in: "«p»«p»", fails: true},
	} {
		plain, marks, err := unmark("f", c.in)
		if (err != nil) != c.fails || err == nil && (plain != c.plain || !maps.Equal(marks, c.marks)) {
			t.Errorf("%s: %q %v %v", c.in, plain, marks, err)
		}
	}
}

func TestPositions(t *testing.T) {
	const text = "aé𐐀b\r\nx\ry\n\nend"
	for _, encoding := range encodings {
		for offset := range text + "." {
			if offset > 0 && offset < len(text) && text[offset-1] == '\r' && text[offset] == '\n' {
				continue // within a line end
			}
			p := toPos(text, offset, encoding)
			if back, err := toOffset(text, p, encoding); back != offset || err != nil {
				t.Errorf("%s: offset %d is %+v, which is %d, %v", encoding, offset, p, back, err)
			}
		}
	}
	for _, c := range []struct {
		encoding string
		want     Pos
	}{{"utf-8", Pos{0, 8}}, {"utf-16", Pos{0, 5}}, {"utf-32", Pos{0, 4}}} {
		if got := toPos(text, 8, c.encoding); got != c.want {
			t.Errorf("%s: %+v", c.encoding, got)
		}
	}
	for _, p := range []Pos{{9, 0}, {0, 99}, {3, 1}} {
		if offset, err := toOffset(text, p, "utf-16"); err == nil {
			t.Errorf("%+v is %d", p, offset)
		}
	}
	if _, err := toOffset(text, Pos{0, 3}, "utf-16"); err == nil {
		t.Error("a position within a surrogate pair exists")
	}
}

func TestShift(t *testing.T) {
	marks := map[string]mark{"before": {"f", 0, 2}, "edited": {"f", 3, 5}, "around": {"f", 1, 9}, "after": {"f", 6, 7}, "within": {"f", 4, 4}, "other": {"g", 6, 7}}
	shift(marks, "edited", "f", 3, 5, 10)
	want := map[string]mark{"before": {"f", 0, 2}, "edited": {"f", 3, 13}, "around": {"f", 1, 17}, "after": {"f", 14, 15}, "within": {"f", 3, 3}, "other": {"g", 6, 7}}
	if !maps.Equal(marks, want) {
		t.Errorf("%v, want %v", marks, want)
	}
}

func TestSplitWords(t *testing.T) {
	for _, c := range []struct {
		line string
		want []string
	}{
		{"", nil},
		{"  # a comment", nil},
		{"open a # why", []string{"open", "a"}},
		{"edit p \"a b\\n\"", []string{"edit", "p", "a b\n"}},
		{"diag p TP1 `a \"b\" c`", []string{"diag", "p", "TP1", `a "b" c`}},
		{`send {"a":[1,"}"],"b":"\""} x`, []string{"send", `{"a":[1,"}"],"b":"\""}`, "x"}},
		{`send {"a":${uri:x y}} @s`, []string{"send", `{"a":${uri:x y}}`, "@s"}},
		{`send [[1] `, []string{"send", "[[1] "}},
	} {
		got, err := splitWords(c.line)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, %v", c.line, got, err)
		}
	}
}
