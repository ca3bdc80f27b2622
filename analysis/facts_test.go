package analysis

import (
	"fmt"
	"maps"
	"testing"
)

// A shelf is a map, and a changed copy does not change the shelf it was made from.
func TestShelf(t *testing.T) {
	var s shelf[int]
	want := map[string]int{}
	older := []shelf[int]{s}
	for i := range 2000 {
		key := fmt.Sprint(i % 700)
		if i%3 == 2 {
			s = s.without(key)
			delete(want, key)
		} else {
			s = s.with(key, i)
			want[key] = i
		}
		older = append(older, s)
	}
	if got := maps.Collect(s.all()); !maps.Equal(got, want) {
		t.Errorf("%d things, not %d", len(got), len(want))
	}
	if got := older[1].get("0"); got != 0 || older[0].get("0") != 0 || len(maps.Collect(older[1].all())) != 1 {
		t.Error("an older shelf has changed")
	}
}

// What was not used for longest is dropped when more is held than the bound; but nothing
// that a question which is being answered has used.
func TestFactsAreDropped(t *testing.T) {
	w := NewWorkspace(&Options{}, nil)
	third := make([]byte, maxHeld/3)
	need := func(i int) Need { return Need{File: "/a", Rev: fmt.Sprint(i)} }
	read := func(i int) { w.addFacts([]Need{need(i)}, []*fact{{content: third}}) }
	held := func() (all string) {
		for i := range 10 {
			if w.Snapshot().facts[need(i)] != nil {
				all += fmt.Sprint(i)
			}
		}
		return all
	}
	for i := range 3 {
		read(i)
	}
	w.Snapshot().fact(need(0))
	if read(3); held() != "023" {
		t.Errorf("held are %s: the least used one is 1", held())
	}
	end := w.begin()
	for i := range 3 {
		w.Snapshot().fact(need(i + 4))
		read(i + 4)
	}
	if read(7); held() != "4567" {
		t.Errorf("held are %s: a question needs 4 to 7", held())
	}
	end()
	if read(8); held() != "678" {
		t.Errorf("held are %s: no question needs more", held())
	}
}
