package analysis_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/text"
	"github.com/toolpath-ls/toolpath-ls/internal/race"
)

// told is all that is said about a document, in words, to compare two of them.
func told(t testing.TB, s *analysis.Snapshot, uri string) string {
	t.Helper()
	d := s.Document(uri)
	var b strings.Builder
	for _, f := range s.Check(uri, nil) {
		if f.Start < 0 || f.End < f.Start || f.End > d.Text.Len() {
			t.Fatalf("%s at %d to %d of %d", f.Rule.ID, f.Start, f.End, d.Text.Len())
		}
		fmt.Fprintf(&b, "%d-%d %s %s %v\n", f.Start, f.End, f.Rule.ID, f.Message, len(f.Related))
	}
	nested(t, d, d.Symbols(), 0, d.Text.Len())
	b.WriteString(outline(d, d.Symbols(), ""))
	stride := max(1, d.Text.Len()/400)
	for off := 0; off <= d.Text.Len(); off += stride {
		b.WriteString(toldAt(t, s, d, off))
	}
	return b.String()
}

// maxHoverLines bounds what a hover says of a place in a Toolpath document.
const maxHoverLines = 12

func toldAt(t testing.TB, s *analysis.Snapshot, d *analysis.Document, off int) string {
	t.Helper()
	var b strings.Builder
	if h, _ := s.Hover(d, off, present); h != nil {
		if n := strings.Count(h.Prose.Plain(), "\n") + 1; n > maxHoverLines {
			t.Fatalf("a hover of %d lines:\n%s", n, h.Prose.Plain())
		}
		fmt.Fprintf(&b, "%d hover %d-%d %s\n", off, h.Start, h.End, h.Prose.Markdown())
	}
	origin, targets, _ := s.Definition(d, off)
	for _, l := range targets {
		fmt.Fprintf(&b, "%d-%d to %s %d-%d\n", origin.Start(), origin.End(), l.Path, l.Start, l.End)
	}
	if l, ok := d.ParentStep(off); ok {
		fmt.Fprintf(&b, "parent %d\n", l.Start)
	}
	if l, ok := d.HeadStep(off); ok {
		fmt.Fprintf(&b, "head %d\n", l.Start)
	}
	for _, l := range d.ChildSteps(off) {
		fmt.Fprintf(&b, "child %d\n", l.Start)
	}
	return b.String()
}

// nested holds an outline to what LSP asks of it: names lie within their symbols, and
// these within the symbols around them.
func nested(t testing.TB, d *analysis.Document, symbols []analysis.Symbol, from, to int) {
	t.Helper()
	for _, s := range symbols {
		if s.Start < from || s.End > to || s.NameStart < s.Start || s.NameEnd > s.End || s.Name == "" {
			t.Fatalf("the symbol %q of %d-%d, named at %d-%d, within %d-%d of\n%s", s.Name, s.Start, s.End, s.NameStart, s.NameEnd, from, to, d.Text.Bytes())
		}
		nested(t, d, s.Children, s.Start, s.End)
	}
}

