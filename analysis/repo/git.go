package repo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// GitOptions are the settings of a [Git]. Zero fields take the default in brackets.
type GitOptions struct {
	// Command is the git executable, an absolute path [the first git in an
	// absolute folder of PATH; the current folder is never searched].
	Command string
	// Off says that git must not be run: then every call fails with [ErrGitOff].
	Off bool
	// Idle is how long a repository's process is kept after its last use [60 s].
	Idle time.Duration
	// Timeout bounds each call; then git is ended and the call fails [10 s].
	Timeout time.Duration
	// Processes bounds how many repositories have a process at a time [8].
	Processes int
}

// Git reads objects of repositories with the git program. Safe for concurrent
// use; calls for one repository take turns. Make one with [NewGit].
//
// Each repository in use has one "git cat-file --batch" process, started at
// the first read and ended when idle. Only object ids and checked revisions are
// ever sent to it: paths are looked up here, in the tree objects, so that no
// byte of a path can be taken for anything else.
//
// Every git runs under the guards of command: it starts no hook, filter,
// textconv, fsmonitor, pager, credential helper or transport that repository
// configuration names, does not fetch what a partial clone lacks, writes
// nothing and asks nothing.
type Git struct {
	options GitOptions

	closing context.Context // done when closed
	cancel  context.CancelFunc
	blaming chan struct{} // has room for the one blame that runs

	mu       sync.Mutex
	path     string              // git's absolute path, once found
	sessions map[string]*session // by root; nil when closed
	retiring sync.WaitGroup
}

// NewGit returns a Git that has run nothing yet. Whether there is a git shows
// at the first call that needs it.
func NewGit(o GitOptions) *Git {
	if o.Idle <= 0 {
		o.Idle = time.Minute
	}
	if o.Timeout <= 0 {
		o.Timeout = 10 * time.Second
	}
	o.Processes = orDefault(o.Processes, 8)
	closing, cancel := context.WithCancel(context.Background())
	return &Git{options: o, closing: closing, cancel: cancel, blaming: make(chan struct{}, 1), sessions: map[string]*session{}}
}

// Blob returns the content of the regular file at path in the commit that rev
// names, when it has at most limit bytes. The root is one of [Git.TopLevel].
//
// Errors: [ErrNoGit], [ErrGitOff], [ErrNoRepository], [ErrUntrusted], [ErrNoRevision],
// [ErrNoPath], [ErrNotRegular] for a folder, symbolic link or submodule,
// [ErrNoObject], [ErrTooLarge], [ErrTimeout], [ErrClosed], the cause of ctx.
func (g *Git) Blob(ctx context.Context, root, rev, path string, limit int64) ([]byte, error) {
	names, err := splitPath(rev, path)
	if err != nil {
		return nil, err
	}
	var blob []byte
	err = g.read(ctx, root, rev, func(c *catFile) error {
		commit, err := c.commit(rev)
		if err != nil {
			return err
		}
		id, err := c.find(commit, rev, path, names)
		if err != nil {
			return err
		}
		blob, err = c.blob(id, rev, path, limit)
		return err
	})
	return blob, err
}

// Commit returns the whole object id, in lower case, of the commit that rev
// names. Errors are those of [Git.Blob] that do not speak of a path.
func (g *Git) Commit(ctx context.Context, root, rev string) (string, error) {
	var id string
	err := g.read(ctx, root, rev, func(c *catFile) error {
		commit, err := c.commit(rev)
		id = commit.id
		return err
	})
	return id, err
}

// Ready starts the process of the repository at root, so that it runs when the first object
// is asked for. That it could not be started shows then.
func (g *Git) Ready(ctx context.Context, root string) {
	_ = g.read(ctx, root, "HEAD", func(*catFile) error { return nil })
}

// HasCommit reports whether rev names a commit of the repository. No answer is
// an error: those of [Git.Commit] but [ErrNoRevision].
func (g *Git) HasCommit(ctx context.Context, root, rev string) (bool, error) {
	_, err := g.Commit(ctx, root, rev)
	if errors.Is(err, ErrNoRevision) {
		return false, nil
	}
	return err == nil, err
}

// Close fails the calls under way and returns when every process has ended.
// The Git is of no further use.
func (g *Git) Close() {
	g.cancel()
	g.mu.Lock()
	sessions := g.sessions
	g.sessions = nil
	g.mu.Unlock()
	for _, s := range sessions {
		s.retire()
	}
	g.retiring.Wait()
}

// guards are the options of every git. Options on the command line outrank
// all configuration files, included ones too.
var guards = []string{
	"--no-pager",
	"--no-optional-locks", // no refresh of the index behind a reader's back
	"--literal-pathspecs",
	"-c", "core.fsmonitor=false",
	"-c", "core.hooksPath=/dev/null", // git maps it to NUL on Windows
	"-c", "core.sshCommand=false",
	"-c", "core.gitProxy=",
	"-c", "core.askPass=",
	"-c", "core.alternateRefsCommand=",
	"-c", "credential.helper=",
	"-c", "diff.external=",
	"-c", "protocol.allow=never",
	"-c", "gc.auto=0",
	"-c", "maintenance.auto=false",
}

