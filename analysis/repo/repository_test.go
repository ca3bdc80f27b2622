package repo

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestMain keeps the tests apart from the configuration of whoever runs them.
func TestMain(m *testing.M) {
	home, err := os.MkdirTemp("", "home")
	if err != nil {
		panic(err)
	}
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "GIT_") {
			os.Unsetenv(name)
		}
	}
	os.Setenv("HOME", home)
	os.Setenv("XDG_CONFIG_HOME", home)
	code := m.Run()
	os.RemoveAll(home)
	os.Exit(code)
}

// repository is a real one, made by the test.
type repository struct{ root string }

// initRepository makes one in a new folder called name.
func initRepository(t testing.TB, name string, args ...string) repository {
	t.Helper()
	root := filepath.Join(realTempDir(t), name)
	runGit(t, "", append([]string{"init", "-q", "-b", "main", root}, args...)...)
	return repository{root}
}

func realTempDir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// git runs git without any guard and returns its output without the last newline.
func (r repository) git(t testing.TB, args ...string) string {
	t.Helper()
	return strings.TrimSuffix(string(runGit(t, "", append([]string{"-C", r.root}, args...)...)), "\n")
}

func gitCommand(args ...string) *exec.Cmd {
	cmd := exec.Command("git", append([]string{"-c", "protocol.file.allow=always"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_AUTHOR_DATE=2026-01-01T00:00:00Z",
		"GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com", "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z")
	return cmd
}

func runGit(t testing.TB, stdin string, args ...string) []byte {
	t.Helper()
	cmd := gitCommand(args...)
	cmd.Stdin = strings.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, stderr.Bytes())
	}
	return out
}

// file is a path of a commit. The content of a submodule is a commit id.
type file struct{ mode, path, content string }

// commit makes a commit on main that has these files and no others, and leaves
// the work tree alone, so that a path may be anything. It returns its id.
func (r repository) commit(t testing.TB, files ...file) string {
	t.Helper()
	var s strings.Builder
	s.WriteString("commit refs/heads/main\ncommitter A <a@example.com> 1767225600 +0000\ndata 1\nm\n")
	if gitCommand("-C", r.root, "rev-parse", "-q", "--verify", "refs/heads/main").Run() == nil {
		s.WriteString("from refs/heads/main^0\n")
	}
	s.WriteString("deleteall\n")
	for _, f := range files {
		if f.mode == "160000" {
			fmt.Fprintf(&s, "M %s %s %s\n", f.mode, f.content, quotePath(f.path))
			continue
		}
		fmt.Fprintf(&s, "M %s inline %s\ndata %d\n%s\n", f.mode, quotePath(f.path), len(f.content), f.content)
	}
	runGit(t, s.String(), "-C", r.root, "fast-import", "--quiet", "--force", "--date-format=raw")
	return r.git(t, "rev-parse", "refs/heads/main")
}

// quotePath writes path as git-fast-import(1) wants it.
func quotePath(path string) string {
	var s strings.Builder
	s.WriteByte('"')
	for i := range len(path) {
		fmt.Fprintf(&s, `\%03o`, path[i])
	}
	s.WriteByte('"')
	return s.String()
}

// newGit returns a Git that is closed at the end of the test.
func newGit(t testing.TB, o GitOptions) *Git {
	t.Helper()
	if o.Timeout == 0 {
		o.Timeout = time.Minute // a busy machine is no failure
	}
	g := NewGit(o)
	t.Cleanup(g.Close)
	return g
}
