package repo

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"
)

const (
	commitLimit = 16 << 20 // bytes of a commit object
	treeLimit   = 64 << 20 // bytes of a tree object
	treesKept   = 8 << 20  // bytes of trees in memory, per process
	commitsKept = 1024     // commits in memory, per process
	drainLimit  = 64 << 10 // bytes read and dropped before a process is given up
	stderrKept  = 4 << 10  // bytes
)

// errGone: the process has ended or no longer makes sense, and must be replaced.
var errGone = errors.New("git cat-file ended")

// What cat-file answers when it has no object of a name, or more than one.
var (
	errMissing   = errors.New("missing")
	errAmbiguous = errors.New("ambiguous")
)

// commit is what a revision leads to. Both are object ids in hex digits.
type commit struct{ id, tree string }

// catFile is a running "git cat-file --batch". One caller at a time.
//
// What it remembers is named by object ids, so it stays true while the
// process lives; only git-replace(1) could change it, and is then seen by the
// next process.
type catFile struct {
	root   string
	in     io.WriteCloser
	out    *bufio.Reader
	outEnd *os.File
	stderr *head
	kill   context.CancelFunc
	done   chan struct{} // closed when the process has ended

	broken     bool // no further requests
	commits    map[string]commit
	trees      map[string][]byte
	treesBytes int
}

// startCatFile starts the process of the repository at root. That git refuses
// the repository shows at the first request.
func startCatFile(g *Git, root string) (*catFile, error) {
	ctx, kill := context.WithCancel(context.Background())
	cmd, err := g.command(ctx, root, "cat-file", "--batch")
	if err != nil {
		kill()
		return nil, err
	}
	c := &catFile{
		root: root, kill: kill, stderr: &head{}, done: make(chan struct{}),
		commits: map[string]commit{}, trees: map[string][]byte{},
	}
	cmd.Stderr = c.stderr
	if c.in, err = cmd.StdinPipe(); err != nil {
		kill()
		return nil, err
	}
	// A pipe of our own: that of StdoutPipe is closed by Wait, which runs
	// beside the reads here.
	outEnd, childEnd, err := os.Pipe()
	if err != nil {
		kill()
		return nil, err
	}
	cmd.Stdout = childEnd
	err = cmd.Start()
	childEnd.Close()
	if err != nil {
		kill()
		outEnd.Close()
		return nil, fmt.Errorf("%w: %v", ErrNoGit, err)
	}
	c.outEnd, c.out = outEnd, bufio.NewReaderSize(outEnd, 64<<10)
	go func() {
		cmd.Wait()
		kill()
		close(c.done)
	}()
	return c, nil
}

// abort ends the process and fails the request under way, from any goroutine.
func (c *catFile) abort() {
	c.kill()
	c.outEnd.Close()
}

// stop ends the process and waits until it has ended.
func (c *catFile) stop() {
	c.in.Close()
	c.abort()
	<-c.done
}

// object is what cat-file tells of one.
type object struct {
	id, kind string // kind is blob, tree, commit or tag
	size     int64  // bytes
	content  []byte
}

// object returns the object that name, a line without a newline, stands for.
// One of more than limit bytes comes without its content, with a
// [*TooLargeError]. Other errors: errMissing, errAmbiguous, errGone.
func (c *catFile) object(name string, limit int64) (object, error) {
	if c.broken {
		return object{}, errGone
	}
	if _, err := io.WriteString(c.in, name+"\n"); err != nil {
		return object{}, c.gone()
	}
	line, err := c.out.ReadSlice('\n')
	if err != nil {
		return object{}, c.gone()
	}
	o, err := parseHeader(string(line))
	switch {
	case errors.Is(err, errGone):
		return object{}, c.gone()
	case err != nil:
		return object{}, err
	case o.size > limit:
		c.skip(o.size)
		return o, &TooLargeError{Path: name, Size: o.size, Limit: limit}
	}
	content := make([]byte, o.size+1) // and the newline after it
	if _, err := io.ReadFull(c.out, content); err != nil {
		return object{}, c.gone()
	}
	o.content = content[:o.size:o.size]
	return o, nil
}

// parseHeader reads what cat-file says before a content: "<id> <type> <size>",
// "<name> missing" or "<name> ambiguous". No name that is sent has a space.
func parseHeader(line string) (object, error) {
	fields := strings.Fields(line)
	switch {
	case len(fields) == 2 && fields[1] == "missing":
		return object{}, errMissing
	case len(fields) == 2 && fields[1] == "ambiguous":
		return object{}, errAmbiguous
	case len(fields) == 3:
		size, err := strconv.ParseInt(fields[2], 10, 64)
		if err == nil && size >= 0 && size < math.MaxInt64 {
			return object{id: fields[0], kind: fields[1], size: size}, nil
		}
	}
	return object{}, errGone
}

// skip passes over a content. A long one costs more to read than a new process.
func (c *catFile) skip(size int64) {
	if size > drainLimit {
		c.broken = true
		c.kill()
		return
	}
	if _, err := io.CopyN(io.Discard, c.out, size+1); err != nil {
		c.broken = true
	}
}

