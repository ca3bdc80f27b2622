package convert_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/toolpath-ls/toolpath-ls/analysis/convert"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
	"github.com/toolpath-ls/toolpath-ls/internal/race"
)

var update = flag.Bool("update", false, "write the sections of testdata/convert that are expected")

func formOf(name string) convert.Form {
	if strings.HasSuffix(name, "l") {
		return convert.Stream
	}
	return convert.Document
}

// The archives of testdata/convert hold texts, each followed by the "to EXTENSION" that it
// becomes. What is lost comes first, a line for each with the text that it is about.
func TestConversions(t *testing.T) {
	archives, err := filepath.Glob("../../testdata/convert/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var source txtar.File
			for i := range a.Files {
				f := &a.Files[i]
				to, isResult := strings.CutPrefix(f.Name, "to ")
				if !isResult {
					source = *f
					continue
				}
				got := transcript(source.Data, formOf(source.Name), formOf(to))
				if *update {
					f.Data = []byte(got)
				} else if got != string(f.Data) {
					t.Errorf("%s becomes\n%sand not\n%s", source.Name, got, f.Data)
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

func transcript(src []byte, from, to convert.Form) string {
	r, err := convert.Convert(src, from, to)
	if e := new(convert.Error); errors.As(err, &e) {
		return fmt.Sprintf("error at %.40q: %s\n", src[e.Start:e.End], e.Message)
	}
	var b strings.Builder
	for _, l := range r.Losses {
		fmt.Fprintf(&b, "lost %.40q: %s\n", src[l.Start:l.End], l.Message)
	}
	b.Write(r.Text)
	return b.String()
}

// decode reads the paths of a document with encoding/json.
func decode(t *testing.T, src []byte) any {
	t.Helper()
	var v struct{ Paths any }
	d := json.NewDecoder(bytes.NewReader(src))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in\n%s", err, src)
	}
	return v.Paths
}

// roundTrip turns a document into a stream and back. If nothing of its path is lost, the
// paths are equal.
func roundTrip(t *testing.T, src []byte) (converted bool) {
	t.Helper()
	stream, err := convert.Convert(src, convert.Document, convert.Stream)
	if err != nil {
		return false
	}
	back, err := convert.Convert(stream.Text, convert.Stream, convert.Document)
	if err != nil {
		t.Fatalf("the stream is refused: %v\n%s", err, stream.Text)
	}
	if len(back.Losses) > 0 {
		t.Errorf("the stream has lost something once more: %v", back.Losses)
	}
	tree := jsonsrc.Parse(src, toolpath.Layout)
	paths, whole := tree.Root().Get("paths"), true
	for _, l := range stream.Losses {
		whole = whole && (l.Start < paths.Start() || l.End > paths.End())
	}
	if got, want := decode(t, back.Text), decode(t, src); whole && !convert.IsOld(src) && !reflect.DeepEqual(got, want) {
		t.Errorf("the paths were\n%v\nand are\n%v\nby way of\n%s", want, got, stream.Text)
	}
	// What has come back once comes back as it is.
	again, err := convert.Convert(back.Text, convert.Document, convert.Stream)
	if err != nil || len(again.Losses) > 0 {
		t.Fatalf("the second time: %v, lost %v", err, again.Losses)
	}
	if twice, err := convert.Convert(again.Text, convert.Stream, convert.Document); err != nil || !bytes.Equal(twice.Text, back.Text) {
		t.Errorf("%v: the document has come back as\n%s\nand then as\n%s", err, back.Text, twice.Text)
	}
	return true
}

func corpus(t *testing.T) string {
	const folder = "../../../shared/corpus"
	if _, err := os.Stat(folder); err != nil {
		t.Skip("the folder shared/corpus is not here: ", err)
	}
	return folder
}

// Every document of one path is as before when it comes back, and every pair of twins that
// is meant to be equal is.
func TestCorpusRoundTrips(t *testing.T) {
	folder, n := corpus(t), 0
	for _, pattern := range []string{"*/*.path.json", "examples/*.json", "legacy/*.json"} {
		files, _ := filepath.Glob(filepath.Join(folder, pattern))
		for _, name := range files {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			t.Run(filepath.Base(name), func(t *testing.T) {
				if roundTrip(t, src) {
					n++
				} else if dir := filepath.Base(filepath.Dir(name)); dir == "derived" {
					t.Error("a document of one path is refused")
				}
			})
		}
	}
	if n < 60 {
		t.Errorf("only %d documents were converted", n)
	}
	for _, twin := range []string{"path-01-pr", "path-03-signed-pr", "path-04-exploration", "path-05-continuation"} {
		doc, err := os.ReadFile(filepath.Join(folder, "examples", twin+".path.json"))
		if err != nil {
			t.Fatal(err)
		}
		stream, err := os.ReadFile(filepath.Join(folder, "examples", twin+".path.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		sealed, err := convert.Convert(stream, convert.Stream, convert.Document)
		if err != nil || !reflect.DeepEqual(decode(t, sealed.Text), decode(t, doc)) {
			t.Errorf("%s: the stream is another document than its twin: %v", twin, err)
		}
	}
}

// The streams of the corpus are read, or refused, as their manifest says.
func TestCorpusStreams(t *testing.T) {
	folder := corpus(t)
	files, _ := filepath.Glob(filepath.Join(folder, "edge", "*-jl-*.path.jsonl"))
	if len(files) == 0 {
		t.Fatal("no streams")
	}
	// Faults that keep no reader from reading on.
	readable := map[string]bool{"fault-jl-dup-step.path.jsonl": true, "fault-jl-head-unknown.path.jsonl": true}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		_, err = convert.Convert(src, convert.Stream, convert.Document)
		base := filepath.Base(name)
		if want := !strings.HasPrefix(base, "fault-") || readable[base]; (err == nil) != want {
			t.Errorf("%s: read %v, want %v: %v", base, err == nil, want, err)
		}
	}
}

// Random documents, of fields known and unknown, ids that stand twice, and numbers and
// strings spelled in odd ways, come back with equal paths.
func TestRandomRoundTrips(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	n := 0
	for range 1000 {
		g := generator{rng: rng}
		src := g.document()
		if roundTrip(t, src) {
			n++
		}
		if t.Failed() {
			t.Fatalf("the document is\n%s", src)
		}
	}
	if n < 400 {
		t.Errorf("only %d documents were converted", n)
	}
}

// generator writes documents.
type generator struct {
	rng *rand.Rand
	b   bytes.Buffer
}

func (g *generator) one(of ...string) string { return of[g.rng.IntN(len(of))] }

func (g *generator) space() { g.b.WriteString(g.one("", "", "", " ", "\n\t", "\r\n")) }

func (g *generator) any(depth int) {
	if depth > 0 && g.rng.IntN(3) == 0 {
		g.object(func() { g.member(g.one(`"a"`, `"\u0061"`, `"b c"`, `"head"`, `"meta"`), func() { g.any(depth - 1) }) }, g.rng.IntN(4))
		return
	}
	g.b.WriteString(g.one(`"x"`, `"\u0078\/"`, `"\ud83d\ude00 😀\\"`, `1`, `-0.0`, `1E+2`, `12345678901234567890.10`, `true`, `null`, `[]`, `[ 1 , [ "" ] ]`, `{ }`))
}

func (g *generator) object(member func(), n int) {
	g.b.WriteByte('{')
	for i := range n {
		if i > 0 {
			g.b.WriteByte(',')
		}
		g.space()
		member()
		g.space()
	}
	g.b.WriteByte('}')
}

func (g *generator) member(key string, value func()) {
	g.b.WriteString(key)
	g.space()
	g.b.WriteByte(':')
	g.space()
	value()
}

// members writes an object of those of the members that chance takes.
func (g *generator) members(needed int, members ...func()) {
	var taken []func()
	for i, m := range members {
		if i < needed || g.rng.IntN(2) == 0 {
			taken = append(taken, m)
		}
	}
	g.rng.Shuffle(len(taken), func(i, j int) { taken[i], taken[j] = taken[j], taken[i] })
	i := -1
	g.object(func() { i++; taken[i]() }, len(taken))
}

func (g *generator) field(key string, values ...string) func() {
	return func() {
		g.member(`"`+key+`"`, func() {
			if len(values) > 0 {
				g.b.WriteString(g.one(values...))
				return
			}
			g.any(2)
		})
	}
}

func (g *generator) list(n int, element func()) {
	g.b.WriteByte('[')
	for i := range n {
		if i > 0 {
			g.b.WriteByte(',')
		}
		element()
	}
	g.b.WriteByte(']')
}

func (g *generator) meta(key string) func() {
	return func() {
		g.member(`"`+key+`"`, func() {
			g.members(0, g.field("title"), g.field("x"), g.field("refs"), g.field("intent"), func() {
				g.member(`"actors"`, func() {
					g.object(func() { g.member(g.one(`"human:a"`, `"human:\u0061"`, `"tool:b"`), func() { g.any(2) }) }, 1+g.rng.IntN(3))
				})
			}, func() { g.member(`"signatures"`, func() { g.list(1+g.rng.IntN(3), func() { g.any(2) }) }) })
		})
	}
}

func (g *generator) step() {
	g.members(1, func() {
		g.member(`"step"`, func() {
			g.members(1, g.field("id", `"s1"`, `"s2"`, `"\u0073\u0031"`, `"s 3"`), g.field("parents", `[]`, `["s1"]`, `["s2", "s1"]`), g.field("actor"), g.field("timestamp"), g.field("y"))
		})
	}, g.field("change"), g.meta("meta"), g.field("z"))
}

func (g *generator) path() {
	g.members(2, func() {
		g.member(`"path"`, func() {
			g.members(2, g.field("id", `"p"`, `"\u0070"`), g.field("head", `"s1"`, `"nowhere"`), g.field("base"), g.field("graph_ref"), g.field("parent"), g.field("w"), g.field("id", `"q"`))
		})
	}, func() { g.member(`"steps"`, func() { g.list(g.rng.IntN(5), g.step) }) }, g.meta("meta"))
}

func (g *generator) document() []byte {
	g.members(2, g.field("graph", `{"id": "p"}`, `{"id": "g"}`), func() {
		g.member(`"paths"`, func() { g.list(1+g.rng.IntN(8)/7, g.path) })
	}, g.meta("meta"), g.field("u"))
	return g.b.Bytes()
}

func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte(`{"graph":{"id":"p"},"paths":[{"path":{"id":"p","head":"s1","x":1e5},"steps":[{"step":{"id":"s1"},"meta":null}],"meta":{"actors":{"a":1,"a":2},"signatures":[[]],"title":null}}]}`))
	f.Add([]byte(`{"Path":{"path":{"id":"p","head":"h","base":{"commit":"c","ref":"r"}},"steps":[]},"x":[1,2]}`))
	f.Add([]byte(`{"step":{"id":"\u0000"},"change":{}}`))
	f.Add([]byte(`{"Graph":{"graph":{},"paths":[{"path":{"id":"","head":"","version":2,"meta":{}},"steps":[],"meta":{}}]}}`))
	f.Fuzz(func(t *testing.T, src []byte) { roundTrip(t, src) })
}

// Whatever the lines say, the document is JSON and reads again.
func FuzzStream(f *testing.F) {
	f.Add([]byte("{\"PathOpen\":{\"version\":\"1\",\"id\":\"p\",\"meta\":{\"x\":1}}}\n{\"Step\":{\"step\":{\"id\":\"s\"},\"meta\":{\"signatures\":[1]}}}\n{\"Signature\":{\"target\":\"step:s\",\"signature\":{}}}\n{\"PathMeta\":{\"patch\":{\"x\":null,\"actors\":{}}}}\n{\"Head\":{\"step_id\":\"s\"}}\n{\"PathClose\":{}}"))
	f.Add([]byte("{\"PathOpen\":{\"version\":\"2\",\"id\":\"p\",\"meta\":null,\"head\":1}}\r\n\n{\"Step\":{}}\n{\"ActorDef\":{\"actor\":\"a\",\"definition\":1}}\n{\"New\":1}"))
	f.Fuzz(func(t *testing.T, src []byte) {
		r, err := convert.Convert(src, convert.Stream, convert.Document)
		if err != nil {
			return
		}
		decode(t, r.Text)
		if !roundTrip(t, r.Text) {
			t.Errorf("the document is refused:\n%s", r.Text)
		}
	})
}

// An upgrade changes the form and nothing else, and there is nothing left to upgrade.
func TestCorpusUpgrades(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(corpus(t), "legacy", "*.json"))
	if len(files) == 0 {
		t.Fatal("no documents")
	}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := convert.Convert(src, convert.Document, convert.Document)
		if err != nil || len(r.Losses) > 0 {
			t.Errorf("%s: %v, %v", name, r.Losses, err)
			continue
		}
		if convert.IsOld(r.Text) || !convert.IsOld(src) || bytes.Contains(r.Text, []byte(`"commit"`)) {
			t.Errorf("%s becomes\n%s", name, r.Text)
		}
	}
}

