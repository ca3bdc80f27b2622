package analysis

import (
	"testing"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
)

func TestAgo(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for d, want := range map[time.Duration]string{
		0:                         "just now",
		59 * time.Second:          "just now",
		time.Minute:               "1 minute ago",
		119 * time.Minute:         "1 hour ago",
		-90 * time.Minute:         "in 1 hour",
		-59 * time.Second:         "just now",
		47 * time.Hour:            "1 day ago",
		29 * 24 * time.Hour:       "29 days ago",
		45 * 24 * time.Hour:       "1 month ago",
		364 * 24 * time.Hour:      "12 months ago",
		-400 * 24 * time.Hour:     "in 1 year",
		20 * 365 * 24 * time.Hour: "20 years ago",
	} {
		if got := ago(now.Add(-d), now); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

// An instant is told in UTC, and in the reader's zone where that is another time.
func TestClock(t *testing.T) {
	at := time.Date(2026, 1, 29, 23, 30, 0, 0, time.UTC)
	now := at.Add(3 * time.Hour)
	if got, want := clock(at, now), "2026-01-29 23:30:00 UTC · 3 hours ago"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	india := time.FixedZone("", 5*3600+1800)
	if got, want := clock(at, now.In(india)), "2026-01-29 23:30:00 UTC · 2026-01-30 05:00:00 +05:30 here · 3 hours ago"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestOperationsInWords(t *testing.T) {
	for src, want := range map[string]string{
		`{"type": "rust.add_items", "items": [{"kind": "struct", "name": "A"}, {"kind": "fn", "name": "b"}]}`: "adds struct `A`, fn `b`",
		`{"type": "go.remove_items", "items": ["f", "g", "h", "i", "j"]}`:                                     "removes `f`, `g`, `h`, `i`, 1 more",
		`{"type": "go.rename", "kind": "fn", "from": "a", "to": "b"}`:                                         "renames fn `a` to `b`",
		`{"type": "go.move", "item": {"kind": "fn", "name": "a"}, "from_file": "a.go", "to_file": "b.go"}`:    "moves fn `a` from a.go to b.go",
		`{"type": "go.move", "item": {"kind": "method", "name": "a"}, "to_parent": "B"}`:                      "moves method `a` into `B`",
		`{"type": "c.change_signature", "items": [{"kind": "fn", "name": "a"}]}`:                              "changes the signature of fn `a`",
		`{"type": "rust.modify_expressions", "changes": [{"from": "a && b", "to": "a || b"}]}`:                "changes `a && b` to `a || b`",
		`{"type": "lint.fix", "rule": "unused", "changes": [{"from": "x"}]}`:                                  "applies the lint `unused`: changes `x`",
		`{"type": "core.insert", "text": "hello"}`:                                                            "inserts `hello`",
		`{"type": "core.replace", "old": "a", "new": "b"}`:                                                    "replaces `a` by `b`",
		`{"type": "core.delete", "text": "hello"}`:                                                            "deletes `hello`",
		`{"type": "python.extract", "item": {"kind": "def", "name": "a"}, "source": "b"}`:                     "extracts fn `a` from `b`",
		`{"type": "python.inline", "item": "a", "source": "b"}`:                                               "inlines `a` into `b`",
		`{"type": "java.wrap", "kind": "try"}`:                                                                "wraps code in `try`",
		`{"type": "go.wrap", "kind": "if", "item": {"kind": "fn", "name": "f"}}`:                              "wraps code of fn `f` in `if`",
		`{"type": "go.unwrap", "kind": "block", "item": "f"}`:                                                 "takes code of `f` out of a block",
		`{"type": "java.unwrap"}`:                                                                                                         "takes code out of a block",
		`{"type": "fmt.apply", "tool": "rustfmt", "version": "1.8"}`:                                                                      "lays the file out with rustfmt 1.8",
		`{"type": "imports.organize", "added": ["a"], "removed": [{"kind": "import", "name": "b"}]}`:                                      "organizes the imports, adds a, removes import b",
		`{"type": "go.edit", "ops": [{"type": "go.add_items", "items": [{"name": "a"}]}, {"type": "go.rename", "from": "b", "to": "c"}]}`: "adds `a`, renames `b` to `c`",
		`{"type": "rust.add_items", "items": [{"kind": "impl", "trait": "Display", "for": "A"}, {"kind": "use", "path": "std::io"}]}`:     "adds impl `Display for A`, import `std::io`",
		`{"type": "rename-symbol", "from": "a", "names": ["x", "y", "z", "u", "v"]}`:                                                      "rename symbol (x, y, z, u, 1 more)",
		`{"type": "go.ast.rewrite"}`: "go.ast: rewrite",
		`{"type": ".odd."}`:          ".odd.",
		`{"items": []}`:              "",
		`{"type": 7}`:                "",
		`7`:                          "",
		`{"type": "file.write", "operation": "add", "tool": "Write", "rename_to": "b.go"}`: "a write to the file: add, with the tool Write, renamed to b.go",
		`{"type": "file.write"}`: "a write to the file",
		`{"type": "conversation.append", "role": "user", "text": " Please\nhelp "}`:                                                                         "a turn of the conversation by user: “Please help”",
		`{"type": "conversation.append", "role": "user", "tool_uses": [{}, {}]}`:                                                                            "a turn of the conversation by user; 2 tool calls",
		`{"type": "conversation.append", "role": "user", "tool_uses": [{"result": {"is_error": true}}]}`:                                                    "a turn of the conversation by user; 1 tool call (1 failed)",
		`{"type": "conversation.append", "role": "assistant", "text": "", "tool_uses": [{"name": "Read"}, {"name": "Read", "result": {"is_error": true}}]}`: "a turn of the conversation by assistant; 2 tool calls (Read; 1 failed)",
		`{"type": "conversation.event", "entry_type": "attachment"}`:                                                                                        "an entry of the session's log: attachment",
		`{"type": "conversation.compact", "trigger": "auto", "kept": ["a", "b"]}`:                                                                           "the conversation before it was replaced by a summary, but for 2 turns; started: auto",
	} {
		if got := operationWords(jsonsrc.Parse([]byte(src), nil).Root()); got != want {
			t.Errorf("%s: %q, want %q", src, got, want)
		}
	}
}

// What follows toolpath: is split at the longest path id that fits, since ids may have
// slashes.
func TestNamesOfURIs(t *testing.T) {
	all := ids{"p": 1, "p/x": 1, "": 1, "a:b": 1}
	for name, want := range map[string]string{
		"p": "p|", "p/s": "p|s", "p/x": "p/x|", "p/x/s": "p/x|s", "p/xs": "p|xs", "a:b/s": "a:b|s", "q/s": "none", "": "none", "/s": "none",
	} {
		path, step, ok := all.split(name)
		got := path + "|" + step
		if !ok {
			got = "none"
		}
		if got != want {
			t.Errorf("%q is %s, want %s", name, got, want)
		}
	}
}

func TestRelative(t *testing.T) {
	for _, c := range []struct{ folder, file, want string }{
		{"/w", "/w/b.json", "b.json"},
		{"/w/sub", "/w/a.json", "../a.json"},
		{"/w", "/w/sub/x.json", "sub/x.json"},
		{"/a", "/b/c.json", "/b/c.json"},
		{"/w/a", "/w/ab/c.json", "../ab/c.json"},
	} {
		if got := relative(c.folder, c.file); got != c.want {
			t.Errorf("%s from %s is %s, want %s", c.file, c.folder, got, c.want)
		}
	}
}
