package rules

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/text"
)

// session returns a pretty document of n steps in a chain.
func session(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "{\n  \"graph\": {\n    \"id\": \"g\"\n  },\n  \"paths\": [\n    {\n      \"path\": {\n        \"id\": \"p\",\n        \"head\": \"s%d\"\n      },\n      \"steps\": [\n", n)
	for i := 1; i <= n; i++ {
		if i > 1 {
			b.WriteString(",\n")
		}
		parents := ""
		if i > 1 {
			parents = fmt.Sprintf("\n            \"parents\": [\n              \"s%d\"\n            ],", i-1)
		}
		fmt.Fprintf(&b, `        {
          "step": {
            "id": "s%d",%s
            "actor": "human:alex",
            "timestamp": "2026-01-29T10:00:00Z"
          },
          "change": {
            "src/f%d.rs": {
              "raw": "@@ -1,1 +1,1 @@\n-x\n+y"
            }
          }
        }`, i, parents, i%97)
	}
	b.WriteString("\n      ]\n    }\n  ],\n  \"meta\": {\n    \"actors\": {\n      \"human:alex\": {\n        \"name\": \"Alex\"\n      }\n    }\n  }\n}\n")
	return b.String()
}

const uri = "file:///w/a.path.json"

func newWorkspace() *analysis.Workspace {
	return analysis.NewWorkspace(&analysis.Options{Rules: All(), MaxFileSize: analysis.DefaultMaxFileSize}, nil)
}

func BenchmarkOpen(b *testing.B) {
	src := session(85_000)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		s := newWorkspace().Open(uri, "json", 1, src)
		if found := s.Check(uri, nil); len(found) > 0 {
			b.Fatal(found[0])
		}
	}
}

func BenchmarkKeystroke(b *testing.B) {
	src := session(85_000)
	w := newWorkspace()
	s := w.Open(uri, "json", 1, src)
	s.Check(uri, nil)
	line := bytes.Count([]byte(src[:len(src)/2]), []byte("\n"))
	for !strings.Contains(string(s.Document(uri).Text.Bytes()[s.Document(uri).Text.LineStart(line):s.Document(uri).Text.LineEnd(line)]), "actor") {
		line++
	}
	at := strings.Index(src[s.Document(uri).Text.LineStart(line):], "human:") + len("human")
	b.SetBytes(int64(len(src)))
	b.ResetTimer()
	for i := 0; b.Loop(); i++ {
		r := text.Range{Start: text.Pos{Line: line, Column: at}, End: text.Pos{Line: line, Column: at + 1}}
		s, err := w.Change(uri, int32(i), text.UTF16, []text.Change{{Range: &r, Text: []string{"!", ":"}[i%2]}})
		if err != nil {
			b.Fatal(err)
		}
		if found := s.Check(uri, nil); len(found) != 1-i%2 {
			b.Fatal(found)
		}
	}
}
