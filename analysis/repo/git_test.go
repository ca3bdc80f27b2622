package repo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

const zeros = "0000000000000000000000000000000000000000"

func TestBlobReadsWhatTheCommitRecords(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			r := initRepository(t, "a repository with spaces", "--object-format="+format)
			files := []file{
				{"100644", "plain.txt", "one\ntwo\n"},
				{"100755", "run.sh", "#!/bin/sh\n"},
				{"100644", "empty", ""},
				{"100644", "no newline", "x"},
				{"100644", "crlf.txt", "a\r\nb\r\n"},
				{"100644", "binary", "\x00\xff\n\x00"},
				{"100644", "src/deep/er/file name.go", "package er\n"},
				{"100644", "new\nline", "n"},
				{"100644", "tab\there", "t"},
				{"100644", "latin1-\xe9.txt", "é?"},
				{"100644", "日本語/ファイル.txt", "ja"},
				{"100644", "-option", "not an option"},
				{"100644", "HEAD:plain.txt", "colon"},
				{"100644", `back\slash`, "b"},
				{"100644", "Case.txt", "upper"},
				{"100644", "case.txt", "lower"},
				{"100644", "looks like missing", "zz missing\n"},
			}
			first := r.commit(t, files...)
			r.commit(t, file{"100644", "plain.txt", "later\n"})
			g := newGit(t, GitOptions{})
			for _, f := range files {
				got, err := g.Blob(t.Context(), r.root, first, f.path, 100)
				if err != nil || string(got) != f.content {
					t.Errorf("%q = %q, %v; want %q", f.path, got, err, f.content)
				}
			}
		})
	}
}

func TestBlobTakesTheNamesOfACommit(t *testing.T) {
	r := initRepository(t, "r")
	first := r.commit(t, file{"100644", "f", "first"})
	r.git(t, "tag", "light")
	r.git(t, "tag", "-m", "annotated", "v1.0")
	r.git(t, "update-ref", "refs/remotes/origin/topic", first)
	r.git(t, "branch", "feature/ünïcode")
	r.commit(t, file{"100644", "f", "second"})
	g := newGit(t, GitOptions{})
	for rev, want := range map[string]string{
		first:                         "first",
		strings.ToUpper(first):        "first",
		first[:7]:                     "first",
		first[:4]:                     "first",
		"light":                       "first",
		"v1.0":                        "first", // the tag is followed to its commit
		"refs/tags/v1.0":              "first",
		"origin/topic":                "first",
		"feature/ünïcode":             "first",
		"v1.0-0-g" + first[:8]:        "first", // git-describe(1)
		"main":                        "second",
		"HEAD":                        "second",
		"refs/heads/main":             "second",
		r.git(t, "rev-parse", "main"): "second",
	} {
		got, err := g.Blob(t.Context(), r.root, rev, "f", 100)
		if err != nil || string(got) != want {
			t.Errorf("%s = %q, %v; want %q", rev, got, err, want)
		}
	}
}

