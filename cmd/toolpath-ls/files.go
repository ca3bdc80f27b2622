package main

import (
	"path/filepath"
	"runtime"
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
	live  map[string]stamp  // the live documents as they were looked at last
	links []repo.FolderLink // that were seen in the folders
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
