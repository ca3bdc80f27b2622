//go:build unix

package repo

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

func mkfifo(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Skip("no FIFOs here:", err)
	}
}

func TestNothingWaitsOnAFIFOOrDevice(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "f.path.json")
	mkfifo(t, fifo)
	for _, path := range []string{fifo, "/dev/null", "/dev/zero", "/dev/tty"} {
		if _, err := os.Stat(path); err != nil {
			continue
		}
		if _, err := ReadFile(t.Context(), path, 100); !errors.Is(err, ErrNotRegular) {
			t.Errorf("%s: %v", path, err)
		}
	}
	// One that takes the place of a regular file between the look and the open.
	if _, _, err := openChecked(fifo); !errors.Is(err, ErrNotRegular) {
		t.Error(err)
	}

	if got, _ := found(t, dir, WalkOptions{}); len(got) != 0 {
		t.Errorf("found %q", got)
	}
	mkfifo(t, filepath.Join(dir, "cache", cacheTag))
	if _, f := found(t, dir, WalkOptions{}); f.Bounds != 0 {
		t.Error(f.Bounds)
	}

	g := newGit(t, GitOptions{})
	for _, name := range []string{".git", ".git/HEAD", ".git/commondir", "HEAD"} {
		r := initRepository(t, "r")
		path := filepath.Join(r.root, name)
		os.RemoveAll(path)
		mkfifo(t, path)
		root, err := g.TopLevel(t.Context(), r.root)
		if err != nil && !errors.Is(err, ErrNoRepository) {
			t.Errorf("%s: %q, %v", name, root, err)
		}
	}
}

func TestFilesThatDoNotKnowTheirSize(t *testing.T) {
	const path = "/proc/self/status"
	if st, err := os.Stat(path); err != nil || st.Size() != 0 {
		t.Skip(path, "is not as on Linux")
	}
	if data, err := ReadFile(t.Context(), path, 1<<20); len(data) == 0 || err != nil {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if _, err := ReadFile(t.Context(), path, 10); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
}

// stuckRepository has a branch whose file is a FIFO. Git opens it and waits.
// The call to reached returns when git does, and keeps it waiting until the
// end of the test.
func stuckRepository(t *testing.T) (r repository, reached func()) {
	r = initRepository(t, "r")
	r.commit(t, file{"100644", "f", "x"})
	fifo := filepath.Join(r.root, ".git", "refs", "heads", "stuck")
	mkfifo(t, fifo)
	return r, func() {
		w, err := os.OpenFile(fifo, os.O_WRONLY, 0)
		if err != nil {
			t.Error(err)
			return
		}
		t.Cleanup(func() { w.Close() })
	}
}

func TestAStuckGitEndsWithTheContext(t *testing.T) {
	r, reached := stuckRepository(t)
	g := newGit(t, GitOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { reached(); cancel() }()
	if _, err := g.Blob(ctx, r.root, "stuck", "f", 100); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if process(g, r.root) != nil {
		t.Error("the process outlives the call")
	}
	if got, err := g.Blob(t.Context(), r.root, "main", "f", 100); string(got) != "x" {
		t.Errorf("afterwards: %q, %v", got, err)
	}
}

func TestAStuckGitEndsInTime(t *testing.T) {
	r, _ := stuckRepository(t)
	_, err := newGit(t, GitOptions{Timeout: 50 * time.Millisecond}).Commit(t.Context(), r.root, "stuck")
	if !errors.Is(err, ErrTimeout) {
		t.Error(err)
	}
}

func TestCloseEndsAStuckGit(t *testing.T) {
	r, reached := stuckRepository(t)
	g := newGit(t, GitOptions{})
	go func() { reached(); g.Close() }()
	if _, err := g.Blob(t.Context(), r.root, "stuck", "f", 100); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

func TestGitHasAProcessGroupOfItsOwn(t *testing.T) {
	r := initRepository(t, "r")
	ctx, cancel := context.WithCancel(t.Context())
	cmd, err := newGit(t, GitOptions{}).command(ctx, r.root, "cat-file", "--batch")
	if err != nil {
		t.Fatal(err)
	}
	in, err := cmd.StdinPipe() // kept open, so that git stays
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if group, err := syscall.Getpgid(cmd.Process.Pid); group != cmd.Process.Pid {
		t.Errorf("group %d, %v; want %d", group, err, cmd.Process.Pid)
	}
	cancel()
	if err := cmd.Wait(); err == nil {
		t.Error("not ended by the context")
	}
}

func TestARepositoryOfAnotherUserIsNotRead(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give a folder away")
	}
	r := initRepository(t, "r")
	r.commit(t, file{"100644", "f", "x"})
	for _, path := range []string{r.root, filepath.Join(r.root, ".git")} {
		if err := os.Chown(path, 12345, 12345); err != nil {
			t.Fatal(err)
		}
	}
	g := newGit(t, GitOptions{})
	if _, err := g.Blob(t.Context(), r.root, "main", "f", 100); !errors.Is(err, ErrUntrusted) {
		t.Error(err)
	}
	runGit(t, "", "config", "--global", "safe.directory", r.root)
	t.Cleanup(func() { runGit(t, "", "config", "--global", "--unset-all", "safe.directory") })
	if got, err := g.Blob(t.Context(), r.root, "main", "f", 100); string(got) != "x" {
		t.Errorf("when trusted: %q, %v", got, err)
	}
}
