package repo

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

const (
	blameTimeout = 2 * time.Minute
	blameLine    = 1 << 20  // bytes of a line of git's answer
	blameLines   = 10 << 20 // lines of a file
)

// Blame asks git which commits wrote the lines that the file at path has in the
// commit rev. One such git runs at a time; it ends with ctx.
//
// It is asked about a commit and never about the work tree, and without textconv:
// what differs from the commit is for the caller to find out, since git would run
// the clean filters that a repository names to compare (see [Git.command]). What
// blame.ignoreRevsFile names is not ignored.
//
// Errors are those of [Git.Blob].
func (g *Git) Blame(ctx context.Context, root, rev, path string, limit int64) (*analysis.Commits, error) {
	id, err := g.Commit(ctx, root, rev)
	if err != nil {
		return nil, err
	}
	content, err := g.Blob(ctx, root, id, path, limit)
	if err != nil {
		return nil, err
	}
	if root, err = physical(root); err != nil {
		return nil, err
	}
	select {
	case g.blaming <- struct{}{}:
		defer func() { <-g.blaming }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-g.closing.Done():
		return nil, ErrClosed
	}
	ctx, cancel := context.WithTimeoutCause(ctx, blameTimeout, ErrTimeout)
	defer cancel()
	stop := context.AfterFunc(g.closing, cancel)
	defer stop()
	cmd, err := g.command(ctx, root, "blame", "--no-textconv", "--no-ignore-revs-file", "--encoding=UTF-8",
		"--porcelain", "--incremental", id, "--", path)
	if err != nil {
		return nil, err
	}
	commits := &analysis.Commits{Rev: id, Content: content}
	err = runBlame(cmd, commits)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", root, err)
	}
	return commits, nil
}

// runBlame runs git blame and takes what it says into commits.
func runBlame(cmd *exec.Cmd, commits *analysis.Commits) error {
	said := &head{}
	cmd.Stderr = said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%w: %v", ErrNoGit, err)
	}
	err = readBlame(out, commits)
	if err != nil {
		cmd.Cancel()
	}
	if failed := cmd.Wait(); err == nil && failed != nil {
		err = startError("git blame", said.String())
	}
	return err
}

var errBlame = fmt.Errorf("%w: git blame said what is not understood", ErrGit)

// readBlame reads the incremental porcelain format (git-blame(1)): for each run of
// lines "<commit> <line there> <line here> <lines>", what is said of a commit the
// first time, and "filename".
func readBlame(in io.Reader, commits *analysis.Commits) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, 64<<10), blameLine)
	commits.Lines = make([]int32, bytes.Count(commits.Content, []byte{'\n'})+1)
	for i := range commits.Lines {
		commits.Lines[i] = -1
	}
	at := map[string]int32{}
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) != 4 || !isObjectID(fields[0]) {
			return errBlame
		}
		start, err1 := strconv.Atoi(fields[2])
		count, err2 := strconv.Atoi(fields[3])
		if errors.Join(err1, err2) != nil || start < 1 || count < 0 || count > blameLines || start-1+count > len(commits.Lines) {
			return errBlame
		}
		k, known := at[fields[0]]
		if !known {
			k = int32(len(commits.All))
			at[fields[0]] = k
			commits.All = append(commits.All, analysis.Commit{ID: fields[0]})
		}
		for i := range count {
			commits.Lines[start-1+i] = k
		}
		if err := readCommit(lines, &commits.All[k]); err != nil {
			return err
		}
	}
	if lines.Err() != nil {
		return fmt.Errorf("%w: %v", ErrGit, lines.Err())
	}
	return nil
}

// readCommit reads what stands behind the line of a run, up to "filename".
func readCommit(lines *bufio.Scanner, c *analysis.Commit) error {
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), " ")
		switch key {
		case "author":
			c.Author = strings.ToValidUTF8(value, "\ufffd")
		case "author-time":
			if n, err := strconv.ParseInt(value, 10, 64); err == nil {
				c.Time = time.Unix(n, 0).UTC()
			}
		case "summary":
			c.Summary = strings.ToValidUTF8(value, "\ufffd")
		case "boundary":
			c.Boundary = true
		case "filename":
			return nil
		}
	}
	return errBlame
}

// Head returns the object id of the commit that is checked out where the file is.
// Errors are those of [Git.Commit].
func (s Source) Head(ctx context.Context, file string) (string, error) {
	if s.Git == nil {
		return "", ErrNoGit
	}
	root := s.Root(file)
	if root == "" {
		return "", ErrNoRepository
	}
	return s.Git.Commit(ctx, root, "HEAD")
}

// Blame is [Git.Blame] of the file at an absolute path, under the object limit.
func (s Source) Blame(ctx context.Context, file, rev string) (*analysis.Commits, error) {
	if s.Git == nil {
		return nil, ErrNoGit
	}
	root, path, err := s.Git.Locate(ctx, file)
	if err != nil {
		return nil, err
	}
	return s.Git.Blame(ctx, root, rev, path, limitOr(s.ObjectLimit, DefaultObjectLimit))
}
