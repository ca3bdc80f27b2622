// Package vscode tests the VS Code extension, with the go command as everything else.
//
// The tests themselves are TypeScript, in test/: unit tests, tests inside of a real extension host, and tests
// of the packaged extension in a real window. This file builds them and reports each as a subtest.
package vscode

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// patience bounds all tests together, so that an editor that hangs fails the test.
const patience = 20 * time.Minute

// needed are the programs without which no test runs, and how to install them.
var needed = []struct{ file, install string }{
	{"node_modules/.bin/tsc", "npm ci"},
	{"node_modules/.bin/esbuild", "npm ci"},
}

func TestExtension(t *testing.T) {
	if testing.Short() {
		t.Skip("drives real editors")
	}
	node := find(t)
	declareInputs(t)
	server := filepath.Join(t.TempDir(), "toolpath-ls")
	run(t, repository(t), "go", "build", "-o", server, "./cmd/toolpath-ls")
	run(t, ".", filepath.Join(repository(t), "node_modules", ".bin", "tsc"), "--noEmit")
	run(t, ".", node, "scripts/build.mjs", "--tests")

	file := filepath.Join(t.TempDir(), "results")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tests := exec.CommandContext(ctx, node, "out/test/run.js", "--results", file)
	tests.Env = append(os.Environ(), "TOOLPATH_LS="+server)
	tests.WaitDelay = 10 * time.Second
	out, err := tests.CombinedOutput()
	if failed := reportResults(t, file); err != nil && !failed {
		t.Errorf("the tests ended with %v\n%s", err, out)
	}
}

// find returns the program node. Where it or a package is missing it skips the test, or fails it if
// TOOLPATH_TEST_REQUIRE=1.
func find(t *testing.T) string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		missing(t, "node", "apt-get install nodejs npm (20 or newer)")
	}
	for _, n := range needed {
		if _, err := os.Stat(filepath.Join(repository(t), filepath.FromSlash(n.file))); err != nil {
			missing(t, n.file, n.install)
		}
	}
	return node
}

func missing(t *testing.T, what, install string) {
	t.Helper()
	if os.Getenv("TOOLPATH_TEST_REQUIRE") == "1" {
		t.Fatalf("no %s; install it with: %s", what, install)
	}
	t.Skipf("no %s; install it with: %s", what, install)
}

func run(t *testing.T, dir, program string, args ...string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, args...)
	command.Dir = dir
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", filepath.Base(program), args, err, out)
	}
}

// A result is one line that test/suite.ts writes.
type result struct {
	Name    string
	OK      bool
	Skipped bool
	Message string
}

// reportResults makes a subtest of each result and returns whether one failed.
func reportResults(t *testing.T, file string) (failed bool) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var r result
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%s: %v in %q", file, err, line)
		}
		failed = !r.OK || failed
		t.Run(r.Name, func(t *testing.T) {
			if r.Skipped {
				t.Skip(r.Message)
			}
			if !r.OK {
				t.Error(r.Message)
			}
		})
	}
	return failed
}

// declareInputs looks at every file that the extension and the server are made of. The go command repeats a
// cached result only while the files that a test looked at are the same, and those that other programs read
// it does not see.
func declareInputs(t *testing.T) {
	t.Helper()
	inputs := []string{"cmd", "lsp", "analysis", "structural", "scripts", "editors/vscode", "docs/settings.md", "package-lock.json",
		".tools/vscode-1.139/version", ".tools/vscode-1.99/version"}
	for _, input := range inputs {
		root := filepath.Join(repository(t), filepath.FromSlash(input))
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.IsDir() && (entry.Name() == "out" || entry.Name() == "dist" || entry.Name() == "node_modules") {
				return filepath.SkipDir
			}
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

func repository(t *testing.T) string {
	t.Helper()
	abs, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return abs
}
