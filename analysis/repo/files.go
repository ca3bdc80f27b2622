package repo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// chunk is how many bytes are read between two looks at the context.
const chunk = 1 << 20

// ReadFile returns the content of the regular file at path, following symbolic
// links, when it has at most limit bytes. It never waits for a writer: a FIFO
// or device is refused unopened.
//
// Errors: [ErrNotExist], also for a path that cannot exist; [ErrTooLarge];
// [ErrNotRegular]; the cause of ctx; else what the system reports, such as
// [fs.ErrPermission].
func ReadFile(ctx context.Context, path string, limit int64) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	f, size, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if size > limit {
		return nil, &TooLargeError{Path: path, Size: size, Limit: limit}
	}
	return readAtMost(ctx, f, path, size, limit)
}

// openRegular opens path if it is a regular file and returns its size in bytes.
func openRegular(path string) (*os.File, int64, error) {
	// Opening a device can act on it, so a look comes first.
	st, err := os.Stat(path)
	if err != nil {
		return nil, 0, fileError(path, err)
	}
	if !st.Mode().IsRegular() {
		return nil, 0, notRegular(path, st.Mode())
	}
	return openChecked(path)
}

// openChecked is openRegular for a path that may name another file by now.
func openChecked(path string) (*os.File, int64, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, 0, fileError(path, err)
	}
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = notRegular(path, st.Mode())
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, st.Size(), nil
}

// readAtMost reads f to its end. The size is only a hint: files grow, and those
// of /proc say 0.
func readAtMost(ctx context.Context, f io.Reader, path string, size, limit int64) ([]byte, error) {
	data := make([]byte, 0, size+1)
	for {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
		n, err := f.Read(data[len(data):min(cap(data), len(data)+chunk)])
		data = data[:len(data)+n]
		if int64(len(data)) > limit {
			return nil, &TooLargeError{Path: path, Size: int64(len(data)), Limit: limit}
		}
		if err == io.EOF {
			return data, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func fileError(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", path, ErrNotExist)
	}
	// Nothing can be at these paths, so for the reader they are absent too.
	for _, absent := range []error{syscall.ENOTDIR, syscall.ENAMETOOLONG, syscall.ELOOP} {
		if errors.Is(err, absent) {
			return fmt.Errorf("%s: %w (%v)", path, ErrNotExist, absent)
		}
	}
	if strings.IndexByte(path, 0) >= 0 {
		return fmt.Errorf("%q: %w (NUL in the path)", path, ErrNotExist)
	}
	return err
}

var modeNames = []struct {
	mode fs.FileMode
	name string
}{
	{fs.ModeDir, "a folder"},
	{fs.ModeNamedPipe, "a FIFO"},
	{fs.ModeSocket, "a socket"},
	{fs.ModeDevice, "a device"},
}

func notRegular(path string, mode fs.FileMode) error {
	for _, m := range modeNames {
		if mode&m.mode != 0 {
			return fmt.Errorf("%s: %w: %s", path, ErrNotRegular, m.name)
		}
	}
	return fmt.Errorf("%s: %w", path, ErrNotRegular)
}
