package lsp

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// collector lets the garbage collector rest while a large document is opened: next to
// nothing of what that takes is garbage, and to look through what grows again and again is
// a fifth of the work. It belongs to the process, as the collector does.
var collector struct {
	mu      sync.Mutex
	resting int // how many want it
	percent int // as it was before
	limit   int64
}

// restCollector lets it rest until end is called, or the heap has grown by so many bytes:
// then there is garbage after all.
func restCollector(room int64) (end func()) {
	end = sync.OnceFunc(func() {
		c := &collector
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.resting--; c.resting == 0 {
			debug.SetGCPercent(c.percent)
			debug.SetMemoryLimit(c.limit)
		}
	})
	c := &collector
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.resting++; c.resting == 1 {
		c.limit = debug.SetMemoryLimit(-1)
		c.percent = debug.SetGCPercent(-1)
		debug.SetMemoryLimit(min(c.limit, inUse()+room))
	}
	// The first collection, which only the limit can have begun, finds this.
	runtime.SetFinalizer(&sentinel{}, func(*sentinel) { go end() })
	return end
}

// rests are the documents that the collector rests for.
type rests struct {
	mu  sync.Mutex
	end map[string]func()
}

func (r *rests) begin(key string, end func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.end == nil {
		r.end = map[string]func(){}
	}
	if before := r.end[key]; before != nil {
		before()
	}
	r.end[key] = end
}

func (r *rests) over(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if end := r.end[key]; end != nil {
		end()
		delete(r.end, key)
	}
}

func (r *rests) allOver() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, end := range r.end {
		end()
	}
	r.end = nil
}

// sentinel is reachable from nowhere. It is larger than what the runtime packs together.
type sentinel struct{ _ [64]byte }

// inUse is what the limit of the memory counts, in bytes.
func inUse() int64 {
	m := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(m)
	return int64(min(m[0].Value.Uint64()-m[1].Value.Uint64(), math.MaxInt64/2))
}
