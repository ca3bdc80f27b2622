package lsp

import (
	"context"
	"sync"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// replayQuiet is how long a document must rest before its diffs are replayed, which may
// need git. What that finds joins the document's other diagnostics.
const replayQuiet = 500 * time.Millisecond

// replays checks whether the diffs of open documents can be replayed, in the background.
type replays struct {
	s    *session
	wake chan struct{} // capacity 1

	mu   sync.Mutex
	due  map[string]time.Time
	done map[string]replayed
	seen map[string]*analysis.Document // the versions that those that point to it have heard of
}

// replayed is what was found in one version of a document.
type replayed struct {
	doc  *analysis.Document
	list []analysis.Diagnostic
}

func newReplays(s *session) *replays {
	return &replays{s: s, wake: make(chan struct{}, 1), due: map[string]time.Time{}, done: map[string]replayed{}, seen: map[string]*analysis.Document{}}
}

// of returns what was found in this version of the document; if nobody has looked yet, it
// has that done.
func (r *replays) of(doc *analysis.Document) []analysis.Diagnostic {
	if r.s.opts.Source == nil || doc.Kind() == analysis.Other && !r.checksSource(doc) || doc.TooLarge() {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if f, ok := r.done[doc.URI]; ok && f.doc == doc {
		return f.list
	}
	r.due[doc.URI] = time.Now().Add(replayQuiet)
	select {
	case r.wake <- struct{}{}:
	default:
	}
	return nil
}

// run is the goroutine. It sleeps while nothing is due.
func (r *replays) run() {
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	defer timer.Stop()
	for {
		select {
		case <-r.s.ctx.Done():
			return
		case <-r.wake:
		case <-timer.C:
		}
		key, wait := r.next(time.Now())
		for key != "" && wait <= 0 {
			r.check(r.s.ctx, key)
			key, wait = r.next(time.Now())
		}
		if key != "" {
			timer.Reset(wait)
		}
	}
}

// next returns the document that is due first, and how long it must wait.
func (r *replays) next(now time.Time) (key string, wait time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for k, at := range r.due {
		if key == "" || at.Sub(now) < wait {
			key, wait = k, at.Sub(now)
		}
	}
	if key != "" && wait <= 0 {
		delete(r.due, key)
	}
	return key, wait
}

func (r *replays) check(ctx context.Context, key string) {
	s := r.s
	defer func() {
		if v := recover(); v != nil {
			s.bugs.record(s.log, "replay", v)
		}
	}()
	doc := s.work.Snapshot().Document(key)
	if doc == nil {
		r.forget(key)
		return
	}
	if s.work.CompareDisk(ctx, s.opts.Source, key) {
		s.refreshProvenance()
	}
	found, err := s.work.CheckReferences(ctx, s.opts.Source, key)
	if err != nil {
		s.log.Debug("replay ended", "uri", key, "reason", err)
		return
	}
	if s.work.Snapshot().Document(key) != doc {
		return // a newer version is checked, and asks again
	}
	r.mu.Lock()
	before, again := r.done[key]
	r.done[key] = replayed{doc, found}
	heard := r.seen[key] == doc
	r.seen[key] = doc
	r.mu.Unlock()
	if len(found) > 0 || again && len(before.list) > 0 {
		r.show(key)
	}
	if !heard {
		r.tellPointing(doc)
	}
}

// show has the document checked again, with what was found.
func (r *replays) show(key string) {
	s := r.s
	if open, ok := s.docs.get(key); ok {
		s.diagnostics.update(docState{open.key, open.spelling, true, true})
		if s.pulls.has(key) {
			s.refreshDiagnostics()
		}
	}
}

// checksSource says whether there may be something to tell of a source file.
func (r *replays) checksSource(doc *analysis.Document) bool {
	return doc.Path != "" && r.s.work.Snapshot().Options.Formatter != nil
}

// tellPointing has the open documents looked at again that point to a new version of one,
// and the source files of which it may speak.
func (r *replays) tellPointing(doc *analysis.Document) {
	if doc.Kind() == analysis.Other {
		return
	}
	for _, d := range r.s.work.Snapshot().Documents() {
		source := d.Kind() == analysis.Other
		if d.URI == doc.URI || d.TooLarge() || source && !r.checksSource(d) || !source && !d.PointsTo(doc.Path) {
			continue
		}
		r.mu.Lock()
		r.due[d.URI] = time.Now()
		r.mu.Unlock()
	}
}

// forgetAll drops what was found, since something else has changed on which it depends.
func (r *replays) forgetAll() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.done)
}

func (r *replays) forget(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.done, key)
	delete(r.seen, key)
}
