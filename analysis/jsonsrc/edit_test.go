package jsonsrc

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/text"
)

// editedTree is a text and its tree after an edit, as a document makes it.
func editedTree(prev *Tree, now *text.Text, e text.Edit, lines bool) (t *Tree, alone bool) {
	if t, ok := prev.Edited(now, e); ok {
		return t, true
	}
	if lines {
		return ReparseLines(prev, now.Bytes(), e), false
	}
	return Reparse(prev, now.Bytes(), e, steps), false
}

// large returns a text that is in parts once it was edited: a few steps amid many.
func large(lines bool) string {
	many := strings.Repeat(`{"step":{"id":"n"},"meta":"`+strings.Repeat("x", 500)+"\"},\n", 600)
	if lines {
		many = strings.ReplaceAll(many, ",\n", "\n")
		return many + "\n" + strings.ReplaceAll(sample, ",\n ", "\n") + many
	}
	return strings.Replace(sample, `"steps":[`, `"steps":[`+many, 1) + " "
}

func TestEditedEqualsParse(t *testing.T) {
	bits := []string{`"`, `{`, `}`, `[`, `]`, `,`, `:`, "\n", `{"step":{"id":"n"}},`, `x`, "y", "zz", ` `, `\n`, `\`, `/*`, "1", "", ""}
	for _, lines := range []bool{false, true} {
		t.Run(fmt.Sprint("lines ", lines), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(9, 10))
			parse := func(src []byte) *Tree {
				if lines {
					return ParseLines(src)
				}
				return Parse(src, steps)
			}
			alone := 0
			for range 8 {
				now := text.New([]byte(large(lines)))
				tree := parse(now.Bytes())
				want := bytes.Clone(now.Bytes())
				pending := text.Edit{}
				var undo func() (start, end int, repl string) // of an edit that made a fault
				for round := range 30 {
					from := max(0, bytes.Index(want, []byte("s1")))
					start := max(0, from+rng.IntN(220)-40)
					if k := rng.IntN(12); k == 0 {
						start = rng.IntN(len(want) + 1)
					} else if k < 4 {
						start = from + rng.IntN(3) // within a string
					}
					start = min(start, len(want))
					end := min(len(want), start+rng.IntN(2)*rng.IntN(6))
					repl := bits[rng.IntN(len(bits))]
					if undo != nil && rng.IntN(4) > 0 {
						start, end, repl = undo()
					}
					gone := string(want[start:end])
					now = now.Splice(start, end, repl)
					want = append(append(append([]byte{}, want[:start]...), repl...), want[end:]...)
					e := text.Edit{Start: start, OldEnd: end, NewEnd: start + len(repl)}
					if pending != (text.Edit{}) {
						e = pending.Then(e)
					}
					if undo == nil && rng.IntN(5) == 0 { // the next edit comes before anybody asks
						pending = e
						continue
					}
					pending = text.Edit{}
					var ok bool
					if tree, ok = editedTree(tree, now, e, lines); ok {
						alone++
					}
					fresh := parse(want)
					if diff := equal(tree, fresh); diff != "" {
						t.Fatalf("round %d, %v, alone %v:\n%s", round, e, ok, diff)
					}
					if undo = nil; faults(fresh) != "" {
						undo = func() (int, int, string) { return start, start + len(repl), gone }
					}
					if !bytes.Equal(tree.Source(), want) && rng.IntN(4) == 0 || tree.EndsWith("\n") != fresh.EndsWith("\n") {
						t.Fatalf("round %d, %v: the tree is of another text", round, e)
					}
				}
			}
			if alone < 10 {
				t.Errorf("%d of the edits were within one chunk", alone)
			}
		})
	}
}

// What an edit within a step costs beside the step does not grow with the text: nothing asks
// for all of it.
func TestAnEditWithinAStepDoesNotJoinTheText(t *testing.T) {
	for _, lines := range []bool{false, true} {
		src := large(lines)
		now := text.New([]byte(src))
		tree := Parse(now.Bytes(), steps)
		if lines {
			tree = ParseLines(now.Bytes())
		}
		for i := range 200 {
			at := strings.Index(src, `"s1"`) + 1
			e := text.Edit{Start: at, OldEnd: at + i%2, NewEnd: at + 1}
			now = now.Splice(e.Start, e.OldEnd, "x")
			next, ok := tree.Edited(now, e)
			if !ok || next.Reused() != tree.NumChunks()-1 || !now.InParts() {
				t.Fatalf("lines %v, edit %d: alone %v, in parts %v", lines, i, ok, now.InParts())
			}
			tree = next
			if id := tree.Chunk(tree.ChunkIndex(at)); !lines && !strings.HasPrefix(id.Get("step").Get("id").Text(), "x") {
				t.Fatalf("edit %d: the id reads %q", i, id.Get("step").Get("id").Text())
			}
			if !lines && tree.Root().Get("graph").Get("id").Text() != "g" {
				t.Fatal("the skeleton cannot be read")
			}
			if !now.InParts() {
				t.Fatal("to read a field joined the text")
			}
		}
	}
}

// Edits of one chunk after the other, and of all of them again.
func TestEditsOfManyChunks(t *testing.T) {
	for _, lines := range []bool{false, true} {
		src := []byte(large(lines))
		now := text.New(src)
		tree := Parse(now.Bytes(), steps)
		if lines {
			tree = ParseLines(now.Bytes())
		}
		const n = 300 // chunks
		first := tree
		for i := range 2 * n {
			chunk := (i*7 + 1) % n
			before := tree
			c := tree.ChunkAt(chunk)
			at := c.Off + bytes.Index(tree.ChunkBytes(chunk), []byte(`"id":"`)) + len(`"id":"`)
			e := text.Edit{Start: at, OldEnd: at + i/n, NewEnd: at + 3}
			now = now.Splice(e.Start, e.OldEnd, "xyz")
			var ok bool
			if tree, ok = tree.Edited(now, e); !ok {
				t.Fatalf("lines %v, edit %d: not within a chunk", lines, i)
			}
			if changed, ok := tree.ChangedSince(before); ok && (len(changed) != 1 || changed[0] != chunk) || !ok && i < maxEdited {
				t.Fatalf("lines %v, edit %d of chunk %d: changed %v, %v", lines, i, chunk, changed, ok)
			}
			if changed, ok := tree.ChangedSince(first); ok && len(changed) != min(i+1, n) {
				t.Fatalf("lines %v, edit %d: %d chunks are not the first ones", lines, i, len(changed))
			}
			if i%40 != 0 {
				continue
			}
			want := Parse(now.Splice(0, 0, "").Bytes(), steps)
			if lines {
				want = ParseLines(now.Splice(0, 0, "").Bytes())
			}
			if diff := equal(tree, want); diff != "" {
				t.Fatalf("lines %v, edit %d:\n%s", lines, i, diff)
			}
		}
		if !bytes.Equal(src, []byte(large(lines))) {
			t.Error("the first text was written to")
		}
	}
}

// FuzzEdited has Parse as its judge.
func FuzzEdited(f *testing.F) {
	f.Add([]byte(sample), uint16(100), uint16(3), "x", uint16(101), uint16(0), `"`)
	f.Add([]byte(sample), uint16(90), uint16(0), "\n", uint16(300), uint16(5), "")
	pad := strings.Repeat(" ", 300<<10) // makes the text large
	f.Fuzz(func(t *testing.T, src []byte, at, n uint16, repl string, at2, n2 uint16, repl2 string) {
		if len(src) > 1<<12 || len(repl)+len(repl2) > 1<<12 {
			return
		}
		for _, lines := range []bool{false, true} {
			now := text.New([]byte(string(src) + pad))
			tree := Parse(now.Bytes(), steps)
			if lines {
				now = text.New([]byte(string(src) + "\n" + pad))
				tree = ParseLines(now.Bytes())
			}
			for _, c := range []struct {
				at, n int
				repl  string
			}{{int(at), int(n), repl}, {int(at2), int(n2), repl2}} {
				start := min(c.at, max(0, now.Len()-len(pad)))
				end := min(start+c.n, now.Len())
				now = now.Splice(start, end, c.repl)
				tree, _ = editedTree(tree, now, text.Edit{Start: start, OldEnd: end, NewEnd: start + len(c.repl)}, lines)
				whole := bytes.Clone(now.Splice(0, 0, "").Bytes())
				want := Parse(whole, steps)
				if lines {
					want = ParseLines(whole)
				}
				if diff := equal(tree, want); diff != "" {
					t.Fatal(diff)
				}
			}
		}
	})
}
