package jsonsrc

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestATextThatArrivesInPiecesParsesAsOneThatIsThere(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	scraps := []string{`"`, `{`, `}`, `[`, `]`, `,`, `:`, "\n", "\r\n", `\"`, "\"x\ny\"", "a\nb", `{"step":{"id":"n"}},`, `"steps":[{},{"a":1}],`, `x`, ` `, `\`, `/*`, `//`, `*/`, "1"}
	taken := 0
	for range 2000 {
		src := []byte(strings.Repeat(sample, 1+rng.IntN(2)))
		for range rng.IntN(4) {
			at := rng.IntN(len(src) + 1)
			src = append(append(append([]byte{}, src[:at]...), scraps[rng.IntN(len(scraps))]...), src[at:]...)
		}
		whole, lines := NewGrowth(steps), NewLineGrowth()
		found := 0
		for n := 0; n < len(src); n += 1 + rng.IntN(len(src)/2) {
			// What a step is made of must not move while more of the text arrives.
			part := append([]byte{}, src[:n]...)
			for i, c := range whole.More(part).chunks {
				if c.Off+c.Size() > n {
					t.Fatalf("chunk %d of %q ends at %d", i, part, c.Off+c.Size())
				}
				found++
			}
			lines.More(part)
		}
		base, edit := whole.Base(len(src))
		tree := Reparse(base, src, edit, steps)
		if diff := equal(tree, Parse(src, steps)); diff != "" {
			t.Fatalf("%q:\n%s", src, diff)
		}
		base, edit = lines.Base(len(src))
		if diff := equal(ReparseLines(base, src, edit), ParseLines(src)); diff != "" {
			t.Fatalf("lines of %q:\n%s", src, diff)
		}
		taken += min(found, tree.Reused())
	}
	if taken < 2000 {
		t.Errorf("only %d chunks were taken over", taken)
	}
}

func TestEachStepOfATextThatArrivesIsParsedOnce(t *testing.T) {
	src := generated(1000)
	g := NewGrowth(steps)
	found := 0
	for n := 0; n < len(src); n += 5000 {
		found += len(g.More(src[:n]).chunks)
	}
	base, edit := g.Base(len(src))
	tree := Reparse(base, src, edit, steps)
	if found < 980 || found > 1000 || tree.Reused() != found {
		t.Errorf("of 1000 steps %d were found early and %d taken over", found, tree.Reused())
	}
}

// However a text begins and however little of it becomes chunks early, it is looked at in
// proportion to its length.
func TestATextThatArrivesIsNotLookedAtAgainAndAgain(t *testing.T) {
	const size, piece = 1 << 20, 1 << 10
	long := strings.Repeat("x", size)
	for name, text := range map[string]string{
		"word":             long,
		"no array":         `{"graph": {"id": "` + long + `"}}`,
		"one long step":    `{"paths": [{"steps": [{"a": "` + long + `"}]}]}`,
		"steps of numbers": `{"paths": [{"steps": [` + strings.Repeat("1, ", size/3) + `1]}]}`,
		"many paths":       `{"meta": "` + long[:size/4] + `", "paths": [` + strings.Repeat(`{"steps": [{}]}, `, size/20) + `{}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			src := []byte(text)
			g := NewGrowth(steps)
			for n := 0; n < len(src); n += piece {
				g.More(src[:n])
			}
			if g.spent > 4*len(src) {
				t.Errorf("%d bytes were looked at in vain in a text of %d", g.spent, len(src))
			}
			base, edit := g.Base(len(src))
			if got, want := Reparse(base, src, edit, steps), Parse(src, steps); got.Root().Kind() != want.Root().Kind() || got.NumChunks() != want.NumChunks() {
				t.Errorf("%v with %d chunks, want %v with %d", got.Root().Kind(), got.NumChunks(), want.Root().Kind(), want.NumChunks())
			}
		})
	}
	t.Run("one long line", func(t *testing.T) {
		src := []byte(long + "\n{}\n")
		g, found := NewLineGrowth(), 0
		for n := 0; n < len(src); n += piece {
			found += len(g.More(src[:n]).chunks)
		}
		if found += len(g.More(src).chunks); found != 2 {
			t.Errorf("%d lines were found, want 2", found)
		}
	})
}
