package repo

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// gitSays returns the top level that git itself finds for dir, or the git
// folder of a bare repository, or "".
func gitSays(dir string) string {
	for _, flag := range []string{"--show-toplevel", "--absolute-git-dir"} {
		out, err := gitCommand("-C", dir, "rev-parse", flag).Output()
		if err == nil {
			return filepath.FromSlash(strings.TrimSuffix(string(out), "\n"))
		}
	}
	return ""
}

func TestTopLevelIsWhatGitFinds(t *testing.T) {
	r := initRepository(t, "a repository")
	r.commit(t, file{"100644", "sub/f", "x"})
	r.git(t, "reset", "-q", "--hard")
	dir := filepath.Dir(r.root)
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	folder := func(name string) {
		t.Helper()
		if err := os.MkdirAll(at(name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	link := func(name, target string) {
		t.Helper()
		if err := os.Symlink(target, at(name)); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	folder("a repository/sub/deep er")
	r.git(t, "worktree", "add", "-q", at("worktree"), "--detach")
	folder("worktree/new")
	runGit(t, "", "clone", "-q", "--bare", r.root, at("bare.git"))
	runGit(t, "", "clone", "-q", "--separate-git-dir", at("elsewhere"), r.root, at("separate"))
	r.git(t, "submodule", "--quiet", "add", r.root, "module")
	runGit(t, "", "init", "-q", at("a repository/nested"))
	folder("a repository/nested/x")
	link("link-to-sub", r.root+"/sub")
	folder("outside")
	folder("a repository/empty.git/.git")   // no repository: the search goes on
	folder("a repository/halfbare/objects") // neither, without HEAD
	folder("a repository/halfbare/refs")
	write(t, at("a repository/badhead/.git/HEAD"), "nonsense\n")
	folder("a repository/badhead/.git/objects")
	folder("a repository/badhead/.git/refs")
	write(t, at("a repository/broken/.git"), "gitdir: ../nowhere\n") // here it ends
	folder("a repository/broken/sub")
	write(t, at("a repository/garbage/.git"), "hello\n")
	runGit(t, "", "clone", "-q", r.root, at("detached"))
	runGit(t, "", "-C", at("detached"), "checkout", "-q", "--detach")
	runGit(t, "", "init", "-q", at("unborn"))
	runGit(t, "", "clone", "-q", r.root, at("linkhead"))
	os.Remove(at("linkhead/.git/HEAD"))
	link("linkhead/.git/HEAD", "refs/heads/main")

	g := newGit(t, GitOptions{Command: at("no-git-may-be-run")})
	for _, name := range []string{
		"a repository", "a repository/sub", "a repository/sub/deep er", "worktree", "worktree/new", "bare.git", "bare.git/refs",
		"separate", "a repository/module", "a repository/nested/x", "link-to-sub", "outside", "a repository/empty.git",
		"a repository/halfbare", "a repository/halfbare/refs", "a repository/badhead", "a repository/broken", "a repository/broken/sub",
		"a repository/garbage", "detached", "unborn", "linkhead", "a repository/.git", "a repository/.git/refs", ".",
	} {
		got, err := g.TopLevel(t.Context(), at(name))
		if want := gitSays(at(name)); got != want || (want == "") != errors.Is(err, ErrNoRepository) {
			t.Errorf("%s: %q, %v; git says %q", name, got, err, want)
		}
	}
	if _, err := g.TopLevel(t.Context(), at("absent")); !errors.Is(err, ErrNotExist) {
		t.Errorf("absent: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := g.TopLevel(ctx, r.root); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	t.Run("ceiling", func(t *testing.T) {
		for _, ceiling := range []string{r.root, dir, at("link-to-sub")} {
			t.Setenv("GIT_CEILING_DIRECTORIES", ceiling)
			for _, name := range []string{"a repository", "a repository/sub", "a repository/sub/deep er"} {
				got, _ := g.TopLevel(t.Context(), at(name))
				if want := gitSays(at(name)); got != want {
					t.Errorf("ceiling %s, %s: %q; git says %q", ceiling, name, got, want)
				}
			}
		}
	})
}

func TestLocate(t *testing.T) {
	r := initRepository(t, "a repository")
	r.commit(t, file{"100644", "src/dir/f.go", "x"}, file{"120000", "src/alias.go", "dir/f.go"})
	r.git(t, "reset", "-q", "--hard")
	other := initRepository(t, "other")
	linked := filepath.Join(other.root, "linked")
	if err := os.Symlink(filepath.Join(r.root, "src"), linked); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	g := newGit(t, GitOptions{})
	for file, want := range map[string]string{
		filepath.Join(r.root, "src", "dir", "f.go"):    "src/dir/f.go",
		filepath.Join(r.root, "src", "not-yet.go"):     "src/not-yet.go",
		filepath.Join(r.root, "src", "alias.go"):       "src/alias.go", // as git records it
		filepath.Join(linked, "dir", "f.go"):           "src/dir/f.go",
		filepath.Join(r.root, "src", "..", "top"):      "top",
		filepath.Join(r.root, "src", "b\xff\nytes.go"): "src/b\xff\nytes.go",
	} {
		root, path, err := g.Locate(t.Context(), file)
		if root != r.root || path != want || err != nil {
			t.Errorf("%s: %q, %q, %v; want %q", file, root, path, err, want)
		}
	}
	if _, _, err := g.Locate(t.Context(), filepath.Join(t.TempDir(), "f")); !errors.Is(err, ErrNoRepository) {
		t.Error(err)
	}
	t.Chdir(filepath.Join(r.root, "src"))
	if root, path, err := g.Locate(t.Context(), "dir/f.go"); root != r.root || path != "src/dir/f.go" {
		t.Errorf("relative: %q, %q, %v", root, path, err)
	}
}
