package analysis

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// The index finds just what looking at every document finds, whatever was added, changed
// and removed, in old snapshots too.
func TestNameIndex(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	doc := func() []byte {
		change := ""
		for range 1 + r.IntN(3) {
			change += fmt.Sprintf(`%q: {"raw": ""}, `, []string{"a.go", "sub/a.go", "/w/b.go", "../c.go", "d\\e.go", "file:///w/f%20g.go", "sub/"}[r.IntN(7)])
		}
		return fmt.Appendf(nil, `{"graph": {"id": "g"}, "paths": [{"path": {"id": "p", "head": "s"}, "steps": [{"step": {"id": "s"}, "change": {%s"z%d": {}}}]}]}`, change, r.IntN(5))
	}
	files := []string{"/w/a.go", "/w/sub/a.go", "/w/b.go", "/c.go", "/w/d/e.go", "/w/f g.go", "/w/z1", "/w/sub", "/w/none"}
	w := NewWorkspace(&Options{}, nil)
	var kept []*Snapshot
	for i := range 3000 {
		path := fmt.Sprintf("/w/%d.path.json", r.IntN(20))
		if r.IntN(3) == 0 {
			w.Remove(path)
		} else {
			w.Add(path, doc())
		}
		if i%100 == 0 {
			kept = append(kept, w.Snapshot())
		}
	}
	for _, s := range append(kept, w.Snapshot()) {
		for _, file := range files {
			var found, want []string
			for path := range s.byName.about([]string{file}) {
				if e := s.closed.get(path); e != nil && e.touches.touches(file, site{root: e.root}) {
					found = append(found, path)
				}
			}
			for path, e := range s.closed.all() {
				if e.touches.touches(file, site{root: e.root}) {
					want = append(want, path)
				}
			}
			slices.Sort(found)
			slices.Sort(want)
			if !slices.Equal(found, want) {
				t.Fatalf("%s: found %v, there are %v", file, found, want)
			}
		}
	}
}

// A workspace whose documents change for long does not keep what they once touched.
func TestNameIndexIsBounded(t *testing.T) {
	w := NewWorkspace(&Options{}, nil)
	for i := range 50_000 {
		w.Add("/w/a.path.json", fmt.Appendf(nil, `{"graph": {"id": "g"}, "paths": [{"path": {"id": "p", "head": "s"}, "steps": [{"step": {"id": "s"}, "change": {"f%d.go": {}}}]}]}`, i))
	}
	if pairs := w.Snapshot().byName.pairs; pairs > 10_100 {
		t.Errorf("%d names are kept of one", pairs)
	}
}
