// Package vim tests the Vim plugin in a real Vim with ALE.
//
// The tests themselves are Vim script, in test/test.vim; each is reported as a subtest.
package vim

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolpath-ls/toolpath-ls/editors/editortest"
)

const (
	ale     = "/usr/share/vim-ale"
	install = "apt-get install --no-install-recommends vim vim-ale"
	// patience bounds the run, so that an editor that hangs fails the test.
	patience = 5 * time.Minute
)

func TestPlugin(t *testing.T) {
	editortest.Need(t, "vim", install)
	if _, err := os.Stat(ale); err != nil {
		editortest.Lacks(t, ale, install)
	}
	editortest.DeclareInputs(t, "editors/vim")
	workspace, results := editortest.Workspace(t), filepath.Join(t.TempDir(), "results")
	plugin, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "vim", "-N", "-i", "NONE", "-n", "-T", "dumb", "--not-a-term", "-u", "test/vimrc",
		"-c", "cd "+workspace, "-S", filepath.Join(plugin, "test", "test.vim"), "-c", "cquit")
	cmd.WaitDelay = 10 * time.Second
	cmd.Env = append(editortest.WithServer(editortest.Server(t)), "HOME="+t.TempDir(), "TOOLPATH_PLUGIN="+plugin, "TOOLPATH_RESULTS="+results)
	out, err := cmd.CombinedOutput()
	lines, readErr := os.ReadFile(results)
	source, sourceErr := os.ReadFile("test/test.vim")
	if sourceErr != nil {
		t.Fatal(sourceErr)
	}
	if err != nil || readErr != nil || strings.Count(string(lines), "\n") != strings.Count(string(source), "\nfunction! Test_") {
		t.Fatalf("Vim ended with %v, and told of\n%s\n%s", err, lines, out)
	}
	for line := range strings.Lines(string(lines)) {
		name, fault, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		t.Run(name, func(t *testing.T) {
			if fault != "" {
				t.Error(fault)
			}
		})
	}
}
