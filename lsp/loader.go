package lsp

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	glob "github.com/toolpath-ls/toolpath-ls/analysis/query"
)

// Sources are the places where documents are looked for.
type Sources struct {
	Folders []string // the workspace's, as file system paths
	// Files match paths of files below the folders that are documents if their content
	// says so, beside those whose names do.
	Files []glob.Glob
	// Cache says that the cache of the Toolpath tools is one of them, as far as it speaks
	// of the folders.
	Cache bool
	// Live is a folder in which documents grow while they are written (track-*.path.jsonl);
	// "" for none.
	Live string
}

func (s *Sources) equal(t *Sources) bool {
	return s.Cache == t.Cache && s.Live == t.Live && slices.EqualFunc(s.Files, t.Files, func(a, b glob.Glob) bool { return a.String() == b.String() })
}

// Loader reads documents that the client has not opened. Its methods are called by one
// goroutine, one after the other, and must return soon after ctx is done. They must not
// replace a document that is open.
type Loader interface {
	// Load makes the workspace hold the documents of the sources, and what they point to,
	// and forgets all others. It tells how many of how many have been looked at.
	Load(ctx context.Context, w *analysis.Workspace, from Sources, tell func(done, total int)) error
	// Reload reads the files at the paths again, if they belong to the sources or to the
	// workspace, or forgets them if they are gone.
	Reload(ctx context.Context, w *analysis.Workspace, from Sources, paths []string) error
	// Grown returns the live documents that have changed since it was called last.
	Grown(from Sources) []string
	// Watched returns, beside the workspace's folders, those in which documents of the
	// sources come and go, with a pattern of their names each.
	Watched(from Sources) map[string]string
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
		grown := false
		select {
		case <-l.s.ctx.Done():
			return
		case <-l.wake:
		case <-l.poll():
			grown = true
		}
		l.mu.Lock()
		all, some := l.all, l.some
		l.all, l.some = false, map[string]bool{}
		l.mu.Unlock()
		if grown {
			for _, path := range l.s.opts.Loader.Grown(l.s.sources()) {
				some[path] = true
			}
			if !all && len(some) == 0 {
				continue
			}
		}
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
	sources := s.sources()
	if all {
		ctx, cancel := context.WithCancel(s.ctx)
		display := s.beginProgress("Reading Toolpath documents", cancel)
		err = s.opts.Loader.Load(ctx, s.work, sources, display.report)
		ended := "done"
		if ctx.Err() != nil {
			err, ended = nil, "stopped: some documents were not read"
		}
		display.end(ended)
		cancel()
	}
	if len(some) > 0 {
		paths := make([]string, 0, len(some))
		for p := range some {
			paths = append(paths, p)
		}
		err = errors.Join(err, s.opts.Loader.Reload(s.ctx, s.work, sources, paths))
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

// sources are the places where the session's documents are looked for.
func (s *session) sources() Sources {
	from := s.settings.Load().Sources
	for _, f := range s.folders.get() {
		from.Folders = append(from.Folders, f.path)
	}
	return from
}

// livePoll is the time between two looks at the folder of live documents, which no client
// watches.
const livePoll = time.Second

// poll returns what to wait for before the live documents are looked at; nil, which never
// comes, if there are none.
func (l *loading) poll() <-chan time.Time {
	if l.s.opts.Loader == nil || l.s.settings.Load().Sources.Live == "" {
		return nil
	}
	return time.After(livePoll)
}
