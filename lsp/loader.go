package lsp

import (
	"context"
	"errors"
	"sync"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// Loader reads documents that the client has not opened. Its methods are called by one
// goroutine, one after the other, and must return soon after ctx is done. They must not
// replace a document that is open.
type Loader interface {
	// Load makes the workspace hold the documents below the folders (file system paths)
	// and forgets those of other folders.
	Load(ctx context.Context, w *analysis.Workspace, folders []string) error
	// Reload reads the files at the paths again, or forgets them if they are gone.
	Reload(ctx context.Context, w *analysis.Workspace, paths []string) error
}

// loading is the loader's goroutine and what waits for it.
type loading struct {
	s    *session
	mu   sync.Mutex
	all  bool
	some map[string]bool // paths
	wake chan struct{}   // capacity 1

	first     chan struct{} // closed when the folders were read once
	firstOnce sync.Once
}

func newLoading(s *session) *loading {
	return &loading{s: s, some: map[string]bool{}, wake: make(chan struct{}, 1), first: make(chan struct{})}
}

// load has the workspace's folders read. It does not wait.
func (l *loading) load() {
	l.mu.Lock()
	l.all = true
	l.mu.Unlock()
	l.signal()
}

// reload has one file read again. It does not wait.
func (l *loading) reload(path string) {
	l.mu.Lock()
	l.some[path] = true
	l.mu.Unlock()
	l.signal()
}

func (l *loading) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

func (l *loading) run() {
	for {
		select {
		case <-l.s.ctx.Done():
			return
		case <-l.wake:
		}
		l.mu.Lock()
		all, some := l.all, l.some
		l.all, l.some = false, map[string]bool{}
		l.mu.Unlock()
		if l.s.opts.Loader != nil {
			l.work(all, some)
		}
		if all {
			l.firstOnce.Do(func() { close(l.first) })
		}
	}
}

// work loads, and has the open documents checked again if the workspace changed.
func (l *loading) work(all bool, some map[string]bool) {
	s := l.s
	defer func() {
		if v := recover(); v != nil {
			s.bugs.record(s.log, "load", v)
		}
	}()
	before := s.work.Snapshot()
	var err error
	if all {
		var paths []string
		for _, f := range s.folders.get() {
			paths = append(paths, f.path)
		}
		display := s.beginProgress("Reading Toolpath documents")
		err = s.opts.Loader.Load(s.ctx, s.work, paths)
		display.end("done")
	}
	if len(some) > 0 {
		paths := make([]string, 0, len(some))
		for p := range some {
			paths = append(paths, p)
		}
		err = errors.Join(err, s.opts.Loader.Reload(s.ctx, s.work, paths))
	}
	if err != nil && s.ctx.Err() == nil {
		s.log.Warn("some documents could not be read", "reason", err)
	}
	if !s.work.Snapshot().SameDisk(before) {
		s.replays.forgetAll()
		s.recheck()
		s.refreshProvenance()
		s.refreshDiagnostics()
	}
}
