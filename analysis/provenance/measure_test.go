package provenance_test

import (
	"fmt"
	"os"
	"regexp"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
)

// TestMeasure prints the table of docs/accuracy.md, in percent of the lines:
//
//	TOOLPATH_MEASURE=1 go test -run TestMeasure -v ./analysis/provenance
//
// Any other value is a pattern for the rows. TOOLPATH_TEST_HISTORIES adds files of
// real repositories, TOOLPATH_MEASURE_FILES=1 shows each file's right and wrong.
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
	fmt.Print("| base | steps missing | dialect | right | wrong | not named | of the recorded right | worst file | exact | fuzzy | inferred |\n|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, c := range []struct {
		base    bool
		missing float64
	}{{true, 0}, {false, 0}, {true, .05}, {false, .05}, {true, .2}, {false, .2}} {
		for _, d := range dialects {
			name := fmt.Sprintf("base %v, %.0f %% missing, %s", c.base, 100*c.missing, d.name)
			if ok, _ := regexp.MatchString(only, name); only != "1" && !ok {
				continue
			}
			var sum score
			worst, which := 200.0, ""
			each := ""
			for i, l := range all {
				h, missing := l.record(d, c.missing, c.base, 1)
				text := l.versions[len(l.versions)-1]
				s := judge(provenance.Project(h).Recover(h, text).Overlay([]byte(text)), truth[i], missing)
				sum.add(s)
				if r := percent(s.right, s.lines); r < worst {
					worst, which = r, fmt.Sprintf("%.1f / %.1f %s", r, percent(s.wrong, s.lines), l.name)
				}
				each += fmt.Sprintf("  %s %.1f/%.1f", l.name, percent(s.right, s.lines), percent(s.wrong, s.lines))
			}
			base := "no"
			if c.base {
				base = "yes"
			}
			fmt.Printf("| %s | %.0f %% | %s | %.2f | %.2f | %.2f | %.2f | %s |%s%s%s\n", base, 100*c.missing, d.name,
				percent(sum.right, sum.lines), percent(sum.wrong, sum.lines), percent(sum.silent, sum.lines), percent(sum.recordedRight, sum.recorded), which,
				grade(sum, provenance.GradeExact), grade(sum, provenance.GradeFuzzy), grade(sum, provenance.GradeInferred))
			if os.Getenv("TOOLPATH_MEASURE_FILES") != "" {
				fmt.Println(each)
			}
		}
	}
}

// grade is the cell that says how many of the lines of a grade are right.
func grade(s score, g provenance.Grade) string {
	if s.named[g] == 0 {
		return " - |"
	}
	return fmt.Sprintf(" %.2f of %d |", percent(s.namedRight[g], s.named[g]), s.named[g])
}
