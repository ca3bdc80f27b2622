package repo

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// maxWalked bounds the commits that are looked at to find out how some descend from others.
const maxWalked = 20_000

// Ancestors says which of the commits revs are ancestors of which others: of each, the places
// in revs of those that surely are. Only the newest commits that lead to them are looked at; a
// commit that is not there has no ancestors and is none.
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
	parents, err := g.parents(ctx, root, ids)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		before := ancestorsOf(id, parents, places)
		for _, i := range places[id] {
			all[i] = before
		}
	}
	return all, nil
}

// ancestorsOf returns the places of the ancestors of a commit.
func ancestorsOf(id string, parents map[string][]string, places map[string][]int) (before []int) {
	seen, todo := map[string]bool{id: true}, []string{id}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, p := range parents[at] {
			if !seen[p] {
				seen[p] = true
				before, todo = append(before, places[p]...), append(todo, p)
			}
		}
	}
	return before
}

// parents returns the parents of the newest commits that lead to some.
func (g *Git) parents(ctx context.Context, root string, ids []string) (map[string][]string, error) {
	root, err := physical(root)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, g.options.Timeout, ErrTimeout)
	defer cancel()
	stop := context.AfterFunc(g.closing, cancel)
	defer stop()
	cmd, err := g.command(ctx, root, append(append([]string{"rev-list", "--parents", fmt.Sprint("--max-count=", maxWalked)}, ids...), "--")...)
	if err != nil {
		return nil, err
	}
	said := &head{}
	cmd.Stderr = said
	out, err := cmd.Output()
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", root, startError("git rev-list", said.String()))
	}
	parents := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		if of := strings.Fields(line); len(of) > 1 {
			parents[of[0]] = of[1:]
		}
	}
	return parents, nil
}

// Ancestors is [Git.Ancestors] of the repository at root.
func (s Source) Ancestors(ctx context.Context, root string, revs []string) ([][]int, error) {
	if s.Git == nil {
		return nil, ErrNoGit
	}
	return s.Git.Ancestors(ctx, root, revs)
}
