package linediff

import (
	"bytes"
	"hash/maphash"
	"math/bits"
)

// number gives equal lines equal numbers, counted from 0, and returns how many
// it gave. The lines of head and tail are hashed once for both sides.
func number(old, new [][]byte) (oldIDs, newIDs []uint32, distinct int) {
	head, tail := commonLines(old, new)
	t := newTable(old, new)
	oldIDs = make([]uint32, len(old))
	newIDs = make([]uint32, len(new))
	for i := range old {
		oldIDs[i] = t.id(uint32(i))
	}
	oldTail, newTail := len(old)-tail, len(new)-tail
	copy(newIDs, oldIDs[:head])
	copy(newIDs[newTail:], oldIDs[oldTail:])
	for i := head; i < newTail; i++ {
		newIDs[i] = t.id(uint32(len(old) + i))
	}
	return oldIDs, newIDs, len(t.places)
}

func commonLines(a, b [][]byte) (head, tail int) {
	shorter := min(len(a), len(b))
	for head < shorter && bytes.Equal(a[head], b[head]) {
		head++
	}
	for tail < shorter-head && bytes.Equal(a[len(a)-1-tail], b[len(b)-1-tail]) {
		tail++
	}
	return head, tail
}

// table numbers the lines of two texts: open addressing, at most half full, with a
// seeded hash so that nobody can prepare a text whose lines collide. A place is that
// of a line in the old text, or behind all of those in the new one.
type table struct {
	old, new [][]byte
	seed     maphash.Seed
	slots    []uint32 // id + 1; 0 is free
	places   []uint32 // by id: where such a line is
	hashes   []uint64 // by id
}

func newTable(old, new [][]byte) *table {
	longer := max(len(old), len(new))
	room := longer + longer/4 // most texts that are compared have most lines in common
	return &table{
		old: old, new: new,
		seed:   maphash.MakeSeed(),
		slots:  make([]uint32, 1<<bits.Len(uint(2*room))),
		places: make([]uint32, 0, room),
		hashes: make([]uint64, 0, room),
	}
}

func (t *table) line(place uint32) []byte {
	if int(place) < len(t.old) {
		return t.old[place]
	}
	return t.new[int(place)-len(t.old)]
}

func (t *table) id(place uint32) uint32 {
	line := t.line(place)
	hash := maphash.Bytes(t.seed, line)
	mask := uint64(len(t.slots) - 1)
	slot := hash & mask
	for ; t.slots[slot] != 0; slot = (slot + 1) & mask {
		id := t.slots[slot] - 1
		if t.hashes[id] == hash && bytes.Equal(t.line(t.places[id]), line) {
			return id
		}
	}
	id := uint32(len(t.places))
	t.places = append(t.places, place)
	t.hashes = append(t.hashes, hash)
	t.slots[slot] = id + 1
	if 2*len(t.places) > len(t.slots) {
		t.grow()
	}
	return id
}

// grow doubles the slots.
func (t *table) grow() {
	t.slots = make([]uint32, 2*len(t.slots))
	mask := uint64(len(t.slots) - 1)
	for id, hash := range t.hashes {
		slot := hash & mask
		for t.slots[slot] != 0 {
			slot = (slot + 1) & mask
		}
		t.slots[slot] = uint32(id) + 1
	}
}

// sparse is how many times larger than the line count the ids of a caller may be
// before they are renumbered instead of used as indexes.
const sparse = 16

// compact returns ids that are fit to be indexes, and the limit they stay below.
func compact(old, new []uint32) (oldIDs, newIDs []uint32, limit int) {
	largest := uint32(0)
	for _, ids := range [...][]uint32{old, new} {
		for _, id := range ids {
			largest = max(largest, id)
		}
	}
	lines := len(old) + len(new)
	if uint64(largest) < uint64(lines)*sparse {
		return old, new, int(largest) + 1
	}
	small := make(map[uint32]uint32, lines/2)
	renumber := func(ids []uint32) []uint32 {
		result := make([]uint32, len(ids))
		for i, id := range ids {
			n, ok := small[id]
			if !ok {
				n = uint32(len(small))
				small[id] = n
			}
			result[i] = n
		}
		return result
	}
	oldIDs, newIDs = renumber(old), renumber(new)
	return oldIDs, newIDs, len(small)
}
