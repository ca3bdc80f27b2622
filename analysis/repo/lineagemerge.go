package repo

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"os/exec"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/lineage"
)

// maxDiff bounds what git may say about the paths between two commits.
const maxDiff = 256 << 20

// TreeChange is a path that differs between two commits.
type TreeChange struct {
	Path    string // of the later commit; bytes
	Deleted bool
	mode    string // in the later commit
	id      string // the object there, in hex digits
}

// TreeChanges returns the paths that differ between two commits, in git's order; an empty
// before is a commit without files. Renames are a deletion and an addition. Errors are
// those of [Git.Commit], and [ErrGit].
func (g *Git) TreeChanges(ctx context.Context, root, before, after string) ([]TreeChange, error) {
	to, err := g.Commit(ctx, root, after)
	if err != nil {
		return nil, err
	}
	var from string
	if before != "" {
		from, err = g.Commit(ctx, root, before)
	} else {
		from, err = g.output(ctx, root, "hash-object", "-t", "tree", "--stdin")
		from = strings.TrimSpace(from)
	}
	if err != nil {
		return nil, err
	}
	// A comparison of trees reads neither the work tree nor attributes.
	out, err := g.output(ctx, root, "diff-tree", "-r", "--raw", "-z", "--no-renames", "--no-abbrev", "--ignore-submodules=none", from, to)
	if err != nil {
		return nil, err
	}
	var changes []TreeChange
	for out != "" {
		header, rest, ok := strings.Cut(out, "\x00")
		path, rest, ok2 := strings.Cut(rest, "\x00")
		fields := strings.Fields(strings.TrimPrefix(header, ":"))
		if !ok || !ok2 || len(fields) != 5 || fields[4] == "" {
			return nil, fmt.Errorf("%w: diff-tree said %q", ErrGit, cut(header))
		}
		changes = append(changes, TreeChange{Path: path, Deleted: fields[4][0] == 'D', mode: fields[1], id: fields[3]})
		out = rest
	}
	return changes, nil
}

// output runs a git that reads objects alone, and returns what it says.
func (g *Git) output(ctx context.Context, root string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, g.options.Timeout, ErrTimeout)
	defer cancel()
	cmd, err := g.command(ctx, root, args...)
	if err != nil {
		return "", err
	}
	out := &bounded{limit: maxDiff}
	stderr := &head{}
	cmd.Stdout, cmd.Stderr = out, stderr
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case out.over:
		return "", fmt.Errorf("%w: git %s said more than %d bytes", ErrGit, args[0], maxDiff)
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case errors.As(err, &exit):
		return "", fmt.Errorf("%w: git %s: %s", ErrGit, args[0], firstFatal(stderr.String()))
	case err != nil:
		return "", err
	}
	return out.text.String(), nil
}

// bounded keeps what is written to it up to a limit in bytes.
type bounded struct {
	text  bytes.Buffer
	limit int
	over  bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.text.Len()+len(p) > b.limit {
		b.over = true
		return 0, errors.New("over the limit")
	}
	return b.text.Write(p)
}

// changed returns the content that a path was changed to.
func (g *Git) changed(ctx context.Context, root, rev string, c TreeChange) ([]byte, error) {
	var blob []byte
	err := g.read(ctx, root, rev, func(cat *catFile) error {
		var err error
		blob, err = cat.blob(c.id, rev, c.Path, lineage.MaxMergedBlob)
		return err
	})
	return blob, err
}

// MergeRecord says what is recorded of a merge.
type MergeRecord struct {
	Root          string // of the repository
	Before, After string // commits; what led from one to the other is recorded
	Prefix        string // lineage.MergePrefix or lineage.RunBranchPrefix
	Actor, Model  string
	Trace         lineage.Trace
	// Now returns the time of a row, in ns since 1970.
	Now func() int64
}

