// Package editortest is what the tests of the editors share: the server that they start, and a
// workspace for it.
package editortest

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Lacks skips the test for want of a program, or fails it where all programs have to be there.
func Lacks(t *testing.T, what, install string) {
	t.Helper()
	if os.Getenv("TOOLPATH_TEST_REQUIRE") == "1" {
		t.Fatalf("no %s; install it with: %s", what, install)
	}
	t.Skipf("no %s; install it with: %s", what, install)
}

// Need does so without a program on the path.
func Need(t *testing.T, program, install string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		Lacks(t, program, install)
	}
}

// Repository is the top folder of this one: tests run in the folders of their packages, editors/NAME.
func Repository(t *testing.T) string {
	t.Helper()
	top, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(top, "go.mod")); err != nil {
		t.Fatal(err)
	}
	return top
}

// Server returns a folder that holds nothing but toolpath-ls.
func Server(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(bin, "toolpath-ls"), "./cmd/toolpath-ls")
	build.Dir = Repository(t)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build ./cmd/toolpath-ls: %v\n%s", err, out)
	}
	return bin
}

// WithServer is the environment, in which the server of that folder is found first.
func WithServer(server string) []string {
	return append(os.Environ(), "PATH="+server+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// Workspace makes the demo workspace.
func Workspace(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(dir, "slugs")
	if out, err := exec.Command(filepath.Join(Repository(t), "scripts", "demo-workspace"), dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// DeclareInputs looks at every file that the server and these folders are made of. The go command
// repeats a cached result only while the files that a test looked at are the same, and those that other
// programs read it does not see.
func DeclareInputs(t *testing.T, folders ...string) {
	t.Helper()
	for _, dir := range append(folders, "cmd", "lsp", "analysis", "structural", "scripts") {
		err := filepath.WalkDir(filepath.Join(Repository(t), filepath.FromSlash(dir)), func(path string, _ fs.DirEntry, err error) error {
			if err == nil {
				_, err = os.Stat(path)
			}
			return err
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
}
