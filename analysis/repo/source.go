package repo

import "context"

// Limits that [Source] takes for zero fields, in bytes.
const (
	DefaultFileLimit   = 64 << 20
	DefaultObjectLimit = 64 << 20
)

// Source is what analysis reads facts through: files of the working tree and
// blobs of git. Safe for concurrent use when Git is not replaced meanwhile.
type Source struct {
	Git         *Git  // nil: every ReadObject fails with [ErrNoGit]
	FileLimit   int64 // bytes of a file [DefaultFileLimit]
	ObjectLimit int64 // bytes of a blob [DefaultObjectLimit]
}

// ReadFile is [ReadFile] under the file limit.
func (s Source) ReadFile(ctx context.Context, path string) ([]byte, error) {
	return ReadFile(ctx, path, limitOr(s.FileLimit, DefaultFileLimit))
}

// ReadObject is [Git.Blob] under the object limit.
func (s Source) ReadObject(ctx context.Context, root, rev, path string) ([]byte, error) {
	if s.Git == nil {
		return nil, ErrNoGit
	}
	return s.Git.Blob(ctx, root, rev, path, limitOr(s.ObjectLimit, DefaultObjectLimit))
}

func limitOr(limit, otherwise int64) int64 {
	if limit > 0 {
		return limit
	}
	return otherwise
}
