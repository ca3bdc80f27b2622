package analysis

import (
	"cmp"
	"slices"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// ActorColors is how many colors there are to tell actors apart.
const ActorColors = 8

// preferred are the colors of each kind of actor, the first one first.
var preferred = map[string][]int{"human": {0, 4, 7}, "agent": {1, 5, 6}, "tool": {2}, "ci": {3}}

// ColorsOf gives each actor one of the colors [0, ActorColors): the same ones whatever the
// order, each another one while there are enough, and where it can be that of its kind.
func ColorsOf(actors []string) map[string]int {
	sorted := slices.Clone(actors)
	slices.SortFunc(sorted, func(a, b string) int {
		return cmp.Or(cmp.Compare(kindOrder(a), kindOrder(b)), strings.Compare(a, b))
	})
	sorted = slices.Compact(sorted)
	colors := make(map[string]int, len(sorted))
	used := make([]int, ActorColors)
	take := func(actor string, c int) {
		colors[actor] = c
		used[c]++
	}
	// Every kind has its first color before any kind has a further one.
	for _, first := range []bool{true, false} {
		taken := map[string]bool{}
		for _, a := range sorted {
			kind := toolpath.ActorKind(a)
			if _, has := colors[a]; has || first && (taken[kind] || preferred[kind] == nil) {
				continue
			}
			taken[kind] = true
			take(a, leastUsed(used, preferred[kind]))
		}
	}
	return colors
}

// leastUsed returns the color that is used least; of several, the first one preferred.
func leastUsed(used, preferred []int) int {
	best := 0
	if len(preferred) > 0 {
		best = preferred[0]
	}
	for _, c := range preferred {
		if used[c] < used[best] {
			best = c
		}
	}
	for c := range used {
		if used[c] < used[best] {
			best = c
		}
	}
	return best
}

func kindOrder(actor string) int {
	if i := slices.Index(toolpath.ActorKinds, toolpath.ActorKind(actor)); i >= 0 {
		return i
	}
	return len(toolpath.ActorKinds)
}
