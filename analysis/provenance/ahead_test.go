package provenance_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
)

// lenders are ways to run pieces of work that a caller may have.
var lenders = map[string]func(n int, work func(i int)){
	"side by side": func(n int, work func(i int)) {
		var workers sync.WaitGroup
		for i := range n {
			workers.Go(func() { work(i) })
		}
		workers.Wait()
	},
	"one after the other": func(n int, work func(i int)) {
		for i := range n {
			work(i)
		}
	},
	"the last one first": func(n int, work func(i int)) {
		for i := range n {
			work(n - 1 - i)
		}
	},
}

// laterHistory is a history whose diffs come by Load, and counts how often each one does. Some
// are missing, some are long, and one does not fit.
func laterHistory(edits int) (h provenance.History, loaded []int) {
	r := rand.New(rand.NewPCG(3, 4))
	text := strings.Repeat("line\n", 50)
	h.Base = &text
	raws := make([]string, edits)
	loaded = make([]int, edits)
	for i := range edits {
		lines := strings.SplitAfter(text, "\n")
		at := r.IntN(len(lines))
		fresh := fmt.Sprintf("edit %d\n", i)
		if i%200 == 100 {
			fresh = strings.Repeat("x", 150_000) + "\n"
		}
		if i%20 == 5 {
			at = min(at, len(lines)-20)
			lines = slices.Delete(lines, at, at+20)
		}
		now := strings.Join(slices.Insert(lines, at, fresh), "")
		raws[i] = unified(text, now, 3)
		text = now
		e := provenance.Edit{Step: provenance.StepID(i + 1), HasRaw: true}
		if i%50 == 49 {
			e.Raw, raws[i] = raws[i], ""
		}
		h.Edits = append(h.Edits, e)
	}
	raws[edits*2/3] = "@@ -1,1 +1,1 @@\n-nowhere\n+x\n"
	h.Load = func(i int, e *provenance.Edit) {
		loaded[i]++
		if e.Raw == "" {
			e.Raw = raws[i]
		}
	}
	return h, loaded
}

// Diffs that are loaded while those before them are replayed lead to the same projection, and
// each is loaded once, whoever lends the goroutines.
func TestLoadAhead(t *testing.T) {
	const edits = 700
	for _, end := range []int{edits + 1, 300, 1} { // of which Done says that it is the last one
		alone, _ := laterHistory(edits)
		asked := 0
		alone.Done = func() bool { asked++; return asked > end }
		want := provenance.Project(alone)
		for name, lend := range lenders {
			h, loaded := laterHistory(edits)
			h.Parallel = lend
			asked := 0
			h.Done = func() bool { asked++; return asked > end }
			got := provenance.Project(h)
			if !slices.Equal(steps(got), steps(want)) || got.HeadText() != want.HeadText() || got.Known != want.Known ||
				got.Replayed() != want.Replayed() || !reflect.DeepEqual(got.Problems, want.Problems) {
				t.Errorf("%s, ended before edit %d: %v\nwant %v", name, end, got.Problems, want.Problems)
			}
			for i, n := range loaded {
				if n > 1 || n == 0 && i < end {
					t.Errorf("%s, ended before edit %d: edit %d was loaded %d times", name, end, i, n)
				}
			}
		}
	}
}

// A panic while a diff is loaded reaches the caller.
func TestLoadAheadPanics(t *testing.T) {
	h, _ := laterHistory(700)
	load := h.Load
	h.Load = func(i int, e *provenance.Edit) {
		if i == 400 {
			panic("edit 400")
		}
		load(i, e)
	}
	h.Parallel = func(n int, work func(i int)) {
		var workers sync.WaitGroup
		panicked := make([]any, n)
		for i := range n {
			workers.Go(func() {
				defer func() { panicked[i] = recover() }()
				work(i)
			})
		}
		workers.Wait()
		for _, p := range panicked {
			if p != nil {
				panic(p)
			}
		}
	}
	defer func() {
		if p := recover(); p != "edit 400" {
			t.Errorf("it panicked with %v", p)
		}
	}()
	provenance.Project(h)
	t.Error("nothing panicked")
}
