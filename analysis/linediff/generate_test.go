package linediff

import (
	"bytes"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/internal/gosource"
)

// sources are files of the Go standard library of up to limit bytes.
func sources(t testing.TB, limit int64) [][]byte {
	t.Helper()
	var files [][]byte
	root := gosource.Root(t)
	for _, folder := range []string{"go", "net", "encoding", "text", "strings", "sort", "os"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
				return err
			}
			if stat, err := entry.Info(); err != nil || stat.Size() > limit {
				return err
			}
			content, err := os.ReadFile(path)
			files = append(files, content)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// generator makes couples; the same seed makes the same ones.
type generator struct {
	*rand.Rand
	sources [][]byte
}

// couples makes n couples, of each kind in turn.
func (g generator) couples(n int) []couple {
	kinds := []func() couple{
		g.editedSource, g.editedSource, g.fewWords, g.fewWords, g.blocks,
		g.editedSource, g.unrelated, g.frequentLines, g.manyEdits, g.bytes, g.indents,
	}
	result := make([]couple, n)
	for i := range result {
		result[i] = kinds[i%len(kinds)]()
	}
	return result
}

func (g generator) source() []byte { return g.sources[g.IntN(len(g.sources))] }

// editedSource is a Go file and the same file after some edits of all kinds.
func (g generator) editedSource() couple {
	old := Split(g.source())
	return g.edited(old, 1+g.IntN(1+g.IntN(30)))
}

// manyEdits is enough edits to reach the limits of the search.
func (g generator) manyEdits() couple {
	old := Split(g.source())
	for range 3 {
		old = append(old, Split(g.source())...)
	}
	return g.edited(old, 50+g.IntN(600))
}

func (g generator) edited(old [][]byte, edits int) couple {
	next := slices.Clone(old)
	for range edits {
		next = g.edit(next, old)
	}
	return g.ends(bytes.Join(old, nil), bytes.Join(next, nil))
}

// edit changes one place of lines; pool is where inserted lines come from.
func (g generator) edit(lines, pool [][]byte) [][]byte {
	if len(lines) == 0 || len(pool) == 0 {
		return lines
	}
	start := g.IntN(len(lines))
	end := min(len(lines), start+1+g.IntN(1+g.IntN(25)))
	block := slices.Clone(lines[start:end])
	from := g.IntN(len(pool))
	foreign := slices.Clone(pool[from:min(len(pool), from+1+g.IntN(12))])
	at := g.IntN(len(lines) + 1)
	switch g.IntN(10) {
	case 0:
		return slices.Delete(lines, start, end)
	case 1:
		return slices.Insert(lines, end, block...) // repeated in place
	case 2:
		return slices.Insert(lines, at, block...)
	case 3:
		return slices.Insert(lines, at, foreign...)
	case 4:
		return slices.Replace(lines, start, end, foreign...)
	case 5:
		for i := start; i < end; i++ {
			lines[i] = slices.Concat([]byte("\t"), lines[i])
		}
	case 6:
		lines = slices.Delete(lines, start, end)
		return slices.Insert(lines, g.IntN(len(lines)+1), block...) // moved
	case 7:
		return slices.Insert(lines, at, slices.Repeat([][]byte{[]byte("\n")}, 1+g.IntN(3))...)
	case 8:
		lines[start] = slices.Concat(bytes.TrimSuffix(lines[start], newline), []byte(" // x\n"))
	case 9:
		return slices.Insert(lines, at, []byte("}\n"), []byte("\n"))
	}
	return lines
}

// ends takes the last newline away now and then.
func (g generator) ends(old, new []byte) couple {
	if g.IntN(20) == 0 {
		old = bytes.TrimSuffix(old, newline)
	}
	if g.IntN(20) == 0 {
		new = bytes.TrimSuffix(new, newline)
	}
	return couple{old, new}
}

// fewWords is short texts of a handful of different lines: many answers are
// equally short, and groups slide far.
func (g generator) fewWords() couple {
	words := []string{"a\n", "b\n", "\n", "}\n", "\ta\n", "\t}\n", "\t\tb\n", "  a\n", "\r\n", "\f\n", " \v\n", "\t \n", "c\r\n"}
	g.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	words = words[:1+g.IntN(len(words))]
	old := g.sentence(words, g.IntN(60))
	if g.IntN(2) == 0 {
		return g.ends(bytes.Join(old, nil), bytes.Join(g.sentence(words, g.IntN(60)), nil))
	}
	return g.edited(old, 1+g.IntN(6))
}

func (g generator) sentence(words []string, n int) [][]byte {
	lines := make([][]byte, n)
	for i := range lines {
		lines[i] = []byte(words[g.IntN(len(words))])
	}
	return lines
}

// blocks repeats small functions with blank lines between them.
func (g generator) blocks() couple {
	var old [][]byte
	for range 2 + g.IntN(40) {
		old = append(old, []byte("func f() {\n"))
		for range g.IntN(4) {
			old = append(old, []byte(strings.Repeat("\t", 1+g.IntN(2))+string(rune('a'+g.IntN(4)))+"\n"))
		}
		old = append(old, []byte("}\n"))
		for range g.IntN(3) * g.IntN(15) {
			old = append(old, []byte("\n"))
		}
	}
	return g.edited(old, 1+g.IntN(10))
}

// indents is a text and the same with a part repeated, of lines that differ in
// little but their indent: the repetition can be taken to start at many of them.
func (g generator) indents() couple {
	base, spread := 0, 1+g.IntN(20)
	if g.IntN(10) == 0 {
		base = maxIndent - 10
	}
	words := make([]string, 1+g.IntN(8))
	for i := range words {
		ink := []string{"a", "a", "}", ""}[g.IntN(4)]
		words[i] = strings.Repeat("\t", g.IntN(3)*g.IntN(2)) + strings.Repeat(" ", base+g.IntN(spread)) + ink + "\n"
	}
	part := g.sentence(words, 1+g.IntN(10))
	if g.IntN(10) == 0 {
		part = g.sentence(words, maxSlide-5+g.IntN(30))
	}
	before, after := g.sentence(words, g.IntN(20)), g.sentence(words, g.IntN(3)*g.IntN(20))
	once := slices.Concat(before, part, after)
	twice := slices.Concat(before, part, part, after)
	if g.IntN(2) == 0 {
		once, twice = twice, once
	}
	return couple{bytes.Join(once, nil), bytes.Join(twice, nil)}
}

// unrelated is two different Go files.
func (g generator) unrelated() couple { return g.ends(g.source(), g.source()) }

// frequentLines is long texts with some lines that are everywhere and some that
// the other side lacks.
func (g generator) frequentLines() couple {
	size, rare := 1+g.IntN(3000), 1+g.IntN(2000)
	text := func() []byte {
		var b bytes.Buffer
		run := 0
		for range size {
			if run == 0 {
				run = 1 + g.IntN(40)
			}
			if run--; run > 3+g.IntN(6) {
				b.WriteString(strings.Repeat("x", g.IntN(3)))
				b.WriteString(string(rune('0' + g.IntN(10))))
				b.WriteString("\n")
				continue
			}
			b.WriteString("r" + strings.Repeat("y", g.IntN(4)))
			b.WriteString(string(rune(0x4e00+g.IntN(rare))) + "\n")
		}
		return b.Bytes()
	}
	return g.ends(text(), text())
}

// bytes is texts of arbitrary bytes, some long enough to have a dropped tail.
func (g generator) bytes() couple {
	old := make([]byte, g.IntN(6000))
	alphabet := 1 + g.IntN(256)
	for i := range old {
		old[i] = byte(g.IntN(alphabet))
		if g.IntN(30) == 0 {
			old[i] = '\n'
		}
	}
	next := slices.Clone(old)
	for range g.IntN(8) {
		if len(next) == 0 {
			break
		}
		at := g.IntN(len(next))
		switch g.IntN(3) {
		case 0:
			next[at] = '\n'
		case 1:
			next = slices.Insert(next, at, byte(g.IntN(alphabet)))
		case 2:
			next = slices.Delete(next, at, min(len(next), at+1+g.IntN(200)))
		}
	}
	return couple{old, next}
}
