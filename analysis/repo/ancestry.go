package repo

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

const (
	// maxWalked bounds the commits that are looked at to find out how some descend from others.
	maxWalked = 2_000_000
	// maxSkew is how much older than its own ancestor a commit may say that it is.
	maxSkew = 30 * 24 * time.Hour
)

// Ancestors says which of the commits revs are ancestors of which others: of each, the places
// in revs of those that surely are. What is older than all of them by [maxSkew] is not looked
// at, nor more than [maxWalked] commits; a commit that is not there has no ancestors and is
// none.
//
// Errors are those of [Git.Commit], but for [ErrNoRevision].
func (g *Git) Ancestors(ctx context.Context, root string, revs []string) ([][]int, error) {
	ids, places := []string{}, map[string][]int{}
	for i, rev := range revs {
		id, err := g.Commit(ctx, root, rev)
		if errors.Is(err, ErrNoRevision) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if places[id] == nil {
			ids = append(ids, id)
		}
		places[id] = append(places[id], i)
	}
	all := make([][]int, len(revs))
	if len(ids) < 2 {
		return all, nil
	}
	root, err := physical(root)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, g.options.Timeout, ErrTimeout)
	defer cancel()
	stop := context.AfterFunc(g.closing, cancel)
	defer stop()
	oldest := int64(0)
	err = g.revList(ctx, root, append([]string{"--no-walk", "--timestamp"}, ids...), func(fields []string) (more bool, err error) {
		at, err := strconv.ParseInt(fields[0], 10, 64)
		if oldest == 0 || at < oldest {
			oldest = at
		}
		return true, err
	})
	if err != nil {
		return nil, err
	}
	w := newDescent(ids)
	err = g.revList(ctx, root, append([]string{"--topo-order", "--parents",
		fmt.Sprint("--max-count=", maxWalked), fmt.Sprint("--max-age=", max(0, oldest-int64(maxSkew/time.Second)))}, ids...), w.commit)
	if err != nil {
		return nil, err
	}
	for k, id := range ids {
		for _, from := range w.above(id) {
			for _, i := range places[ids[from]] {
				all[i] = append(all[i], places[ids[k]]...)
			}
		}
	}
	return all, nil
}

// descent follows named commits down a history of which each commit is told before its parents.
// It holds no more of it than the parents that are still to be told.
type descent struct {
	named map[string]int   // places
	from  map[string][]int // of commits to be told: the named ones that descend from them, ascending
	found map[string][]int // of named commits that were told, the same
}

func newDescent(ids []string) *descent {
	w := &descent{named: map[string]int{}, from: map[string][]int{}, found: map[string][]int{}}
	for i, id := range ids {
		w.named[id] = i
	}
	return w
}

// commit takes in a commit and its parents, and says whether there is more to be learned.
func (w *descent) commit(ids []string) (more bool, err error) {
	from := w.from[ids[0]]
	delete(w.from, ids[0])
	if i, ok := w.named[ids[0]]; ok {
		w.found[ids[0]] = from
		from = union(from, []int{i})
	}
	for _, p := range ids[1:] {
		w.from[p] = union(w.from[p], from)
	}
	return len(w.found) < len(w.named), nil
}

// above returns the named commits that surely descend from one of them.
func (w *descent) above(id string) []int {
	if from, told := w.found[id]; told {
		return from
	}
	return w.from[id]
}

// union merges ascending lists, which stay as they are.
func union(a, b []int) []int {
	switch {
	case len(a) == 0 || len(a) == len(b) && &a[0] == &b[0]:
		return b
	case len(b) == 0:
		return a
	}
	all := make([]int, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		n := min(a[0], b[0])
		all = append(all, n)
		if a[0] == n {
			a = a[1:]
		}
		if b[0] == n {
			b = b[1:]
		}
	}
	return append(append(all, a...), b...)
}

// revList runs git rev-list and gives each line that it says to a function, until that wants
// no more.
func (g *Git) revList(ctx context.Context, root string, args []string, line func(fields []string) (more bool, err error)) error {
	cmd, err := g.command(ctx, root, append(append([]string{"rev-list"}, args...), "--")...)
	if err != nil {
		return err
	}
	said := &head{}
	cmd.Stderr = said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%w: %v", ErrNoGit, err)
	}
	enough, err := readRevList(out, line)
	if enough || err != nil {
		_ = cmd.Cancel() // it may have ended by itself
	}
	switch failed := cmd.Wait(); {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return fmt.Errorf("%s: %w: git rev-list said what is not understood: %v", root, ErrGit, err)
	case failed != nil && !enough:
		return fmt.Errorf("%s: %w", root, startError("git rev-list", said.String()))
	}
	return nil
}

func readRevList(in io.Reader, line func(fields []string) (more bool, err error)) (enough bool, err error) {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, 64<<10), 16<<20) // a commit can have many parents
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 {
			continue
		}
		more, err := line(fields)
		if !more || err != nil {
			return !more, err
		}
	}
	return false, lines.Err()
}

// Ancestors is [Git.Ancestors] of the repository at root.
func (s Source) Ancestors(ctx context.Context, root string, revs []string) ([][]int, error) {
	if s.Git == nil {
		return nil, ErrNoGit
	}
	return s.Git.Ancestors(ctx, root, revs)
}
