package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// In a repository of a user, pre-commit installs the hooks from this one, which takes building the
// program, and has them look at the documents that a commit changes.
func TestPreCommit(t *testing.T) {
	need(t, "pre-commit", "apt-get install pre-commit")
	declareInputs(t)
	hooks, dir, home := hooksRepository(t), t.TempDir(), t.TempDir()
	env := append(os.Environ(), "HOME="+home, "PRE_COMMIT_HOME="+filepath.Join(home, "pre-commit"),
		// What was downloaded and built before serves here too.
		"GOMODCACHE="+strings.TrimSpace(run(t, ".", "go", "env", "GOMODCACHE")), "GOCACHE="+strings.TrimSpace(run(t, ".", "go", "env", "GOCACHE")),
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull,
		"GIT_AUTHOR_NAME=Mira", "GIT_AUTHOR_EMAIL=mira@example.com", "GIT_COMMITTER_NAME=Mira", "GIT_COMMITTER_EMAIL=mira@example.com")
	do := func(program string, args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Dir, cmd.Env = dir, env
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	must := func(program string, args ...string) {
		t.Helper()
		if out, err := do(program, args...); err != nil {
			t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
		}
	}
	put := func(name, content string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	rev := strings.TrimSpace(run(t, hooks, "git", "rev-parse", "HEAD"))
	put(".pre-commit-config.yaml", "repos:\n  - repo: "+hooks+"\n    rev: "+rev+"\n    hooks:\n      - id: toolpath-check\n      - id: toolpath-fmt\n")
	put("old.path.json", `{"graph": {"id": "g", "titel": "as it always was"}, "paths": []}`)
	must("git", "init", "-q")
	must("git", "add", ".")
	must("git", "commit", "-q", "-m", "Before there were hooks")
	must("pre-commit", "install")

	put("a.path.json", `{"graph": {"id": "g", "titel": "x"}, "paths": []}`)
	put("notes.json", `{"graph": `)
	must("git", "add", ".")
	out, err := do("git", "commit", "-m", "Add a faulty document")
	if err == nil || !strings.Contains(out, `a.path.json:1:23: error TP2001 unknown field "titel"`) || strings.Contains(out, "old.path.json") || strings.Contains(out, "notes.json") {
		t.Errorf("a faulty document: %v\n%s", err, out)
	}
	put("a.path.json", `{"graph":{"id":"g"},"paths":[]}`)
	must("git", "add", ".")
	if out, err = do("git", "commit", "-m", "Add a document"); err == nil || !strings.Contains(out, "files were modified by this hook") {
		t.Errorf("another layout: %v\n%s", err, out)
	}
	must("git", "add", ".")
	must("git", "commit", "-m", "Add a document")
}

// hooksRepository is a repository with the hooks and what is checked out here, committed or not.
func hooksRepository(t *testing.T) string {
	t.Helper()
	dir := checkout(t, filepath.Join(t.TempDir(), "hooks"))
	run(t, dir, "git", "add", "-A")
	run(t, dir, "git", "-c", "user.name=Mira", "-c", "user.email=mira@example.com", "-c", "commit.gpgsign=false", "-c", "core.hooksPath="+os.DevNull,
		"commit", "-q", "--allow-empty", "-m", "What is checked out")
	return dir
}
