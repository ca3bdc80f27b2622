package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/repo"
	"github.com/toolpath-ls/toolpath-ls/analysis/rules"
	"github.com/toolpath-ls/toolpath-ls/structural"
)

// files is the way to the disk and to git for the analysis and for the server.
type files struct {
	repo.Source
	repo.LineageIndex
}

func newFiles(limit int) *files { return newFilesWith(repo.GitOptions{}, limit) }

func newFilesWith(git repo.GitOptions, limit int) *files {
	return &files{Source: repo.Source{Git: repo.NewGit(git), FileLimit: int64(limit), ObjectLimit: int64(limit)}}
}

func (f *files) close() { f.Git.Close() }

// noise is shared, so that no two comparisons of the same texts are made.
var noise = new(structural.Formatter)

// newWorkspace returns an empty workspace. What documents outside of any repository say
// about files is relative to the folder, or to their own if it is "".
func newWorkspace(f *files, folder string, limit int) *analysis.Workspace {
	options := &analysis.Options{Rules: rules.All(), MaxFileSize: limit, Parallel: sideBySide, Syntax: structural.Syntax{}, Formatter: noise}
	return analysis.NewWorkspace(options, func(path string) string {
		if root := f.Root(path); root != "" {
			return filepath.ToSlash(root)
		}
		return folder
	})
}

// Load implements lsp.Loader: it makes the documents below the folders part of the
// workspace.
func (f *files) Load(ctx context.Context, w *analysis.Workspace, folders []string) error {
	var errs []error
	for _, folder := range folders {
		found, err := repo.FindDocuments(ctx, folder, repo.WalkOptions{})
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if found.Bounds != 0 {
			errs = append(errs, fmt.Errorf("%s is too large to be searched for documents: the limit on the %v was reached", folder, found.Bounds))
		}
		for _, unreadable := range found.Unreadable {
			errs = append(errs, fmt.Errorf("%s: the folder cannot be read", unreadable))
		}
		if err := f.Reload(ctx, w, found.Paths); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Reload implements lsp.Loader: it reads documents again, or forgets them if they are gone.
func (f *files) Reload(ctx context.Context, w *analysis.Workspace, paths []string) error {
	var errs []error
	w.Forget()
	for _, p := range paths {
		if name := strings.ToLower(p); !strings.HasSuffix(name, ".path.json") && !strings.HasSuffix(name, ".path.jsonl") {
			continue
		}
		content, err := f.ReadFile(ctx, p)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			w.Remove(filepath.ToSlash(p))
			if !errors.Is(err, repo.ErrNotExist) {
				errs = append(errs, readError(p, err))
			}
			continue
		}
		w.Add(filepath.ToSlash(p), content)
	}
	return errors.Join(errs...)
}

// sideBySide runs pieces of work on all processors. A panic in one of them is that of the
// caller, once the others have ended.
func sideBySide(n int, work func(i int)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	var once sync.Once
	var panicked any
	for range min(runtime.GOMAXPROCS(0), n) {
		workers.Go(func() {
			defer func() {
				if v := recover(); v != nil {
					once.Do(func() { panicked = v })
				}
			}()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				work(i)
			}
		})
	}
	workers.Wait()
	if panicked != nil {
		panic(panicked)
	}
}
