package repo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// WalkOptions bounds a walk. Zero fields take the default in brackets.
type WalkOptions struct {
	Entries   int // folder entries looked at [200,000]
	Depth     int // folders below the root [32]
	Documents int // documents returned [20,000]
	Links     int // links to folders returned [1,000]
	// Also says that a file whose name does not show that it is a document is
	// returned too; path is relative to the root, with slashes. [none]
	Also func(path string) bool
}

// Found is what a walk found.
type Found struct {
	// Paths of the documents: the root joined with slash or backslash as the
	// system has it, sorted by byte order, each once.
	Paths []string
	// Bounds that were hit. When not 0, documents may be missing from Paths.
	Bounds Bounds
	// Unreadable holds the first folders that could not be listed, at most 16.
	Unreadable []string
	// Links are the symbolic links to folders that were seen, none of which was entered.
	Links []FolderLink
}

// FolderLink is a symbolic link to a folder.
type FolderLink struct {
	Path string // as the walk came to it
	To   string // the folder: absolute, without links on the way
}

// Bounds is a set of limits of a walk that were hit.
type Bounds uint8

// The limits of [WalkOptions].
const (
	BoundEntries Bounds = 1 << iota
	BoundDepth
	BoundDocuments
	BoundLinks
)

// String names the limits in words, or is empty for none.
func (b Bounds) String() string {
	var names []string
	for i, name := range []string{"number of entries", "depth of folders", "number of documents", "number of links to folders"} {
		if b&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// skipped are folder names that a walk does not enter below its root: version
// control, installed dependencies and caches, which are large and hold nothing
// that the project's people wrote.
var skipped = map[string]bool{
	".git": true, ".hg": true, ".svn": true, ".jj": true, ".bzr": true, "CVS": true,

	"node_modules": true, "bower_components": true, "jspm_packages": true,
	"vendor": true, "third_party": true, "Pods": true, "Carthage": true,
	".yarn": true, ".pnpm-store": true, ".npm": true, ".bundle": true,
	".venv": true, "venv": true, "site-packages": true,
	".cargo": true, ".rustup": true, ".m2": true, ".gradle": true, ".terraform": true,

	".cache": true, "__pycache__": true, ".tox": true, ".nox": true,
	".mypy_cache": true, ".pytest_cache": true, ".ruff_cache": true,
	".next": true, ".nuxt": true, ".parcel-cache": true, ".turbo": true,
	".direnv": true, ".idea": true, ".vs": true,
}

// cacheTag marks a folder as a cache (bford.info/cachedir); Cargo writes one
// into target, for example. The file starts with cacheSignature.
const (
	cacheTag       = "CACHEDIR.TAG"
	cacheSignature = "Signature: 8a477f597d28d172789f06886806bc55"
)

// FindDocuments returns the files under root that are named as Toolpath
// documents (see [IsDocumentName]), and those that the options add.
//
// Folders are visited breadth first, so that a bound cuts off the deepest
// ones. Not entered: the folders of version control, dependencies and caches
// (see skipped in the source for the names), those with a CACHEDIR.TAG, and
// symbolic links to folders, so that no loop can arise; these are listed. A
// symbolic link to a file counts as that file; what is no regular file does not
// count.
//
// Errors: [ErrNotExist] or [ErrNotRegular] when root is no folder, and the
// cause of ctx. A folder that cannot be listed is named in the result.
func FindDocuments(ctx context.Context, root string, o WalkOptions) (Found, error) {
	st, err := os.Stat(root)
	if err != nil {
		return Found{}, fileError(root, err)
	}
	if !st.IsDir() {
		return Found{}, fmt.Errorf("%s: %w: not a folder", root, ErrNotRegular)
	}
	w := walk{ctx: ctx, root: filepath.Clean(root), also: o.Also, entries: orDefault(o.Entries, 200_000), documents: orDefault(o.Documents, 20_000), links: orDefault(o.Links, 1000)}
	level := []string{filepath.Clean(root)}
	for depth := 0; len(level) > 0; depth++ {
		if depth > orDefault(o.Depth, 32) {
			w.found.Bounds |= BoundDepth
			break
		}
		if level, err = w.visit(level, depth > 0); err != nil {
			return Found{}, err
		}
	}
	slices.Sort(w.found.Paths)
	return w.found, nil
}

func orDefault(n, otherwise int) int {
	if n > 0 {
		return n
	}
	return otherwise
}

type walk struct {
	ctx                       context.Context
	root                      string
	also                      func(path string) bool
	entries, documents, links int // what is left of the bounds
	found                     Found
}

// visit lists the folders of one level and returns those of the next.
func (w *walk) visit(folders []string, below bool) (next []string, err error) {
	for _, folder := range folders {
		if w.spent() {
			break
		}
		entries, err := w.list(folder)
		if err != nil {
			return nil, err
		}
		if below && isCache(folder, entries) {
			continue
		}
		for _, e := range entries {
			path := filepath.Join(folder, e.Name())
			if e.IsDir() && !skipped[e.Name()] {
				next = append(next, path)
			} else if (IsDocumentName(e.Name()) || w.isAlso(path)) && isRegular(path, e) {
				w.add(path)
			} else if e.Type()&fs.ModeSymlink != 0 {
				w.link(path)
			}
		}
	}
	return next, nil
}

// spent reports whether a bound leaves nothing for another folder, and notes it.
func (w *walk) spent() bool {
	if w.entries == 0 {
		w.found.Bounds |= BoundEntries
	}
	if w.documents == 0 {
		w.found.Bounds |= BoundDocuments
	}
	return w.entries == 0 || w.documents == 0
}

func (w *walk) add(path string) {
	if w.documents == 0 {
		w.found.Bounds |= BoundDocuments
		return
	}
	w.documents--
	w.found.Paths = append(w.found.Paths, path)
}

// link notes a symbolic link if it leads to a folder.
func (w *walk) link(path string) {
	link, ok := LinkToFolder(path)
	if !ok {
		return
	}
	if w.links == 0 {
		w.found.Bounds |= BoundLinks
		return
	}
	w.links--
	w.found.Links = append(w.found.Links, link)
}

// LinkToFolder returns the symbolic link at path, if there is one that leads to a folder.
func LinkToFolder(path string) (FolderLink, bool) {
	if st, err := os.Lstat(path); err != nil || st.Mode()&fs.ModeSymlink == 0 {
		return FolderLink{}, false
	}
	if st, err := os.Stat(path); err != nil || !st.IsDir() {
		return FolderLink{}, false
	}
	to, err := filepath.EvalSymlinks(path)
	if err == nil {
		to, err = filepath.Abs(to)
	}
	return FolderLink{path, to}, err == nil
}

// list returns the entries of folder by name, as many as the bound lets it.
func (w *walk) list(folder string) ([]fs.DirEntry, error) {
	f, err := os.Open(folder)
	if err != nil {
		w.unreadable(folder)
		return nil, nil
	}
	defer f.Close()
	var entries []fs.DirEntry
	for {
		if w.ctx.Err() != nil {
			return nil, context.Cause(w.ctx)
		}
		batch, err := f.ReadDir(min(w.entries+1, 4096))
		if len(batch) > w.entries {
			batch = batch[:w.entries]
			w.found.Bounds |= BoundEntries
			err = io.EOF
		}
		w.entries -= len(batch)
		entries = append(entries, batch...)
		if err != nil {
			if !errors.Is(err, io.EOF) {
				w.unreadable(folder)
			}
			break
		}
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

func (w *walk) unreadable(folder string) {
	if len(w.found.Unreadable) < 16 {
		w.found.Unreadable = append(w.found.Unreadable, folder)
	}
}

func (w *walk) isAlso(path string) bool {
	if w.also == nil {
		return false
	}
	rel, err := filepath.Rel(w.root, path)
	return err == nil && w.also(filepath.ToSlash(rel))
}

// IsDocumentName says whether a file's name, or path, is that of a Toolpath
// document: *.path.json or *.path.jsonl, letter case ignored.
func IsDocumentName(name string) bool {
	name = strings.ToLower(name)
	return strings.HasSuffix(name, ".path.json") || strings.HasSuffix(name, ".path.jsonl")
}

func isRegular(path string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.Type().IsRegular()
	}
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
}

func isCache(folder string, entries []fs.DirEntry) bool {
	_, tagged := slices.BinarySearchFunc(entries, cacheTag, func(e fs.DirEntry, name string) int {
		return strings.Compare(e.Name(), name)
	})
	if !tagged {
		return false
	}
	f, _, err := openRegular(filepath.Join(folder, cacheTag))
	if err != nil {
		return false
	}
	defer f.Close()
	start := make([]byte, len(cacheSignature))
	_, err = io.ReadFull(f, start)
	return err == nil && string(start) == cacheSignature
}
