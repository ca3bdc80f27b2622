package repo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// Limits that [Source] takes for zero fields, in bytes.
const (
	DefaultFileLimit   = 64 << 20
	DefaultObjectLimit = 64 << 20
)

// Source is what analysis reads facts through: files of the working tree and
// blobs of git. Safe for concurrent use.
type Source struct {
	Git         *Git  // nil: every ReadObject fails with [ErrNoGit]
	FileLimit   int64 // bytes of a file [DefaultFileLimit]
	ObjectLimit int64 // bytes of a blob [DefaultObjectLimit]
}

var _ analysis.FolderSource = Source{}

// ReadFile is [ReadFile] under the file limit.
func (s Source) ReadFile(ctx context.Context, path string) ([]byte, error) {
	return ReadFile(ctx, path, limitOr(s.FileLimit, DefaultFileLimit))
}

// ReadObject is [Git.Blob] under the object limit. An [ErrNoPath] is
// [analysis.ErrNoFile] too.
func (s Source) ReadObject(ctx context.Context, root, rev, path string) ([]byte, error) {
	if s.Git == nil {
		return nil, ErrNoGit
	}
	blob, err := s.Git.Blob(ctx, root, rev, path, limitOr(s.ObjectLimit, DefaultObjectLimit))
	if errors.Is(err, ErrNoPath) {
		err = fmt.Errorf("%w: %w", analysis.ErrNoFile, err)
	}
	return blob, err
}

// maxFolder bounds the names that [Source.ReadFolder] returns.
const maxFolder = 5000

// ReadFolder returns the names in a folder, without those that begin with a dot.
func (s Source) ReadFolder(ctx context.Context, path string) ([]string, error) {
	dir, err := os.Open(filepath.FromSlash(path))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(maxFolder)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		switch {
		case strings.HasPrefix(e.Name(), "."):
		case e.IsDir():
			names = append(names, e.Name()+"/")
		default:
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, ctx.Err()
}

// Root returns the root of the repository that the file or folder at path is
// in, or "". Neither needs to exist. The root is spelled as path is, so that it
// is a prefix of path, unless a symbolic link on the way leads into another
// repository: then it is spelled as [Git.TopLevel] does.
func (s Source) Root(path string) string {
	folder := nearestFolder(path)
	root, err := s.Git.TopLevel(context.Background(), folder)
	if err != nil {
		return ""
	}
	for at := folder; ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil && real == root {
			return at
		}
		if at == filepath.Dir(at) {
			return root
		}
	}
}

// Real returns the absolute path of a file without symbolic links on the way, "" if there is
// no such file.
func (s Source) Real(path string) string {
	real, err := filepath.EvalSymlinks(filepath.FromSlash(path))
	if err != nil {
		return ""
	}
	return filepath.ToSlash(real)
}

// maxSpelled bounds the names of a folder that [Source.Spellings] looks at.
const maxSpelled = 200_000

// Spellings returns the names in the folder of a file that differ from the file's own in case
// alone, and that one if it is there; [ErrTooLarge] if the folder has too many to look at all.
func (s Source) Spellings(ctx context.Context, path string) ([]string, error) {
	path = filepath.FromSlash(path)
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return nil, fileError(path, err)
	}
	defer dir.Close()
	lower := strings.ToLower(filepath.Base(path))
	var names []string
	for n := 0; ; {
		batch, err := dir.Readdirnames(4096)
		for _, name := range batch {
			if strings.ToLower(name) == lower {
				names = append(names, name)
			}
		}
		switch n += len(batch); {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.Is(err, io.EOF):
			slices.Sort(names)
			return names, nil
		case err != nil:
			return nil, fileError(path, err)
		case n > maxSpelled:
			return nil, fmt.Errorf("%s: %w: its folder has more than %d names", path, ErrTooLarge, maxSpelled)
		}
	}
}

// nearestFolder returns path or the first above it that is a folder.
func nearestFolder(path string) string {
	for at := filepath.Clean(path); ; at = filepath.Dir(at) {
		if st, err := os.Stat(at); err == nil && st.IsDir() || at == filepath.Dir(at) {
			return at
		}
	}
}

func limitOr(limit, otherwise int64) int64 {
	if limit > 0 {
		return limit
	}
	return otherwise
}
