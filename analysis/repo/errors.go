package repo

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// Kinds of failure, for [errors.Is]. The error that is returned says more: what
// was asked, why it failed and, where there is something to do, what.
var (
	// ErrNotExist: nothing is at that path. Wraps [fs.ErrNotExist].
	ErrNotExist = fmt.Errorf("no such file: %w", fs.ErrNotExist)
	// ErrTooLarge: the content is over the limit and was not read; the error
	// is a [*TooLargeError].
	ErrTooLarge = analysis.ErrTooLarge
	// ErrNotRegular: the path is there but is no regular file: a folder, FIFO,
	// device or socket on disk; a folder, symbolic link or submodule in a commit.
	ErrNotRegular = errors.New("not a regular file")

	// ErrGitOff: git must not be run.
	ErrGitOff = errors.New("git is not run here, as it was asked for")
	// ErrNoGit: there is no git to run.
	ErrNoGit = errors.New("git was not found; install it or add its folder to PATH")
	// ErrNoRepository: the folder is in no git repository, or is not the root of one.
	ErrNoRepository = errors.New("not a git repository")
	// ErrUntrusted: git does not read this repository because another user
	// owns it (git-config(1), safe.directory).
	ErrUntrusted = errors.New("the repository belongs to another user")
	// ErrNoRevision: the revision names no commit of the repository, or is in
	// a form that is not passed to git.
	ErrNoRevision = errors.New("no such commit")
	// ErrNoPath: the commit has nothing at that path; the error is a [*NoPathError].
	ErrNoPath = errors.New("no such path in the commit")
	// ErrNoObject: the commit records the path, but the repository does not
	// hold the object: a partial clone, or a damaged repository.
	ErrNoObject = errors.New("object not in the repository")
	// ErrGit: git ended in a way that nothing above describes.
	ErrGit = errors.New("git failed")
	// ErrTimeout: git did not answer in time and was ended.
	ErrTimeout = errors.New("git did not answer in time")
	// ErrClosed: the [Git] was closed.
	ErrClosed = errors.New("git reader closed")
)

// TooLargeError is the error of kind [ErrTooLarge].
type TooLargeError struct {
	Path  string
	Size  int64 // bytes; at least this many when the file grew while it was read
	Limit int64 // bytes
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s: not read: %d bytes, over the limit of %d", e.Path, e.Size, e.Limit)
}

// Is reports whether target is [ErrTooLarge].
func (e *TooLargeError) Is(target error) bool { return target == ErrTooLarge }

// NoPathError is the error of kind [ErrNoPath].
type NoPathError struct {
	Rev, Path string
	// Reason says why in words, or is empty when there simply is no entry.
	Reason string
	// Variant is the one path of the commit that differs from Path by letter
	// case alone, or empty. On a file system that ignores case, it is the
	// path that was meant.
	Variant string
}

func (e *NoPathError) Error() string {
	s := fmt.Sprintf("commit %s has no path %q", e.Rev, e.Path)
	if e.Reason != "" {
		s += ": " + e.Reason
	}
	if e.Variant != "" {
		s += fmt.Sprintf(" (it has %q)", e.Variant)
	}
	return s
}

// Is reports whether target is [ErrNoPath].
func (e *NoPathError) Is(target error) bool { return target == ErrNoPath }
