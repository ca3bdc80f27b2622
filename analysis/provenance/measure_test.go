package provenance_test

import (
	"fmt"
	"os"
	"regexp"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
)

// TestMeasure prints the table of docs/accuracy.md:
//
//	TOOLPATH_MEASURE=1 go test -run TestMeasure -v ./analysis/provenance
//
// TOOLPATH_TEST_HISTORIES adds files of real repositories.
func TestMeasure(t *testing.T) {
	if os.Getenv("TOOLPATH_MEASURE") == "" {
		t.Skip("set TOOLPATH_MEASURE=1 to print how often the answers are right")
	}
	all := append(lives(t), realLives(t)...)
	truth := make([][]int, len(all))
	for i, l := range all {
		truth[i] = l.truth()
	}
	only := os.Getenv("TOOLPATH_MEASURE")
	for _, c := range []struct {
		base    bool
		missing float64
	}{{true, 0}, {false, 0}, {true, .05}, {false, .05}, {true, .2}, {false, .2}} {
		fmt.Printf("\nbase known %v, %.0f %% of the steps missing\n", c.base, 100*c.missing)
		for _, d := range dialects {
			var sum score
			line := ""
			name := fmt.Sprintf("base %v, %.0f %% missing, %s", c.base, 100*c.missing, d.name)
			if ok, _ := regexp.MatchString(only, name); only != "1" && !ok {
				continue
			}
			for i, l := range all {
				h, missing := l.record(d, c.missing, c.base, 1)
				text := l.versions[len(l.versions)-1]
				s := judge(provenance.Project(h).Recover(h, text).Overlay([]byte(text)), truth[i], missing)
				line += fmt.Sprintf(" %5.1f/%4.1f", percent(s.right, s.lines), percent(s.wrong, s.lines))
				sum.add(s)
			}
			fmt.Printf("%-26s%s  all %5.1f/%4.1f  recorded %5.1f ", d.name, line, percent(sum.right, sum.lines), percent(sum.wrong, sum.lines), percent(sum.recordedRight, sum.recorded))
			for g, n := range sum.named {
				if n > 0 {
					fmt.Printf(" %s %.2f of %d", provenance.Grade(g), percent(sum.namedRight[g], n), n)
				}
			}
			fmt.Println()
		}
	}
}