// scraps are put into documents at random: what makes and breaks them.
var scraps = []string{
	`"`, `{`, `}`, `[`, `]`, `,`, `:`, "\n", `\`, `"parents": ["s1", "s2"], `, `"head": "s1"`, `{"step": {"id": "s1"}}, `,
	`"steps": [], `, `"steps": {}`, `"paths": [], `, `"meta": {"actors": {"human:alex": {}}}, `, `null`, `"s2"`, "é", "𐐀", "\r\n", `"change": {"a.go": {}}`,
	"{\"Head\": {\"step_id\": \"s1\"}}\n", "{\"PathOpen\": {}}\n", "{\"Step\": {}}\n", "{\"Signature\": {\"target\": \"step:s1\"}}\n",
}

func randomChange(r *rand.Rand, t *text.Text) []text.Change {
	var changes []text.Change
	for range 1 + r.IntN(2) {
		start := r.IntN(t.Len() + 1)
		end := min(t.Len(), start+r.IntN(1+r.IntN(40)))
		piece := ""
		if r.IntN(3) > 0 {
			piece = scraps[r.IntN(len(scraps))]
		}
		changes = append(changes, text.Change{Range: &text.Range{Start: t.Pos(start, text.UTF8), End: t.Pos(end, text.UTF8)}, Text: piece})
		t, _ = t.Apply(changes[len(changes)-1:], text.UTF8)
	}
	return changes
}

func seeds(t testing.TB) map[string]string {
	n := parseNotation(t, `
path p head=s3 base=abc title=T
actor human:alex Alex
step s1 human:alex 10:00 One
file a.go
@@ -1 +1,2 @@
 a
+b
step s2 agent:x 10:05 Two
write b.go tool=Write op=add id=1
|b
step s2a agent:y 10:06 <s1 Dead
step s3 human:bob 10:07 <s2,s1 Three
`)
	many := chain(40, func(int) string { return `{"a.go": {"raw": "@@ -1 +1 @@\n-a\n+b\n"}}` })
	all := map[string]string{"a.path.json": n.canonical(), "b.path.jsonl": n.stream(), "c.path.json": many, "d.json": many}
	path := strings.TrimSuffix(strings.TrimSpace(many[strings.Index(many, `{"path"`):]), "]}")
	step := `{"step": {"id": "s1", "actor": "human:a"}, "change": {"a.go": {"raw": "@@ -1 +1 @@\n-a\n+b"}}}`
	all["e.path.json"], all["f.path.json"], all["g.path.json"] = `{"Graph": `+many+`}`, path, `{"Path": `+path+`}`
	all["h.path.json"], all["i.path.json"] = step, `{"Step": `+step+`}`
	return all
}

// A document that was edited any number of times says what one says that was opened as it
// is now.
func TestEditedDocumentEqualsFreshOne(t *testing.T) {
	rounds := race.Less(60)
	if testing.Short() {
		rounds = 10
	}
	for name, content := range seeds(t) {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			for range 6 {
				uri := "file:///w/" + name
				w := (&memory{}).workspace()
				s := w.Open(uri, "", 1, content)
				for i := range rounds {
					var err error
					if s, err = w.Change(uri, int32(i), text.UTF8, randomChange(r, s.Document(uri).Text)); err != nil {
						t.Fatal(err)
					}
					if r.IntN(3) == 0 {
						continue // some versions are never looked at
					}
					fresh := (&memory{}).workspace().Open(uri, "", 1, string(s.Document(uri).Text.Bytes()))
					if got, want := told(t, s, uri), told(t, fresh, uri); got != want {
						t.Fatalf("round %d: after edits\n%s\nbut fresh\n%s\nof\n%s", i, got, want, s.Document(uri).Text.Bytes())
					}
				}
			}
		})
	}
}

// So it is with a large document, of which an edit within a step copies and parses that step alone.
func TestEditedLargeDocumentEqualsFreshOne(t *testing.T) {
	pad := strings.Repeat(" ", 300<<10)
	for name, content := range seeds(t) {
		if !strings.Contains(content, "Dead") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			padded := strings.Replace(content, "{", "{"+pad, 1)
			if strings.HasSuffix(name, "l") {
				padded = strings.Replace(content, "\n", pad+"\n", 1)
			}
			inParts := 0
			for seed := range uint64(6) {
				r := rand.New(rand.NewPCG(11, seed))
				uri := "file:///w/" + name
				w := (&memory{}).workspace()
				s := w.Open(uri, "", 1, padded)
				told(t, s, uri)
				now := padded
				for i := range 25 {
					before := s.Document(uri).Text
					at := strings.Index(now, pad[:1000])
					at = (at + len(pad) + r.IntN(before.Len()-len(pad))) % (before.Len() + 1) // not in what is padded
					end := min(before.Len(), at+r.IntN(2))
					piece := []string{"x", "", "s2", "yy"}[r.IntN(4)]
					if r.IntN(5) == 0 {
						piece = scraps[r.IntN(len(scraps))]
					}
					changes := []text.Change{{Range: &text.Range{Start: before.Pos(at, text.UTF8), End: before.Pos(end, text.UTF8)}, Text: piece}}
					var err error
					if s, err = w.Change(uri, int32(i), text.UTF8, changes); err != nil {
						t.Fatal(err)
					}
					now = now[:at] + piece + now[end:]
					d := s.Document(uri)
					if r.IntN(3) == 0 {
						continue // some versions are never looked at
					}
					got := told(t, s, uri)
					if d.Text.InParts() {
						inParts++
					}
					fresh := (&memory{}).workspace().Open(uri, "", 1, now)
					if want := told(t, fresh, uri); got != want {
						t.Fatalf("seed %d, round %d: after edits\n%s\nbut fresh\n%s", seed, i, got, want)
					}
					if r.IntN(2) == 0 { // mend it, so that most edits are of a sound document
						s, now = w.Open(uri, "", 1, padded), padded
						told(t, s, uri)
					}
				}
			}
			if inParts < 10 {
				t.Errorf("the text stayed in parts %d times", inParts)
			}
		})
	}
}

// What a keystroke and a hover take does not grow with the text but for the marks of its lines.
func TestAKeystrokeInALargeDocumentTakesLittleMemory(t *testing.T) {
	const uri = "file:///w/a.path.json"
	content := chain(30_000, func(int) string { return `{"a.go": {"raw": "@@ -1 +1 @@\n-a\n+b\n"}}` })
	w := (&memory{}).workspace()
	s := w.Open(uri, "", 1, content)
	at := strings.Index(content, `"s15000"`)
	s.Check(uri, nil)
	var before, after runtime.MemStats
	const keys = 50
	runtime.ReadMemStats(&before)
	for i := range keys {
		pos := s.Document(uri).Text.Pos(strings.Index(content, `"human:`)+2, text.UTF8)
		var err error
		if s, err = w.Change(uri, int32(i), text.UTF8, []text.Change{{Range: &text.Range{Start: pos, End: pos}, Text: "u"}}); err != nil {
			t.Fatal(err)
		}
		if h, _ := s.Hover(s.Document(uri), at+i+2, present); h == nil {
			t.Fatal("no hover")
		}
	}
	runtime.ReadMemStats(&after)
	if each := int(after.TotalAlloc-before.TotalAlloc) / keys; each > len(content)/20 {
		t.Errorf("%d bytes for each key in a document of %d", each, len(content))
	}
}

