package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/repo"
	"github.com/toolpath-ls/toolpath-ls/analysis/rules"
)

// files is the way to the disk and to git for the analysis and for the server.
type files struct {
	repo.Source
}

func newFiles(limit int) *files {
	return &files{repo.Source{Git: repo.NewGit(repo.GitOptions{}), FileLimit: int64(limit), ObjectLimit: int64(limit)}}
}

func (f *files) close() { f.Git.Close() }

// ReadObject implements analysis.Source.
func (f *files) ReadObject(ctx context.Context, root, rev, path string) ([]byte, error) {
	content, err := f.Source.ReadObject(ctx, root, rev, path)
	if errors.Is(err, repo.ErrNoPath) {
		return nil, fmt.Errorf("%w: %w", analysis.ErrNoFile, err)
	}
	return content, err
}

// Root implements analysis.Source: the top folder of the repository, in the spelling of
// the path, since symbolic links may lead to it.
func (f *files) Root(path string) string {
	top, err := f.Git.TopLevel(context.Background(), filepath.Dir(path))
	if err != nil {
		return ""
	}
	for at := filepath.Dir(path); ; {
		if real, err := filepath.EvalSymlinks(at); err == nil && real == top {
			return filepath.ToSlash(at)
		}
		up := filepath.Dir(at)
		if up == at {
			return filepath.ToSlash(top)
		}
		at = up
	}
}

// newWorkspace returns an empty workspace. What documents outside of any repository say
// about files is relative to the folder, or to their own if it is "".
func newWorkspace(f *files, folder string, limit int) *analysis.Workspace {
	options := &analysis.Options{Rules: rules.All(), MaxFileSize: limit}
	return analysis.NewWorkspace(options, func(path string) string {
		if root := f.Root(path); root != "" {
			return root
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
		if err := f.Reload(ctx, w, found.Paths); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Reload implements lsp.Loader: it reads documents again, or forgets them if they are gone.
func (f *files) Reload(ctx context.Context, w *analysis.Workspace, paths []string) error {
	var errs []error
	for _, p := range paths {
		content, err := f.ReadFile(ctx, p)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			w.Remove(filepath.ToSlash(p))
			if !errors.Is(err, repo.ErrNotExist) {
				errs = append(errs, err)
			}
			continue
		}
		w.Add(filepath.ToSlash(p), content)
	}
	return errors.Join(errs...)
}
