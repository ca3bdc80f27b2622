package rules

import (
	"strings"
	"sync"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// goroutines is an Options.Parallel.
func goroutines(n int, work func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { work(i) })
	}
	all.Wait()
}

// Steps that are looked at side by side have the findings of steps that are looked at one
// after the other.
func TestCheckSideBySideFindsTheSame(t *testing.T) {
	src := session(9000)
	for _, fault := range []string{`"s17"`, `"s4711"`, `"s8999"`} {
		src = strings.Replace(src, `"id": `+fault, `"id": "s1"`, 1)
	}
	src = strings.Replace(src, "human:alex\",\n            \"timestamp\": \"2026-01-29T10:00:00Z\"", "human!alex\",\n            \"timestamp\": \"yesterday\"", 40)
	check := func(parallel func(int, func(int))) []string {
		w := analysis.NewWorkspace(&analysis.Options{Rules: All(), Parallel: parallel}, nil)
		var found []string
		for _, d := range w.Open(uri, "json", 1, src).Check(uri, nil) {
			found = append(found, d.Rule.ID+" "+d.Message+" "+src[d.Start:d.End])
		}
		return found
	}
	one, many := check(nil), check(goroutines)
	if len(one) < 80 || strings.Join(one, "\n") != strings.Join(many, "\n") {
		t.Errorf("%d findings one after the other, %d side by side", len(one), len(many))
	}
}
