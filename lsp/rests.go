package lsp

import "sync"

// rests are the documents that the garbage collector rests for.
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
