package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
)

var stepsAsChunks = jsonsrc.Layout{"paths", "*", "steps", "*"}

// parsed returns the value of a JSON text that may have faults.
func parsed(text string) jsonsrc.Value {
	return jsonsrc.Parse([]byte(text), stepsAsChunks).Root()
}

func TestCheckSaysNothingTwice(t *testing.T) {
	tests := []struct {
		name string
		def  Def
		text string
		want []string
	}{
		{"valid document", Document, graph, nil},
		{"value not yet typed", Step, `{"step":{"id":,"actor":"human:a","timestamp":"t"},"change":{}}`, nil},
		{"text ends in an object", Step, `{"step":{"id":"s1"`, nil},
		{"text ends in the document", Document, `{"graph":{"id":"g"},"paths":[{"path":{"id":"p"`, nil},
		{"key without quotes", Step, `{step:{"id":"s"},"change":{}}`, nil},
		{"empty text", Document, ``, nil},
		{"line that is no JSON", Line, `hello`, nil},
		{"fault elsewhere", Step, `{"step":{"id":"s","actor":"human:a","timestamp":"t",},"change":{"a":{"raw":1}}}`, []string{
			`wrong-type /change/a/raw: "raw" must be a string (a unified diff), found a number`,
		}},
		{"unknown field in an open object", Step, `{"step":{"id":"s","extra":1`, []string{
			`unknown-property @/step/extra: unknown field "extra" in step identity (allowed: id, parents, actor, timestamp); other readers drop it without a word`,
		}},
		{"of equal keys the last counts", Step, `{` + identity + `,"change":1,"change":{}}`, nil},
		{"escapes in keys", Step, `{` + identity + `,"ch\u0061nge":{"\u0000":{"r\u0061w":1}}}`, []string{
			"wrong-type /change/\x00/raw: \"raw\" must be a string (a unified diff), found a number",
		}},
		{"items of the skeleton are left to others", Graph, `{"graph":{"id":"g"},"paths":[1,{}]}`, nil},
		{"steps are left to others", Path, `{"path":{"id":"p","head":"s"},"steps":[1,{}]}`, nil},
		{"each step in its place", Document, `{"graph":{"id":"g"},"paths":[{"$ref":"u"},{"path":{"id":"p","head":"s"},"steps":[` + step + `,{` + diff + `}]}]}`, []string{
			`missing-property /paths/1/steps/1: missing field "step" in step`,
		}},
		{"steps that are no list", Document, `{"graph":{"id":"g"},"paths":[{"path":{"id":"p","head":"s"},"steps":{"0":1}}]}`, []string{
			`wrong-type /paths/0/steps: "steps" must be an array (a list of steps), found an object`,
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := lines(Check(test.def, parsed(test.text)))
			if !slices.Equal(got, test.want) {
				t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(test.want, "\n  "))
			}
		})
	}
}

