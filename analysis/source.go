package analysis

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
)

// Source is the way to files and git objects. It may be slow; it must be bounded.
type Source interface {
	// ReadFile returns the content of the file at an absolute path.
	ReadFile(ctx context.Context, path string) ([]byte, error)
	// ReadObject returns the content of the file that the commit rev of the repository at
	// root has at path, which is relative to root. The error is ErrNoFile if the commit
	// has none there.
	ReadObject(ctx context.Context, root, rev, path string) ([]byte, error)
	// Root returns the top folder of the repository that holds the file or folder at an
	// absolute path, "" if there is none.
	Root(path string) string
}

// FolderSource is a Source that can list folders.
type FolderSource interface {
	Source
	// ReadFolder returns the names of what lies in the folder at an absolute path, in
	// order; those of folders end with "/".
	ReadFolder(ctx context.Context, path string) ([]string, error)
}

// LinkSource is a Source that knows symbolic links.
type LinkSource interface {
	Source
	// Real returns the absolute path of a file without symbolic links on the way, "" if there
	// is no such file.
	Real(path string) string
}

// SpellingSource is a Source that knows how names are spelled.
type SpellingSource interface {
	Source
	// Spellings returns, of the names in the folder of the file at an absolute path, those
	// that differ from the file's own in case alone, and that one if it is there. If it
	// cannot tell all of them that is an error.
	Spellings(ctx context.Context, path string) ([]string, error)
}

// AncestrySource is a Source that knows how commits descend from one another.
type AncestrySource interface {
	Source
	// Ancestors returns, for each of some commits of the repository at root, the places
	// among them of those that are surely its ancestors.
	Ancestors(ctx context.Context, root string, revs []string) ([][]int, error)
}

// ErrNoFile says that a commit has no file at a path: it is known not to be there.
var ErrNoFile = errors.New("no such file in the commit")

// ErrTooLarge says that a content is larger than what the source reads.
var ErrTooLarge = errors.New("over the size limit")

// Need names something to be read through a Source.
type Need struct {
	// Document is the path of a closed Toolpath document; if "", it is about an object.
	Document string
	// File and Rev name the content that a source file, given by its absolute path, had
	// in a commit; without Rev, that which it has on disk.
	File, Rev string
	// Commits, if not "", are those of the repository of File of which it is asked how they
	// descend from one another, with a space between them.
	Commits string
	// Within, if not "", is the folder in which File must lie, whatever links are on the way:
	// else its content on disk is not read.
	Within string
	// Spellings asks for the names that differ from that of File in case alone.
	Spellings bool
}

// fact is what was read for a need.
type fact struct {
	content []byte
	doc     *Document
	err     error
	// spellings are the last parts of names.
	spellings []string
	// descends holds pairs of commits, the first of which descends from the second.
	descends map[[2]string]bool
	used     atomic.Int64 // when it was used last, on the workspace's clock
}

// size returns the bytes that the fact holds of a text.
func (f *fact) size() int {
	if f.doc != nil {
		return f.doc.Text.Len()
	}
	return len(f.content)
}

// Fetch reads what is needed and makes it part of the workspace. An error becomes a fact
// as well, unless ctx ended it.
func (w *Workspace) Fetch(ctx context.Context, src Source, needs []Need) error {
	facts := make([]*fact, 0, len(needs))
	for _, n := range needs {
		f := fetch(ctx, src, n, w.options().MaxFileSize)
		if f.doc != nil {
			f.doc.root = w.rootOf(n.Document)
		}
		facts = append(facts, f)
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	w.addFacts(needs, facts)
	return nil
}

func fetch(ctx context.Context, src Source, n Need, limit int) *fact {
	if n.Document != "" {
		content, err := src.ReadFile(ctx, n.Document)
		if err != nil {
			return &fact{err: err}
		}
		doc := closedDocument(n.Document, content, limit)
		_ = doc.Prepare(ctx) // who called asks whether ctx has ended
		return &fact{doc: doc}
	}
	if n.Commits != "" {
		return fetchAncestry(ctx, src, n)
	}
	if n.Spellings {
		spelled, ok := src.(SpellingSource)
		if !ok {
			return &fact{}
		}
		names, err := spelled.Spellings(ctx, n.File)
		return &fact{spellings: names, err: err}
	}
	if n.Rev == "" {
		if !liesWithin(src, n.Within, n.File) {
			return &fact{err: errOutside}
		}
		content, err := src.ReadFile(ctx, n.File)
		return &fact{content: content, err: err}
	}
	root := src.Root(n.File)
	if root == "" {
		return &fact{err: errNoRepository}
	}
	rel, ok := within(root, n.File)
	if !ok {
		return &fact{err: errNoRepository}
	}
	content, err := src.ReadObject(ctx, root, n.Rev, rel)
	return &fact{content: content, err: err}
}

var errOutside = errors.New("a symbolic link leads out of the workspace")

// liesWithin says that a file is in a folder, or is not there at all; "" is every folder.
func liesWithin(src Source, folder, file string) bool {
	links, ok := src.(LinkSource)
	if folder == "" || !ok {
		return true
	}
	real := links.Real(file)
	_, inside := within(links.Real(folder), real)
	return real == "" || inside
}

func fetchAncestry(ctx context.Context, src Source, n Need) *fact {
	f := &fact{descends: map[[2]string]bool{}}
	ancestry, ok := src.(AncestrySource)
	if !ok {
		return f
	}
	root := src.Root(n.File)
	if root == "" {
		return f
	}
	revs := strings.Fields(n.Commits)
	var all [][]int
	all, f.err = ancestry.Ancestors(ctx, root, revs)
	for i, before := range all {
		for _, k := range before {
			f.descends[[2]string{revs[i], revs[k]}] = true
		}
	}
	return f
}

func isNoFile(err error) bool { return errors.Is(err, ErrNoFile) }

var errNoRepository = errors.New("the file lies in no git repository")

// maxRounds bounds how often a question is asked again: what was read may lead to more.
const maxRounds = 40

// Ask answers a question about a snapshot that says what must be read for it. What is read
// becomes part of the workspace, and of the snapshot that is asked again; its open documents
// stay as they were. Without a source the first answer counts.
func Ask[T any](ctx context.Context, w *Workspace, src Source, s *Snapshot, question func(*Snapshot) (T, []Need)) (T, error) {
	defer w.begin()()
	for round := 0; ; round++ {
		next, newest := *s, w.Snapshot()
		next.facts, next.closed, next.byName, next.others = newest.facts, newest.closed, newest.byName, newest.others
		answer, needs := question(&next)
		if err := ctx.Err(); err != nil || len(needs) == 0 || src == nil || round == maxRounds {
			return answer, err
		}
		if err := w.Fetch(ctx, src, needs); err != nil {
			return answer, err
		}
	}
}
