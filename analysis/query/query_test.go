package query_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/query"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
	"github.com/toolpath-ls/toolpath-ls/internal/race"
)

var update = flag.Bool("update", false, "write the answers in testdata/query")

// model reads a document. One that does not start with a brace draws a graph of steps: a
// line is an id, a colon and parents; "head" and a colon come first.
func model(src []byte) *toolpath.Document {
	if !bytes.HasPrefix(src, []byte("{")) {
		src = drawn(string(src))
	}
	if toolpath.IsStream(src) {
		return toolpath.Build(jsonsrc.ParseLines(src), nil)
	}
	return toolpath.Build(jsonsrc.Parse(src, toolpath.Layout), nil)
}

func drawn(lines string) []byte {
	var b bytes.Buffer
	for line := range strings.Lines(lines) {
		id, parents, _ := strings.Cut(strings.TrimSpace(line), ":")
		if b.Len() == 0 {
			fmt.Fprintf(&b, `{"graph":{"id":"g"},"paths":[{"path":{"id":"p","head":%q},"steps":[{}`, strings.TrimSpace(parents))
			continue
		}
		fmt.Fprintf(&b, `,{"step":{"id":%q,"parents":["%s"]},"change":{}}`, id, strings.Join(strings.Fields(parents), `","`))
	}
	b.WriteString(`]}]}`)
	return bytes.Replace(bytes.ReplaceAll(b.Bytes(), []byte(`[""]`), []byte(`[]`)), []byte(`[{},`), []byte(`[`), 1)
}

