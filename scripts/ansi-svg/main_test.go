package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestDraw(t *testing.T) {
	tests := []struct {
		name, in string
		want     []string
		not      string
	}{
		{"plain text has the default colour", "a < b", []string{`x="12"`, `fill="#e0e2ea"`, "a &lt; b"}, "<rect x="},
		{"text after a colour stands in its column", "ab\x1b[31mcd", []string{`x="28"`, `fill="#ffc0b9"`, ">cd<"}, ""},
		{"a style holds until it is reset, over the end of a line", "\x1b[1ma\nb\x1b[0mc",
			[]string{`font-weight="bold" xml:space="preserve">b<`, `fill="#e0e2ea" xml:space="preserve">c<`}, ""},
		{"colours of the cube", "\x1b[38;5;196mx", []string{`fill="#ff0000"`}, ""},
		{"true colour, on a ground", "\x1b[38;2;1;2;3;48;2;4;5;6mx", []string{`<rect x="12" y="12" width="8"`, `fill="#040506"`, `fill="#010203"`}, ""},
		{"reversed colours change places", "\x1b[7mx", []string{`height="18" fill="#e0e2ea"`, `fill="#14161b" xml:space`}, ""},
		{"the colour of an underline is not that of the text", "\x1b[4:3m\x1b[58;2;9;9;9mx", []string{`text-decoration="underline"`, `fill="#e0e2ea"`}, "#090909"},
		{"blanks at the end show nothing", "x   ", []string{`width="32"`, ">x<"}, ""},
		{"other sequences are not text", "\x1b[2K\x1b]8;;id=link\x07y", []string{">y<"}, "link"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			if err := draw(&out, strings.NewReader(test.in)); err != nil {
				t.Fatal(err)
			}
			for _, want := range test.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("no %s in\n%s", want, &out)
				}
			}
			if test.not != "" && strings.Contains(out.String(), test.not) {
				t.Errorf("%s in\n%s", test.not, &out)
			}
		})
	}
}
