package repo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// TopLevel returns the root of the repository that dir, a folder, is in:
// absolute, symbolic links resolved. It looks for a .git folder or file at dir
// and upward as git does, without running git, and honours
// GIT_CEILING_DIRECTORIES. A bare repository is its own root. The
// core.worktree setting is not followed: a root is where .git is.
//
// Errors: [ErrNoRepository], also for a .git file that points nowhere;
// [ErrNotExist] when there is no such folder; the cause of ctx.
func (g *Git) TopLevel(ctx context.Context, dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", fileError(dir, err)
	}
	ceilings := filepath.SplitList(os.Getenv("GIT_CEILING_DIRECTORIES"))
	for at := real; ; {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		err := checkRoot(at)
		if err == nil {
			return at, nil
		}
		up := filepath.Dir(at)
		if errors.Is(err, errBadGitFile) {
			return "", err
		}
		if up == at || isCeiling(up, ceilings) {
			return "", fmt.Errorf("%s: %w, nor is any folder above it", dir, ErrNoRepository)
		}
		at = up
	}
}

// Locate returns the root of the repository that file is in and the file's
// path in its commits. Links in the folders on the way are resolved, the file
// itself is not and need not exist. Errors are those of [Git.TopLevel].
func (g *Git) Locate(ctx context.Context, file string) (root, path string, err error) {
	abs, err := filepath.Abs(file)
	if err != nil {
		return "", "", err
	}
	root, err = g.TopLevel(ctx, filepath.Dir(abs))
	if err != nil {
		return "", "", err
	}
	folder, err := filepath.EvalSymlinks(filepath.Dir(abs))
	if err != nil {
		return "", "", fileError(file, err)
	}
	rel, err := filepath.Rel(root, filepath.Join(folder, filepath.Base(abs)))
	if err != nil {
		return "", "", err
	}
	return root, filepath.ToSlash(rel), nil
}

func isCeiling(dir string, ceilings []string) bool {
	for _, c := range ceilings {
		if real, err := filepath.EvalSymlinks(c); err == nil && filepath.IsAbs(c) && real == dir {
			return true
		}
	}
	return false
}

// errBadGitFile: there is a .git file, but it leads to no repository. Git does
// not look further up then.
var errBadGitFile = fmt.Errorf("%w: .git file is not valid", ErrNoRepository)

// checkRoot reports as an [ErrNoRepository] that dir is no root.
func checkRoot(dir string) error {
	_, err := gitDir(dir)
	return err
}

// gitDir returns git's own folder for the root dir (gitrepository-layout(5)).
func gitDir(dir string) (string, error) {
	dotGit := filepath.Join(dir, ".git")
	if st, err := os.Stat(dotGit); err == nil {
		if st.IsDir() && isGitDir(dotGit) {
			return dotGit, nil
		}
		if st.Mode().IsRegular() {
			return followGitFile(dotGit)
		}
	}
	if isGitDir(dir) {
		return dir, nil
	}
	return "", fmt.Errorf("%s: %w", dir, ErrNoRepository)
}

// followGitFile returns where a .git file leads; worktrees and submodules have one.
func followGitFile(dotGit string) (string, error) {
	to, ok := strings.CutPrefix(readSmall(dotGit), "gitdir: ")
	if !ok {
		return "", fmt.Errorf("%s: %w: it does not say gitdir:", dotGit, errBadGitFile)
	}
	to = from(filepath.Dir(dotGit), to)
	if !isGitDir(to) {
		return "", fmt.Errorf("%s: %w: %s is no repository", dotGit, errBadGitFile, to)
	}
	return to, nil
}

// isGitDir reports whether dir is laid out as git's own folder.
func isGitDir(dir string) bool {
	common := commonDir(dir)
	return isHead(filepath.Join(dir, "HEAD")) &&
		isFolder(filepath.Join(common, "objects")) && isFolder(filepath.Join(common, "refs"))
}

// commonDir returns where objects and refs are: in the repository that a
// worktree belongs to, else in gitDir itself.
func commonDir(gitDir string) string {
	if to := readSmall(filepath.Join(gitDir, "commondir")); to != "" {
		return from(gitDir, to)
	}
	return gitDir
}

// from resolves path against dir.
func from(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

func isHead(path string) bool {
	if target, err := os.Readlink(path); err == nil {
		return strings.HasPrefix(target, "refs/")
	}
	head := readSmall(path)
	if ref, ok := strings.CutPrefix(head, "ref:"); ok {
		return strings.HasPrefix(strings.TrimLeft(ref, " \t\n\r"), "refs/")
	}
	return isObjectID(head)
}

func isFolder(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

// readSmall returns a one-line file without its line end, or "" for none.
func readSmall(path string) string {
	data, err := ReadFile(context.Background(), path, 64<<10)
	if err != nil {
		return ""
	}
	return strings.TrimRight(string(data), "\r\n")
}

// shallowNote explains a missing commit of the repository at root, if it can.
func shallowNote(root string) string {
	dir, err := gitDir(root)
	if err != nil {
		return ""
	}
	if _, err := os.Stat(filepath.Join(commonDir(dir), "shallow")); err != nil {
		return ""
	}
	return " (the clone is shallow; git fetch --unshallow gets all commits)"
}
