package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/query"
	"github.com/toolpath-ls/toolpath-ls/analysis/repo"
	"github.com/toolpath-ls/toolpath-ls/lsp"
)

// livePattern is how the documents are called that grow while they are written.
const livePattern = "track-*.path.jsonl"

// maxPointed bounds the documents elsewhere to which others lead, one after the other.
const maxPointed = 1000

// Load implements lsp.Loader.
func (f *files) Load(ctx context.Context, w *analysis.Workspace, from lsp.Sources, tell func(done, total int)) error {
	l := loading{files: f, ctx: ctx, work: w, from: from, roots: f.roots(from.Folders), kept: map[string]bool{}, tell: tell}
	w.Forget()
	for _, folder := range from.Folders {
		l.folder(folder)
	}
	f.links = l.links
	w.SetLinks(linksWithin(from.Folders, f.links))
	if from.Cache {
		l.list(repo.CacheFolder(), "*.json")
	}
	if from.Live != "" {
		l.list(from.Live, livePattern)
	}
	l.read()
	l.pointed()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	w.Retain(func(path string) bool { return l.kept[path] })
	return errors.Join(l.errs...)
}

// Reload implements lsp.Loader.
func (f *files) Reload(ctx context.Context, w *analysis.Workspace, from lsp.Sources, paths []string) error {
	l := loading{files: f, ctx: ctx, work: w, from: from, roots: f.roots(from.Folders), kept: map[string]bool{}}
	w.Forget()
	for _, p := range paths {
		switch {
		case repo.IsDocumentName(p) && !isIn(p, from.Live) || w.Snapshot().Holds(filepath.ToSlash(p)) && !isIn(p, repo.CacheFolder()):
			l.queue = append(l.queue, queuedDocument{path: p})
		case from.Live != "" && isIn(p, from.Live), from.Cache && isIn(p, repo.CacheFolder()):
			l.queue = append(l.queue, queuedDocument{path: p, apart: true})
		case slices.ContainsFunc(from.Folders, func(folder string) bool { return matches(folder, p, from.Files) }):
			l.queue = append(l.queue, queuedDocument{path: p})
		}
	}
	l.read()
	l.pointed()
	l.relink()
	return errors.Join(append(l.errs, ctx.Err())...)
}

// isIn says whether a file lies right in a folder.
func isIn(file, folder string) bool {
	return folder != "" && filepath.Dir(filepath.FromSlash(file)) == filepath.Clean(folder)
}

// matches says whether a file below a folder is one that globs name.
func matches(folder, file string, globs []query.Glob) bool {
	rel, err := filepath.Rel(folder, filepath.FromSlash(file))
	if err != nil || !filepath.IsLocal(rel) {
		return false
	}
	return slices.ContainsFunc(globs, func(g query.Glob) bool { return g.Match(filepath.ToSlash(rel)) })
}

// roots returns what the documents of other places may speak of.
func (f *files) roots(folders []string) []string {
	var roots []string
	for _, folder := range folders {
		root := f.Root(filepath.ToSlash(folder))
		if root == "" {
			root = folder
		}
		if !slices.Contains(roots, root) {
			roots = append(roots, root)
		}
	}
	return roots
}

// loading is one reading of documents.
type loading struct {
	*files
	ctx   context.Context
	work  *analysis.Workspace
	from  lsp.Sources
	roots []string
	queue []queuedDocument
	links []repo.FolderLink
	tell  func(done, total int)

	mu   sync.Mutex
	kept map[string]bool
	errs []error
}

// queuedDocument is a document that is to be read.
type queuedDocument struct {
	path string
	// apart says that it lies elsewhere than the workspace, and counts only if it speaks of
	// it.
	apart bool
}

// folder queues the documents of a workspace folder.
func (l *loading) folder(folder string) {
	var also func(string) bool
	if len(l.from.Files) > 0 {
		also = func(path string) bool {
			return slices.ContainsFunc(l.from.Files, func(g query.Glob) bool { return g.Match(path) })
		}
	}
	found, err := repo.FindDocuments(l.ctx, folder, repo.WalkOptions{Also: also})
	if err != nil {
		l.errs = append(l.errs, err)
		return
	}
	if found.Bounds != 0 {
		l.errs = append(l.errs, fmt.Errorf("%s is too large to be searched for documents: the limit on the %v was reached", folder, found.Bounds))
	}
	for _, unreadable := range found.Unreadable {
		l.errs = append(l.errs, fmt.Errorf("%s: the folder cannot be read", unreadable))
	}
	for _, p := range found.Paths {
		l.queue = append(l.queue, queuedDocument{path: p})
	}
	l.links = append(l.links, found.Links...)
}

// maxRelinked bounds the folders that are looked at for links when documents have changed.
const maxRelinked = 2000

