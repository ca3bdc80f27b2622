package jsonsrc

import (
	"slices"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/text"
)

const (
	lineBreak  = `a line break inside of a string is written \n`
	notOnLine  = `the closing quote of this string is missing on its line; ` + lineBreak
	textEnds   = `the text ends here, but "}" is missing`
	stringEnds = `the text ends within this string: its closing quote is missing`
)

// A string that Enter was pressed in goes on on the next line; one that is being typed does
// not: there the next line is what it was.
func TestALineBreakInAStringIsOneFault(t *testing.T) {
	for _, c := range []struct{ name, src, tree, faults, fixed string }{
		// The string goes on.
		{"in a value", "{\"a\": \"b b\nc\", \"d\": 1}", "{\"a\":\"b b\nc\" \"d\":1}", "6-10 " + lineBreak, `{"a": "b b\nc", "d": 1}`},
		{"in the last value", "{\"a\": \"b b\nc\"\n}", "{\"a\":\"b b\nc\"}", "6-10 " + lineBreak, "{\"a\": \"b b\\nc\"\n}"},
		{"indented", "{\n  \"a\": \"b b\n    c\",\n  \"d\": 1\n}", "{\"a\":\"b b\n    c\" \"d\":1}", "9-13 " + lineBreak, "{\n  \"a\": \"b b\\n    c\",\n  \"d\": 1\n}"},
		{"CRLF", "{\"a\": \"b b\r\nc\",\r\n\"d\": 1}", "{\"a\":\"b b\r\nc\" \"d\":1}", "6-10 " + lineBreak, "{\"a\": \"b b\\nc\",\r\n\"d\": 1}"},
		{"several", "{\"a\": \"b\n\nc\nd\"}", "{\"a\":\"b\n\nc\nd\"}", "6-8 this string has 3 line breaks; " + lineBreak, `{"a": "b\n\nc\nd"}`},
		{"before the closing quote", "{\"a\": \"b b\n\", \"c\": 1}", "{\"a\":\"b b\n\" \"c\":1}", "6-10 " + lineBreak, `{"a": "b b\n", "c": 1}`},
		{"behind the opening quote", "{\"a\": \"\nb b\", \"c\": 1}", "{\"a\":\"\nb b\" \"c\":1}", "6-7 " + lineBreak, `{"a": "\nb b", "c": 1}`},
		{"and nothing else", "[\"\n\"]", "[\"\n\"]", "1-2 " + lineBreak, `["\n"]`},
		{"in a key", "{\"a a\nb\": 1, \"c\": 2}", "{\"a a\nb\":1 \"c\":2}", "1-5 " + lineBreak, `{"a a\nb": 1, "c": 2}`},
		{"in an array", "[\"a a\nb\", \"c\"]", "[\"a a\nb\" \"c\"]", "1-5 " + lineBreak, `["a a\nb", "c"]`},
		{"in the last of an array", "[\"a\", \"b b\nc\"]", "[\"a\" \"b b\nc\"]", "6-10 " + lineBreak, `["a", "b b\nc"]`},
		{"in two strings", "[\"a a\nb\", \"c c\nd\"]", "[\"a a\nb\" \"c c\nd\"]", "1-5 " + lineBreak + "\n10-14 " + lineBreak, `["a a\nb", "c c\nd"]`},
		{"with brackets", "{\"a\": \"f {\n-  x\n }\"\n}", "{\"a\":\"f {\n-  x\n }\"}", "6-10 this string has 2 line breaks; " + lineBreak, "{\"a\": \"f {\\n-  x\\n }\"\n}"},
		{"with escaped quotes", "{\"a\": \"b \\\"\nc\\\"\"}", "{\"a\":\"b \\\"\nc\\\"\"}", "6-11 " + lineBreak, `{"a": "b \"\nc\""}`},
		{"behind an escaped backslash", "[\"a\\\\\nb\"]", "[\"a\\\\\nb\"]", "1-5 " + lineBreak, `["a\\\nb"]`},
		{"behind a backslash", "[\"a\\\nnb\"]", "[\"a\\\nnb\"]", "1-4 " + lineBreak, ""},
		{"at the end of the text", "\"a a\nb\"", "\"a a\nb\"", "0-4 " + lineBreak, `"a a\nb"`},
		{"indented by tabs", "[\"a a\n\t\tb\"]", "[\"a a\n\t\tb\"]", "1-5 " + lineBreak, `["a a\n\t\tb"]`},
		{"before a tab that is not of it", "[\"a\ta\n\tb\"]", "[\"a\ta\n\tb\"]", "3-4 a control character (U+0009) in a string must be written as an escape\n1-5 " + lineBreak, `["a\ta\n\tb"]`},

		// It is one word, of which the parts belong together.
		{"in a word", "{\"a\": \"b\nc\", \"d\": 1}", "{\"a\":\"b\nc\" \"d\":1}", "6-8 " + lineBreak, `{"a": "bc", "d": 1}`},
		{"in a word, indented", "[\"a\r\n    b\"]", "[\"a\r\n    b\"]", "1-3 " + lineBreak, `["ab"]`},
		{"in a word, indented by tabs", "[\"a\n\t\tb\"]", "[\"a\n\t\tb\"]", "1-3 " + lineBreak, `["ab"]`},
		{"behind a word", "{\"a\": \"b\n  \"\n}", "{\"a\":\"b\n  \"}", "6-8 " + lineBreak, "{\"a\": \"b\"\n}"},
		{"before a word", "[\"\n  b\"]", "[\"\n  b\"]", "1-2 " + lineBreak, `["b"]`},
		{"in a word that is a key", "{\"a\nb\": 1, \"c\": 2}", "{\"a\nb\":1 \"c\":2}", "1-3 " + lineBreak, `{"ab": 1, "c": 2}`},

		// The closing quote is missing.
		{"before a member", "{\"a\": \"b\n\"c\": 1}", "{\"a\":\"b \"c\":1}", "6-8 " + notOnLine, "{\"a\": \"b\",\n\"c\": 1}"},
		{"before a member, with a comma", "{\"a\": \"b,\n\"c\": 1}", "{\"a\":\"b \"c\":1}", "6-9 " + notOnLine, "{\"a\": \"b\",\n\"c\": 1}"},
		{"before a member, CRLF", "{\"a\": \"b,\r\n\"c\": 1}", "{\"a\":\"b \"c\":1}", "6-9 " + notOnLine, "{\"a\": \"b\",\r\n\"c\": 1}"},
		{"before a bracket", "{\"a\": {\"b\": \"c\n}, \"d\": 1}", "{\"a\":{\"b\":\"c} \"d\":1}", "12-14 " + notOnLine, "{\"a\": {\"b\": \"c\"\n}, \"d\": 1}"},
		{"nothing typed yet", "{\"a\": \"\n\"b\": 1}", "{\"a\":\" \"b\":1}", "6-7 " + notOnLine, "{\"a\": \"\",\n\"b\": 1}"},
		{"a key", "{\"a\n\"b\": 1}", "{\"a:? \"b\":1}", "1-3 " + notOnLine, ""},
		{"in an array, before an element", "[\"a\n\"b\", \"c\"]", "[\"a \"b\" \"c\"]", "1-3 " + notOnLine, "[\"a\",\n\"b\", \"c\"]"},
		{"in an array, before its end", "[\"a\n]", "[\"a]", "1-3 " + notOnLine, "[\"a\"\n]"},
		{"before one that begins", "{\"a\": \"b\n\"\n\"c\": 1}", "{\"a\":\"b \":? \"c\":1}", "6-8 " + notOnLine + "\n9-10 " + notOnLine, "{\"a\": \"b\",\n\"\n\"c\": 1}"},
		{"before the end", "{\"a\": \"b\n", "{\"a\":\"b}", "6-8 " + notOnLine + "\n8-9 " + textEnds, "{\"a\": \"b\"\n"},
		{"with what may be its end", "{\"a\": \"b}\n", "{\"a\":\"b}}", "6-9 " + notOnLine + "\n9-10 " + textEnds, ""},
		{"and text below, before a bracket", "{\"a\": {\"b\": \"c\n\n  more of it\n},\n\"d\": 1}", "{\"a\":{\"b\":\"c\n\n  more of it} \"d\":1}", "12-14 " + notOnLine, ""},
		{"and text below, before a member", "{\"a\": \"b\n  more of it\n\"c\": 1}", "{\"a\":\"b\n  more of it \"c\":1}", "6-8 " + notOnLine, ""},
		{"and text below, before the end", "{\"a\": \"b\n  more of it\n}", "{\"a\":\"b\n  more of it}", "6-8 " + notOnLine, ""},
		{"and a number below, before its end", "[\"a\n1 ]", "[\"a 1]", "1-3 " + notOnLine, "[\"a\",\n1 ]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := Parse([]byte(c.src), nil)
			if got := dump(tree.Root()); got != c.tree && c.tree != "" {
				t.Errorf("tree %q, want %q", got, c.tree)
			}
			if got := faults(tree); got != c.faults {
				t.Errorf("faults\n%s\nwant\n%s", got, c.faults)
			}
			got := repaired(tree)
			if want := Parse([]byte(got), nil).Root(); got != c.src && texts(tree.Root()) != texts(want) {
				t.Errorf("read as %q, but when repaired as %q", texts(tree.Root()), texts(want))
			}
			if got != c.fixed && (got != c.src || c.fixed != "") {
				t.Errorf("repaired %q, want %q", got, c.fixed)
			}
		})
	}
}