// environment is what is added to every git's environment, after each
// inherited variable of git was taken out.
var environment = []string{
	// No transport at all. It outranks protocol.<name>.allow, with which a
	// repository could lift protocol.allow=never again.
	"GIT_ALLOW_PROTOCOL=",
	"GIT_NO_LAZY_FETCH=1", // partial clones stay partial; git 2.44 and newer
	"GIT_OPTIONAL_LOCKS=0",
	"GIT_TERMINAL_PROMPT=0",
	"GIT_ASKPASS=",
	"GIT_SSH_COMMAND=false",
	"LC_ALL=C", // messages are matched, see startError
	"NoDefaultCurrentDirectoryInExePath=1",
}

// command returns a git that is ready to start in root with all guards: no
// input, no output, in a process group that ends with ctx.
//
// The guards cover configuration, not the subcommand. Use those that read
// objects alone: cat-file, rev-parse, rev-list, merge-base, diff-tree, hash-object
// without -w and --path, and blame with a revision and --no-textconv. Never those that compare with the work tree (status, diff,
// add, and blame --contents or without a revision): they run the clean filters
// that .gitattributes and the configuration name together, under names that no
// guard can list.
func (g *Git) command(ctx context.Context, root string, args ...string) (*exec.Cmd, error) {
	path, err := g.executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, path, append(guards[:len(guards):len(guards)], args...)...)
	cmd.Dir = root
	cmd.Env = append(inherited(), environment...)
	// The search for a repository may look at root and no higher.
	cmd.Env = append(cmd.Env, "GIT_CEILING_DIRECTORIES="+filepath.Dir(root))
	cmd.WaitDelay = time.Second
	isolate(cmd)
	return cmd, nil
}

// inherited is our environment without the variables that git or a locale read.
func inherited() []string {
	var kept []string
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		name = strings.ToUpper(name)
		if strings.HasPrefix(name, "GIT_") || strings.HasPrefix(name, "LC_") ||
			name == "LANGUAGE" || name == "SSH_ASKPASS" {
			continue
		}
		kept = append(kept, v)
	}
	return kept
}

// executable returns git's absolute path. It is looked for until found, so a
// git that is installed later is used.
func (g *Git) executable() (string, error) {
	if g.options.Off {
		return "", ErrGitOff
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.path != "" {
		return g.path, nil
	}
	path, err := findGit(g.options.Command)
	g.path = path
	return path, err
}

func findGit(command string) (string, error) {
	if command != "" {
		if !filepath.IsAbs(command) {
			return "", fmt.Errorf("%w: the configured path %q is not absolute", ErrNoGit, command)
		}
		if _, err := exec.LookPath(command); err != nil {
			return "", fmt.Errorf("%w: %v", ErrNoGit, err)
		}
		return command, nil
	}
	for _, folder := range filepath.SplitList(os.Getenv("PATH")) {
		if !filepath.IsAbs(folder) {
			continue
		}
		if path, err := exec.LookPath(filepath.Join(folder, "git")); err == nil {
			return path, nil
		}
	}
	return "", ErrNoGit
}

// read runs f with the process of the repository at root.
func (g *Git) read(ctx context.Context, root, rev string, f func(*catFile) error) error {
	if err := checkRevision(rev); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, g.options.Timeout, ErrTimeout)
	defer cancel()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	root, err := physical(root)
	if err != nil {
		return err
	}
	now, err := originOf(root)
	if err != nil {
		return err
	}
	for {
		s, err := g.session(root)
		if err != nil {
			return err
		}
		if err = s.run(ctx, now, f); err != errRetired {
			return err
		}
	}
}

// session returns the session of root, and ends the longest unused one when
// there are too many.
func (g *Git) session(root string) (*session, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.sessions == nil {
		return nil, ErrClosed
	}
	if s := g.sessions[root]; s != nil {
		s.used = time.Now()
		return s, nil
	}
	if len(g.sessions) >= g.options.Processes {
		g.evictLocked()
	}
	s := newSession(g, root)
	g.sessions[root] = s
	return s, nil
}

// evictLocked takes the longest unused session out; its process ends when the
// calls under way have.
func (g *Git) evictLocked() {
	var oldest *session
	for _, s := range g.sessions {
		if oldest == nil || s.used.Before(oldest.used) {
			oldest = s
		}
	}
	delete(g.sessions, oldest.root)
	g.retiring.Go(oldest.retire)
}

// physical returns root absolute with symbolic links resolved, as git itself
// sees its current folder.
func physical(root string) (string, error) {
	abs, err := filepath.Abs(root)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w: %v", root, ErrNoRepository, err)
	}
	return abs, nil
}
