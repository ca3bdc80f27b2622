package analysis

import (
	"iter"
	"path"
	"slices"
	"strings"
	"sync"
)

// nameIndex finds the closed documents that may speak of a file by the last part of its
// name, which is that of every name that an artifact key gives to it. Snapshots share it: it
// only grows, and who asks looks up in the snapshot whether what it says is so. One that
// has grown too far is replaced by a new one.
type nameIndex struct {
	mu    sync.RWMutex
	paths []string            // of documents
	known map[string]int32    // which of paths it is
	docs  map[string][]int32  // by the last part of a name; indexes of paths
	cased map[string][]string // those last parts that are not in lower case, by what they are in it
	pairs int                 // in docs
	live  int                 // how many of them were so when the newest entry was added
}

func newNameIndex() *nameIndex {
	return &nameIndex{known: map[string]int32{}, docs: map[string][]int32{}, cased: map[string][]string{}}
}

// lastParts returns the last parts of the names in an index of touched files, each once.
func (x *touchIndex) lastParts() map[string]struct{} {
	all := map[string]struct{}{}
	for i := range x.paths {
		for name := range x.paths[i].names {
			all[path.Base(name)] = struct{}{}
		}
	}
	return all
}

// replace notes what the document at a path touches now, in place of what it did; either
// may be nil.
func (x *nameIndex) replace(doc string, before, now *entry) {
	var old, parts map[string]struct{}
	if before != nil {
		old = before.touches.lastParts()
	}
	if now != nil {
		parts = now.touches.lastParts()
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.live += len(parts) - len(old)
	id, ok := x.known[doc]
	if !ok {
		id = int32(len(x.paths))
		x.known[doc], x.paths = id, append(x.paths, doc)
	}
	for part := range parts {
		if _, was := old[part]; !was {
			if lower := strings.ToLower(part); lower != part && len(x.docs[part]) == 0 {
				x.cased[lower] = append(x.cased[lower], part)
			}
			x.docs[part] = append(x.docs[part], id)
			x.pairs++
		}
	}
}

// outgrown says whether most of it is not so any more.
func (x *nameIndex) outgrown() bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.pairs > 2*x.live+10_000
}

// spellings returns the last parts of names that differ from one in case alone.
func (x *nameIndex) spellings(part string) []string {
	if x == nil {
		return nil
	}
	lower := strings.ToLower(part)
	x.mu.RLock()
	defer x.mu.RUnlock()
	var all []string
	if lower != part && len(x.docs[lower]) > 0 {
		all = append(all, lower)
	}
	for _, other := range x.cased[lower] {
		if other != part {
			all = append(all, other)
		}
	}
	return all
}

// about yields the paths of the documents that may speak of a file by any of its names, each
// once.
func (x *nameIndex) about(names []string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if x == nil {
			return
		}
		x.mu.RLock()
		var ids []int32
		for _, name := range names {
			ids = append(ids, x.docs[path.Base(name)]...)
		}
		paths := x.paths
		x.mu.RUnlock()
		slices.Sort(ids)
		for _, id := range slices.Compact(ids) {
			if !yield(paths[id]) {
				return
			}
		}
	}
}

// setClosed replaces what is kept of the document on disk at a path; nil forgets it.
func (s *Snapshot) setClosed(doc string, e *entry) {
	before := s.closed.get(doc)
	if e == nil {
		s.closed = s.closed.without(doc)
	} else {
		s.closed = s.closed.with(doc, e)
	}
	if s.byName == nil {
		s.byName = newNameIndex()
	}
	if s.byName.replace(doc, before, e); s.byName.outgrown() {
		s.byName = newNameIndex()
		for p, e := range s.closed.all() {
			s.byName.replace(p, nil, e)
		}
	}
}
