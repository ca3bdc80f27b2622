package repo

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A hostile repository names programs wherever git can be made to run one.
// Each is the canary: it leaves a line in the trace file when it runs.

// hostileConfig has settings that run programs. CANARY stands for the path of
// one, HOOKS for a folder of them.
const hostileConfig = `
[core]
	repositoryformatversion = 1
	fsmonitor = CANARY fsmonitor
	sshCommand = CANARY ssh
	gitProxy = CANARY
	pager = CANARY pager
	editor = CANARY editor
	askPass = CANARY
	alternateRefsCommand = CANARY alternates
	hooksPath = HOOKS
[pager]
	cat-file = CANARY pager
	blame = CANARY pager
[filter "evil"]
	clean = CANARY clean
	smudge = CANARY smudge
[diff "evil"]
	textconv = CANARY textconv
	command = CANARY diff-driver
[diff]
	external = CANARY diff-external
[alias]
	cat-file = "!CANARY alias"
	evil = "!CANARY alias"
[credential]
	helper = "!CANARY credential"
[gpg]
	program = CANARY
[protocol]
	allow = always
[protocol "ext"]
	allow = always
[extensions]
	partialClone = origin
[remote "origin"]
	promisor = true
	url = "ext::CANARY transport"
`

type hostile struct {
	repository
	trace  string
	commit string
}