func TestBlobErrors(t *testing.T) {
	r := initRepository(t, "r")
	id := r.commit(t,
		file{"100644", "README.md", "hello\n"},
		file{"100644", "src/Main.go", "package main\n"},
		file{"100644", "twice/a", "1"}, file{"100644", "twice/A", "2"},
		file{"120000", "link", "README.md"},
		file{"120000", "dirlink", "src"},
		file{"160000", "module", strings.Repeat("1", 40)},
		file{"100644", "large", strings.Repeat("x", 101)},
		file{"100644", "huge", strings.Repeat("x", drainLimit+1)},
	)
	tree, blob := r.git(t, "rev-parse", "HEAD^{tree}"), r.git(t, "rev-parse", "HEAD:README.md")
	g := newGit(t, GitOptions{})
	for _, c := range []struct {
		rev, path string
		want      error
		says      string
	}{
		{id, "absent", ErrNoPath, `no path "absent"`},
		{id, "src/absent", ErrNoPath, ""},
		{id, "README.md/x", ErrNoPath, `"README.md" is a file`},
		{id, "dirlink/Main.go", ErrNoPath, `"dirlink" is a symbolic link`},
		{id, "module/x", ErrNoPath, `"module" is a submodule`},
		{id, "readme.md", ErrNoPath, `it has "README.md"`},
		{id, "SRC/main.GO", ErrNoPath, `it has "src/Main.go"`},
		{id, "twice/á", ErrNoPath, ""},
		{id, "", ErrNoPath, "empty"},
		{id, "/README.md", ErrNoPath, "absolute"},
		{id, "./README.md", ErrNoPath, `"."`},
		{id, "src/../README.md", ErrNoPath, `".."`},
		{id, "src//Main.go", ErrNoPath, ""},
		{id, "src/", ErrNoPath, ""},
		{id, "README.md\x00", ErrNoPath, "NUL"},
		{id, strings.Repeat("a/", 3000) + "b", ErrNoPath, "too long"},
		{id, strings.Repeat("a/", 2000) + "b", ErrNoPath, ""},
		{id, "README.md\n" + id, ErrNoPath, ""},

		{id, "src", ErrNotRegular, "a folder"},
		{id, "link", ErrNotRegular, "a symbolic link"},
		{id, "module", ErrNotRegular, "a submodule"},

		{id, "large", ErrTooLarge, "large: not read: 101 bytes, over the limit of 100"},
		{id, "huge", ErrTooLarge, ""},

		{zeros, "f", ErrNoRevision, zeros},
		{"nobranch", "f", ErrNoRevision, "nobranch"},
		{"abcd", "f", ErrNoRevision, ""},
		{tree, "README.md", ErrNoRevision, "is a tree"},
		{blob, "README.md", ErrNoRevision, "is a blob"},
	} {
		_, err := g.Blob(t.Context(), r.root, c.rev, c.path, 100)
		if !errors.Is(err, c.want) || !strings.Contains(fmt.Sprint(err), c.says) {
			t.Errorf("%.50q %.50q: %v; want %v with %q", c.rev, c.path, err, c.want, c.says)
		}
		// Whatever was asked, the next question gets its own answer.
		if got, err := g.Blob(t.Context(), r.root, id, "README.md", 100); string(got) != "hello\n" {
			t.Fatalf("after %.50q %.50q: README.md = %q, %v", c.rev, c.path, got, err)
		}
	}
}

func TestErrorsCarryWhatTheCallerActsOn(t *testing.T) {
	r := initRepository(t, "r")
	id := r.commit(t, file{"100644", "Dir/File", strings.Repeat("x", 20)})
	g := newGit(t, GitOptions{})

	var large *TooLargeError
	_, err := g.Blob(t.Context(), r.root, id, "Dir/File", 19)
	if !errors.As(err, &large) || *large != (TooLargeError{"Dir/File", 20, 19}) {
		t.Errorf("too large: %#v", err)
	}
	if _, err := g.Blob(t.Context(), r.root, id, "Dir/File", 20); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	var noPath *NoPathError
	_, err = g.Blob(t.Context(), r.root, id, "dir/file", 20)
	if !errors.As(err, &noPath) || noPath.Variant != "Dir/File" {
		t.Errorf("other case: %#v", err)
	}
}

// unsafeRevisions would each mean something else to git than a commit's name.
var unsafeRevisions = []string{
	"", "-", "--batch", "-p", "@", "HEAD@{1}", "@{-1}", "HEAD^", "HEAD~2", "HEAD^{/fix}", ":/fix",
	":f", "HEAD:f", "main..topic", "main...topic", "^main", "a b", "HEAD\n" + zeros, "HEAD\x00", "HEAD\r",
	"a*", "a?", "a[b]", `a\b`, "../config", "refs/../../config", "/etc/passwd", "a//b", "a/", ".git",
	"a/.b", "x.lock", "x.lock/y", "end.", "\x7f", "é\x01", strings.Repeat("a", 2000),
}

func TestUnsafeRevisionsNameNoCommit(t *testing.T) {
	r := initRepository(t, "r")
	r.commit(t, file{"100644", "f", "x"})
	r.commit(t, file{"100644", "f", "y"})
	g := newGit(t, GitOptions{Command: filepath.Join(r.root, "no-git-may-be-run")})
	for _, rev := range unsafeRevisions {
		if _, err := g.Blob(t.Context(), r.root, rev, "f", 100); !errors.Is(err, ErrNoRevision) {
			t.Errorf("Blob at %q: %v", rev, err)
		}
		if has, err := g.HasCommit(t.Context(), r.root, rev); has || err != nil {
			t.Errorf("HasCommit %q = %v, %v", rev, has, err)
		}
	}
}

