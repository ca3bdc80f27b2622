package analysis

import (
	"fmt"
	"testing"
)

// Where a block is new, or gone: the lines of its head and foot in the text after, from one
// number to another, and those of the code in it.
func TestWrapping(t *testing.T) {
	for _, c := range []struct {
		name, verb, kind, old, now, want string
	}{
		{"Go", "wrap", "if", "f()\ng()\n", "if a {\n\tf()\n}\ng()\n", "0-1 1-2 2-3"},
		{"of several lines", "wrap", "if", "f()\n", "if a &&\n\tb {\n\tf()\n}\n", "0-2 2-3 3-4"},
		{"with a branch", "wrap", "if", "f()\n", "if a {\n\tf()\n} else {\n\tg()\n}\n", "0-1 1-2 2-5"},
		{"beside a block that is new too", "wrap", "if", "f()\nh()\n", "if a {\n\tf()\n}\nfor {\n\tg()\n}\nh()\n", "0-1 1-2 2-3"},
		{"behind a line that is new too", "wrap", "if", "f()\n", "a := 1\nif a {\n\tf()\n}\n", "1-2 2-3 3-4"},
		{"with a blank line in it", "wrap", "for", "f()\n\ng()\n", "for {\n\tf()\n\n\tg()\n}\n", "0-1 1-4 4-5"},
		{"Python", "wrap", "try", "f()\ng()\n", "try:\n    f()\nexcept E:\n    pass\ng()\n", "0-1 1-2 2-4"},
		{"Python without a foot", "wrap", "with", "f()\ng()\n", "with a:\n    f()\ng()\n", "0-1 1-2 2-2"},
		{"Ruby", "wrap", "begin", "f\n", "begin\n  f\nrescue E\n  g\nend\n", "0-1 1-2 2-5"},
		{"Bash", "wrap", "if", "f\n", "if a; then\n  f\nfi\n", "0-1 1-2 2-3"},
		{"JavaScript", "wrap", "try", "f();\n", "try {\n  f();\n} catch (e) {\n  g();\n} finally {\n  h();\n}\n", "0-1 1-2 2-7"},
		{"Rust", "wrap", "block", "f();\n", "{\n    f();\n}\n", "0-1 1-2 2-3"},
		{"another kind", "wrap", "if", "f()\n", "for {\n\tf()\n}\n", ""},
		{"twice", "wrap", "if", "f()\ng()\n", "if a {\n\tf()\n}\nif b {\n\tg()\n}\n", ""},
		{"only indented", "wrap", "if", "f()\n", "\tf()\n", ""},
		{"in a block that was there", "wrap", "if", "if a {\nf()\n}\n", "if a {\n\tf()\n}\n", ""},
		{"gone", "unwrap", "if", "if a {\n\tf()\n\tg()\n}\nh()\n", "f()\ng()\nh()\n", "0-2"},
		{"gone in Python", "unwrap", "try", "try:\n    f()\nexcept E:\n    pass\n", "f()\n", "0-1"},
		{"another kind gone", "unwrap", "try", "if a {\n\tf()\n}\n", "f()\n", ""},
		{"nothing gone", "unwrap", "if", "if a {\n\tf()\n}\n", "if a {\nf()\n}\n", ""},
	} {
		t.Run(c.verb+"/"+c.name, func(t *testing.T) {
			w := newWrapping(splitLines(c.old), splitLines(c.now), paired(splitLines(c.old), splitLines(c.now)), c.kind, c.verb == "wrap")
			got := ""
			switch bodies := w.bodies(); {
			case len(bodies) != 1:
			case w.in:
				b := bodies[0]
				got = fmt.Sprintf("%d-%d %d-%d %d-%d", w.head(b), b.from, b.from, b.to, b.to, w.foot(b))
			default:
				got = fmt.Sprintf("%d-%d", bodies[0].from, bodies[0].to)
			}
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
