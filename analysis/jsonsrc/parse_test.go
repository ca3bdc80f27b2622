package jsonsrc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/toolpath-ls/toolpath-ls/analysis/text"
	"github.com/toolpath-ls/toolpath-ls/internal/race"
)

var steps = Layout{"paths", "*", "steps", "*"}

// dump writes a tree as one line, with the faulty places in it.
func dump(v Value) string {
	switch v.Kind() {
	case Object:
		var b strings.Builder
		b.WriteByte('{')
		for k, val := range v.Members() {
			fmt.Fprintf(&b, "%s:%s ", k.Bytes(), dump(val))
		}
		return strings.TrimSuffix(b.String(), " ") + "}"
	case Array:
		var b strings.Builder
		b.WriteByte('[')
		for _, e := range v.Elements() {
			b.WriteString(dump(e) + " ")
		}
		return strings.TrimSuffix(b.String(), " ") + "]"
	case Invalid:
		return "?" + string(v.Bytes())
	}
	return string(v.Bytes())
}

func faults(t *Tree) string {
	var out []string
	for e := range t.Errors() {
		out = append(out, fmt.Sprintf("%d-%d %s", e.Start, e.End, e.Message))
	}
	return strings.Join(out, "\n")
}

func TestParseRecoversFromEveryFault(t *testing.T) {
	for _, c := range []struct{ name, src, tree, faults string }{
		{"no fault", `{"a":[1,-2.5e3,"x\n",true,null,{}],"b":{}}`, `{"a":[1 -2.5e3 "x\n" true null {}] "b":{}}`, ``},
		{"missing value", `{"a":,"b":1}`, `{"a":? "b":1}`, `1-5 a value is missing after the colon`},
		{"missing colon", `{"a" 1}`, `{"a":1}`, `5-6 a colon is missing before this`},
		{"key alone", `{"a"}`, `{"a":?}`, `1-4 a colon and a value are missing after this key`},
		{"missing comma", `{"a":1 "b":2}`, `{"a":1 "b":2}`, `7-8 a comma is missing before this`},
		{"missing comma in array", `[1 2,3]`, `[1 2 3]`, `3-4 a comma is missing before this`},
		{"surplus commas", `[,1,,2,]`, `[1 2]`, "1-2 a comma without an element before it\n4-5 a comma without an element before it\n6-7 the comma before \"]\" must go"},
		{"trailing comma", `{"a":1,}`, `{"a":1}`, `6-7 the comma before "}" must go`},
		{"object not closed before bracket", `[{"a":1]`, `[{"a":1}]`, `7-8 "}" is missing before this: the object is not closed`},
		{"object not closed before the next", `[{"a":1, {"b":2}]`, `[{"a":1} {"b":2}]`, `9-10 "}" is missing before this: the object is not closed`},
		{"array not closed", `{"a":[1,2}`, `{"a":[1 2]}`, `9-10 "]" is missing before this: the array is not closed`},
		{"end of text", "{\"a\":[1,\n", `{"a":[1]}`, `8-9 the text ends here, but "]" is missing`},
		{"string cut by its line", "{\"a\":\"x,\n\"b\":1}", "{\"a\":\"x \"b\":1}", `5-8 the closing quote of this string is missing on its line; a line break inside of a string is written \n`},
		{"string cut by the end", `{"a":"x`, `{"a":"x}`, `5-7 the text ends within this string: its closing quote is missing`},
		{"two faults", `{"a":tru,"b":01}`, `{"a":?tru "b":?01}`, "5-8 \"tru\" is no JSON value\n13-15 \"01\" is no JSON number"},
		{"bare key", `{a:1}`, `{a:1}`, `1-2 a key must stand in double quotes`},
		{"comment", "{// x\n\"a\":1/* y */}", `{"a":1}`, "1-5 JSON has no comments\n11-18 JSON has no comments"},
		{"duplicate key", `{"a":1,"\u0061":2}`, `{"a":1 "\u0061":2}`, `7-15 the key "\u0061" stands twice in this object; readers keep only one of the values`},
		{"capital literals", `[True,None]`, `[?True ?None]`, "1-5 true is written in lower case in JSON\n6-10 None is no JSON value; write null"},
		{"control character", "[\"a\x01\"]", "[\"a\x01\"]", `3-4 a control character (U+0001) in a string must be written as an escape`},
		{"invalid UTF-8", "[\"a\xff\xfeb\"]", "[\"a\xff\xfeb\"]", `3-5 2 bytes that are no UTF-8; save the file as UTF-8`},
		{"bad escape", `["\x"]`, `["\x"]`, `2-4 "\\x" is no escape of JSON; a backslash itself is written \\`},
		{"lone surrogate", `["\ud800x"]`, `["\ud800x"]`, `2-8 \ud800 is half of a surrogate pair: the other half is missing, so that it stands for no character`},
		{"number out of range", `[1e400]`, `[1e400]`, `1-6 the number 1e400 is out of range: readers hold numbers as 64-bit floating point`},
		{"byte order mark", "\ufeff{}", `{}`, `0-3 the text starts with a byte order mark (U+FEFF), which JSON does not allow; save it as UTF-8 without BOM`},
		{"text behind", "{}\n{}", `{}`, `3-5 text after the end of the JSON value: a document is one value`},
		{"stray bracket", `{]"a":1}`, `{"a":1}`, `1-2 "]" has no place here`},
		{"empty", "", `?`, ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := Parse([]byte(c.src), nil)
			if got := dump(tree.Root()); got != c.tree {
				t.Errorf("tree %s, want %s", got, c.tree)
			}
			if got := faults(tree); got != c.faults {
				t.Errorf("faults\n%s\nwant\n%s", got, c.faults)
			}
		})
	}
}