func TestCommit(t *testing.T) {
	r := initRepository(t, "r")
	id := r.commit(t, file{"100644", "f", "x"})
	g := newGit(t, GitOptions{})
	if got, err := g.Commit(t.Context(), r.root, strings.ToUpper(id[:9])); got != id || err != nil {
		t.Errorf("Commit = %q, %v; want %q", got, err, id)
	}
	for rev, want := range map[string]bool{id: true, "main": true, zeros: false, "gone": false} {
		if got, err := g.HasCommit(t.Context(), r.root, rev); got != want || err != nil {
			t.Errorf("HasCommit(%s) = %v, %v", rev, got, err)
		}
	}
	if _, err := g.HasCommit(t.Context(), t.TempDir(), id); !errors.Is(err, ErrNoRepository) {
		t.Errorf("outside of a repository: %v", err)
	}
}

func TestAmbiguousShortID(t *testing.T) {
	r := initRepository(t, "r")
	seen := map[string]bool{}
	var short string
	var s strings.Builder
	for i := range 1500 { // 65,536 short ids of 4 digits: some two will share one
		fmt.Fprintf(&s, "commit refs/heads/b%d\ncommitter A <a@example.com> 1767225600 +0000\ndata %d\n%d\n", i, len(fmt.Sprint(i)), i)
	}
	runGit(t, s.String(), "-C", r.root, "fast-import", "--quiet")
	for id := range strings.FieldsSeq(r.git(t, "for-each-ref", "--format=%(objectname)")) {
		if short = id[:4]; seen[short] {
			break
		}
		seen[short] = true
	}
	_, err := newGit(t, GitOptions{}).Commit(t.Context(), r.root, short)
	if !errors.Is(err, ErrNoRevision) || !strings.Contains(err.Error(), "more than one") {
		t.Error(err)
	}
}

func TestRepositoryKinds(t *testing.T) {
	r := initRepository(t, "main")
	id := r.commit(t, file{"100644", "f", "content"})
	r.git(t, "reset", "-q", "--hard")
	dir := filepath.Dir(r.root)
	at := func(name string) string { return filepath.Join(dir, name) }

	r.git(t, "worktree", "add", "-q", at("worktree"), "--detach")
	runGit(t, "", "clone", "-q", "--bare", r.root, at("bare.git"))
	runGit(t, "", "clone", "-q", "--separate-git-dir", at("elsewhere"), r.root, at("separate"))
	runGit(t, "", "clone", "-q", "--shared", r.root, at("alternates"))
	super := initRepository(t, "super")
	super.git(t, "submodule", "--quiet", "add", r.root, "sub")
	if err := os.Symlink(r.root, at("linked")); err != nil {
		t.Log("no symbolic links here:", err)
	}
	colon := initRepository(t, "a:b")
	colon.commit(t, file{"100644", "f", "content"})

	g := newGit(t, GitOptions{Processes: 2}) // fewer than repositories: they take turns
	for range 2 {
		for _, root := range []string{
			r.root, at("worktree"), at("bare.git"), at("separate"), at("alternates"), at("linked"),
			filepath.Join(super.root, "sub"), colon.root,
		} {
			got, err := g.Blob(t.Context(), root, "HEAD", "f", 100)
			if string(got) != "content" {
				t.Errorf("%s: %q, %v", root, got, err)
			}
			if has, err := g.HasCommit(t.Context(), root, id); !has && root != colon.root {
				t.Errorf("%s: HasCommit = %v, %v", root, has, err)
			}
		}
	}
	if n := len(g.sessions); n != 2 {
		t.Errorf("%d sessions, want 2", n)
	}
}

