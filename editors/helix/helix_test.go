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

	"github.com/toolpath-ls/toolpath-ls/editors/editortest"
)

const install = "scripts/debian-program trixie .tools/helix usr/bin/hx hx"

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

// open starts Helix with a file of a new demo workspace.
func open(t *testing.T, server, file string) screen {
	t.Helper()
	program, runtime := helix(t)
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
	env := append(editortest.WithServer(server), "HOME="+home, "XDG_CONFIG_HOME="+filepath.Join(home, "config"),
		"XDG_CACHE_HOME="+filepath.Join(home, "cache"), "HELIX_RUNTIME="+runtime)
	s := screen{editortest.NewScreen(t, workspace, env, program, file)}
	s.Wait(`\bNOR\b`)
	return s
}

type screen struct{ *editortest.Screen }

// to puts the cursor on a line of the file, at a column, both from 1.
func (s screen) to(line, column int) {
	s.Press(fmt.Sprintf("%dG", line))
	if column > 1 {
		s.Press(fmt.Sprintf("%dl", column-1))
	}
	s.Wait(fmt.Sprintf(`\b%d:%d\b`, line, column))
}

func TestConfiguration(t *testing.T) {
	helix(t)
	editortest.DeclareInputs(t, "editors/helix", "docs/editors")
	server := editortest.Server(t)
	for name, test := range map[string]func(*testing.T, screen){
		"slug.path.json: problems are at their place, of unsaved text too": func(_ *testing.T, s screen) {
			s.to(53, 20)
			s.Wait(`the parent "step2" names no step of this path`)
			s.Press("i", "-")
			s.Wait(`"step-2"\s`)
			s.Press("Escape")
			s.WaitGone(`the parent "step-?2" names no step of this path`)
		},
		"slug.path.json: hover on a parent tells who made that step": func(_ *testing.T, s screen) {
			s.to(92, 16)
			s.Wait("●")
			s.Press("Space", "k")
			s.Wait(`codex`)
		},
		"slug.path.json: the definition of a parent is its step": func(_ *testing.T, s screen) {
			s.to(92, 16)
			s.Wait("●")
			s.Press("g", "d")
			s.Wait(`\b69:\d+\b`)
		},
		"slug.path.json: the symbols are the steps": func(_ *testing.T, s screen) {
			s.Wait("●")
			s.Press("Space", "s")
			s.Wait(`step-2-ascii`)
		},
		"a.path.jsonl: problems of streams": func(_ *testing.T, s screen) {
			s.Wait("●")
			s.Press("Space", "d")
			s.Wait("TP[0-9]{4}")
		},
		"src/slug.py: a hint at the end of each run tells who wrote it": func(_ *testing.T, s screen) {
			s.Wait(`import re.*Claude Code`)
			s.Wait(`import unicodedata.*Codex`)
		},
		"src/slug.py: hover on a line tells its steps": func(_ *testing.T, s screen) {
			s.Wait(`import re.*Claude Code`)
			s.to(11, 5)
			s.Press("Space", "k")
			s.Wait(`step-3`)
		},
	} {
		file, _, _ := strings.Cut(name, ":")
		t.Run(name, func(t *testing.T) { test(t, open(t, server, file)) })
	}
}