// newHostile makes the repository, with its settings in the configuration
// itself or in a file that it includes.
func newHostile(t *testing.T, included bool) hostile {
	t.Helper()
	h := hostile{repository: initRepository(t, "r")}
	dir := filepath.Dir(h.root)
	h.trace = filepath.Join(dir, "trace")
	h.commit = h.repository.commit(t,
		file{"100644", ".gitattributes", "* filter=evil diff=evil\n"},
		file{"100644", "f", "line\n"},
		file{"100644", "promised", "not here\n"},
	)
	h.git(t, "reset", "-q", "--hard")
	removeObjects(t, h.repository, h.commit+":promised")
	write(t, filepath.Join(h.root, "f"), "changed line\n")

	canary := filepath.Join(dir, "canary")
	write(t, canary, "#!/bin/sh\necho \"${1:-$0}\" >>'"+h.trace+"'\nexit 1\n")
	if err := os.Chmod(canary, 0o777); err != nil {
		t.Fatal(err)
	}
	hooks := filepath.Join(dir, "hooks")
	for _, hook := range []string{"post-index-change", "reference-transaction", "pre-commit", "fsmonitor-watchman", "post-checkout"} {
		path := filepath.Join(hooks, hook)
		write(t, path, "#!/bin/sh\n'"+canary+"' hook\nexit 0\n")
		if err := os.Chmod(path, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	settings := strings.NewReplacer("CANARY", canary, "HOOKS", hooks).Replace(hostileConfig)
	config := filepath.Join(h.root, ".git", "config")
	if included {
		write(t, filepath.Join(h.root, "evil.config"), settings)
		settings = "[core]\n\trepositoryformatversion = 1\n[include]\n\tpath = ../evil.config\n[extensions]\n\tpartialClone = origin\n"
	}
	write(t, config, settings)
	return h
}

// sang returns which canaries ran since the last call, each once.
func (h hostile) sang(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile(h.trace)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	os.Remove(h.trace)
	lines := strings.Fields(string(data))
	slices.Sort(lines)
	return slices.Compact(lines)
}

func TestHostileRepositoryRunsNothing(t *testing.T) {
	for name, included := range map[string]bool{"in config": false, "in an included file": true} {
		t.Run(name, func(t *testing.T) {
			h := newHostile(t, included)
			h.proveThatTheCanarySings(t)

			g := newGit(t, GitOptions{})
			if root, err := g.TopLevel(t.Context(), h.root); root != h.root {
				t.Errorf("TopLevel: %q, %v", root, err)
			}
			if got, err := g.Blob(t.Context(), h.root, "main", "f", 100); string(got) != "line\n" {
				t.Errorf("Blob: %q, %v", got, err)
			}
			if got, err := g.Blame(t.Context(), h.root, "HEAD", "f", 100); err != nil || got.All[got.Lines[0]].ID != h.commit {
				t.Errorf("Blame: %+v, %v", got, err)
			}
			if _, err := g.Ancestors(t.Context(), h.root, []string{h.commit, h.git(t, "commit-tree", "-p", h.commit, "-m", "next", h.commit+"^{tree}")}); err != nil {
				t.Errorf("Ancestors: %v", err)
			}
			for path, want := range map[string]error{"promised": ErrNoObject, "absent": ErrNoPath, "F": ErrNoPath} {
				if _, err := g.Blob(t.Context(), h.root, h.commit, path, 100); !errors.Is(err, want) {
					t.Errorf("Blob of %s: %v", path, err)
				}
			}
			for _, rev := range []string{zeros[1:] + "1", "abcdef", "nobranch", h.commit} {
				if has, err := g.HasCommit(t.Context(), h.root, rev); has != (rev == h.commit) || err != nil {
					t.Errorf("HasCommit %s: %v, %v", rev, has, err)
				}
			}
			for _, rev := range unsafeRevisions {
				g.HasCommit(t.Context(), h.root, rev)
			}
			if sang := h.sang(t); len(sang) > 0 {
				t.Errorf("programs of the repository ran: %q", sang)
			}
		})
	}
}

// proveThatTheCanarySings runs git as a careless program would.
func (h hostile) proveThatTheCanarySings(t *testing.T) {
	t.Helper()
	for _, c := range []struct {
		want string
		args []string
	}{
		{"fsmonitor", []string{"status"}},
		{"clean", []string{"add", "f"}},
		{"smudge", []string{"cat-file", "--filters", "HEAD:f"}},
		{"textconv", []string{"cat-file", "--textconv", "HEAD:f"}},
		{"textconv", []string{"blame", "HEAD", "--", "f"}},
		{"clean", []string{"blame", "--no-textconv", "--contents", "-", "f"}},
		{"diff-driver", []string{"diff", "HEAD"}},
		{"hook", []string{"update-ref", "refs/heads/x", "HEAD"}},
		{"alias", []string{"evil"}},
		{"transport", []string{"cat-file", "-p", h.commit + ":promised"}},
		// The setting that architecture trusts in does not hold alone.
		{"transport", []string{"-c", "protocol.allow=never", "cat-file", "-p", h.commit + ":promised"}},
	} {
		// Whether it fails is of no matter here.
		gitCommand(append([]string{"-C", h.root}, c.args...)...).Run()
		if sang := h.sang(t); !slices.Contains(sang, c.want) {
			t.Errorf("git %q unguarded ran %q, not %s: the test proves nothing", c.args, sang, c.want)
		}
	}
}

// The guards of command hold for the other subcommands that it allows.
func TestGuardsOfOtherSubcommands(t *testing.T) {
	h := newHostile(t, false)
	g := newGit(t, GitOptions{})
	for _, args := range [][]string{
		{"rev-parse", "--verify", "--end-of-options", "main^{commit}"},
		{"merge-base", "--is-ancestor", "main", "main"},
		{"blame", "--no-textconv", "--porcelain", "--incremental", "main", "--", "f"},
		{"update-ref", "refs/heads/y", "main"}, // not allowed, but hooks are off
		{"fetch", "origin"},                    // not allowed, but so are transports
		{"cat-file", "-p", h.commit + ":promised"},
		{"status"}, // not allowed, for its clean filters; the rest holds
	} {
		cmd, err := g.command(t.Context(), h.root, args...)
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.CombinedOutput()
		sang := h.sang(t)
		if args[0] == "status" {
			sang = slices.DeleteFunc(sang, func(s string) bool { return s == "clean" })
		}
		if len(sang) > 0 {
			t.Errorf("git %q ran %q", args, sang)
		}
		fails := args[0] == "fetch" || args[0] == "cat-file"
		if (err != nil) != fails {
			t.Errorf("git %q: %v\n%s", args, err, out)
		}
	}
}

func TestHostileEnvironment(t *testing.T) {
	h := newHostile(t, false)
	other := initRepository(t, "other")
	other.repositoryEnvironment(t)
	t.Setenv("GIT_TRACE", h.trace)
	t.Setenv("GIT_TRACE2_EVENT", h.trace)
	t.Setenv("GIT_ALLOW_PROTOCOL", "ext")
	t.Setenv("GIT_SSH_COMMAND", h.trace)
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "protocol.ext.allow")
	t.Setenv("GIT_CONFIG_VALUE_0", "always")
	t.Setenv("GIT_CONFIG_PARAMETERS", "'protocol.ext.allow'='always'")
	t.Setenv("LC_ALL", "de_DE.UTF-8")
	g := newGit(t, GitOptions{})
	if got, err := g.Blob(t.Context(), h.root, "main", "f", 100); string(got) != "line\n" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := g.Blob(t.Context(), h.root, "main", "promised", 100); !errors.Is(err, ErrNoObject) {
		t.Error(err)
	}
	if sang := h.sang(t); len(sang) > 0 {
		t.Errorf("git heeded the environment: %q", sang)
	}
}

// repositoryEnvironment points every inherited variable at r.
func (r repository) repositoryEnvironment(t *testing.T) {
	t.Setenv("GIT_DIR", filepath.Join(r.root, ".git"))
	t.Setenv("GIT_WORK_TREE", r.root)
	t.Setenv("GIT_INDEX_FILE", filepath.Join(r.root, "index"))
	t.Setenv("GIT_OBJECT_DIRECTORY", filepath.Join(r.root, ".git", "objects"))
	t.Setenv("GIT_COMMON_DIR", filepath.Join(r.root, ".git"))
	t.Setenv("GIT_NAMESPACE", "other")
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(r.root, ".git", "config"))
	t.Setenv("GIT_EXEC_PATH", r.root)
}

func TestReadingLeavesTheRepositoryAsItWas(t *testing.T) {
	r := initRepository(t, "r")
	r.commit(t, file{"100644", "f", "x"})
	r.git(t, "reset", "-q", "--hard")
	before := listing(t, r.root)
	g := newGit(t, GitOptions{})
	g.Blob(t.Context(), r.root, "main", "f", 100)
	g.Blob(t.Context(), r.root, "main", "absent", 100)
	g.HasCommit(t.Context(), r.root, zeros)
	g.Close()
	if after := listing(t, r.root); !slices.Equal(before, after) {
		t.Errorf("before %q\nafter %q", before, after)
	}
}

// listing describes every file under root, with size and time of change.
func listing(t *testing.T, root string) (lines []string) {
	t.Helper()
	err := filepath.Walk(root, func(path string, st os.FileInfo, err error) error {
		if err == nil {
			lines = append(lines, strings.Join([]string{path, st.ModTime().String(), st.Mode().String()}, " "))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}