func TestNoRepository(t *testing.T) {
	r := initRepository(t, "r")
	r.commit(t, file{"100644", "sub/f", "x"})
	sub := filepath.Join(r.root, "sub")
	if err := os.MkdirAll(sub, 0o777); err != nil {
		t.Fatal(err)
	}
	g := newGit(t, GitOptions{})
	// A folder in a repository is not its root: git must not search upward.
	for _, root := range []string{sub, t.TempDir(), filepath.Join(r.root, "absent"), "", "/\x00"} {
		if _, err := g.Blob(t.Context(), root, "HEAD", "sub/f", 100); !errors.Is(err, ErrNoRepository) {
			t.Errorf("%q: %v", root, err)
		}
	}
	cmd, err := g.command(t.Context(), sub, "rev-parse", "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := cmd.Output(); err == nil {
		t.Errorf("git found a repository above its folder: %q", out)
	}
}

func TestDamagedRepositories(t *testing.T) {
	for name, damage := range map[string]func(t *testing.T, r repository){
		"unknown format": func(t *testing.T, r repository) { r.git(t, "config", "core.repositoryformatversion", "99") },
		"bad config":     func(t *testing.T, r repository) { write(t, filepath.Join(r.root, ".git/config"), "[core\nwhat") },
	} {
		t.Run(name, func(t *testing.T) {
			r := initRepository(t, "r")
			r.commit(t, file{"100644", "f", "x"})
			damage(t, r)
			_, err := newGit(t, GitOptions{}).Blob(t.Context(), r.root, "HEAD", "f", 100)
			if !errors.Is(err, ErrGit) || !strings.Contains(err.Error(), r.root) {
				t.Error(err)
			}
		})
	}
	t.Run("missing blob", func(t *testing.T) {
		r := initRepository(t, "r")
		r.commit(t, file{"100644", "f", "x"})
		removeObjects(t, r, "HEAD:f")
		_, err := newGit(t, GitOptions{}).Blob(t.Context(), r.root, "HEAD", "f", 100)
		if !errors.Is(err, ErrNoObject) || !strings.Contains(err.Error(), `"f"`) {
			t.Error(err)
		}
	})
	t.Run("missing tree", func(t *testing.T) {
		r := initRepository(t, "r")
		r.commit(t, file{"100644", "d/f", "x"})
		removeObjects(t, r, "HEAD:d")
		_, err := newGit(t, GitOptions{}).Blob(t.Context(), r.root, "HEAD", "d/f", 100)
		if !errors.Is(err, ErrNoObject) || !strings.Contains(err.Error(), `"d/"`) {
			t.Error(err)
		}
	})
	t.Run("truncated blob", func(t *testing.T) {
		r := initRepository(t, "r")
		id := r.commit(t, file{"100644", "f", strings.Repeat("0123456789abcdef", 5000)}, file{"100644", "g", "good"})
		path := loosen(t, r, "HEAD:f")
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		os.Chmod(path, 0o666)
		write(t, path, string(data[:len(data)/2]))
		g := newGit(t, GitOptions{})
		if got, err := g.Blob(t.Context(), r.root, id, "f", 1<<20); err == nil {
			t.Errorf("%d bytes of a truncated object", len(got))
		}
		if got, err := g.Blob(t.Context(), r.root, id, "g", 100); string(got) != "good" {
			t.Errorf("afterwards: %q, %v", got, err)
		}
	})
}

func write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