func TestDecodeAgreesWithDecoder(t *testing.T) {
	for _, text := range []string{
		graph, `null`, `[true,false,null,-1.5e+3,"\ud83d\ude00\u0000é",[],{}]`, `{"":{"a/b~":[[1]]}}`,
	} {
		want, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := Decode(parsed(text)); !reflect.DeepEqual(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}

// corpusSteps returns the steps of all documents and streams of the corpus.
func corpusSteps(t testing.TB) []any {
	t.Helper()
	var out []any
	for _, path := range corpusFiles(t, ".json") {
		v, _ := load(t, path)
		for _, entry := range items(v, "paths") {
			out = append(out, items(entry, "steps")...)
		}
	}
	for _, path := range corpusFiles(t, ".jsonl") {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(b) {
			v, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
			object, _ := v.(map[string]any)
			if step, ok := object["Step"]; ok && err == nil {
				out = append(out, step)
			}
		}
	}
	return out
}

func marshal(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestAcceptsEveryValidStepOfCorpus(t *testing.T) {
	valid, accepted := 0, 0
	for _, step := range corpusSteps(t) {
		text := marshal(t, step)
		ok, line := AcceptsStep(parsed(text)), AcceptsStepLine(parsed(`{"Step":`+text+`}`))
		if ok != line {
			t.Errorf("as a step %v, as a line %v: %s", ok, line, text)
		}
		if Validate(Step, step) == nil {
			valid++
			if ok {
				accepted++
			}
		} else if ok {
			t.Errorf("accepted, but %q", lines(Validate(Step, step)))
		}
	}
	if accepted*100 < valid*99 || valid < 200 {
		t.Errorf("accepted %d of %d valid steps", accepted, valid)
	}
}

func TestAcceptsOnlyValidMutatedSteps(t *testing.T) {
	steps := corpusSteps(t)
	m := mutator{rand.New(rand.NewPCG(5, 6))}
	valid, accepted := 0, 0
	for i := range mutations(t) {
		step := m.mutate(steps[i%len(steps)])
		ok := AcceptsStep(parsed(marshal(t, step)))
		problems := Validate(Step, step)
		switch {
		case ok && problems != nil:
			t.Fatalf("mutation %d: accepted, but %q\n%s", i, lines(problems), text(step))
		case problems == nil:
			valid++
			if ok {
				accepted++
			}
		}
	}
	if accepted*100 < valid*99 {
		t.Errorf("accepted %d of %d valid steps", accepted, valid)
	}
}

func TestAcceptsActorsOfTheSchemasForm(t *testing.T) {
	for _, actor := range []string{
		"human:a", "agent:gpt-5.5", "tool:rustfmt/1.5.0", "ci:A_b/9", "ci:-", "human:.",
		"human:", "human", "robot:a", "Human:a", "human:a b", "human:ü", "human:/a", "human:a/", "human:a/b/c", "human:a//b", "human:a\n", ":a", "", "human:a:b",
	} {
		step := map[string]any{"step": map[string]any{"id": "s", "actor": actor, "timestamp": "t"}, "change": map[string]any{}}
		if got, want := AcceptsStep(parsed(marshal(t, step))), Validate(Step, step) == nil; got != want {
			t.Errorf("%q: accepted %v, valid %v", actor, got, want)
		}
	}
}

func TestAcceptsWithoutAllocating(t *testing.T) {
	tree := jsonsrc.Parse(longDocument(1), stepsAsChunks)
	if n := testing.AllocsPerRun(100, func() {
		if !AcceptsStep(tree.Chunk(0)) {
			t.Fatal("not accepted")
		}
	}); n != 0 {
		t.Errorf("%v allocations per step", n)
	}
}

// FuzzCheck: whatever the text, what is accepted is valid, pointers resolve,
// and a text without syntax errors is judged as its decoded value is.
func FuzzCheck(f *testing.F) {
	for _, seed := range []string{step, `{"Step":` + step + `}`, graph, `{"step":{"id":`, `{"PathOpen":{}`, `{step:1}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input string) {
		tree := jsonsrc.Parse([]byte(input), stepsAsChunks)
		v := tree.Root()
		decoded := Decode(v)
		if AcceptsStep(v) && Validate(Step, decoded) != nil {
			t.Fatalf("accepted, but %q", lines(Validate(Step, decoded)))
		}
		clean := true
		for range tree.Errors() {
			clean = false
		}
		for _, def := range []Def{Document, Graph, Path, Step, Line, PathMeta} {
			got := Check(def, v)
			for _, p := range got {
				if _, _, ok := v.Resolve(p.Pointer); !ok {
					t.Fatalf("pointer leads nowhere: %s", p.line())
				}
			}
			if want := Validate(def, decoded); clean && len(got) != len(want) {
				t.Fatalf("def %d: got %q, decoded %q", def, lines(got), lines(want))
			}
		}
	})
}

// longDocument returns a document of n steps in the usual layout.
func longDocument(n int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"graph":{"id":"g"},"paths":[{"path":{"id":"p","head":"s1"},"steps":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `
        {
          "step": {
            "id": "s%d",
            "parents": ["s%d"],
            "actor": "agent:claude-code/session-%d",
            "timestamp": "2026-01-29T10:00:00Z"
          },
          "change": {
            "src/f%d.rs": {
              "raw": "@@ -1,1 +1,1 @@\n-x\n+y",
              "structural": {"type": "file.write", "tool": "Edit", "input": {"a": [1, 2]}}
            }
          },
          "meta": {"intent": "why", "refs": [{"rel": "fixes", "href": "issue://1"}]}
        }`, i+1, i, i%7, i%97)
	}
	b.WriteString("]}]}\n")
	return b.Bytes()
}

func BenchmarkCheckDocument(b *testing.B) {
	src := longDocument(85_000)
	root := jsonsrc.Parse(src, stepsAsChunks).Root()
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if Check(Document, root) != nil {
			b.Fatal("not valid")
		}
	}
}

func BenchmarkValidateStep(b *testing.B) {
	v := jsonsrc.Parse(longDocument(1), stepsAsChunks).Chunk(0)
	b.ReportAllocs()
	for b.Loop() {
		if Validate(Step, Decode(v)) != nil {
			b.Fatal("not valid")
		}
	}
}

func BenchmarkAcceptsStep(b *testing.B) {
	v := jsonsrc.Parse(longDocument(1), stepsAsChunks).Chunk(0)
	b.ReportAllocs()
	for b.Loop() {
		if !AcceptsStep(v) {
			b.Fatal("not accepted")
		}
	}
}