func TestStringsKnowWhereTheirBytesCameFrom(t *testing.T) {
	src := `["a\n\u00e9𐐀\ud801\udc00z"]`
	var v Value
	for _, e := range Parse([]byte(src), nil).Root().Elements() {
		v = e
	}
	s := v.Decode()
	if want := "a\né𐐀𐐀z"; s.Value != want || v.Text() != want {
		t.Fatalf("decoded %q and %q, want %q", s.Value, v.Text(), want)
	}
	for _, c := range []struct {
		decoded string
		source  string
	}{{"a", `a`}, {"\n", `\n`}, {"é", `\u00e9`}, {"𐐀", `𐐀`}, {"z", `z`}} {
		if got, want := s.Offset(strings.Index(s.Value, c.decoded)), strings.Index(src, c.source); got != want {
			t.Errorf("%q comes from offset %d, want %d", c.decoded, got, want)
		}
	}
	if got, want := s.Offset(len(s.Value)), strings.LastIndex(src, `"`); got != want {
		t.Errorf("the end comes from %d, want %d", got, want)
	}
}

func TestDecodingWithAndWithoutItsWayBackIsTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	bits := []string{`a`, `abcdefgh`, "\n", "\r\n", " ", `\n`, `\"`, `\u00e9`, `\ud801\udc00`, `\ud801`, `\x`, `\u12`, "\xff", "é", "𐐀", `\\`}
	for range 2000 {
		var b strings.Builder
		b.WriteByte('"')
		for range rng.IntN(40) {
			b.WriteString(bits[rng.IntN(len(bits))])
		}
		b.WriteByte('"')
		v := Parse([]byte(b.String()), nil).Root()
		if fast, slow := v.Text(), v.Decode().Value; fast != slow {
			t.Fatalf("%s: %q, want %q", b.String(), fast, slow)
		}
	}
}