// relink looks at the links again, and for others on the way to the files that the documents
// which were read speak of. No client tells of links that come and go.
func (l *loading) relink() {
	looked := map[string]bool{}
	var links []repo.FolderLink
	look := func(path string) {
		if looked[path] || len(looked) == maxRelinked || l.ctx.Err() != nil {
			return
		}
		looked[path] = true
		if link, ok := repo.LinkToFolder(path); ok {
			links = append(links, link)
		}
	}
	for _, link := range l.files.links {
		look(link.Path)
	}
	for doc := range l.kept {
		for _, named := range l.work.Snapshot().FoldersNamed(doc) {
			for _, folder := range l.from.Folders {
				for at := filepath.FromSlash(named); isBelow(at, folder); at = filepath.Dir(at) {
					look(at)
				}
			}
		}
	}
	l.files.links = links
	l.work.SetLinks(linksWithin(l.from.Folders, links))
}

// isBelow says whether a path leads to something in a folder.
func isBelow(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel) && rel != "."
}

// linksWithin returns the links that lead from one place in the folders to another one, and
// those that lead to a folder, with the folders spelled as they are given. What leads out of
// them is not followed.
func linksWithin(folders []string, links []repo.FolderLink) []analysis.FolderLink {
	var all []analysis.FolderLink
	add := func(path, to string) {
		all = append(all, analysis.FolderLink{Path: filepath.ToSlash(path), To: filepath.ToSlash(to)})
	}
	for _, folder := range folders {
		real, err := filepath.EvalSymlinks(folder)
		if err != nil {
			continue
		}
		add(real, folder)
		for _, link := range links {
			if rel, err := filepath.Rel(real, link.To); err == nil && filepath.IsLocal(rel) {
				add(link.Path, filepath.Join(folder, rel))
			}
		}
	}
	return all
}

// list queues the documents that lie in a folder elsewhere.
func (l *loading) list(folder, pattern string) {
	for _, p := range repo.List(l.ctx, folder, pattern) {
		l.queue = append(l.queue, queuedDocument{path: p, apart: true})
	}
}

// read reads what is queued, as many at a time as there are processors.
func (l *loading) read() {
	queue := l.queue
	l.queue = nil
	var done atomic.Int64
	sideBySide(len(queue), func(i int) {
		if l.ctx.Err() != nil {
			return
		}
		if err := l.document(queue[i]); err != nil {
			l.mu.Lock()
			l.errs = append(l.errs, err)
			l.mu.Unlock()
		}
		if l.tell != nil {
			l.tell(int(done.Add(1)), len(queue))
		}
	})
}

func (l *loading) document(q queuedDocument) error {
	path := filepath.ToSlash(q.path)
	content, err := l.ReadFile(l.ctx, q.path)
	if l.ctx.Err() != nil {
		return nil
	}
	if err != nil {
		l.work.Remove(path)
		if errors.Is(err, repo.ErrNotExist) || q.apart {
			return nil
		}
		return readError(q.path, err)
	}
	if !q.apart {
		l.work.Add(path, content)
	} else if root := l.Concern(content, l.roots); root != "" {
		l.work.AddFor(path, filepath.ToSlash(root), content)
	} else {
		l.work.Remove(path)
		return nil
	}
	l.mu.Lock()
	l.kept[path] = true
	l.mu.Unlock()
	return nil
}

// pointed reads the documents elsewhere to which those that were read lead.
func (l *loading) pointed() {
	tried := map[string]bool{}
	for len(tried) < maxPointed && l.ctx.Err() == nil {
		for _, p := range l.work.Snapshot().Pointed() {
			if !tried[p] && len(tried) < maxPointed {
				tried[p] = true
				l.queue = append(l.queue, queuedDocument{path: filepath.FromSlash(p)})
			}
		}
		if len(l.queue) == 0 {
			return
		}
		errs := l.errs
		l.read()
		l.errs = errs // that a document which is pointed to cannot be read is told where it is pointed to
	}
}

// stamp tells one state of a file from another one.
type stamp struct {
	size int64
	at   time.Time
}

// Grown implements lsp.Loader.
func (f *files) Grown(from lsp.Sources) (changed []string) {
	now := map[string]stamp{}
	for _, p := range repo.List(context.Background(), from.Live, livePattern) {
		if st, err := os.Lstat(p); err == nil {
			now[p] = stamp{st.Size(), st.ModTime()}
			if f.live[p] != now[p] {
				changed = append(changed, p)
			}
		}
	}
	for p := range f.live {
		if _, there := now[p]; !there {
			changed = append(changed, p)
		}
	}
	f.live = now
	return changed
}

// Watched implements lsp.Loader.
func (f *files) Watched(from lsp.Sources) map[string]string {
	if folder := repo.CacheFolder(); from.Cache && folder != "" {
		return map[string]string{folder: "*.json"}
	}
	return nil
}

// addNoCache adds the flag that keeps a command from the cache of the Toolpath tools.
func addNoCache(cmd *cobra.Command) {
	cmd.Flags().Bool("no-cache", false, "leave out the documents in the cache of the Toolpath tools that speak of the workspace")
}

// sourcesOf are the sources of a command that is about a folder.
func sourcesOf(cmd *cobra.Command, folder string) lsp.Sources {
	noCache, _ := cmd.Flags().GetBool("no-cache")
	return lsp.Sources{Folders: []string{folder}, Cache: !noCache}
}