// loosen unpacks the repository and returns the file of the object that rev names.
func loosen(t *testing.T, r repository, rev string) string {
	t.Helper()
	packs, err := filepath.Glob(filepath.Join(r.root, ".git/objects/pack/*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range packs {
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(p); err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(p) == ".pack" {
			runGit(t, string(data), "-C", r.root, "unpack-objects", "-q")
		}
	}
	id := r.git(t, "rev-parse", rev)
	return filepath.Join(r.root, ".git/objects", id[:2], id[2:])
}

func removeObjects(t *testing.T, r repository, rev string) {
	t.Helper()
	if err := os.Remove(loosen(t, r, rev)); err != nil {
		t.Fatal(err)
	}
}

func TestShallowCloneSaysSo(t *testing.T) {
	r := initRepository(t, "r")
	old := r.commit(t, file{"100644", "f", "old"})
	r.commit(t, file{"100644", "f", "new"})
	shallow := filepath.Join(t.TempDir(), "shallow")
	runGit(t, "", "clone", "-q", "--depth=1", "file://"+r.root, shallow)
	_, err := newGit(t, GitOptions{}).Blob(t.Context(), shallow, old, "f", 100)
	if !errors.Is(err, ErrNoRevision) || !strings.Contains(err.Error(), "--unshallow") {
		t.Error(err)
	}
}

func TestPartialCloneIsNotCompleted(t *testing.T) {
	r := initRepository(t, "r")
	r.git(t, "config", "uploadpack.allowFilter", "true")
	id := r.commit(t, file{"100644", "f", "content"})
	partial := repository{filepath.Join(t.TempDir(), "partial")}
	runGit(t, "", "clone", "-q", "--no-checkout", "--filter=blob:none", "file://"+r.root, partial.root)
	// Even where the repository's own settings would let the fetch pass.
	partial.git(t, "config", "protocol.file.allow", "always")
	_, err := newGit(t, GitOptions{}).Blob(t.Context(), partial.root, id, "f", 100)
	if !errors.Is(err, ErrNoObject) {
		t.Error(err)
	}
	g := newGit(t, GitOptions{})
	if has, err := g.HasCommit(t.Context(), partial.root, zeros[1:]+"1"); has || err != nil {
		t.Errorf("a commit that is nowhere: %v, %v", has, err)
	}
	if has, err := g.HasCommit(t.Context(), partial.root, id); !has || err != nil {
		t.Errorf("the commit that is here: %v, %v", has, err)
	}
	if got := partial.git(t, "cat-file", "blob", id+":f"); got != "content" {
		t.Errorf("git alone, which fetches, has %q", got)
	}
}

func TestARunningProcessSeesWhatIsNew(t *testing.T) {
	r := initRepository(t, "r")
	r.commit(t, file{"100644", "f", "1"})
	g := newGit(t, GitOptions{})
	expect := func(rev, want string) {
		t.Helper()
		got, err := g.Blob(t.Context(), r.root, rev, "f", 100)
		if string(got) != want {
			t.Errorf("%s: %q, %v; want %q", rev, got, err, want)
		}
	}
	expect("main", "1")
	second := r.commit(t, file{"100644", "f", "2"})
	expect("main", "2")
	expect(second, "2")
	r.git(t, "repack", "-a", "-d", "-q")
	r.git(t, "pack-refs", "--all")
	third := r.commit(t, file{"100644", "f", "3"})
	r.git(t, "gc", "-q", "--prune=now")
	expect("main", "3")
	expect(third, "3")
	expect(second, "2")
}

func TestARepositoryInPlaceOfAnother(t *testing.T) {
	r := initRepository(t, "r")
	r.commit(t, file{"100644", "f", "old"})
	g := newGit(t, GitOptions{})
	if _, err := g.Blob(t.Context(), r.root, "main", "f", 100); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(r.root); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Blob(t.Context(), r.root, "main", "f", 100); !errors.Is(err, ErrNoRepository) {
		t.Errorf("removed: %v", err)
	}
	runGit(t, "", "init", "-q", "-b", "main", r.root, "--object-format=sha256")
	r.commit(t, file{"100644", "f", "new"})
	got, err := g.Blob(t.Context(), r.root, "main", "f", 100)
	if string(got) != "new" {
		t.Errorf("replaced: %q, %v", got, err)
	}
}

// process returns the process of root's session, or nil when none runs.
func process(g *Git, root string) *catFile {
	g.mu.Lock()
	s := g.sessions[root]
	g.mu.Unlock()
	if s == nil {
		return nil
	}
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	return s.cat
}

func TestOneProcessServesAllReads(t *testing.T) {
	r := initRepository(t, "r")
	r.commit(t, file{"100644", "f", "x"})
	g := newGit(t, GitOptions{})
	if process(g, r.root) != nil {
		t.Error("a process before the first read")
	}
	var first *catFile
	for i := range 10 {
		if _, err := g.Blob(t.Context(), r.root, "main", "f", 100); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = process(g, r.root)
		}
	}
	if first == nil || process(g, r.root) != first {
		t.Error("not one process")
	}
}