// texts is what all strings of a value say.
func texts(v Value) string {
	out := v.Text() + v.Decode().Value
	for k, val := range v.Members() {
		out += "," + k.Text() + k.Decode().Value + texts(val)
	}
	for _, e := range v.Elements() {
		out += "," + texts(e)
	}
	return out
}

// repaired is the text with the repairs made.
func repaired(t *Tree) string {
	var all []Replacement
	for e := range t.Errors() {
		all = append(all, e.Repair...)
	}
	slices.SortStableFunc(all, func(a, b Replacement) int { return a.Start - b.Start })
	var out strings.Builder
	at := 0
	for _, r := range all {
		if r.Start >= at {
			out.Write(t.Source()[at:r.Start])
			out.WriteString(r.New)
			at = r.End
		}
	}
	out.Write(t.Source()[at:])
	return out.String()
}

func TestALineBreakInAStringOfALine(t *testing.T) {
	for _, c := range []struct {
		name, src     string
		lines         []string
		faults, fixed string
	}{
		{"goes on", "{\"a\": \"b b\nc\"}\n{}\n", []string{"{\"a\":\"b b\nc\"}", "{}"}, "6-10 " + lineBreak, "{\"a\": \"b b\\nc\"}\n{}\n"},
		{"CRLF", "{\"a\": \"b b\r\nc\"}\r\n{}\r\n", []string{"{\"a\":\"b b\r\nc\"}", "{}"}, "6-10 " + lineBreak, "{\"a\": \"b b\\nc\"}\r\n{}\r\n"},
		{"several", "{\"a\": \"b\n\nc\", \"d\": 1}\n{}", []string{"{\"a\":\"b\n\nc\" \"d\":1}", "{}"}, "6-8 this string has 2 line breaks; " + lineBreak, "{\"a\": \"b\\n\\nc\", \"d\": 1}\n{}"},
		{"before the closing quote", "{\"a\": \"b\n\"}\n{}\n", []string{"{\"a\":\"b\n\"}", "{}"}, "6-8 " + lineBreak, "{\"a\": \"b\"}\n{}\n"},
		{"the last", "{}\n{\"a\": \"b\nc\"}", []string{"{}", "{\"a\":\"b\nc\"}"}, "9-11 " + lineBreak, "{}\n{\"a\": \"bc\"}"},
		{"cut off, before another line", "{\"a\": \"b\n{\"c\": 1}\n", []string{`{"a":"b}`, `{"c":1}`}, "6-8 " + notOnLine, ""},
		{"cut off at the end", "{}\n{\"a\": \"b", []string{"{}", `{"a":"b}`}, "9-11 " + stringEnds, ""},
		{"cut off, with a bracket", "{\"a\": \"b}\n{\"c\": 1}\n", []string{`{"a":"b}}`, `{"c":1}`}, "6-9 " + notOnLine, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := ParseLines([]byte(c.src))
			var lines []string
			for i := range tree.chunks {
				lines = append(lines, dump(tree.Chunk(i)))
			}
			if got, want := strings.Join(lines, "|"), strings.Join(c.lines, "|"); got != want {
				t.Errorf("lines %q, want %q", got, want)
			}
			if got := faults(tree); got != c.faults {
				t.Errorf("faults\n%s\nwant\n%s", got, c.faults)
			}
			if got := repaired(tree); c.fixed != "" && got != c.fixed {
				t.Errorf("repaired %q, want %q", got, c.fixed)
			}
		})
	}
}

// The quote that closes a string, or does not, may stand in the next step.
func TestAnEditBehindALineBreakMayMoveTheEndOfItsString(t *testing.T) {
	before := "{\"paths\":[{\"steps\":[{\"a\":\"b\n},{\"c\":1}" + strings.Repeat(`,{"d":"e"}`, 100) + `]}]}`
	at := strings.Index(before, `"c"`) + 1
	after := before[:at] + "," + before[at+1:]
	e := text.Edit{Start: at, OldEnd: at + 1, NewEnd: at + 1}
	now := text.New([]byte(before)).Splice(at, at+1, ",")
	got, _ := editedTree(Parse([]byte(before), steps), now, e, false)
	if diff := equal(got, Parse([]byte(after), steps)); diff != "" {
		t.Error(diff)
	}
}
