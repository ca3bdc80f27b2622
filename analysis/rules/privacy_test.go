package rules

import (
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// What a finder finds lies in the text, whatever the text is.
func FuzzPrivatePlaces(f *testing.F) {
	for _, s := range []string{"/home/a", `C:\Users\b\c`, "d:/Users/x /Users/y", "ghp_" + strings.Repeat("a", 40), "-----BEGIN PRIVATE KEY-----", "-----BEGIN ", "AKIA"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, find := range []finder{homes, secrets} {
			if len(find.in(text)) > 0 && !find.mayBeIn([]byte(text)) {
				t.Fatalf("%q has none of the words", text)
			}
			for _, p := range find.in(text) {
				if p.start < 0 || p.start >= p.end || p.end > len(text) {
					t.Fatalf("%q: found %d to %d", text, p.start, p.end)
				}
			}
		}
	})
}

func BenchmarkPrivatePlaces(b *testing.B) {
	src := session(85_000)
	tree := jsonsrc.Parse([]byte(src), toolpath.Layout)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		for _, find := range []finder{homes, secrets} {
			for i := range tree.NumChunks() {
				eachPrivate(tree.Chunk(i), find, func(int, int, string, string) {})
			}
		}
	}
}