// The documents that exist in the old and in the current form, converted by their authors,
// have the paths that an upgrade gives them.
func TestCorpusOldTwins(t *testing.T) {
	folder := corpus(t)
	for old, current := range map[string]string{
		"path-01-pr.json": "path-01-pr.path.json", "step-01-minimal.json": "step-01-minimal.json", "step-06-signed.json": "step-06-signed.json",
	} {
		src, err := os.ReadFile(filepath.Join(folder, "legacy", old))
		if err != nil {
			t.Fatal(err)
		}
		twin, err := os.ReadFile(filepath.Join(folder, "examples", current))
		if err != nil {
			t.Fatal(err)
		}
		r, err := convert.Convert(src, convert.Document, convert.Document)
		if err != nil || !reflect.DeepEqual(decode(t, r.Text), decode(t, twin)) {
			t.Errorf("%s: %v\n%s", old, err, r.Text)
		}
	}
}

// large returns a document of so many steps.
func large(steps int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"graph":{"id":"p"},"paths":[{"path":{"id":"p","head":"s1"},"steps":[`)
	for i := range steps {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"step":{"id":"s%d","parents":["s%d"],"actor":"agent:a","timestamp":"2026-01-01T00:00:00Z"},"change":{"a.txt":{"raw":"@@ -1 +1 @@\n-%0500d\n+y"}}}`, i, i-1, i)
	}
	b.WriteString(`],"meta":{"actors":{`)
	for i := range steps {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"tool:%d":{}`, i)
	}
	b.WriteString(`}}}]}`)
	return b.Bytes()
}

func TestBounds(t *testing.T) {
	if !roundTrip(t, large(race.Less(100_000))) { // 64 MB
		t.Error("refused")
	}
}

func BenchmarkToStream(b *testing.B) {
	tree := jsonsrc.Parse(large(20_000), toolpath.Layout)
	b.SetBytes(int64(len(tree.Source())))
	for b.Loop() {
		if _, err := convert.ToStream(tree); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkToDocument(b *testing.B) {
	r, err := convert.Convert(large(20_000), convert.Document, convert.Stream)
	if err != nil {
		b.Fatal(err)
	}
	tree := jsonsrc.ParseLines(r.Text)
	b.SetBytes(int64(len(r.Text)))
	for b.Loop() {
		if _, err := convert.ToDocument(tree); err != nil {
			b.Fatal(err)
		}
	}
}

// A document that is cut off is refused, or it is one all the same.
func TestCutDocuments(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(corpus(t), "*", "*.json*"))
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; n < len(src); n += 1 + len(src)/min(max(200_000/len(src), 5), 50) {
			for _, from := range []convert.Form{convert.Document, convert.Stream} {
				for _, to := range []convert.Form{convert.Document, convert.Stream} {
					r, err := convert.Convert(src[:n:n], from, to)
					if e := new(convert.Error); err != nil && (!errors.As(err, &e) || e.Start < 0 || e.Start > e.End || e.End > n || e.Message == "") {
						t.Fatalf("%s cut at %d: %+v", name, n, err)
					}
					for _, l := range r.Losses {
						if l.Start < 0 || l.Start >= l.End || l.End > n {
							t.Fatalf("%s cut at %d: %+v", name, n, l)
						}
					}
				}
			}
		}
	}
}