// A process that was made ready serves the first read.
func TestReady(t *testing.T) {
	r := initRepository(t, "r")
	first := r.commit(t, file{"100644", "f", "first"})
	g := newGit(t, GitOptions{})
	g.Ready(t.Context(), r.root)
	ready := process(g, r.root)
	if ready == nil {
		t.Fatal("no process runs")
	}
	if got, err := g.Blob(t.Context(), r.root, first, "f", 100); err != nil || string(got) != "first" {
		t.Errorf("%q, %v", got, err)
	}
	if process(g, r.root) != ready {
		t.Error("another process was started")
	}
	folder := realTempDir(t)
	if g.Ready(t.Context(), folder); process(g, folder) != nil {
		t.Error("a process runs for a folder that is no repository")
	}
}

func TestOverTheLimitTheContentIsNotRead(t *testing.T) {
	r := initRepository(t, "r")
	r.commit(t,
		file{"100644", "small", strings.Repeat("x", drainLimit)},
		file{"100644", "huge", strings.Repeat("x", drainLimit+1)},
	)
	g := newGit(t, GitOptions{})
	if _, err := g.Blob(t.Context(), r.root, "main", "small", 10); !errors.Is(err, ErrTooLarge) {
		t.Fatal(err)
	}
	c := process(g, r.root)
	if c == nil {
		t.Error("a new process costs more than to skip a small content")
	}
	if _, err := g.Blob(t.Context(), r.root, "main", "huge", 10); !errors.Is(err, ErrTooLarge) {
		t.Fatal(err)
	}
	if process(g, r.root) == c {
		t.Error("the rest of a huge content was read")
	}
}

func TestAProcessEndedFromOutsideIsReplaced(t *testing.T) {
	r := initRepository(t, "r")
	r.commit(t, file{"100644", "f", "x"})
	g := newGit(t, GitOptions{})
	for range 3 {
		if got, err := g.Blob(t.Context(), r.root, "main", "f", 100); string(got) != "x" {
			t.Fatalf("%q, %v", got, err)
		}
		c := process(g, r.root)
		c.kill()
		<-c.done
	}
}

func TestAnIdleProcessEnds(t *testing.T) {
	r := initRepository(t, "r")
	r.commit(t, file{"100644", "f", "x"})
	g := newGit(t, GitOptions{Idle: time.Hour})
	if _, err := g.Blob(t.Context(), r.root, "main", "f", 100); err != nil {
		t.Fatal(err)
	}
	c := process(g, r.root)
	g.sessions[r.root].idle.Reset(0) // the hour has passed
	<-c.done
	if got, err := g.Blob(t.Context(), r.root, "main", "f", 100); string(got) != "x" {
		t.Errorf("after the rest: %q, %v", got, err)
	}
}

func TestClose(t *testing.T) {
	r := initRepository(t, "r")
	r.commit(t, file{"100644", "f", "x"})
	g := NewGit(GitOptions{})
	if _, err := g.Blob(t.Context(), r.root, "main", "f", 100); err != nil {
		t.Fatal(err)
	}
	c := process(g, r.root)
	g.Close()
	select {
	case <-c.done:
	default:
		t.Error("the process outlives Close")
	}
	if _, err := g.Blob(t.Context(), r.root, "main", "f", 100); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	g.Close()
}

func TestConcurrentReadsGetTheirOwnAnswers(t *testing.T) {
	var repositories []repository
	for i := range 3 {
		r := initRepository(t, "r")
		var files []file
		for j := range 20 {
			files = append(files, file{"100644", fmt.Sprintf("d%d/f%d", j%3, j), fmt.Sprintf("%d.%d", i, j)})
		}
		r.commit(t, files...)
		repositories = append(repositories, r)
	}
	g := newGit(t, GitOptions{Processes: 2})
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for n := range 100 {
				i, j := (worker+n)%3, n%20
				ctx, cancel := context.WithCancel(t.Context())
				if n%7 == 0 {
					go cancel() // at any moment
				}
				got, err := g.Blob(ctx, repositories[i].root, "main", fmt.Sprintf("d%d/f%d", j%3, j), 100)
				if want := fmt.Sprintf("%d.%d", i, j); string(got) != want && !errors.Is(err, context.Canceled) {
					t.Errorf("%q, %v; want %q", got, err, want)
				}
				cancel()
			}
		})
	}
	wg.Wait()
}

