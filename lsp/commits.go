package lsp

import (
	"context"
	"sync"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// gitWait bounds the wait of a request for git blame. What comes later is there for the
// next one.
const gitWait = 3 * time.Second

// commits asks git who committed the lines for which no step is known: one question for a
// file at a time, in the background, until the file is closed or another commit is checked
// out.
type commits struct {
	s     *session
	mu    sync.Mutex
	files map[string]*committedFile // by canonical URI
}

// committedFile is what git says of a file in one commit.
type committedFile struct {
	rev    string
	cancel context.CancelFunc
	done   chan struct{} // closed once found is there
	found  *analysis.Commits

	mu       sync.Mutex
	from, of *analysis.Provenance // of is from with the commits
}

// with returns what is known of an open file and who committed its other lines, as far as
// git says so in time.
func (c *commits) with(ctx context.Context, doc *analysis.Document, p *analysis.Provenance) *analysis.Provenance {
	src, ok := c.s.opts.Source.(analysis.Committed)
	if !ok || !c.s.settings.Load().BlameGit || !p.HasUnrecorded() {
		return p
	}
	rev, err := src.Head(ctx, doc.Path)
	if err != nil {
		return p
	}
	f := c.file(doc, rev)
	timer := time.NewTimer(gitWait)
	defer timer.Stop()
	select {
	case <-f.done:
		return f.with(p)
	case <-timer.C:
	case <-ctx.Done():
	}
	return p
}

func (f *committedFile) with(p *analysis.Provenance) *analysis.Provenance {
	if f.found == nil {
		return p
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.from != p {
		f.from, f.of = p, p.WithCommits(f.found)
	}
	return f.of
}

// file returns what git says of the file in a commit, or will say.
func (c *commits) file(doc *analysis.Document, rev string) *committedFile {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f := c.files[doc.URI]; f != nil {
		if f.rev == rev {
			return f
		}
		f.cancel()
	}
	ctx, cancel := context.WithCancel(c.s.ctx)
	f := &committedFile{rev: rev, cancel: cancel, done: make(chan struct{})}
	if c.files == nil {
		c.files = map[string]*committedFile{}
	}
	c.files[doc.URI] = f
	c.s.workers.Go(func() {
		defer cancel()
		defer close(f.done)
		defer func() {
			if v := recover(); v != nil {
				c.s.bugs.record(c.s.log, "commits", v)
			}
		}()
		found, err := analysis.CommitsOf(ctx, c.s.opts.Source, doc.Path, rev)
		if err != nil {
			c.s.log.Debug("git does not tell who committed the file", "uri", doc.URI, "reason", err)
			return
		}
		f.found = found
	})
	return f
}

// forget ends the question about a file that was closed.
func (c *commits) forget(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f := c.files[key]; f != nil {
		f.cancel()
		delete(c.files, key)
	}
}
