// Package collector lets the garbage collector rest while there is next to nothing for it to
// find: when the program starts, and when a large document is opened. To look through what
// grows again and again would be a fifth of the work. It belongs to the process, as the
// collector does.
package collector

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// startRoom is what the program may take from its start on before it collects, in bytes: what
// the packages set up, a quarter of it, and with it the whole of a command that has little to do.
const startRoom = 16 << 20

// This package needs so little that it is initialized before the packages of others that set
// up much, which none of their users can put off.
func init() { start() }

func start() {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		Rest(startRoom)
	}
}

var state struct {
	mu      sync.Mutex
	resting int // how many want it
	percent int // as it was before
	limit   int64
}

// Rest lets the collector rest until end is called, or the heap has grown by so many bytes:
// then there is garbage after all.
func Rest(room int64) (end func()) {
	end = sync.OnceFunc(func() {
		s := &state
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.resting--; s.resting == 0 {
			debug.SetGCPercent(s.percent)
			debug.SetMemoryLimit(s.limit)
		}
	})
	s := &state
	s.mu.Lock()
	defer s.mu.Unlock()
	now := int64(0)
	if s.resting++; s.resting == 1 {
		s.limit = debug.SetMemoryLimit(-1)
		s.percent = debug.SetGCPercent(-1)
	} else {
		now = debug.SetMemoryLimit(-1)
	}
	debug.SetMemoryLimit(max(now, min(s.limit, inUse()+room)))
	// The first collection, which only the limit can have begun, finds this.
	runtime.SetFinalizer(&sentinel{}, func(*sentinel) { go end() })
	return end
}

// sentinel is reachable from nowhere. It is larger than what the runtime packs together.
type sentinel struct{ _ [64]byte }

// inUse is what the limit of the memory counts, in bytes.
func inUse() int64 {
	m := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(m)
	return int64(min(m[0].Value.Uint64()-m[1].Value.Uint64(), math.MaxInt64/2))
}