// A document that was read while it arrived says what one says that was there at once.
func TestDocumentOpenedFromADraftEqualsFreshOne(t *testing.T) {
	reused, times := 0, max(5, race.Less(25))
	for name, content := range seeds(t) {
		if name == "d.json" { // what it is, only the whole tells
			continue
		}
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, 4))
			uri := "file:///w/" + name
			for range times {
				w := (&memory{}).workspace()
				s := w.Open(uri, "", 1, content)
				for range r.IntN(4) {
					s, _ = w.Change(uri, 2, text.UTF8, randomChange(r, s.Document(uri).Text))
				}
				arriving := string(s.Document(uri).Text.Bytes())
				w = (&memory{}).workspace()
				draft := w.Draft(uri, "")
				for n := 0; n < len(arriving); n += 1 + r.IntN(len(arriving)/3+1) {
					if part := draft.More([]byte(arriving[:n])); r.IntN(3) > 0 {
						draft.Read(part, func() bool { return false })
					}
				}
				s = w.OpenDraft(draft, uri, "", 1, arriving)
				fresh := (&memory{}).workspace().Open(uri, "", 1, arriving)
				if got, want := told(t, s, uri), told(t, fresh, uri); got != want {
					t.Fatalf("from a draft\n%s\nbut fresh\n%s\nof\n%s", got, want, arriving)
				}
				reused += s.Document(uri).Tree().Reused()
			}
		})
	}
	if reused < 20*times {
		t.Errorf("only %d steps were taken over", reused)
	}
}

