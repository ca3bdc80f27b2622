package analysis

import (
	"hash/maphash"
	"slices"
	"sync"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// resumes are the replays that were made of earlier versions of a document, from which a
// version with more steps goes on. They hold nothing of those versions but their steps.
type resumes struct {
	mu  sync.Mutex
	all map[fileOfPath]resume
}

// resume is one of them: what was replayed, and what came of it.
type resume struct {
	base       *string
	absent     bool // the file was not there at the base
	given      []resumed
	kept       []bool     // by what was given: it has an effect on the file
	changes    []changeAt // that have one
	latest     time.Time  // the time of the last of them
	projection *provenance.Projection
}

// resumed is an artifact change of a step that was replayed. A step is the same one in every
// version of a document in which its bytes are.
type resumed struct {
	step *toolpath.Step
	rest uint64 // of what the edit hangs on
}

// restOf adds to what a change hangs on what it has besides its place.
func (c *change) restOf(rest uint64) uint64 {
	return maphash.Comparable(contentSeed, struct {
		rest                uint64
		other               string
		copied, gone, drop  bool
		before, is, was     string
		isBefore, isIs, has bool
	}{rest, c.other, c.copied, c.gone, c.drop, textOr(c.before), textOr(c.is), textOr(c.was), c.before != nil, c.is != nil, c.was != nil})
}

func textOr(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func sameText(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }

func (c *resumes) get(k fileOfPath) resume {
	if c == nil {
		return resume{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.all[k]
}

func (c *resumes) put(k fileOfPath, r resume) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all == nil || len(c.all) >= maxCached {
		c.all = map[fileOfPath]resume{}
	}
	c.all[k] = r
}

// begins returns r if a history begins with what it replayed, else none.
func (r resume) begins(base *string, absent bool, given []resumed) resume {
	n := len(r.given)
	if r.projection == nil || n > len(given) || !sameText(r.base, base) || r.absent != absent || !slices.Equal(r.given, given[:n]) {
		return resume{}
	}
	return r
}
