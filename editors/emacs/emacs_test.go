// Package emacs tests the Emacs package in a real Emacs, with the Eglot that is installed.
//
// The tests themselves are in test/toolpath-ls-test.el, for ERT; each is reported as a subtest.
package emacs

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/toolpath-ls/toolpath-ls/editors/editortest"
)

const install = "apt-get install --no-install-recommends emacs-nox elpa-eglot"

// patience bounds one run of Emacs, so that an editor that hangs fails the test.
const patience = 5 * time.Minute

// emacs runs an Emacs with Eglot and without the user's settings, and returns what it says.
func emacs(t *testing.T, dir string, env []string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "emacs", append([]string{"-q", "--batch", "-l", "package", "-f", "package-initialize"}, args...)...)
	cmd.Dir, cmd.WaitDelay = dir, 10*time.Second
	cmd.Env = append(env, "HOME="+t.TempDir(), "LC_ALL=C.UTF-8")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// need skips the test without Emacs and Eglot, or fails it where they have to be there.
func need(t *testing.T) {
	t.Helper()
	_, err := exec.LookPath("emacs")
	if err == nil {
		if _, err = emacs(t, ".", os.Environ(), "-l", "eglot"); err == nil {
			return
		}
	}
	editortest.Lacks(t, fmt.Sprintf("Emacs with Eglot (%v)", err), install)
}

func TestPackage(t *testing.T) {
	need(t)
	editortest.DeclareInputs(t, "editors/emacs")
	workspace := editortest.Workspace(t)
	env := append(editortest.WithServer(editortest.Server(t)), "TOOLPATH_DEMO="+workspace)
	out, err := emacs(t, workspace, env, "-L", absolute(t, "."), "-l", absolute(t, "test/toolpath-ls-test.el"), "-f", "ert-run-tests-batch-and-exit")
	results := regexp.MustCompile(`(?m)^ +(passed|FAILED|skipped) +\d+/\d+ +toolpath-test-(\S+)`).FindAllStringSubmatch(out, -1)
	for _, r := range results {
		t.Run(r[2], func(t *testing.T) {
			if r[1] != "passed" {
				t.Error(r[1])
			}
		})
	}
	tests, readErr := os.ReadFile("test/toolpath-ls-test.el")
	if readErr != nil {
		t.Fatal(readErr)
	}
	if want := strings.Count(string(tests), "(ert-deftest "); err != nil || len(results) != want {
		t.Errorf("%d of %d tests were run, and Emacs ended with %v\n%s", len(results), want, err, out)
	}
}

// On the screen of an Emacs that somebody types into, the line where they rest tells who wrote it.
func TestScreen(t *testing.T) {
	need(t)
	editortest.DeclareInputs(t, "editors/emacs")
	env := append(editortest.WithServer(editortest.Server(t)), "HOME="+t.TempDir())
	s := editortest.NewScreen(t, editortest.Workspace(t), env, "emacs", "-q", "-nw", "--eval", "(setq native-comp-deferred-compilation nil)", "-l", "package", "-f", "package-initialize",
		"-L", absolute(t, "."), "-l", "toolpath-ls", "--eval", "(global-toolpath-ls-blame-mode)", "src/slug.py")
	s.Wait(`addresses of articles\."""  base: older than the recording`)
	s.Press("Down", "Down")
	s.Wait(`import re  agent:claude-code · 2026-11-03 · Leave punctuation out of slugs · step-2`)
	s.WaitGone(`base: older`)
	s.Press("# ")
	s.Wait(`# import re  changed, not recorded`)
	s.Press("C-_")
	s.Wait(`(?m)^import re  agent:claude-code`)
}

// The package compiles without a warning, and has the headers and docstrings that Emacs's own
// checker asks for.
func TestConventions(t *testing.T) {
	need(t)
	dir := t.TempDir()
	source, err := os.ReadFile("toolpath-ls.el")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "toolpath-ls.el"), source, 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := emacs(t, dir, os.Environ(), "--eval", "(setq byte-compile-error-on-warn t)", "-f", "batch-byte-compile", "toolpath-ls.el")
	if err != nil || strings.Contains(out, "Warning") {
		t.Errorf("compiling: %v\n%s", err, out)
	}
	out, err = emacs(t, dir, os.Environ(), "--eval", `(progn (require 'checkdoc) (checkdoc-file "toolpath-ls.el"))`)
	if err != nil || strings.Contains(out, "toolpath-ls.el:") {
		t.Errorf("checkdoc: %v\n%s", err, out)
	}
	out, err = emacs(t, dir, os.Environ(), "--eval", `(with-temp-buffer (insert-file-contents "toolpath-ls.el") (princ (package-desc-name (package-buffer-info))))`)
	if err != nil || !strings.HasSuffix(out, "toolpath-ls") {
		t.Errorf("package.el cannot install it: %v\n%s", err, out)
	}
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}
