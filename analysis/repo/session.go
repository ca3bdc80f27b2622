package repo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// session owns the process of one repository, which comes and goes.
type session struct {
	git  *Git
	root string
	used time.Time // guarded by Git.mu

	turn    chan struct{} // has room for whoever holds what follows
	cat     *catFile      // nil while no process runs
	origin  origin        // what root was when it started
	idle    *time.Timer   // nil until the first use
	retired bool          // for good: another session has the root
}

// errRetired: the session was given up for another between two calls.
var errRetired = errors.New("session retired")

func newSession(g *Git, root string) *session {
	return &session{git: g, root: root, turn: make(chan struct{}, 1)}
}

// run calls f with a live process when it is the caller's turn. When ctx ends
// first, so does the process, since an answer that nobody reads would be taken
// for that of the next question.
func (s *session) run(ctx context.Context, now origin, f func(*catFile) error) error {
	select {
	case s.turn <- struct{}{}:
		defer s.leave()
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-s.git.closing.Done():
		return ErrClosed
	}
	fresh, err := s.ready(now)
	if err != nil {
		return err
	}
	err = s.call(ctx, f)
	if errors.Is(err, errGone) && !fresh && !strings.Contains(s.cat.stderr.String(), "fatal: ") {
		// It was ended from outside since its last use.
		s.end()
		if _, err := s.ready(now); err != nil {
			return err
		}
		err = s.call(ctx, f)
	}
	if errors.Is(err, errGone) {
		return startError(s.root, s.cat.stderr.String())
	}
	return err
}

// call runs f such that the end of ctx or of the session ends it.
func (s *session) call(ctx context.Context, f func(*catFile) error) error {
	cat := s.cat
	keepOnEnd := context.AfterFunc(ctx, cat.abort)
	keepOnClose := context.AfterFunc(s.git.closing, cat.abort)
	err := f(cat)
	ended, closed := !keepOnEnd(), !keepOnClose()
	cat.broken = cat.broken || ended || closed
	switch {
	case !errors.Is(err, errGone):
		return err
	case closed:
		return ErrClosed
	case ended:
		return fmt.Errorf("%s: %w", s.root, context.Cause(ctx))
	}
	return err
}

// leave ends a turn.
func (s *session) leave() {
	if s.cat != nil && s.cat.broken {
		s.end()
	}
	if s.cat != nil {
		s.rest()
	}
	<-s.turn
}

// rest has the process ended when it is not used for a while.
func (s *session) rest() {
	if s.idle == nil {
		s.idle = time.AfterFunc(s.git.options.Idle, s.expire)
		return
	}
	s.idle.Reset(s.git.options.Idle)
}

// expire ends the process unless it is in use, after which it rests anew.
func (s *session) expire() {
	select {
	case s.turn <- struct{}{}:
		s.end()
		<-s.turn
	default:
	}
}

// ready makes sure that a process runs for what is at root now. Is true when it
// was started by this call.
func (s *session) ready(now origin) (fresh bool, err error) {
	if s.idle != nil {
		s.idle.Stop()
	}
	switch {
	case s.git.closing.Err() != nil:
		return false, ErrClosed
	case s.retired:
		return false, errRetired
	}
	if s.cat != nil && s.origin.same(now) {
		return false, nil
	}
	s.end()
	s.cat, err = startCatFile(s.git, s.root)
	s.origin = now
	return true, err
}

func (s *session) end() {
	if s.cat != nil {
		s.cat.stop()
		s.cat = nil
	}
}

// retire ends the process for good, after the call under way.
func (s *session) retire() {
	s.turn <- struct{}{}
	s.retired = true
	if s.idle != nil {
		s.idle.Stop()
	}
	s.end()
	<-s.turn
}

// origin tells one repository from another that took its place. The process
// keeps root's folder alive as its current one, so that no new folder can be
// mistaken for it.
type origin struct{ root, dotGit fs.FileInfo }

func originOf(root string) (origin, error) {
	if err := checkRoot(root); err != nil {
		return origin{}, err
	}
	folder, err := os.Stat(root)
	if err != nil {
		return origin{}, fmt.Errorf("%s: %w: %v", root, ErrNoRepository, err)
	}
	dotGit, err := os.Stat(filepath.Join(root, ".git"))
	if err != nil {
		dotGit = folder // bare
	}
	return origin{folder, dotGit}, nil
}

func (o origin) same(p origin) bool {
	return os.SameFile(o.root, p.root) && os.SameFile(o.dotGit, p.dotGit)
}
