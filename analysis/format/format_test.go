package format_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/toolpath-ls/toolpath-ls/analysis/format"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
	"github.com/toolpath-ls/toolpath-ls/internal/race"
)

var update = flag.Bool("update", false, "write the sections of testdata/format that are expected")

func parse(src []byte, lines bool) *jsonsrc.Tree {
	if lines {
		return jsonsrc.ParseLines(src)
	}
	return jsonsrc.Parse(src, toolpath.Layout)
}

// The archives of testdata/format have pairs of files: the text before and, as "want NAME",
// after. "step N NAME" is what becomes of NAME when only the step with the id N is laid out.
// A text that is refused is wanted as "error: " with offsets and message.
func TestLayouts(t *testing.T) {
	archives, err := filepath.Glob("../../testdata/format/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			sources := map[string][]byte{}
			for i := range a.Files {
				f := &a.Files[i]
				words := strings.Fields(f.Name)
				source := words[len(words)-1]
				var got string
				switch words[0] {
				case "want":
					got = laidOut(t, sources[source], strings.HasSuffix(source, "l"))
				case "step":
					got = stepLaidOut(t, sources[source], strings.HasSuffix(source, "l"), words[1])
				default:
					sources[source] = []byte(strings.NewReplacer("␍", "\r", "␄\n", "").Replace(string(f.Data)))
					continue
				}
				if *update {
					f.Data = []byte(got)
				} else if got != string(f.Data) {
					t.Errorf("%s is\n%sbut should be\n%s", f.Name, got, f.Data)
				}
			}
			if *update {
				if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// laidOut returns the text as Text and Edits give it.
func laidOut(t *testing.T, src []byte, lines bool) string {
	t.Helper()
	text, err := format.Text(parse(src, lines))
	if s := new(format.SyntaxError); errors.As(err, &s) {
		return fmt.Sprintf("error: %d-%d: %s\n", s.Start, s.End, s.Message)
	}
	check(t, src, text, lines)
	return string(text)
}

func stepLaidOut(t *testing.T, src []byte, lines bool, id string) string {
	t.Helper()
	edits, err := format.Step(parse(src, lines), bytes.Index(src, []byte(`"`+id+`"`)))
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	got := string(format.Apply(src, edits))
	if !strings.HasSuffix(got, "\n") {
		got += "␄\n"
	}
	return strings.ReplaceAll(got, "\r", "␍")
}

// check holds for every text that is laid out: edits lead to it, are small and in order,
// nothing is left to do, and neither a value nor a token has changed.
func check(t *testing.T, src, text []byte, lines bool) {
	t.Helper()
	edits, err := format.Edits(parse(src, lines))
	if err != nil {
		t.Fatalf("the edits are refused, the text is not: %v", err)
	}
	pos := 0
	for _, e := range edits {
		if e.Start < pos || e.End < e.Start || e.End > len(src) || string(src[e.Start:e.End]) == e.New {
			t.Fatalf("bad edit %+v behind %d in a text of %d bytes", e, pos, len(src))
		}
		pos = e.End
	}
	if got := format.Apply(src, edits); !bytes.Equal(got, text) {
		t.Errorf("the edits give\n%s\nthe text is\n%s", got, text)
	}
	if again, err := format.Edits(parse(text, lines)); err != nil || len(again) > 0 {
		t.Errorf("the layout is not stable: %v, %v, in\n%s", again, err, text)
	}
	steps, err := format.Steps(parse(src, lines), 0, len(src))
	if err != nil {
		t.Fatalf("the steps are refused, the text is not: %v", err)
	}
	if alone, whole := stepTexts(parse(format.Apply(src, steps), lines)), stepTexts(parse(text, lines)); !lines && !slices.Equal(alone, whole) {
		t.Errorf("laid out alone the steps are\n%s\nin the whole\n%s", alone, whole)
	}
	if before, after := decode(t, src, lines), decode(t, text, lines); !reflect.DeepEqual(before, after) {
		t.Errorf("the value has changed from\n%v\nto\n%v", before, after)
	}
	if before, after := tokens(parse(src, lines)), tokens(parse(text, lines)); !reflect.DeepEqual(before, after) {
		t.Errorf("the tokens have changed from\n%v\nto\n%v", before, after)
	}
}

// stepTexts returns the steps, or lines, of a text, sorted.
func stepTexts(t *jsonsrc.Tree) []string {
	var steps []string
	for i := range t.NumChunks() {
		steps = append(steps, string(t.Chunk(i).Bytes()))
	}
	slices.Sort(steps)
	return steps
}

// decode reads a text with encoding/json, numbers as they are spelled.
func decode(t *testing.T, src []byte, lines bool) (values []any) {
	t.Helper()
	texts := [][]byte{src}
	if lines {
		texts = bytes.Split(src, []byte("\n"))
	}
	for _, text := range texts {
		if len(bytes.Trim(text, " \t\r\n")) == 0 {
			continue
		}
		var v any
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		values = append(values, v)
	}
	return values
}

// tokens counts the scalars and keys as they are spelled.
func tokens(tree *jsonsrc.Tree) map[string]int {
	count := map[string]int{}
	var walk func(v jsonsrc.Value)
	walk = func(v jsonsrc.Value) {
		for k, val := range v.Members() {
			count[string(k.Bytes())]++
			walk(val)
		}
		for _, e := range v.Elements() {
			walk(e)
		}
		if v.Valid() && v.Kind() != jsonsrc.Object && v.Kind() != jsonsrc.Array {
			count[string(v.Bytes())]++
		}
	}
	walk(tree.Root())
	for i := range tree.NumChunks() {
		if tree.IsLines() {
			walk(tree.Chunk(i))
		}
	}
	return count
}

// An edit is as small as it can be: what stays is not part of one.
func TestEditsAreMinimal(t *testing.T) {
	const laid = `{
  "graph": {
    "id": "g"
  },
  "paths": []
}
`
	for _, c := range []struct {
		src  string
		want []format.Edit
	}{
		{laid, nil},
		{laid[:len(laid)-1], []format.Edit{{49, 49, "\n"}}},
		{strings.Replace(laid, "    \"id", "\t\"id", 1), []format.Edit{{15, 16, "    "}}},
		{strings.Replace(laid, "\"paths\": []", "\"paths\":[\n ]", 1), []format.Edit{{44, 44, " "}, {45, 47, ""}}},
		{"{\"paths\": [],\n  \"graph\": {\n    \"id\": \"g\"\n  }\n}\n",
			[]format.Edit{{1, 13, ""}, {44, 44, ",\n  \"paths\": []"}}},
	} {
		edits, err := format.Edits(parse([]byte(c.src), false))
		if err != nil || !reflect.DeepEqual(edits, c.want) {
			t.Errorf("%q: edits %+v, %v, want %+v", c.src, edits, err, c.want)
		}
		if got := format.Apply([]byte(c.src), edits); string(got) != laid {
			t.Errorf("%q becomes %q", c.src, got)
		}
	}
}

// A text whose faults are too many to be listed is not taken for one that has only those
// that may be there.
func TestManyFaults(t *testing.T) {
	same := strings.Repeat(`"k": 1, `, 300)
	for _, c := range []struct {
		src  string
		good bool
	}{
		{`{` + same + `"k": 1}`, true},
		{`{` + same + `"k" 1}`, false},
	} {
		_, err := format.Edits(parse([]byte(c.src), false))
		if (err == nil) != c.good {
			t.Errorf("%.20s… %.20s: %v", c.src, c.src[len(c.src)-9:], err)
		}
	}
}

// Every document of the corpus is laid out, or refused if it is no JSON.
func TestCorpus(t *testing.T) {
	const corpus = "../../../shared/corpus"
	if _, err := os.Stat(corpus); err != nil {
		t.Skip("the folder shared/corpus is not here: ", err)
	}
	err := filepath.WalkDir(corpus, func(name string, d os.DirEntry, err error) error {
		ext := filepath.Ext(name)
		if err != nil || d.IsDir() || ext != ".json" && ext != ".jsonl" {
			return err
		}
		t.Run(filepath.Base(name), func(t *testing.T) {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			lines := ext == ".jsonl"
			text, err := format.Text(parse(src, lines))
			if err != nil {
				refused(t, src, lines, err)
				return
			}
			check(t, src, text, lines)
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// refused checks that a text is no JSON: encoding/json, which takes bytes that are no UTF-8,
// must not read it.
func refused(t *testing.T, src []byte, lines bool, err error) {
	t.Helper()
	if err == nil {
		return
	}
	texts := [][]byte{src}
	if lines {
		texts = bytes.Split(src, []byte("\n"))
	}
	for _, text := range texts {
		blank := len(bytes.Trim(text, " \t\r\n")) == 0
		if !(lines && blank) && !json.Valid(bytes.ToValidUTF8(text, []byte{0})) {
			return
		}
	}
	t.Errorf("refused: %v, although it is JSON:\n%.500s", err, src)
}

func FuzzLayout(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"paths":[{"steps":[{"change":{"a":{"raw":"\u00e9\n"}},"step":{"actor":"human:a","id":"s"}},1]}],"graph":{"id":"g"}}`,
		`{"Step":{"meta":{"refs":[{"href":"h","rel":"r"}],"signatures":[[],{}]}},"x":1e5,"x":[1,2,null]}`,
		"{\"PathOpen\":{\"id\":\"p\",\"version\":\"1\"}}\r\n\n{\"Step\": {\"step\": {\"id\" : \"é\"}}}", `[[1,[2,{"a":{}}]],"`, "\"\xff\"",
		`{"meta":{"b":1,"title":"t","a":2,"signatures":[{"sig":"x","signer":"y"}]},"graph":{}}`,
	} {
		f.Add([]byte(seed), false)
		f.Add([]byte(seed), true)
	}
	f.Fuzz(func(t *testing.T, src []byte, lines bool) {
		text, err := format.Text(parse(src, lines))
		if err != nil {
			if bytes.Contains(src, []byte("[[[[[[[[[[[[[[[[[")) { // nested too deep for us, not for encoding/json
				return
			}
			refused(t, src, lines, err)
			return
		}
		check(t, src, text, lines)
	})
}

// large returns a document with so many steps of a certain size.
func large(steps, size int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"graph":{"id":"g"},"paths":[{"path":{"id":"p","head":"s1"},"steps":[`)
	raw := strings.Repeat("x", size)
	for i := range steps {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"step":{"id":"s%d","parents":["s%d"],"actor":"agent:a","timestamp":"2026-01-01T00:00:00Z"},"change":{"a.txt":{"raw":"@@ -1 +1 @@\n-%s\n+y"}}}`, i, i-1, raw)
	}
	b.WriteString(`]}]}`)
	return b.Bytes()
}

// Large and hostile texts are laid out all the same: long, deep, wide, and out of order.
func TestBounds(t *testing.T) {
	many := race.Less(100_000)
	wide := []byte(`{"meta":{` + strings.Repeat(`"k":1,"title":"t",`, many/2) + `"k":1}}`)
	for name, src := range map[string][]byte{
		"many steps": large(many, 500), // 64 MB
		"one string": large(1, 640*many),
		"deep":       []byte(`{"meta":` + strings.Repeat(`{"x":[`, 250) + strings.Repeat(`]}`, 250) + `}`),
		"wide":       wide,
		"array":      []byte(`{"x":[` + strings.Repeat(`"",[],{},`, 10*many) + `1]}`),
	} {
		text, err := format.Text(parse(src, false))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		edits, err := format.Edits(parse(src, false))
		if err != nil || !bytes.Equal(format.Apply(src, edits), text) {
			t.Errorf("%s: the edits give another text than Text, or %v", name, err)
		}
	}
}

func BenchmarkText(b *testing.B) {
	tree := parse(large(20_000, 1200), false)
	b.SetBytes(int64(len(tree.Source())))
	for b.Loop() {
		if _, err := format.Text(tree); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEditsOfLaidOut(b *testing.B) {
	text, err := format.Text(parse(large(20_000, 1200), false))
	if err != nil {
		b.Fatal(err)
	}
	tree := parse(text, false)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if edits, err := format.Edits(tree); err != nil || len(edits) > 0 {
			b.Fatal(len(edits), err)
		}
	}
}

// cuts returns beginnings of a text: many of a short one, few of a long one.
func cuts(src []byte) [][]byte {
	var some [][]byte
	for n := 0; n < len(src); n += 1 + len(src)/min(max(200_000/len(src), 5), 30) {
		some = append(some, src[:n:n])
	}
	return some
}

// A document that is cut off is refused, or is JSON all the same; its steps can be laid out
// as far as they are whole.
func TestCutDocuments(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/corpus/*/*.json*")
	if len(files) == 0 {
		t.Skip("the folder shared/corpus is not here")
	}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.HasSuffix(name, "l")
		for _, cut := range cuts(src) {
			if text, err := format.Text(parse(cut, lines)); err != nil {
				refused(t, cut, lines, err)
			} else if again, err := format.Text(parse(text, lines)); err != nil || !bytes.Equal(again, text) {
				t.Fatalf("%s cut at %d: %v", name, len(cut), err)
			}
			tree := parse(cut, lines)
			for _, off := range []int{0, len(cut) / 2, len(cut)} {
				edits, err := format.Step(tree, off)
				if err != nil {
					continue
				}
				if got := parse(format.Apply(cut, edits), lines); got.NumChunks() != tree.NumChunks() {
					t.Fatalf("%s cut at %d has %d steps, and %d when one is laid out", name, len(cut), tree.NumChunks(), got.NumChunks())
				}
			}
		}
	}
}
