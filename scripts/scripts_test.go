// Package scripts tests what brings the program to its users: the installation, the archives of a
// release, the GitHub Action and the hooks for pre-commit.
package scripts

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// need skips the test without a program, or fails it where all programs have to be there.
func need(t *testing.T, program, install string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		lacks(t, program, install)
	}
}

// needFile does so for a file.
func needFile(t *testing.T, name, install string) {
	t.Helper()
	if _, err := os.Stat(name); err != nil {
		lacks(t, name, install)
	}
}

func lacks(t *testing.T, what, install string) {
	t.Helper()
	if os.Getenv("TOOLPATH_TEST_REQUIRE") == "1" {
		t.Fatalf("no %s; install it with: %s", what, install)
	}
	t.Skipf("no %s; install it with: %s", what, install)
}

func repository(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// run runs a program in a folder, and returns what it writes to stdout and stderr.
func run(t *testing.T, dir, program string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// files lists the files below a folder, sorted.
func files(t *testing.T, dir string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		list = append(list, filepath.ToSlash(rel))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(list)
	return list
}

// declareInputs looks at every file that the program is made of: the go command repeats a cached
// result only while what a test looked at is the same.
func declareInputs(t *testing.T) {
	t.Helper()
	for _, dir := range []string{"cmd", "lsp", "analysis", "structural", "scripts", "editors/neovim", "editors/emacs", "editors/vim", "editors/vscode/src", "editors/vscode/scripts"} {
		for _, name := range files(t, filepath.Join("..", dir)) {
			if _, err := os.Stat(filepath.Join("..", dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, name := range []string{"action.yml", ".pre-commit-hooks.yaml", "Makefile", "LICENSE", "README.md"} {
		if _, err := os.Stat(filepath.Join("..", name)); err != nil {
			t.Fatal(err)
		}
	}
}

// checkout makes a clone of the repository in a folder, with what is not committed yet.
func checkout(t *testing.T, dir string) string {
	t.Helper()
	top := repository(t)
	run(t, top, "git", "clone", "-q", "--no-hardlinks", ".", dir)
	list := run(t, top, "git", "ls-files", "-z", "--modified", "--deleted", "--others", "--exclude-standard")
	for name := range strings.SplitSeq(strings.TrimSuffix(list, "\x00"), "\x00") {
		if name == "" {
			continue
		}
		from, to := filepath.Join(top, name), filepath.Join(dir, name)
		info, err := os.Stat(from)
		if errors.Is(err, fs.ErrNotExist) {
			_ = os.Remove(to)
			continue
		}
		if err == nil {
			err = os.MkdirAll(filepath.Dir(to), 0o755)
		}
		content, readErr := os.ReadFile(from)
		if err = errors.Join(err, readErr); err == nil {
			err = os.WriteFile(to, content, info.Mode())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
