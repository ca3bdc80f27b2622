package analysis

import (
	"maps"
	"testing"
)

func TestActorsHaveColorsOfTheirKindWhileTheyLast(t *testing.T) {
	for _, c := range []struct {
		actors []string
		want   map[string]int
	}{
		{nil, map[string]int{}},
		{[]string{"human:b", "agent:a", "tool:t", "ci:c"}, map[string]int{"human:b": 0, "agent:a": 1, "tool:t": 2, "ci:c": 3}},
		{[]string{"human:b", "human:a", "human:b"}, map[string]int{"human:a": 0, "human:b": 4}},
		{[]string{"tool:a", "tool:b", "agent:x"}, map[string]int{"agent:x": 1, "tool:a": 2, "tool:b": 0}},
		{[]string{"nobody"}, map[string]int{"nobody": 0}},
	} {
		if got := ColorsOf(c.actors); !maps.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.actors, got, c.want)
		}
	}
}

func TestEveryColorIsUsedBeforeOneIsUsedTwice(t *testing.T) {
	var actors []string
	for c := 'a'; c <= 'z'; c++ {
		actors = append(actors, "agent:"+string(c))
		used := map[int]int{}
		for _, color := range ColorsOf(actors) {
			used[color]++
		}
		most := (len(actors) + ActorColors - 1) / ActorColors
		for color, n := range used {
			if n > most || color < 0 || color >= ActorColors {
				t.Fatalf("of %d actors %d have the color %d", len(actors), n, color)
			}
		}
	}
}