func TestPathFindsKeyAndValue(t *testing.T) {
	src := `{"graph":{"id":"g"},"paths":[{"steps":[{"step":{"id":"s1"}},{"step":{"id":"s2"}}]}]}`
	tree := Parse([]byte(src), steps)
	for _, c := range []struct{ at, want string }{
		{`s2`, `paths 0 steps 1 step id="s2"`},
		{`"id":"s1"`, `paths 0 steps 0 step id:"s1"`},
		{`g"}`, `graph id="g"`},
	} {
		off := strings.Index(src, c.at)
		var parts []string
		path := tree.Path(off)
		for i, f := range path[1:] {
			part := fmt.Sprint(f.Index)
			if f.Key.Valid() {
				part = f.Key.Text()
			}
			if i == len(path)-2 {
				sep := "="
				if off < f.Value.Start() {
					sep = ":"
				}
				part += sep + string(f.Value.Bytes())
			}
			parts = append(parts, part)
		}
		if got := strings.Join(parts, " "); got != c.want {
			t.Errorf("at %s: %s, want %s", c.at, got, c.want)
		}
	}
}

func TestHostileTextsEnd(t *testing.T) {
	million := race.Less(1_000_000)
	for name, src := range map[string]string{
		"a million brackets": strings.Repeat("[", million),
		"a million braces":   strings.Repeat(`{"a":`, million),
		"a million commas":   "[" + strings.Repeat(",", million),
		"a million colons":   "{" + strings.Repeat(":", million),
		"a million quotes":   strings.Repeat(`"`, million),
		"a million slashes":  strings.Repeat(`/`, million),
		"a million comments": "[" + strings.Repeat(`/**/`, million),
		"a million keys":     "{" + strings.Repeat(`"a":1,`, million) + "}",
		"a million steps":    `{"paths":[{"steps":[` + strings.Repeat(`x,`, 2*million),
		"no comma, one line": "[" + strings.Repeat(`1 `, million),
		"one string":         `"` + strings.Repeat(`\`, million),
		"broken strings":     "[" + strings.Repeat("\"a\nb\",", million),
		"cut strings":        "[" + strings.Repeat("\"a\n", million),
		"no quote ends it":   "[" + strings.Repeat("\"\\\"\n1\n", million),
		"escaped quotes":     "[\"" + strings.Repeat("\n1\n\\\"", million),
		"and a far quote":    "[\"" + strings.Repeat("\n1\n\\\"", million) + `"` + strings.Repeat(" ", million) + "x",
	} {
		t.Run(name, func(t *testing.T) {
			n := 0
			for range Parse([]byte(src), steps).Errors() {
				n++
			}
			if n == 0 {
				t.Error("no fault reported")
			}
			for range ParseLines([]byte(src)).Errors() {
				n++
			}
		})
	}
}

// equal says where two trees of one text differ.
func equal(a, b *Tree) string {
	if fa, fb := faults(a), faults(b); fa != fb {
		return fmt.Sprintf("faults\n%s\nwant\n%s", fa, fb)
	}
	if ra, rb := repaired(a), repaired(b); ra != rb {
		return fmt.Sprintf("repaired\n%s\nwant\n%s", ra, rb)
	}
	if len(a.chunks) != len(b.chunks) {
		return fmt.Sprintf("%d chunks, want %d", len(a.chunks), len(b.chunks))
	}
	for i := range a.chunks {
		if a.ChunkAt(i).Off != b.ChunkAt(i).Off || dump(a.Chunk(i)) != dump(b.Chunk(i)) {
			return fmt.Sprintf("chunk %d: %d %s, want %d %s", i, a.ChunkAt(i).Off, dump(a.Chunk(i)), b.ChunkAt(i).Off, dump(b.Chunk(i)))
		}
	}
	if da, db := dump(a.Root()), dump(b.Root()); da != db {
		return fmt.Sprintf("tree %s, want %s", da, db)
	}
	return ""
}

const sample = `{"graph":{"id":"g"},"paths":[{"path":{"id":"p","head":"s3"},"steps":[
 {"step":{"id":"s1","actor":"human:a"},"change":{"f":{"raw":"@@ -1 +1 @@\n-x\n+y"}}},
 {"step":{"id":"s2","parents":["s1"]},"change":{}}, {"step":{"id":"s3"}},
 7, "x"
]},{"$ref":"x"},{"steps":[{},{"a":1}]}],"meta":{"k":[1,2]}}
`

func TestReparseEqualsParse(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	bits := []string{`"`, `{`, `}`, `[`, `]`, `,`, `:`, "\n", "\r\n", `\"`, "\"x\ny\"", "a\nb", `{"step":{"id":"n"}},`, `x`, ` `, `\`, `/*`, `//`, `*/`, "1", ""}
	reused := 0
	for round := range race.Less(300) {
		src := []byte(sample)
		if round%2 == 1 {
			src = []byte(strings.ReplaceAll(sample, "\n ", "\n"))
		}
		tree, lines := Parse(src, steps), ParseLines(src)
		for range 40 {
			start := rng.IntN(len(src) + 1)
			end := min(len(src), start+rng.IntN(3)*rng.IntN(8))
			repl := bits[rng.IntN(len(bits))]
			next := append(append(append([]byte{}, src[:start]...), repl...), src[end:]...)
			e := text.Edit{Start: start, OldEnd: end, NewEnd: start + len(repl)}
			t2, l2 := Reparse(tree, next, e, steps), ReparseLines(lines, next, e)
			if diff := equal(t2, Parse(next, steps)); diff != "" {
				t.Fatalf("%q after %v:\n%s", next, e, diff)
			}
			if diff := equal(l2, ParseLines(next)); diff != "" {
				t.Fatalf("lines of %q after %v:\n%s", next, e, diff)
			}
			reused += t2.Reused() + l2.Reused()
			src, tree, lines = next, t2, l2
		}
	}
	if reused == 0 {
		t.Error("nothing was ever taken over")
	}
}

func TestAnEditReparsesOneStep(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"paths":[{"steps":[`)
	for i := range 1000 {
		fmt.Fprintf(&b, "%s{\"step\":{\"id\":\"s%d\"}}", strings.Repeat(",", min(i, 1)), i)
	}
	b.WriteString(`]}]}`)
	src := text.New([]byte(b.String()))
	tree := Parse(src.Bytes(), steps)
	at := strings.Index(b.String(), "s500")
	next := src.Splice(at, at+1, "t")
	tree = Reparse(tree, next.Bytes(), text.Edit{Start: at, OldEnd: at + 1, NewEnd: at + 1}, steps)
	if tree.Reused() != 999 || tree.NumChunks() != 1000 {
		t.Errorf("took over %d of %d steps", tree.Reused(), tree.NumChunks())
	}
	if got := tree.Root().Get("paths").element("0").Get("steps").element("500").Get("step").Get("id").Text(); got != "t500" {
		t.Errorf("the edited id reads %q", got)
	}
}

// FuzzParse has two judges: what jsontext accepts has no error (but the ones that only we
// report), and what we accept jsontext accepts; spans nest.
func FuzzParse(f *testing.F) {
	f.Add([]byte(sample))
	for _, s := range []string{"", "{", `{"a":1,}`, "[\"\xff\"]", `"\ud800"`, `[1e999]`, "\ufeff1", "[0,-0,1.5e-3]"} {
		f.Add([]byte(s))
	}
	docs, _ := filepath.Glob("../../../shared/corpus/edge/*.json")
	for _, d := range docs {
		if src, err := os.ReadFile(d); err == nil {
			f.Add(src)
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 1<<16 {
			return
		}
		tree := Parse(src, steps)
		ours := true
		for e := range tree.Errors() {
			if e.Start < 0 || e.End < e.Start || e.End > len(src) {
				t.Fatalf("fault out of the text: %+v", e)
			}
			if e.Code != TooDeep && e.Code != DeepNesting && e.Code != NumberRange {
				ours = false
			}
		}
		theirs := jsontext.Value(src).IsValid()
		if len(bytes.TrimSpace(src)) == 0 {
			return
		}
		if ours != theirs && !bytes.Contains(src, []byte("\ufeff")) {
			t.Fatalf("%q: we say %v, jsontext says %v\n%s", src, ours, theirs, faults(tree))
		}
		nests(t, tree.Root(), 0, len(src))
		if theirs && ours {
			var want any
			if json.Unmarshal(src, &want) == nil {
				same(t, tree.Root(), want)
			}
		}
		if diff := equal(tree, Parse(src, steps)); diff != "" {
			t.Fatal(diff)
		}
	})
}

func nests(t *testing.T, v Value, from, to int) {
	if !v.Valid() {
		return
	}
	if v.Start() < from || v.End() > to || v.Start() > v.End() {
		t.Fatalf("%v at %d-%d lies outside of %d-%d", v.Kind(), v.Start(), v.End(), from, to)
	}
	at := v.Start()
	for k, val := range v.Members() {
		nests(t, k, at, v.End())
		nests(t, val, k.End(), v.End())
		at = val.End()
	}
	for _, e := range v.Elements() {
		nests(t, e, at, v.End())
		at = e.End()
	}
}

func same(t *testing.T, v Value, want any) {
	switch want := want.(type) {
	case string:
		if got := v.Text(); got != want {
			t.Fatalf("string %q, want %q", got, want)
		}
	case map[string]any:
		for k, w := range want {
			same(t, v.Get(k), w)
		}
	case []any:
		for i, e := range v.Elements() {
			same(t, e, want[i])
		}
	}
}

func generated(n int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"graph":{"id":"g"},"paths":[{"path":{"id":"p","head":"s1"},"steps":[`)
	for i := range n {
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, `        {
          "step": {
            "id": "s%d",
            "parents": ["s%d"],
            "actor": "human:alex",
            "timestamp": "2026-01-29T10:00:00Z"
          },
          "change": {
            "src/f%d.rs": {
              "raw": "@@ -1,1 +1,1 @@\n-x\n+y"
            }
          }
        }`, i+1, i, i%97)
	}
	b.WriteString("]}]}\n")
	return b.Bytes()
}

func BenchmarkParse(b *testing.B) {
	src := generated(30000)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		Parse(src, steps)
	}
}

func BenchmarkReparse(b *testing.B) {
	src := generated(30000)
	tree := Parse(src, steps)
	at := bytes.Index(src[len(src)/2:], []byte("human")) + len(src)/2
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		Reparse(tree, src, text.Edit{Start: at, OldEnd: at + 1, NewEnd: at + 1}, steps)
	}
}

func TestAnObjectThatIsAChunk(t *testing.T) {
	for _, c := range []struct {
		name, src string
		layout    Layout
	}{
		{"member", `{"x": 1, "Step": {"a": {"b": [1]}}, "y": {}}`, Layout{"Step"}},
		{"member twice", `{"Step": {"a": 1}, "Step": {"c": 2}}`, Layout{"Step"}},
		{"no object", `{"Step": [1]}`, Layout{"Step"}},
		{"without end", `{"Step": {"a": `, Layout{"Step"}},
		{"whole", ` {"a": {"b": [1]}} `, Whole},
		{"whole, and more", `{"a": 1} 2`, Whole},
		{"whole, no object", `[1]`, Whole},
	} {
		t.Run(c.name, func(t *testing.T) {
			plain, tree := Parse([]byte(c.src), nil), Parse([]byte(c.src), c.layout)
			if got, want := dump(tree.Root()), dump(plain.Root()); got != want {
				t.Errorf("%s, want %s", got, want)
			}
			if got, want := faults(tree), faults(plain); got != want {
				t.Errorf("%s, want %s", got, want)
			}
			for off := range c.src {
				var got, want []string
				for _, f := range tree.Path(off) {
					got = append(got, string(f.Key.Bytes())+string(f.Value.Bytes()))
				}
				for _, f := range plain.Path(off) {
					want = append(want, string(f.Key.Bytes())+string(f.Value.Bytes()))
				}
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("at %d: %q, want %q", off, got, want)
				}
			}
			at := strings.Index(c.src, "1")
			next := c.src[:max(at, 0)] + "7" + c.src[at+1:]
			e := text.Edit{Start: max(at, 0), OldEnd: at + 1, NewEnd: max(at, 0) + 1}
			now := text.New([]byte(c.src)).Splice(e.Start, e.OldEnd, "7")
			edited, ok := tree.Edited(now, e)
			if !ok {
				edited = Reparse(tree, []byte(next), e, c.layout)
			}
			if diff := equal(edited, Parse([]byte(next), c.layout)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