// gone ends a process that does not answer. Git also dies where it wants to
// fetch what a partial clone lacks and may not.
func (c *catFile) gone() error {
	c.broken = true
	c.stop() // and then all that it said is there
	if strings.Contains(c.stderr.String(), "promisor remote") {
		return errMissing
	}
	return errGone
}

// startErrors are git's words for refusing a repository, and what they mean.
var startErrors = []struct {
	words, advice string
	err           error
}{
	{"dubious ownership", trustAdvice, ErrUntrusted},
	{"unsafe repository", trustAdvice, ErrUntrusted}, // git 2.35
	{"cannot use bare repository", ": your safe.bareRepository setting keeps git from bare repositories", ErrNoRepository},
	{"not a git repository", "", ErrNoRepository},
}

const trustAdvice = "; to trust it, run git config --global --add safe.directory with that path"

// startError says why git did not answer for root, by what it said instead.
func startError(root, said string) error {
	for _, e := range startErrors {
		if strings.Contains(said, e.words) {
			return fmt.Errorf("%s: %w%s", root, e.err, e.advice)
		}
	}
	return fmt.Errorf("%s: %w: %s", root, ErrGit, firstFatal(said))
}

// firstFatal picks the line of git's messages that tells most.
func firstFatal(said string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
	for line := range strings.SplitSeq(said, "\n") {
		if after, ok := strings.CutPrefix(line, "fatal: "); ok {
			first = after
			break
		}
	}
	if first == "" {
		return "it said nothing"
	}
	return cut(first)
}

// commit resolves a checked revision.
func (c *catFile) commit(rev string) (commit, error) {
	if known, ok := c.commits[rev]; ok {
		return known, nil
	}
	// The suffix makes git follow tags, and refuse what is no commit.
	o, err := c.object(rev+"^{commit}", commitLimit)
	if errors.Is(err, errMissing) {
		err = fmt.Errorf("%w in %s: %s%s", ErrNoRevision, c.root, cut(rev), c.whyNoCommit(rev))
	}
	if err != nil {
		return commit{}, err
	}
	line, _, _ := bytes.Cut(o.content, []byte{'\n'})
	tree, ok := strings.CutPrefix(string(line), "tree ")
	if !ok || !isObjectID(tree) || len(tree) != len(o.id) {
		return commit{}, fmt.Errorf("%w: commit %s is damaged", ErrNoObject, o.id)
	}
	found := commit{o.id, tree}
	if isObjectID(rev) {
		if len(c.commits) >= commitsKept {
			clear(c.commits)
		}
		c.commits[rev] = found
	}
	return found, nil
}

// whyNoCommit says in words, or not at all, why rev leads to no commit.
func (c *catFile) whyNoCommit(rev string) string {
	o, err := c.object(rev, 0)
	switch {
	case errors.Is(err, errAmbiguous):
		return " is short for more than one object"
	case o.kind != "":
		return " is a " + o.kind
	}
	return shallowNote(c.root)
}

// tree returns the tree object id, which is folder in the commit.
func (c *catFile) tree(id, rev string, folder []string) ([]byte, error) {
	if known, ok := c.trees[id]; ok {
		return known, nil
	}
	tree, err := c.content(id, "tree", treeLimit)
	if err != nil {
		return nil, objectError(err, id, rev, strings.Join(folder, "/")+"/")
	}
	if len(tree) <= treesKept {
		if c.treesBytes+len(tree) > treesKept {
			clear(c.trees)
			c.treesBytes = 0
		}
		c.trees[id] = tree
		c.treesBytes += len(tree)
	}
	return tree, nil
}

func (c *catFile) blob(id, rev, path string, limit int64) ([]byte, error) {
	blob, err := c.content(id, "blob", limit)
	if err != nil {
		return nil, objectError(err, id, rev, path)
	}
	return blob, nil
}

// content returns the content of the object id, which must be of that kind.
func (c *catFile) content(id, kind string, limit int64) ([]byte, error) {
	o, err := c.object(id, limit)
	if err == nil && o.kind != kind {
		return nil, fmt.Errorf("%w: %s is a %s where a %s is recorded", ErrNoObject, id, o.kind, kind)
	}
	return o.content, err
}

// objectError speaks of path rather than of the id by which it was asked for.
func objectError(err error, id, rev, path string) error {
	if errors.Is(err, errMissing) {
		return fmt.Errorf("%w: %s (%q of commit %s); the clone is partial or damaged", ErrNoObject, id, path, rev)
	}
	var large *TooLargeError
	if errors.As(err, &large) {
		large.Path = path
	}
	return err
}

// head keeps the start of what is written to it and drops the rest.
type head struct {
	mu   sync.Mutex
	kept []byte
}

func (h *head) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.kept = append(h.kept, p[:min(len(p), stderrKept-len(h.kept))]...)
	return len(p), nil
}

func (h *head) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return string(h.kept)
}