// The archives of testdata/query hold documents, and questions as "? QUESTION DOCUMENT
// [SELECTOR=VALUE…]", each with its answers: for every path its id, the steps (path/step for
// those of other paths), and what cuts the history off.
func TestQuestions(t *testing.T) {
	archives, err := filepath.Glob("../../testdata/query/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			docs := library{}
			for i := range a.Files {
				f := &a.Files[i]
				question, ok := strings.CutPrefix(f.Name, "? ")
				if !ok {
					docs[f.Name] = f.Data
					continue
				}
				got := answers(t, docs, strings.Fields(question))
				if *update {
					f.Data = []byte(got)
				} else if got != string(f.Data) {
					t.Errorf("? %s\n%sand not\n%s", question, got, f.Data)
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

// library holds documents by name. A URI is a name.
type library map[string][]byte

func (l library) load(_ query.Source, uri string) (query.Source, error) {
	src, ok := l[uri]
	if !ok {
		return query.Source{}, errors.New("there is no such file")
	}
	return query.Source{Name: uri, Model: model(src)}, nil
}

func answers(t *testing.T, docs library, words []string) string {
	t.Helper()
	options := map[string]string{}
	for _, w := range words[2:] {
		key, value, _ := strings.Cut(w, "=")
		options[key] = value
	}
	got, err := query.Ask(query.Source{Name: words[1], Model: model(docs[words[1]])}, question(t, words[0], options),
		query.Selection{Path: options["path"], Step: options["step"]}, docs.load)
	if e := new(query.NoMatch); errors.As(err, &e) {
		return "no match: " + e.Message + "\n"
	}
	var b strings.Builder
	for _, a := range got {
		fmt.Fprintf(&b, "%s:", a.Path.ID)
		for _, s := range a.Steps {
			b.WriteByte(' ')
			if s.Path != a.Path {
				b.WriteString(s.Path.ID + "/")
			}
			b.WriteString(s.At().ID)
		}
		b.WriteByte('\n')
		for _, x := range a.Actors {
			fmt.Fprintf(&b, "  %s, %q of the %s: %s\n", x.Actor, x.Definition.Name, x.Defined, x.Definition.Value.Bytes())
		}
		for _, g := range a.Gaps {
			fmt.Fprintf(&b, "  cut off: %s\n", g)
		}
		for _, n := range a.Notes {
			fmt.Fprintf(&b, "  note: %s\n", n)
		}
		if a.Complete != (len(a.Gaps) == 0) || a.Query != words[0] {
			t.Errorf("%v: complete %v with the gaps %q, of the question %q", words, a.Complete, a.Gaps, a.Query)
		}
	}
	return b.String()
}

func question(t *testing.T, name string, options map[string]string) query.Question {
	t.Helper()
	glob := func(option string, read func(string) (query.Glob, error)) query.Glob {
		if options[option] == "" {
			return query.Glob{}
		}
		g, err := read(options[option])
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	switch name {
	case "ancestors":
		return query.Ancestors{}
	case "main-line":
		return query.MainLine{}
	case "branch":
		return query.Branch{}
	case "dead-ends":
		return query.DeadEnds{Artifact: glob("artifact", query.NewArtifactGlob)}
	case "actor":
		return query.WhoIs{Name: glob("actor", query.NewActorGlob)}
	}
	f := query.Filter{Actor: glob("actor", query.NewActorGlob), Artifact: glob("artifact", query.NewArtifactGlob), Intent: options["intent"]}
	var err error
	if v := options["since"]; v != "" {
		if f.Since, err = query.ParseSince(v); err != nil {
			t.Fatal(err)
		}
	}
	if v := options["until"]; v != "" {
		if f.Until, err = query.ParseUntil(v); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

func TestGlobs(t *testing.T) {
	for _, c := range []struct{ pattern, yes, no string }{
		{"src/auth/*", "src/auth/a.rs src/auth/ src/auth/.x", "src/auth src/auth/b/c.rs xsrc/auth/a.rs"},
		{"src/**", "src/ src/a src/a/b/c", "src xsrc/a"},
		{"**", "a a/b .", ""},
		{"**/a.go", "a.go b/a.go c/b/a.go", "xa.go b/xa.go b/a.go/c"},
		{"src/**/a.go", "src/a.go src/b/a.go src/b/c/a.go", "srca.go src/xa.go src/b/xa.go"},
		{"**/**/a", "a b/a c/b/a", "ba"},
		{"a**b", "ab a/b axx/yyb", "a ba"},
		{"*.go", "a.go .go", "b/a.go a.goo"},
		{"a?c", "abc aéc a?c", "ac a/c abbc"},
		{"[a-c]x[!0-9]", "axb cx- [a-c]x[!0-9]", "dxb ax0 ax/"},
		{"[id].tsx", "[id].tsx i.tsx", "id.tsx"},
		{"[]x]", "] x", "[ []x"},
		{"a[b", "a[b", "ab a"},
		{`\*\?`, "*?", `a? \*`},
		{`a\`, "", ""},
		{strings.Repeat("*a", 400) + "b", "", strings.Repeat("a", 8000)},
	} {
		g, err := query.NewArtifactGlob(c.pattern)
		if bad := c.pattern == `a\`; bad != (err != nil) {
			t.Errorf("%s: %v", c.pattern, err)
		}
		for _, name := range strings.Fields(c.yes) {
			if !g.Match(name) {
				t.Errorf("%s does not match %s", c.pattern, name)
			}
		}
		for _, name := range strings.Fields(c.no) {
			if g.Match(name) {
				t.Errorf("%s matches %.20s", c.pattern, name)
			}
		}
	}
	actors, err := query.NewActorGlob("agent:claude*")
	if err != nil || !actors.Match("agent:claude-code/session/x") || actors.Match("human:claude") {
		t.Error("the * of actors", err)
	}
	for _, pattern := range []string{"", strings.Repeat("a", 1025)} {
		if _, err := query.NewActorGlob(pattern); err == nil {
			t.Errorf("the pattern of %d bytes is taken", len(pattern))
		}
	}
}

func TestTimes(t *testing.T) {
	for s, want := range map[string]string{
		"2026-01-29":                "2026-01-29T00:00:00Z 2026-01-29T23:59:59.999999999Z",
		"2026-01-29T15:30:00+02:00": "2026-01-29T13:30:00Z 2026-01-29T13:30:00Z",
		"yesterday":                 "error",
		"2026-02-30":                "error",
		"":                          "error",
	} {
		since, err1 := query.ParseSince(s)
		until, err2 := query.ParseUntil(s)
		got := since.UTC().Format("2006-01-02T15:04:05.999999999Z07:00") + " " + until.UTC().Format("2006-01-02T15:04:05.999999999Z07:00")
		if err1 != nil && err2 != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
	}
}

// randomGraph draws steps that have earlier, later and unknown ones as parents.
func randomGraph(rng *rand.Rand, n int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "head: s%d\n", rng.IntN(n))
	for i := range n {
		fmt.Fprintf(&b, "s%d:", i)
		for range rng.IntN(4) {
			fmt.Fprintf(&b, " s%d", max(0, i+2-rng.IntN(8)))
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// On random graphs, cycles and dangling parents among them, ancestors are those that the
// definition says, in the order that it says; dead ends are all others.
func TestRandomGraphs(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		src := randomGraph(rng, 1+rng.IntN(12))
		d := model(src)
		p := d.Paths[0]
		is := reached(p)
		ask := func(q query.Question) query.Answer {
			a, err := query.Ask(query.Source{Model: d}, q, query.Selection{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			return a[0]
		}
		ancestors, dead := ask(query.Ancestors{}), ask(query.DeadEnds{})
		var got, others []int
		for _, s := range ancestors.Steps {
			got = append(got, s.Index)
		}
		for _, s := range dead.Steps {
			others = append(others, s.Index)
		}
		if !slices.IsSorted(others) || len(got)+len(others) != p.Steps.Len() {
			t.Fatalf("ancestors %v and dead ends %v of\n%s", got, others, src)
		}
		at := map[int]int{}
		for n, i := range got {
			if !is[i] {
				t.Fatalf("%v holds %d, which is no ancestor, in\n%s", got, i, src)
			}
			at[i] = n
		}
		if want := naive(p, is); want != nil && !slices.Equal(got, want) {
			t.Fatalf("ancestors %v, want %v, in\n%s", got, want, src)
		} else if (want == nil || dangles(p, is)) == ancestors.Complete {
			t.Fatalf("complete is %v in\n%s", ancestors.Complete, src)
		}
	}
}

// reached is the head and all it descends from, by repetition.
func reached(p *toolpath.Path) map[int]bool {
	is := map[int]bool{p.Find(p.Head): true}
	for changed := true; changed; {
		changed = false
		for i := range is {
			for _, id := range p.Steps.At(i).Parents {
				if k := p.Find(id); k >= 0 && !is[k] {
					is[k], changed = true, true
				}
			}
		}
	}
	return is
}

func dangles(p *toolpath.Path, is map[int]bool) bool {
	for i := range is {
		for _, id := range p.Steps.At(i).Parents {
			if p.Find(id) < 0 {
				return true
			}
		}
	}
	return false
}

// naive takes, again and again, the first step all of whose parents were taken; nil if
// there is a cycle.
func naive(p *toolpath.Path, is map[int]bool) []int {
	var order []int
	taken := map[int]bool{}
next:
	for len(order) < len(is) {
	steps:
		for i := range p.Steps.Len() {
			if !is[i] || taken[i] {
				continue
			}
			for _, id := range p.Steps.At(i).Parents {
				if k := p.Find(id); k >= 0 && !taken[k] {
					continue steps
				}
			}
			order, taken[i] = append(order, i), true
			continue next
		}
		return nil
	}
	return order
}

// hostile are paths of 100,000 steps: a chain, a star, a merge of all, a ladder of merges, and
// one great cycle.
func hostile(kind string, n int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "head: s%d\n", n-1)
	for i := range n {
		fmt.Fprintf(&b, "s%d:", i)
		switch {
		case kind == "cycle":
			fmt.Fprintf(&b, " s%d", (i+n-1)%n)
		case i == 0:
		case kind == "chain":
			fmt.Fprintf(&b, " s%d", i-1)
		case kind == "star":
			b.WriteString(" s0")
		case kind == "ladder":
			fmt.Fprintf(&b, " s%d s%d", i-1, max(0, i-2))
		case kind == "merge" && i == n-1:
			for k := range i {
				fmt.Fprintf(&b, " s%d", k)
			}
		case kind == "merge":
			fmt.Fprintf(&b, " s%d", i-1)
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func TestBounds(t *testing.T) {
	n := race.Less(100_000)
	for _, kind := range []string{"chain", "star", "ladder", "merge", "cycle"} {
		d := model(hostile(kind, n))
		last := fmt.Sprint("s", n-1)
		for _, q := range []query.Question{query.Ancestors{}, query.MainLine{}, query.Branch{}, query.DeadEnds{}, query.Filter{Intent: "x"}} {
			a, err := query.Ask(query.Source{Model: d}, q, query.Selection{Step: last}, nil)
			if err != nil || len(a) != 1 {
				t.Fatalf("%s, %T: %v", kind, q, err)
			}
			if walks := a[0].Query == "ancestors" || a[0].Query == "main-line"; walks && a[0].Complete == (kind == "cycle") {
				t.Errorf("%s, %s: complete is %v", kind, a[0].Query, a[0].Complete)
			}
		}
	}
	// Documents that descend from each other in a long line, and without end.
	docs := library{}
	for i := range 1500 {
		docs[fmt.Sprint(i)] = fmt.Appendf(nil, `{"graph":{"id":"g"},"paths":[{"path":{"id":"p","head":"s","parent":{"uri":"%d","path":"p","step":"s"}},"steps":[{"step":{"id":"s"}}]}]}`, (i+1)%1500)
	}
	a, err := query.Ask(query.Source{Name: "0", Model: model(docs["0"])}, query.Ancestors{}, query.Selection{}, docs.load)
	if err != nil || len(a[0].Steps) != 1000 || a[0].Complete {
		t.Errorf("a chain of documents: %d steps, %v, %v", len(a[0].Steps), a[0].Gaps, err)
	}
}

func BenchmarkAncestors(b *testing.B) {
	d := model(hostile("ladder", 100_000))
	for b.Loop() {
		if a, err := query.Ask(query.Source{Model: d}, query.Ancestors{}, query.Selection{}, nil); err != nil || len(a[0].Steps) != 100_000 {
			b.Fatal(err)
		}
	}
}

func FuzzGlob(f *testing.F) {
	f.Add("src/**/*.[a-z]o", "src/a/b.go")
	f.Add("**/a?\\*", "x/ab*")
	f.Fuzz(func(t *testing.T, pattern, name string) {
		g, err := query.NewArtifactGlob(pattern)
		if err != nil {
			return
		}
		if !g.Match(pattern) && len(pattern) <= 1024 {
			t.Errorf("%q does not match itself", pattern)
		}
		// A pattern and a star matches whatever the pattern matches, and more.
		if more, err := query.NewArtifactGlob(pattern + "**"); err == nil && g.Match(name) && !strings.HasSuffix(pattern, "*") && name != pattern && !more.Match(name+"/x") {
			t.Errorf("%q matches %q, but with ** not %q", pattern, name, name+"/x")
		}
	})
}

// Every question has an answer for every document of the corpus, cut off anywhere.
func TestCutDocuments(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/corpus/*/*.json*")
	if len(files) == 0 {
		t.Skip("the folder shared/corpus is not here")
	}
	glob, err := query.NewArtifactGlob("**/*.rs")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; n < len(src); n += 1 + len(src)/min(max(200_000/len(src), 5), 50) {
			var d *toolpath.Document
			if strings.HasSuffix(name, "l") {
				d = toolpath.Build(jsonsrc.ParseLines(src[:n:n]), nil)
			} else {
				d = toolpath.Build(jsonsrc.Parse(src[:n:n], toolpath.Layout), nil)
			}
			for _, q := range []query.Question{query.Ancestors{}, query.MainLine{}, query.Branch{}, query.DeadEnds{Artifact: glob}, query.Filter{Artifact: glob}, query.WhoIs{Name: glob}} {
				answers, err := query.Ask(query.Source{Name: name, Model: d}, q, query.Selection{}, nil)
				if none := new(query.NoMatch); err != nil && (!errors.As(err, &none) || none.Message == "") {
					t.Fatalf("%s cut at %d: %v", name, n, err)
				}
				for _, a := range answers {
					for _, s := range a.Steps {
						s.At()
					}
				}
			}
		}
	}
}
