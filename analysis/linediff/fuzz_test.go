package linediff

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

var fuzzSeeds = []couple{
	{nil, nil},
	{nil, []byte("a")},
	{[]byte("a\nb\nc\n"), []byte("a\nc\nb")},
	{[]byte("\n\n\n"), []byte("\n\n")},
	{[]byte("a\r\n\x00\xff"), []byte("a\n\x00\xff\n")},
	{[]byte("if {\n\tx\n}\n"), []byte("if {\n\tx\n}\nif {\n\tx\n}\n")},
}

// FuzzBytes holds the promises of Hunk for any text, and all three ways to call
// the package to one answer.
func FuzzBytes(f *testing.F) {
	for _, seed := range fuzzSeeds {
		f.Add(seed.old, seed.new)
	}
	f.Fuzz(func(t *testing.T, old, new []byte) {
		oldLines, newLines := Split(old), Split(new)
		ids := map[string]uint32{}
		exact := func(line []byte) string { return string(line) }
		oldText, newText := numbered(oldLines, ids, exact), numbered(newLines, ids, exact)
		for _, command := range commands {
			hunks := Bytes(old, new, command.options)
			check(t, oldLines, newLines, hunks)
			for _, scale := range []uint32{1, 1 << 20} { // dense and sparse numbers
				got := Numbered(scaled(oldText, scale), scaled(newText, scale), command.options)
				if !slices.Equal(got, hunks) {
					t.Fatalf("%s: numbered by %d: %v, by bytes: %v", command.name, scale, got, hunks)
				}
			}
		}
	})
}

func scaled(text Text, scale uint32) Text {
	ids := make([]uint32, len(text.IDs))
	for i, id := range text.IDs {
		ids[i] = id * scale
	}
	return Text{ids, text.Line}
}

// FuzzAgreesWithGit reads each byte as a line, so that few bytes make texts
// with much in common.
func FuzzAgreesWithGit(f *testing.F) {
	f.Add([]byte("abcabc"), []byte("abcxabc"), false)
	f.Add([]byte("aaabbb"), []byte("ababab"), true)
	f.Add([]byte("\x10\x21\x21\x10"), []byte("\x10\x21\x21\x10\x21\x21\x10"), true)
	words := []string{"a\n", "b\n", "c\n", "}\n", "\n", "\ta\n", "\tb\n", "\t}\n", "\t\ta\n", " b\n", "    a\n", "\t\n", "\r\n", "a\r\n", "\f\n", "\v}\n"}
	text := func(bytes []byte) []byte {
		var b []byte
		for _, c := range bytes {
			b = append(b, words[int(c)%len(words)]...)
		}
		return b
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, o, n []byte, indent bool) {
		c := couple{text(o), text(n)}
		work := filepath.Join(dir, "couple")
		writeCouples(t, work, []couple{c})
		defer os.RemoveAll(work)
		command := commands[2]
		if indent {
			command = commands[3]
		}
		want := gitHunks(t, work, 1, command.git...)[0]
		if got := Bytes(c.old, c.new, command.options); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, git %v for\n%q\n%q", command.name, got, want, c.old, c.new)
		}
	})
}