func TestCancelledBeforeTheCall(t *testing.T) {
	r := initRepository(t, "r")
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("the user went on typing")
	cancel(why)
	if _, err := newGit(t, GitOptions{}).Blob(ctx, r.root, "main", "f", 100); !errors.Is(err, why) {
		t.Error(err)
	}
}

// Where git is off, it is not even looked for.
func TestGitOff(t *testing.T) {
	r := initRepository(t, "r")
	r.commit(t, file{"100644", "f", "x"})
	g := newGit(t, GitOptions{Off: true})
	if _, err := g.Blob(t.Context(), r.root, "main", "f", 100); !errors.Is(err, ErrGitOff) {
		t.Errorf("Blob: %v", err)
	}
	if root, err := g.TopLevel(t.Context(), r.root); root != r.root {
		t.Errorf("TopLevel, which needs no git: %q, %v", root, err)
	}
}

func TestNoGit(t *testing.T) {
	r := initRepository(t, "r")
	r.commit(t, file{"100644", "f", "x"})
	decoy := t.TempDir()
	for _, path := range []string{filepath.Join(decoy, "git"), filepath.Join(decoy, "sub", "git")} {
		write(t, path, "#!/bin/sh\nexit 3\n")
		if err := os.Chmod(path, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(decoy)
	for name, c := range map[string]struct{ path, command string }{
		"empty PATH":         {path: ""},
		"PATH without git":   {path: t.TempDir()},
		"current folder":     {path: "." + string(filepath.ListSeparator) + ""},
		"relative folder":    {path: "sub"},
		"relative command":   {path: os.Getenv("PATH"), command: "git"},
		"command not there":  {path: os.Getenv("PATH"), command: filepath.Join(decoy, "absent")},
		"command is no file": {path: os.Getenv("PATH"), command: decoy},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("PATH", c.path)
			_, err := newGit(t, GitOptions{Command: c.command}).Blob(t.Context(), r.root, "main", "f", 100)
			if !errors.Is(err, ErrNoGit) {
				t.Error(err)
			}
		})
	}
	t.Run("installed later", func(t *testing.T) {
		path := os.Getenv("PATH")
		g := newGit(t, GitOptions{})
		t.Setenv("PATH", "")
		if _, err := g.Blob(t.Context(), r.root, "main", "f", 100); !errors.Is(err, ErrNoGit) {
			t.Error(err)
		}
		t.Setenv("PATH", path)
		if got, err := g.Blob(t.Context(), r.root, "main", "f", 100); string(got) != "x" {
			t.Errorf("%q, %v", got, err)
		}
	})
}

func TestStartErrors(t *testing.T) {
	for said, want := range map[string]error{
		"fatal: detected dubious ownership in repository at '/r'\nTo add an exception ...": ErrUntrusted,
		"fatal: unsafe repository ('/r' is owned by someone else)\n":                       ErrUntrusted,
		"fatal: cannot use bare repository '/r' (safe.bareRepository is 'explicit')\n":     ErrNoRepository,
		"fatal: not a git repository (or any of the parent directories): .git\n":           ErrNoRepository,
		"warning: x\nfatal: some other thing\n":                                            ErrGit,
		"":                                                                                 ErrGit,
	} {
		if err := startError("/r", said); !errors.Is(err, want) || !strings.Contains(err.Error(), "/r") {
			t.Errorf("%q: %v, want %v", said, err, want)
		}
	}
}

func TestSource(t *testing.T) {
	r := initRepository(t, "r")
	r.commit(t, file{"100644", "f", "committed"})
	write(t, filepath.Join(r.root, "f"), "in the work tree")
	source := Source{Git: newGit(t, GitOptions{}), ObjectLimit: 9, FileLimit: 16}
	if got, err := source.ReadFile(t.Context(), filepath.Join(r.root, "f")); string(got) != "in the work tree" {
		t.Errorf("file: %q, %v", got, err)
	}
	if got, err := source.ReadObject(t.Context(), r.root, "main", "f"); string(got) != "committed" {
		t.Errorf("object: %q, %v", got, err)
	}
	_, err := source.ReadObject(t.Context(), r.root, "main", "absent")
	if !errors.Is(err, analysis.ErrNoFile) || !errors.Is(err, ErrNoPath) {
		t.Errorf("no path: %v", err)
	}
	if _, err := source.ReadObject(t.Context(), r.root, "absent", "f"); errors.Is(err, analysis.ErrNoFile) {
		t.Errorf("without the commit nothing is known of the file: %v", err)
	}
	if _, err := (Source{}).ReadObject(t.Context(), r.root, "main", "f"); !errors.Is(err, ErrNoGit) {
		t.Errorf("without git: %v", err)
	}
}

