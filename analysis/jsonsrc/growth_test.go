package jsonsrc

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestATextThatArrivesInPiecesParsesAsOneThatIsThere(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	scraps := []string{`"`, `{`, `}`, `[`, `]`, `,`, `:`, "\n", `{"step":{"id":"n"}},`, `"steps":[{},{"a":1}],`, `x`, ` `, `\`, `/*`, `//`, `*/`, "1"}
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
