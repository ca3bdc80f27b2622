package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/repo"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust"
)

// record is what the documents of a folder say about its files.
type record struct {
	files  *files
	work   *analysis.Workspace
	folder string // as the user named it, or the repository
	root   string // the same as an absolute path
}

// openRecord reads all documents in a folder, by default the repository that holds the file
// or folder at an absolute path; those about a file are kept in memory. Documents that cannot
// be read are told on stderr.
func openRecord(cmd *cobra.Command, path, folder string) (*record, error) {
	r := &record{files: newFiles(0), folder: folder}
	repository := ""
	if r.folder == "" {
		repository = r.files.Root(filepath.ToSlash(path))
		if r.folder = filepath.FromSlash(repository); r.folder == "" {
			r.folder = path
			if st, err := os.Stat(path); err != nil || !st.IsDir() {
				r.folder = filepath.Dir(path)
			}
		}
	}
	var err error
	if r.root, err = filepath.Abs(r.folder); err == nil {
		if st, serr := os.Stat(r.root); serr != nil || !st.IsDir() {
			err = fmt.Errorf("the workspace %s is no folder", r.folder)
		}
	}
	if err != nil {
		r.files.close()
		return nil, err
	}
	r.work = newWorkspace(r.files, filepath.ToSlash(r.root), analysis.DefaultMaxFileSize)
	r.work.Expect(filepath.ToSlash(path))
	if repository != "" {
		go r.files.Git.Ready(cmd.Context(), r.root) // while the documents are read, which name its commits
	}
	if err := r.files.Load(cmd.Context(), r.work, sourcesOf(cmd, r.root), nil); err != nil {
		for line := range strings.SplitSeq(err.Error(), "\n") { // one for each document
			note(cmd.ErrOrStderr(), line)
		}
	}
	return r, nil
}

// note tells what the reader of a result should know.
func note(errs io.Writer, s string) { fmt.Fprintln(errs, "toolpath-ls:", escaped(s)) }

// survey calls f with what is recorded of each file at the paths: of a folder, of those below
// it that documents speak of. Files that cannot be read are told on stderr, and those that
// are gone are passed over unless they were named. It returns whether all could be read.
func survey(cmd *cobra.Command, paths []string, folder string, f func(file string, p *analysis.Provenance, r *record)) (complete bool, err error) {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	abs := make([]string, len(paths))
	for i, p := range paths {
		if abs[i], err = filepath.Abs(p); err != nil {
			return false, err
		}
	}
	r, err := openRecord(cmd, abs[0], folder)
	if err != nil {
		return false, err
	}
	defer r.files.close()
	r.readKeys(cmd.Context())
	complete = true
	seen := map[string]bool{}
	for i, path := range abs {
		named, within := []string{filepath.ToSlash(path)}, ""
		st, err := os.Stat(path)
		if err != nil {
			return false, readError(paths[i], err)
		}
		if st.IsDir() {
			named, within = r.work.Snapshot().TouchedFiles(named[0]), filepath.ToSlash(r.root)
		}
		for _, file := range named {
			file, p, err := r.work.ReadAs(cmd.Context(), r.files, file, within)
			if seen[file] {
				continue
			}
			seen[file] = true
			if cerr := cmd.Context().Err(); cerr != nil {
				return false, cerr
			}
			if err != nil {
				complete = false
				note(cmd.ErrOrStderr(), surveyError(file, err).Error())
				continue
			}
			if p != nil && (!st.IsDir() || p.IsSpokenOf()) {
				f(file, p, r)
			}
		}
	}
	return complete, nil
}

// readKeys has keys read once a signature of a reviewer is there to be verified.
func (r *record) readKeys(ctx context.Context) {
	options := *r.work.Snapshot().Options
	rings := map[string]*trust.Keyring{}
	var mu sync.Mutex
	options.Keyring = func(root string) *trust.Keyring {
		mu.Lock()
		defer mu.Unlock()
		if rings[root] == nil {
			rings[root], _ = keyReader{}.Keyring(ctx, root, nil)
		}
		return rings[root]
	}
	r.work.SetOptions(&options)
}

func surveyError(file string, err error) error {
	if tooLarge := new(repo.TooLargeError); errors.As(err, &tooLarge) {
		return fmt.Errorf("%s %s", shown(file), overLimit(tooLarge))
	}
	return readError(shown(file), err)
}
