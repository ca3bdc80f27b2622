// Package helix tests the configuration of docs/editors/helix.md in a real Helix, on a screen of tmux.
package helix

import (
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

const install = "scripts/debian-program trixie .tools/helix usr/bin/hx hx"

// patience bounds the wait for something on the screen.
const patience = time.Minute

// helix is the program, which HELIX or the path names, or .tools/helix holds, and its runtime.
func helix(t *testing.T) (program, runtime string) {
	t.Helper()
	if named := os.Getenv("HELIX"); named != "" {
		return named, os.Getenv("HELIX_RUNTIME")
	}
	tools := filepath.Join(editortest.Repository(t), ".tools", "helix", "usr")
	if program := filepath.Join(tools, "bin", "hx"); isFile(program) {
		return program, filepath.Join(tools, "lib", "hx", "runtime")
	}
	if program, err := exec.LookPath("hx"); err == nil {
		return program, os.Getenv("HELIX_RUNTIME")
	}
	// Another suite of Debian may be out of reach: unlike other editors, it is not asked for.
	t.Skipf("no Helix; install it with: %s", install)
	return "", ""
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// settings are the blocks of TOML in the page of the documentation.
func settings(t *testing.T) (languages, config string) {
	t.Helper()
	page, err := os.ReadFile("../../docs/editors/helix.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```toml\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(blocks) != 2 {
		t.Fatalf("the page has %d blocks of TOML", len(blocks))
	}
	return blocks[0][1], blocks[1][1]
}

// A screen shows Helix.
type screen struct {
	t      *testing.T
	socket string
	env    []string
}

// open starts Helix with a file of a new demo workspace.
func open(t *testing.T, server, file string) *screen {
	t.Helper()
	program, runtime := helix(t)
	editortest.Need(t, "tmux", "apt-get install tmux")
	home, workspace := t.TempDir(), editortest.Workspace(t)
	languages, config := settings(t)
	for name, text := range map[string]string{"languages.toml": languages, "config.toml": config} {
		name = filepath.Join(home, "config", "helix", name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(workspace, "a.path.jsonl"), []byte(`{"path": 1`+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := &screen{t: t, socket: filepath.Join(home, "tmux")}
	s.env = append(editortest.WithServer(server), "HOME="+home, "XDG_CONFIG_HOME="+filepath.Join(home, "config"),
		"XDG_CACHE_HOME="+filepath.Join(home, "cache"), "HELIX_RUNTIME="+runtime, "TERM=xterm-256color", "LC_ALL=C.UTF-8", "TMUX=")
	s.tmux("-f", os.DevNull, "new-session", "-d", "-x", "160", "-y", "50", "-c", workspace, program, file)
	t.Cleanup(func() { s.tmux("kill-server") })
	s.wait(`\bNOR\b`)
	return s
}

func (s *screen) tmux(args ...string) string {
	s.t.Helper()
	cmd := exec.Command("tmux", append([]string{"-S", s.socket}, args...)...)
	cmd.Env = s.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("tmux %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (s *screen) press(keys ...string) { s.tmux(append([]string{"send-keys"}, keys...)...) }

// wait waits until the screen shows something.
func (s *screen) wait(pattern string) {
	s.t.Helper()
	shown, want := "", regexp.MustCompile(pattern)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	late := time.After(patience)
	for {
		if shown = s.tmux("capture-pane", "-p"); want.MatchString(shown) {
			return
		}
		select {
		case <-tick.C:
		case <-late:
			s.t.Fatalf("does not show %q:\n%s", pattern, shown)
		}
	}
}

// to puts the cursor on a line of the file, at a column, both from 1.
func (s *screen) to(line, column int) {
	s.press(fmt.Sprintf("%dG", line))
	if column > 1 {
		s.press(fmt.Sprintf("%dl", column-1))
	}
	s.wait(fmt.Sprintf(`\b%d:%d\b`, line, column))
}

func TestConfiguration(t *testing.T) {
	helix(t)
	editortest.DeclareInputs(t, "editors/helix", "docs/editors")
	server := editortest.Server(t)
	for name, test := range map[string]func(*testing.T, *screen){
		"slug.path.json: problems are at their place, of unsaved text too": func(_ *testing.T, s *screen) {
			s.to(53, 20)
			s.wait(`the parent "step2" names no step of this path`)
			s.press("i", "-")
			s.wait(`"step-2"\s`)
			s.press("Escape")
			s.waitGone(`the parent "step-?2" names no step of this path`)
		},
		"slug.path.json: hover on a parent tells who made that step": func(_ *testing.T, s *screen) {
			s.to(92, 16)
			s.wait("●")
			s.press("Space", "k")
			s.wait(`codex`)
		},
		"slug.path.json: the definition of a parent is its step": func(_ *testing.T, s *screen) {
			s.to(92, 16)
			s.wait("●")
			s.press("g", "d")
			s.wait(`\b69:\d+\b`)
		},
		"slug.path.json: the symbols are the steps": func(_ *testing.T, s *screen) {
			s.wait("●")
			s.press("Space", "s")
			s.wait(`step-2-ascii`)
		},
		"a.path.jsonl: problems of streams": func(_ *testing.T, s *screen) {
			s.wait("●")
			s.press("Space", "d")
			s.wait("TP[0-9]{4}")
		},
		"src/slug.py: a hint at the end of each run tells who wrote it": func(_ *testing.T, s *screen) {
			s.wait(`import re.*Claude Code`)
			s.wait(`import unicodedata.*Codex`)
		},
		"src/slug.py: hover on a line tells its steps": func(_ *testing.T, s *screen) {
			s.wait(`import re.*Claude Code`)
			s.to(11, 5)
			s.press("Space", "k")
			s.wait(`step-3`)
		},
	} {
		file, _, _ := strings.Cut(name, ":")
		t.Run(name, func(t *testing.T) { test(t, open(t, server, file)) })
	}
}

// waitGone waits until the screen shows something no more.
func (s *screen) waitGone(pattern string) {
	s.t.Helper()
	gone := regexp.MustCompile(pattern)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	late := time.After(patience)
	for shown := s.tmux("capture-pane", "-p"); gone.MatchString(shown); shown = s.tmux("capture-pane", "-p") {
		select {
		case <-tick.C:
		case <-late:
			s.t.Fatalf("still shows %q:\n%s", pattern, shown)
		}
	}
}