// Names that differ in case alone are all those that the folder has; whether it can have two
// is for the system to say.
func TestSourceSpellings(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "Readme.md"), "")
	write(t, filepath.Join(dir, "readme.md.orig"), "")
	s := Source{}
	if names, err := s.Spellings(t.Context(), filepath.ToSlash(dir)+"/README.MD"); err != nil || !slices.Equal(names, []string{"Readme.md"}) {
		t.Errorf("%q, %v", names, err)
	}
	if names, err := s.Spellings(t.Context(), filepath.ToSlash(dir)+"/none"); err != nil || len(names) > 0 {
		t.Errorf("of no file: %q, %v", names, err)
	}
	write(t, filepath.Join(dir, "readME.md"), "")
	names, err := s.Spellings(t.Context(), filepath.ToSlash(dir)+"/Readme.md")
	if entries, _ := os.ReadDir(dir); err != nil || len(names) != len(entries)-1 {
		t.Errorf("of %v: %q, %v", entries, names, err)
	}
	if _, err := s.Spellings(t.Context(), filepath.ToSlash(dir)+"/none/Readme.md"); !errors.Is(err, ErrNotExist) {
		t.Errorf("in no folder: %v", err)
	}
}

func TestSourceRoot(t *testing.T) {
	r := initRepository(t, "r")
	write(t, filepath.Join(r.root, "sub", "f"), "")
	other := initRepository(t, "other")
	dir := realTempDir(t)
	linked := filepath.Join(dir, "linked")
	across := filepath.Join(other.root, "across")
	for link, target := range map[string]string{linked: r.root, across: filepath.Join(r.root, "sub")} {
		if err := os.Symlink(target, link); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	source := Source{} // no git is needed
	for path, want := range map[string]string{
		r.root:                                   r.root,
		filepath.Join(r.root, "sub"):             r.root,
		filepath.Join(r.root, "sub", "f"):        r.root,
		filepath.Join(r.root, "gone", "a", "b"):  r.root,
		filepath.Join(linked, "sub", "f"):        linked,
		linked:                                   linked,
		filepath.Join(across, "f"):               r.root,
		dir:                                      "",
		filepath.Join(dir, "absent"):             "",
		string(filepath.Separator) + "nul\x00/x": "",
	} {
		if got := source.Root(path); got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
}

func BenchmarkBlobs(b *testing.B) {
	r := initRepository(b, "r")
	var files []file
	var paths []string
	for i := range 500 {
		path := fmt.Sprintf("src/d%d/f%d.go", i%20, i)
		paths = append(paths, path)
		files = append(files, file{"100644", path, strings.Repeat(fmt.Sprintf("line %d\n", i), 200)})
	}
	id := r.commit(b, files...)
	b.Run("500 by one cat-file", func(b *testing.B) {
		for b.Loop() {
			g := NewGit(GitOptions{})
			for _, path := range paths {
				if _, err := g.Blob(b.Context(), r.root, id, path, 1<<20); err != nil {
					b.Fatal(err)
				}
			}
			g.Close()
		}
	})
	b.Run("in a folder of 20000", func(b *testing.B) {
		var files []file
		for i := range 20_000 {
			files = append(files, file{"100644", fmt.Sprintf("flat/file-%d", i), ""})
		}
		flat := initRepository(b, "flat")
		id := flat.commit(b, files...)
		g := newGit(b, GitOptions{})
		for b.Loop() {
			if _, err := g.Blob(b.Context(), flat.root, id, "flat/file-9999", 1); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("500 by git show", func(b *testing.B) {
		for b.Loop() {
			for i, path := range paths {
				out, err := gitCommand("-C", r.root, "show", id+":"+path).Output()
				if err != nil || !bytes.HasPrefix(out, fmt.Appendf(nil, "line %d\n", i)) {
					b.Fatal(err)
				}
			}
		}
	})
}