// FuzzDocument asks everything at every place of whatever text, and again after an edit:
// nothing fails, all spans lie in the text, and the edited document equals a fresh one.
func FuzzDocument(f *testing.F) {
	for name, content := range seeds(f) {
		f.Add(content, name, uint64(7))
	}
	f.Add(`{"graph":{},"paths":[{"steps":[{}],"steps":[]}],"paths":[{"path":{},"steps":[{"step":{"id":"a","parents":["a"],"parents":["b"]}}]}]}`, "a.path.json", uint64(1))
	f.Add(`{"graph":{},"paths":[{"steps":[1,{"step":[]}]},{"steps":{"a":{}}},7]}`, "a.path.json", uint64(2))
	f.Add("{\"Step\":{\"step\":{\"id\":\"a\"}},\"Step\":{}}\n{\"Head\":{\"step_id\":\"a\"}}\n\n[]", "a.path.jsonl", uint64(3))
	f.Add("{\"graph\":{},\"paths\":[{\"steps\":[{\"a\":\"b\nc\"},{\"step\":{\"id\":\"a\n}},{\"step\":{\"id\":\"b\"}}]}]}", "a.path.json", uint64(4))
	f.Add("{\"Step\":{\"step\":{\"id\":\"a\nb\"}}}\n{\"Step\":{\"step\":{\"id\":\"c\n{\"Head\":{\"step_id\":\"a\"}}\n", "a.path.jsonl", uint64(5))
	f.Fuzz(func(t *testing.T, content, name string, seed uint64) {
		if len(content) > 20_000 {
			return
		}
		uri := "file:///w/a.path.json"
		if strings.HasSuffix(name, "l") {
			uri += "l"
		}
		w := (&memory{}).workspace()
		s := w.Open(uri, "", 1, content)
		for off := range min(len(content), 3000) {
			toldAt(t, s, s.Document(uri), off)
		}
		told(t, s, uri)
		m := &memory{files: map[string]string{}}
		w.ProvenanceOf(t.Context(), m, "file:///w/a.go", text.New([]byte("a\nb\n")))
		w.CheckReferences(t.Context(), m, uri)
		s, _ = w.Change(uri, 2, text.UTF8, randomChange(rand.New(rand.NewPCG(seed, 1)), s.Document(uri).Text))
		fresh := (&memory{}).workspace().Open(uri, "", 1, string(s.Document(uri).Text.Bytes()))
		if got, want := told(t, s, uri), told(t, fresh, uri); got != want {
			t.Fatalf("after an edit\n%s\nbut fresh\n%s", got, want)
		}
	})
}

// Questions come while edits stream in: under the race detector, and each answer is about
// the snapshot that was asked.
func TestQuestionsDuringEdits(t *testing.T) {
	doc, source := "file:///w/a.path.json", "file:///w/a.go"
	m := &memory{objects: map[[2]string]string{{"abc", "a.go"}: "a\n"}}
	w := m.workspace()
	w.Open(doc, "", 0, seeds(t)["a.path.json"])
	w.Open(source, "go", 0, "a\nb\n")
	var all sync.WaitGroup
	all.Go(func() {
		r := rand.New(rand.NewPCG(3, 4))
		for i := range 60 {
			uri := []string{doc, source}[i%2]
			if _, err := w.Change(uri, int32(i), text.UTF8, randomChange(r, w.Snapshot().Document(uri).Text)); err != nil {
				t.Error(err)
			}
			if i%10 == 0 {
				w.Add("/w/b.path.json", []byte(seeds(t)["a.path.json"]))
				w.Open(doc, "", int32(i), seeds(t)["a.path.json"])
				w.Forget()
			}
		}
	})
	for range 3 {
		all.Go(func() {
			for range 30 {
				s := w.Snapshot()
				told(t, s, doc)
				asked := s.Document(source)
				_, p, err := w.ProvenanceOf(t.Context(), m, source, asked.Text)
				if err != nil || p.Text != asked.Text || p.Len() < strings.Count(string(asked.Text.Bytes()), "\n") {
					t.Errorf("%v: %d lines", err, p.Len())
					return
				}
				for i := range p.Len() {
					if prose := p.HoverLine(i); prose != nil && strings.Count(prose.Plain(), "\n") > 5 {
						t.Errorf("a hover of many lines:\n%s", prose.Plain())
					}
				}
				p.Summary().Title()
				if _, err := w.CheckReferences(t.Context(), m, doc); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}
