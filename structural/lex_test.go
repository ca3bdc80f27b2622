package structural

import (
	"strings"
	"testing"
)

func TestLex(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"a.dart", "int x=-1; // the one\n", "int x =- 1 ; the one"},
		{"a.dart", `f("a b", 'c') /* d * e */`, `f ( "a b" , 'c' ) d e`},
		{"a.dart", `"open`, `" open`},
		{"a.dart", "x/y//z", "x / y z"},
		{"a.sql", "SELECT a -- b\n", "SELECT a b"},
		{"a.txt", "Don't // touch", "Don ' t // touch"},
		{"a.dart", "\"\"\"a\nb\"\"\"", "\"\"\"a\nb\"\"\""},
	} {
		var got []string
		for _, token := range rulesFor(c.name).lex(c.source) {
			got = append(got, c.source[token.start:token.end])
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %q, want %q", c.source, s, c.want)
		}
	}
}

// Tokens are in order, do not overlap, and hold all that is not blank but what leads
// comments.
func FuzzLex(f *testing.F) {
	for _, name := range []string{"a.go", "a.sql", "a.txt", "a.kt", "Makefile"} {
		f.Add(name, "x = \"a\\\"b\" // c\n/* d */ 'e' `f\ng`\n-- h\n# i")
	}
	f.Fuzz(func(t *testing.T, name, source string) {
		at := uint32(0)
		for _, token := range rulesFor(name).lex(source) {
			if token.start < at || token.end <= token.start || int(token.end) > len(source) {
				t.Fatalf("%+v after %d", token, at)
			}
			at = token.end
		}
		at = 0
		for _, token := range rustTokens(source) {
			if token.start < at || token.end <= token.start || int(token.end) > len(source) {
				t.Fatalf("%+v after %d", token, at)
			}
			at = token.end
		}
		at = 0
		for _, token := range cTokens(source) {
			if token.start < at || token.end < token.start || token.end == token.start && token.kind != tokenDirectiveEnd || int(token.end) > len(source) {
				t.Fatalf("%+v after %d", token, at)
			}
			at = token.end
		}
	})
}
