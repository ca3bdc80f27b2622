package analysis

import (
	"hash/maphash"
	"iter"
	"maps"
)

// shelf is an immutable map. A changed copy shares all but one of its parts with the shelf
// that it was made from, so that filling one with many things costs little.
type shelf[V any] struct{ parts *[shelfParts]map[string]V }

const shelfParts = 256

var shelfSeed = maphash.MakeSeed()

func shelfPart(key string) int { return int(maphash.String(shelfSeed, key) % shelfParts) }

func (s shelf[V]) get(key string) (v V) {
	if s.parts != nil {
		v = s.parts[shelfPart(key)][key]
	}
	return v
}

func (s shelf[V]) with(key string, v V) shelf[V] {
	return s.changed(key, func(part map[string]V) { part[key] = v })
}

func (s shelf[V]) without(key string) shelf[V] {
	return s.changed(key, func(part map[string]V) { delete(part, key) })
}

func (s shelf[V]) changed(key string, change func(part map[string]V)) shelf[V] {
	parts := &[shelfParts]map[string]V{}
	if s.parts != nil {
		*parts = *s.parts
	}
	i := shelfPart(key)
	if parts[i] = maps.Clone(parts[i]); parts[i] == nil {
		parts[i] = map[string]V{}
	}
	change(parts[i])
	return shelf[V]{parts}
}

// all yields everything, in no order.
func (s shelf[V]) all() iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		if s.parts == nil {
			return
		}
		for _, part := range s.parts {
			for k, v := range part {
				if !yield(k, v) {
					return
				}
			}
		}
	}
}

func (s shelf[V]) keys() iter.Seq[string] {
	return func(yield func(string) bool) {
		for k := range s.all() {
			if !yield(k) {
				return
			}
		}
	}
}
