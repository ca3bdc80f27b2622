package analysis_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/text"
	"github.com/toolpath-ls/toolpath-ls/internal/race"
)

// large are documents that have much of one thing, by how much.
var large = map[string]func(n int) string{
	"steps": func(n int) string {
		return chain(n, func(i int) string { return fmt.Sprintf(`{"f%d.go":{"raw":"@@ -1 +1 @@\n-a\n+b\n"}}`, i%100) })
	},
	"steps of one file": func(n int) string {
		return chain(n, func(i int) string {
			if i == 0 {
				return `{"a.go":{"raw":"--- /dev/null\n+++ b/a.go\n@@ -0,0 +1,2 @@\n+a0\n+b\n"}}`
			}
			return fmt.Sprintf(`{"a.go":{"raw":"@@ -1,2 +1,2 @@\n-a%d\n+a%d\n b\n"}}`, i-1, i)
		})
	},
	"files of one step": func(n int) string {
		return chain(1, func(int) string {
			return "{" + repeated(n, func(i int) string {
				return fmt.Sprintf(`"f%d.go":{"raw":"--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n"}`, i)
			}) + "}"
		})
	},
	"renames of one step": func(n int) string {
		return chain(1, func(int) string {
			return "{" + repeated(n, func(i int) string {
				return fmt.Sprintf(`"f%d.go":{"raw":"--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a %d\n"},"g%d.go":{"raw":"@@ -1 +0,0 @@\n-a %d\n"}`, i, i, i, i)
			}) + "}"
		})
	},
	"tool calls of one step": func(n int) string {
		return chain(1, func(int) string {
			return `{"agent://x":{"structural":{"type":"conversation.append","role":"assistant","text":"","tool_uses":[` + repeated(n, func(i int) string { return fmt.Sprintf(`{"id":"t%d","result":{"is_error":true}}`, i) }) + `]}},` +
				repeated(n, func(i int) string {
					return fmt.Sprintf(`"f%d.go":{"structural":{"type":"file.write","tool_id":"t%d","after":"x"}}`, i, i)
				}) + "}"
		})
	},
	"spellings of one file": func(n int) string {
		return chain(1, func(int) string {
			return "{" + repeated(n, func(i int) string { return fmt.Sprintf(`"x%d/../f0.go":{"raw":"@@ -1 +1 @@\n-a\n+a\n"}`, i) }) + "}"
		})
	},
	"parents": func(n int) string {
		return strings.Replace(chain(2, func(int) string { return "{}" }), `"parents":["s0"]`, `"parents":[`+repeated(n, func(i int) string { return fmt.Sprintf(`"x%d"`, i) })+`,"s0"]`, 1)
	},
	"equal parents": func(n int) string {
		return strings.Replace(chain(2, func(int) string { return "{}" }), `"parents":["s0"]`, `"parents":[`+repeated(n, func(int) string { return `"s0"` })+`]`, 1)
	},
	"children": func(n int) string {
		return strings.ReplaceAll(chain(n, func(int) string { return "{}" }), `"parents":["s`, `"parents":["s0"],"x":["s`)
	},
	"equal ids": func(n int) string {
		return strings.ReplaceAll(chain(n, func(int) string { return "{}" }), `"id":"s`, `"id":"s0","x":"s`)
	},
	"cycle": func(n int) string {
		return strings.Replace(chain(n, func(int) string { return "{}" }), `"id":"s0",`, fmt.Sprintf(`"id":"s0","parents":["s%d"],`, n-1), 1)
	},
	"paths": func(n int) string {
		return `{"graph":{"id":"g"},"paths":[` + repeated(n, func(i int) string {
			return fmt.Sprintf(`{"path":{"id":"p%d","head":"s"},"steps":[{"step":{"id":"s","parents":["q"],"actor":"human:a","timestamp":"2026-01-29T10:00:00Z"},"change":{"f%d.go":{"raw":"--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n"}}}]}`, i, i%50)
		}) + `]}`
	},
	"actors": func(n int) string {
		doc := chain(n/10, func(int) string { return "{}" })
		return strings.TrimSuffix(doc, "]}]}") + `],"meta":{"actors":{` + repeated(n, func(i int) string { return fmt.Sprintf(`"human:a%d":{"name":"A"}`, i) }) + `}}}]}`
	},
	"lines of definitions": func(n int) string { return streamOf(n, `{"ActorDef":{"actor":"human:a%d","definition":{}}}`) },
	"heads":                func(n int) string { return streamOf(n, `{"Head":{"step_id":"s%d"}}`) },
}

func streamOf(n int, line string) string {
	return "{\"PathOpen\":{\"version\":\"1\",\"id\":\"p\"}}\n" + strings.ReplaceAll(repeated(n, func(i int) string { return fmt.Sprintf(line, i) }), "},{", "}\n{") + "\n" +
		`{"Step":{"step":{"id":"s","actor":"human:a0","timestamp":"2026-01-29T10:00:00Z"},"change":{}}}` + "\n"
}

func repeated(n int, item func(i int) string) string {
	var all []string
	for i := range n {
		all = append(all, item(i))
	}
	return strings.Join(all, ",")
}

// everything asks all that there is to ask about the document and one of its files.
func everything(t testing.TB, doc string) {
	uri := "file:///w/a.path.json"
	if !strings.HasPrefix(doc, `{"graph"`) {
		uri += "l"
	}
	m := &memory{}
	w := m.workspace()
	s := w.Open(uri, "", 1, doc)
	d := s.Document(uri)
	d.Symbols()
	s.Check(uri, nil)
	for i := range 20 {
		toldAt(t, s, d, i*len(doc)/20)
	}
	_, p, err := w.ProvenanceOf(t.Context(), m, "file:///w/f0.go", text.New([]byte(strings.Repeat("a\n", 1000))))
	if err != nil {
		t.Fatal(err)
	}
	p.Summary().Title()
	p.HoverLine(0)
	if _, err := w.CheckReferences(t.Context(), m, uri); err != nil {
		t.Fatal(err)
	}
}

// Much of one thing is no trouble.
func TestLargeDocuments(t *testing.T) {
	for name, make := range large {
		t.Run(name, func(t *testing.T) { everything(t, make(race.Less(2000))) })
	}
}

// The time for each thing must not grow with the number of things.
func BenchmarkLargeDocuments(b *testing.B) {
	for name, make := range large {
		for _, n := range []int{1000, 10_000} {
			b.Run(fmt.Sprintf("%s/%d", strings.ReplaceAll(name, " ", "_"), n), func(b *testing.B) {
				doc := make(n)
				for b.Loop() {
					everything(b, doc)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/thing")
			})
		}
	}
}
