package rules

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
	"github.com/toolpath-ls/toolpath-ls/analysis/udiff"
)

// A diff that is passed over because it is sound has nothing that a rule would report.
func TestSoundDiffsHaveNoFaults(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	scraps := []string{
		"@@ -1,2 +1,2 @@", "@@ -1 +1 @@", "@@ -0,0 +1 @@", "@@ -3,1 +3,2 @@ func f()", "@@ -2,0 +3 @@", "@@ -9 +9,0 @@", "@@@ -1 +1 @@", "@@",
		" a", "-b", "+c", "+", "-", " ", "", "--- a/f", "+++ b/g", "-- ", "-->", "\\ No newline at end of file", "...", "-\r", "+é", "+\u2028", "+a\x01", `+"\"`, "+\t", "x",
	}
	sound := 0
	for range 60_000 {
		var lines []string
		for range rng.IntN(3) + 1 {
			old, now := rng.IntN(3), rng.IntN(3)
			lines = append(lines, fmt.Sprintf("@@ -%d,%d +%d,%d @@", rng.IntN(9), old, rng.IntN(9), now))
			for old+now > 0 {
				switch k := rng.IntN(3); {
				case k == 0 && old > 0 && now > 0:
					lines, old, now = append(lines, " x"), old-1, now-1
				case k == 1 && old > 0:
					lines, old = append(lines, "-y"), old-1
				case k == 2 && now > 0:
					lines, now = append(lines, "+z"), now-1
				}
			}
		}
		for range rng.IntN(3) {
			at := rng.IntN(len(lines))
			lines[at] = scraps[rng.IntN(len(scraps))]
		}
		raw := strings.Join(lines, []string{"\n", "\r\n"}[max(0, rng.IntN(20)-18)]) + strings.Repeat("\n", rng.IntN(3))
		quoted, _ := json.Marshal(raw)
		if !udiff.IsSound(quoted[1 : len(quoted)-1]) {
			continue
		}
		sound++
		src := fmt.Sprintf(`{"graph":{},"paths":[{"steps":[{"step":{"id":"a"},"change":{"f":{"raw":%s,"structural":{"tool":"Edit"}}},"meta":{"source":{"type":"git"}}}]}]}`, quoted)
		step := toolpath.Build(jsonsrc.Parse([]byte(src), toolpath.Layout), nil).Paths[0].Steps.At(0)
		for key, change := range step.Value(step.Nodes.Change).Members() {
			in := inspection{Diff: udiff.Parse(raw), key: key, change: change, raw: change.Get("raw"), step: step, session: true}
			if in.inspect(); len(in.faults) > 0 || len(in.Issues) > 0 || in.raw.Text() != raw {
				t.Fatalf("%q is sound, but %v", raw, in.faults)
			}
		}
	}
	if sound < 3000 {
		t.Errorf("only %d diffs were sound", sound)
	}
}
