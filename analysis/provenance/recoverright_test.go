package provenance_test

import (
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
	"github.com/toolpath-ls/toolpath-ls/internal/race"
)

// What recovery must reach on each file, in percent of its lines: right at least,
// wrong at most. docs/accuracy.md has what it reaches.
func TestRecoverIsRight(t *testing.T) {
	race.Skip(t)
	all := lives(t)
	if testing.Short() {
		all = all[:1]
	}
	truth := make([][]int, len(all))
	for i, l := range all {
		truth[i] = l.truth()
	}
	gates := []struct {
		base         bool
		missing      float64
		right, wrong float64
		except       string // dialects with which less is right
		less         float64
	}{
		{true, 0, 100, 0, "unified diff, no context, no numbers, CRLF diff, old and new side only", 99.5},
		{false, 0, 95, 3, "", 0},
		{true, .05, 95, 2, "", 0},
		{false, .05, 95, 3, "", 0},
		{true, .2, 90, 6, "", 0},
	}
	sums := map[string]*score{} // by dialect
	for _, g := range gates {
		for _, d := range dialects {
			// Of some there is too little on record for a bound on each file.
			bounded := d.name != "neither" && d.name != "truncated" && (d.name != "no context" || g.missing == 0)
			right, wrong := g.right, g.wrong
			if strings.Contains(g.except, d.name) {
				right, wrong = g.less, 100-g.less
			}
			for i, l := range all {
				h, missing := l.record(d, g.missing, g.base, 1)
				text := l.versions[len(l.versions)-1]
				s := judge(provenance.Project(h).Recover(h, text).Overlay([]byte(text)), truth[i], missing)
				if r, w := percent(s.right, s.lines), percent(s.wrong, s.lines); bounded && (r < right || w > wrong) {
					t.Errorf("%s, base known %v, %.0f %% of the steps missing, %s: %.2f %% right, %.2f %% wrong; want at least %.2f and at most %.2f",
						l.name, g.base, 100*g.missing, d.name, r, w, right, wrong)
				}
				if sums[d.name] == nil {
					sums[d.name] = &score{}
				}
				sums[d.name].add(s)
			}
		}
	}
	if testing.Short() {
		return // one file is too few for the bounds below
	}
	for name, sum := range sums {
		for grade, least := range map[provenance.Grade]float64{provenance.GradeExact: 99.9, provenance.GradeFuzzy: 95, provenance.GradeInferred: 60} {
			if got := percent(sum.namedRight[grade], sum.named[grade]); got < least {
				t.Errorf("%s: of %d lines called %s %.2f %% are right, want %.1f %%", name, sum.named[grade], grade, got, least)
			}
		}
	}
}
