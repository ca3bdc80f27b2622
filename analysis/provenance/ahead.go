package provenance

import "sync"

// Bounds of what is loaded ahead of a replay.
const (
	aheadEdits   = 64        // in a batch
	aheadBytes   = 128 << 10 // of diffs in a batch; a longer one comes alone
	aheadBatches = 4
)

// batch are edits that follow one another, complete.
type batch struct {
	first int
	edits []Edit
}

// load completes edits of h from the given one on.
func (b *batch) load(h *History, offset, from int) {
	b.first, b.edits = from, b.edits[:0]
	for i, bytes := from, 0; i < len(h.Edits) && len(b.edits) < aheadEdits && bytes < aheadBytes; i++ {
		e := h.Edits[i]
		h.Load(offset+i, &e)
		b.edits = append(b.edits, e)
		bytes += len(e.Raw)
	}
}

// ahead is a queue of batches between who loads them and who replays them. The one who replays
// loads by himself what nobody has begun to load, so that he never waits for the other to come.
// Diffs are read by the one who replays them: their lines are written again and again, and would
// go from one processor's cache to the other's.
type ahead struct {
	h      *History
	offset int // of its edits among those of all replays

	mu       sync.Mutex
	changed  *sync.Cond
	next     int      // the edit that the next batch starts with
	loading  bool     // somebody loads it
	ready    []*batch // in order
	free     []*batch
	replays  bool // somebody takes batches
	replayed bool // nobody will any more
}

func newAhead(h *History, offset int) *ahead {
	a := &ahead{h: h, offset: offset}
	a.changed = sync.NewCond(&a.mu)
	for range aheadBatches {
		a.free = append(a.free, &batch{})
	}
	return a
}

// fill loads batches until all edits are loaded or no more are wanted.
func (a *ahead) fill() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.next < len(a.h.Edits) && !a.replayed {
		switch {
		case !a.loading && len(a.free) > 0:
			a.load()
		case !a.replays:
			return // who replays may be waiting for us to end
		default:
			a.changed.Wait()
		}
	}
}

// replay calls do for all batches in order, until it says that it has ended.
func (a *ahead) replay(do func(b *batch) (ended bool)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.replays = true
	defer func() {
		a.replayed = true
		a.changed.Broadcast()
	}()
	for ended := false; !ended && (len(a.ready) > 0 || a.next < len(a.h.Edits)); {
		switch {
		case len(a.ready) > 0:
			b := a.ready[0]
			a.ready = a.ready[1:]
			a.unlocked(func() { ended = do(b) })
			a.free = append(a.free, b)
			a.changed.Broadcast()
		case a.loading:
			a.changed.Wait()
		default:
			a.load()
		}
	}
}

// load loads the next batch.
func (a *ahead) load() {
	b := a.free[len(a.free)-1]
	a.free = a.free[:len(a.free)-1]
	from := a.next
	a.loading = true
	defer func() {
		a.loading = false
		a.changed.Broadcast()
	}()
	a.unlocked(func() { b.load(a.h, a.offset, from) })
	a.next = from + len(b.edits)
	a.ready = append(a.ready, b)
}

// unlocked does something without the lock, which the caller holds.
func (a *ahead) unlocked(do func()) {
	a.mu.Unlock()
	defer a.mu.Lock()
	do()
}

// listAhead is list that has edits loaded while it replays those before them.
func (r *replay) listAhead(h History) {
	a := newAhead(&h, r.first)
	h.Parallel(2, func(k int) {
		if k > 0 {
			a.fill()
			return
		}
		a.replay(func(b *batch) (ended bool) {
			for i := range b.edits {
				if !r.next(&h, b.first+i, &b.edits[i]) {
					return true
				}
			}
			return false
		})
	})
}
