package analysis

import (
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// What comes out of a document is text, in Markdown as in plain text, and on one line.
func TestProseIsNoMarkup(t *testing.T) {
	for _, c := range []struct {
		run             run
		plain, markdown string
	}{
		{run{text: "a *b* _c_ `d` <e> &amp; [f](g) #h | ~i~ $j$ !k"}, "a *b* _c_ `d` <e> &amp; [f](g) #h | ~i~ $j$ !k", "a \\*b\\* \\_c\\_ \\`d\\` &lt;e&gt; &amp;amp; \\[f\\](g) \\#h \\| \\~i\\~ \\$j\\$ \\!k"},
		{run{text: "- item"}, "- item", `\- item`},
		{run{text: "+ item"}, "+ item", `\+ item`},
		{run{text: "=== title"}, "=== title", `\=== title`},
		{run{text: "12. item"}, "12. item", `12\. item`},
		{run{text: "12) item"}, "12) item", `12\) item`},
		{run{text: "12 items"}, "12 items", "12 items"},
		{run{text: "    code"}, "    code", "code"},
		{run{text: " bold ", style: bold}, " bold ", "**bold**"},
		{run{text: " ", style: italic}, " ", ""},
		{run{text: "``x`", style: code}, "``x`", "``` ``x` ```"},
		{run{text: "x", style: code}, "x", "`x`"},
		{run{text: "a\r\nb\u2028c\x1b[31m\u009b\u202ed\u200fe\x00"}, "a  b c [31m  d e ", `a  b c \[31m  d e `},
		{run{text: "x", href: "file:///a)b(c <d>\"'\\*[e]é.json#L1"}, "x <file:///a)b(c <d>\"'\\*[e]é.json#L1>", "[x](file:///a%29b%28c%20%3Cd%3E%22%27%5C%2A%5Be%5D%C3%A9.json#L1)"},
		{run{text: strings.Repeat("é", 400)}, strings.Repeat("é", 300) + "…", strings.Repeat("é", 300) + "…"},
		{run{text: "a\xffb"}, "a\ufffdb", "a\ufffdb"},
	} {
		p := Prose{}
		p.line(c.run)
		if got := p.Plain(); got != c.plain {
			t.Errorf("%q: plain %q, want %q", c.run.text, got, c.plain)
		}
		if got := p.Markdown(); got != c.markdown {
			t.Errorf("%q: markdown %q, want %q", c.run.text, got, c.markdown)
		}
	}
}

// Only systems that have pages are linked to, and only by what can be a name there.
func TestIdentityLinks(t *testing.T) {
	for _, c := range []struct{ system, id, want string }{
		{"github", "akesling", "https://github.com/akesling"},
		{"GitHub", "org/repo", "https://github.com/org/repo"},
		{"email", "alex@empathic.dev", "mailto:alex@empathic.dev"},
		{"crates.io", "rustfmt-nightly/1.7.0", "https://crates.io/crates/rustfmt-nightly/1.7.0"},
		{"email", "a@b.c?bcc=d@e.f", ""},
		{"github", "../evil", ""},
		{"github", "a b", ""},
		{"github", "a)b", ""},
		{"javascript", "alert(1)", ""},
		{"", "javascript:alert(1)", ""},
	} {
		if got := identityURL(toolpath.Identity{System: c.system, ID: c.id}); got != c.want {
			t.Errorf("%s %s is at %q, not %q", c.system, c.id, got, c.want)
		}
	}
}

func TestPercent(t *testing.T) {
	for _, c := range []struct{ part, whole, want int }{
		{0, 0, 0}, {0, 10, 0}, {1, 1000, 1}, {999, 1000, 99}, {1000, 1000, 100}, {1, 3, 33}, {2, 3, 67}, {1, 2, 50},
	} {
		if got := percent(c.part, c.whole); got != c.want {
			t.Errorf("%d of %d is %d %%, not %d", c.part, c.whole, got, c.want)
		}
	}
}
