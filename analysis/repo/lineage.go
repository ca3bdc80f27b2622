package repo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/toolpath-ls/toolpath-ls/analysis/lineage"
)

// The files of a run's spine.
const (
	spineFile = "spine.jsonl"
	headFile  = "spine.head"
)

const (
	keyLimit  = 64 << 10 // bytes of a key file
	headLimit = 1 << 20  // bytes of a spine.head
)

// Errors about key files.
var (
	// ErrNoKey: there is no key file. Wraps [fs.ErrNotExist].
	ErrNoKey = fmt.Errorf("no key file: %w", fs.ErrNotExist)
	// ErrKeyMode: others than its owner may read or change the key file.
	ErrKeyMode = errors.New("others may read the key file")
)

// LineageKeyPath returns where the master key is: the path given, else what the
// environment says, else the orchestrator's own place. Nothing is looked at.
func LineageKeyPath(explicit string, getenv func(string) string) string {
	home := getenv("HOME")
	if home == "" {
		home, _ = os.UserHomeDir()
	}
	if explicit != "" {
		return explicit
	}
	if path := getenv("BERNSTEIN_AUDIT_KEY_PATH"); path != "" {
		if path == "~" || len(path) > 1 && path[0] == '~' && os.IsPathSeparator(path[1]) {
			path = filepath.Join(home, path[1:])
		}
		return path
	}
	state := getenv("XDG_STATE_HOME")
	if state == "" {
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "bernstein", "audit.key")
}

// ReadLineageKey reads a master key. It creates nothing. Errors: [ErrNoKey],
// [ErrKeyMode], those of [ReadFile].
func ReadLineageKey(ctx context.Context, path string) (*lineage.Key, error) {
	content, err := ReadSecret(ctx, path)
	if err != nil {
		return nil, err
	}
	return lineage.KeyFromFile(content), nil
}

// ReadSecret reads a file that only its owner may read.
func ReadSecret(ctx context.Context, path string) ([]byte, error) {
	f, size, err := openRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", path, ErrNoKey)
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if runtime.GOOS != "windows" && st.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s: %w: its mode is %04o; run chmod 600 on it", path, ErrKeyMode, st.Mode().Perm())
	}
	if size > keyLimit {
		return nil, &TooLargeError{Path: path, Size: size, Limit: keyLimit}
	}
	return readAtMost(ctx, f, path, size, keyLimit)
}

// VerifySpine verifies the spine in the folder of a run; see
// [lineage.VerifySpine]. A folder or a spine that is missing has no entries.
func VerifySpine(ctx context.Context, runFolder string, key *lineage.Key, each func(lineage.SpineRow)) (lineage.SpineVerdict, error) {
	head, err := ReadFile(ctx, filepath.Join(runFolder, headFile), headLimit)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		// Its own tools pass over a head that cannot be read.
		head = []byte("unreadable")
	}
	f, _, err := openRegular(filepath.Join(runFolder, spineFile))
	if errors.Is(err, fs.ErrNotExist) {
		return lineage.VerifySpine(nothing{}, lineage.ParseHead(head), key, each)
	} else if err != nil {
		return lineage.SpineVerdict{}, err
	}
	defer f.Close()
	return lineage.VerifySpine(whileLive{ctx, f}, lineage.ParseHead(head), key, each)
}

// LineageFolder returns a folder as a file system that cannot be left by links
// and opens nothing but regular files and folders. Close it after use.
func LineageFolder(path string) (*Folder, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fileError(path, err)
	}
	return &Folder{root}, nil
}

// Folder is a file system that is confined to a folder on disk.
type Folder struct{ root *os.Root }

// Close releases the folder.
func (f *Folder) Close() error { return f.root.Close() }

// Open opens a regular file or a folder.
func (f *Folder) Open(name string) (fs.File, error) {
	st, err := f.root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() && !st.IsDir() {
		return nil, notRegular(name, st.Mode())
	}
	return f.root.OpenFile(name, os.O_RDONLY|openNonblock, 0)
}

// Stat tells of a file or a folder.
func (f *Folder) Stat(name string) (fs.FileInfo, error) { return f.root.Stat(name) }

// nothing is an empty file.
type nothing struct{}

func (nothing) Read([]byte) (int, error) { return 0, io.EOF }

// whileLive reads as long as the context lives.
type whileLive struct {
	ctx context.Context
	f   *os.File
}

func (w whileLive) Read(p []byte) (int, error) {
	if w.ctx.Err() != nil {
		return 0, context.Cause(w.ctx)
	}
	return w.f.Read(p)
}