// RecordMerge appends a row for each path that a merge changed: the hash of the blob in the
// commit that it led to, of nothing for a deletion. It reads the repository and never
// writes to it, so that it can neither stop nor undo the merge.
//
// Of a run branch, paths below .sdd and rows that the run already has are passed over. An
// error leaves the rows that were written before it; the result tells of them.
func (g *Git) RecordMerge(ctx context.Context, spine *Spine, m MergeRecord) (lineage.MergeResult, error) {
	var result lineage.MergeResult
	changes, err := g.TreeChanges(ctx, m.Root, m.Before, m.After)
	if err != nil {
		return result, err
	}
	known := map[[2]string]bool{}
	if m.Prefix == lineage.RunBranchPrefix {
		err := spine.Rows(func(r lineage.Row) { known[[2]string{r.ArtifactPath, r.ContentHash}] = true })
		if err != nil {
			return result, err
		}
	}
	for _, c := range changes {
		if m.Prefix == lineage.RunBranchPrefix && strings.HasPrefix(c.Path, ".sdd/") {
			continue
		}
		result.Seen++
		var content []byte
		if !c.Deleted {
			if c.mode == "160000" {
				result.Unreadable = append(result.Unreadable, c.Path)
				continue
			}
			content, err = g.changed(ctx, m.Root, m.After, c)
			switch {
			case errors.Is(err, ErrTooLarge):
				result.Oversize = append(result.Oversize, c.Path)
				continue
			case errors.Is(err, ErrNoObject):
				result.Unreadable = append(result.Unreadable, c.Path)
				continue
			case err != nil:
				return result, err
			}
		}
		hash := lineage.ContentHash(content)
		if known[[2]string{c.Path, hash}] {
			result.Seen--
			continue
		}
		_, err := spine.Record(lineage.Write{
			ArtifactPath: c.Path, ContentHash: hash, Actor: m.Actor, StepID: m.Prefix + m.After, Model: m.Model,
			Timestamp: big.NewInt(m.Now()), Trace: m.Trace,
		})
		if err != nil {
			return result, fmt.Errorf("%q has no row, nor has what follows it: %w", c.Path, err)
		}
		result.Recorded = append(result.Recorded, c.Path)
	}
	return result, nil
}

// RunBranch returns what a run's branch adds to the trunk: from the commit where it left
// the trunk to its head, as object ids. Before is empty where there is no trunk. Errors are
// those of [Git.Commit], and [ErrGit].
func (g *Git) RunBranch(ctx context.Context, root, trunk string) (before, after string, err error) {
	if after, err = g.Commit(ctx, root, "HEAD"); err != nil {
		return "", "", err
	}
	for _, name := range []string{"origin/" + trunk, trunk} {
		at, err := g.Commit(ctx, root, name)
		if errors.Is(err, ErrNoRevision) {
			continue
		} else if err != nil {
			return "", "", err
		}
		base, err := g.output(ctx, root, "merge-base", at, after)
		return strings.TrimSpace(base), after, err
	}
	return "", after, nil
}

// CheckMergeRow reads the content that a row speaks of from the repository at root, and
// compares it. A row that was not read from git, and one whose commit or content cannot be
// read, is unverified.
func (g *Git) CheckMergeRow(ctx context.Context, root string, r lineage.Row) (lineage.MergeRowState, string) {
	commit := r.Commit()
	if commit == "" {
		return lineage.MergeRowUnverified, "the row names no commit"
	}
	if !isObjectID(commit) {
		return lineage.MergeRowUnverified, fmt.Sprintf("%q is not a whole commit id", commit)
	}
	var content []byte
	exists := false
	err := g.read(ctx, root, commit, func(c *catFile) error {
		found, err := c.commit(commit)
		if err != nil {
			return err
		}
		m, ok, err := c.at(found, commit, r.ArtifactPath)
		if err != nil || !ok {
			return err
		}
		if m.mode == "160000" {
			return fmt.Errorf("%q is a submodule", r.ArtifactPath)
		}
		exists = true
		content, err = c.blob(m.id, commit, r.ArtifactPath, lineage.MaxMergedBlob)
		return err
	})
	if err != nil {
		return lineage.MergeRowUnverified, err.Error()
	}
	return lineage.CheckMergeRow(r, content, exists)
}

// at returns the entry of exactly that path in a commit, which may be a symbolic link or a
// submodule; false if there is none.
func (c *catFile) at(commit commit, rev, path string) (match, bool, error) {
	names := strings.Split(path, "/")
	id := commit.tree
	for i, name := range names {
		tree, err := c.tree(id, rev, names[:i])
		if err != nil {
			return match{}, false, err
		}
		found := false
		for e := range entries(tree, len(id)/2) {
			if found = string(e.name) == name; !found {
				continue
			}
			m, folder := matched(e, false), modeKinds[string(e.mode)] == "a folder"
			if last := i == len(names)-1; last != folder {
				if last {
					return m, true, nil
				}
				id = hex.EncodeToString(e.id)
				break
			}
			return match{}, false, nil
		}
		if !found {
			return match{}, false, nil
		}
	}
	return match{}, false, nil
}
