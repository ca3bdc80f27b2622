package analysis

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"
	"unsafe"

	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
	"github.com/toolpath-ls/toolpath-ls/analysis/text"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust"
)

// Options is what a user or a command chooses. It is immutable.
type Options struct {
	// Rules are run by Check, in this order.
	Rules []*Rule
	// Severity changes a rule's default severity, by its id or name; Off silences it.
	Severity map[string]Severity
	// Parallel runs work(0) to work(n-1) side by side and returns when all have ended; nil
	// runs them one after the other. It is how this package, which starts no goroutine,
	// uses the processors that it is given.
	Parallel func(n int, work func(i int))
	// MaxFileSize is the size in bytes over which a document is not read; 0 = no limit.
	MaxFileSize int
	// PrivacyPatterns match what a document that is to be shared should not have.
	PrivacyPatterns []*regexp.Regexp
	// Syntax reads source files by their grammars; nil: lines are all that is known.
	Syntax Syntax
	// Formatter tells layout from edits; nil: a step is the author of all that it changed.
	Formatter provenance.Formatter
	// Keyring returns the keys that verify signatures of documents whose root is the folder;
	// nil before they were read. Itself nil, no keys are read. It does no I/O, and answers
	// the same as long as these options are in force.
	Keyring func(root string) *trust.Keyring
}

// KeyringOf returns the keys that verify the signatures of a document, nil before they were
// read.
func (o *Options) KeyringOf(d *Document) *trust.Keyring { return o.keyring(d.root) }

// beside does pieces of work, side by side if there is much to do and the options say how.
func (o *Options) beside(much bool, work ...func()) {
	if much && o.Parallel != nil {
		o.Parallel(len(work), func(i int) { work[i]() })
		return
	}
	for _, w := range work {
		w()
	}
}

// shards does work(0) to work(n-1), if they are very many in pieces side by side.
func (o *Options) shards(n int, work func(i int)) {
	const shard = 1024
	if n < long || o.Parallel == nil {
		for i := range n {
			work(i)
		}
		return
	}
	o.Parallel((n+shard-1)/shard, func(k int) {
		for i := k * shard; i < min((k+1)*shard, n); i++ {
			work(i)
		}
	})
}

func (o *Options) keyring(root string) *trust.Keyring {
	if o.Keyring == nil {
		return nil
	}
	return o.Keyring(root)
}

// DefaultMaxFileSize is 64 MB.
const DefaultMaxFileSize = 64 << 20

// Snapshot is an immutable picture of a workspace.
type Snapshot struct {
	Options *Options

	docs   map[string]*Document  // open documents, by URI
	saved  map[string]*text.Text // what the disk has of those that are no Toolpath documents
	closed shelf[*entry]         // Toolpath documents on disk, by path
	byName *nameIndex            // finds what in closed speaks of a file
	others *otherNames           // of files
	facts  map[Need]*fact
	disk   int           // how often what is known of the disk has changed
	clock  *atomic.Int64 // ticks when a fact is used
	cache  *projectionCache
}

// entry is what is kept of a document on disk that no editor holds.
type entry struct {
	path     string
	root     string
	touches  *touchIndex
	steps    stepIndex
	pointers pointers
	hash     string // of the content
}

// Workspace makes snapshots. Its methods are safe for concurrent use, and each returns
// the snapshot that it made.
type Workspace struct {
	mu      sync.Mutex
	current atomic.Pointer[Snapshot]
	roots   func(path string) string
	asked   map[*int64]bool // when the questions that are being answered began
	expects string          // see Expect
}

// NewWorkspace returns an empty workspace. Root says to which folder the relative
// artifact keys of the document at a path refer; nil means the document's own folder.
func NewWorkspace(o *Options, root func(path string) string) *Workspace {
	w := &Workspace{roots: root, asked: map[*int64]bool{}}
	w.current.Store(&Snapshot{Options: o, clock: &atomic.Int64{}, cache: &projectionCache{}})
	return w
}

// Snapshot returns the newest snapshot.
func (w *Workspace) Snapshot() *Snapshot { return w.current.Load() }

func (w *Workspace) options() *Options { return w.Snapshot().Options }

// apply makes a new snapshot from a copy of the newest one. The maps of the copy are
// shared: change must replace what it changes.
func (w *Workspace) apply(change func(*Snapshot)) *Snapshot {
	w.mu.Lock()
	defer w.mu.Unlock()
	next := *w.current.Load()
	change(&next)
	w.current.Store(&next)
	return &next
}

// with returns a copy of m in which key has the value.
func with[K comparable, V any](m map[K]V, key K, value V) map[K]V {
	m = maps.Clone(m)
	if m == nil {
		m = make(map[K]V)
	}
	m[key] = value
	return m
}

func without[K comparable, V any](m map[K]V, key K) map[K]V {
	m = maps.Clone(m)
	delete(m, key)
	return m
}

// Open adds a document that an editor holds now.
func (w *Workspace) Open(uri, languageID string, version int32, content string) *Snapshot {
	return w.OpenDraft(nil, uri, languageID, version, content)
}

// OpenDraft is Open for a document of which a draft was made; the draft may be nil.
func (w *Workspace) OpenDraft(draft *Draft, uri, languageID string, version int32, content string) *Snapshot {
	d := newDocument(uri, languageID, version, true, text.New(bytesOf(content)), w.options().MaxFileSize)
	d.parallel = w.options().Parallel
	if d.Path != "" {
		d.root = w.rootOf(d.Path)
	}
	if draft != nil {
		tree, edit := draft.growth.Base(len(content))
		d.base.Store(&parsed{tree, edit})
	}
	return w.apply(func(s *Snapshot) {
		s.docs = with(s.docs, uri, d)
		s.noteSaved(d)
		s.cache = s.cache.without(uri)
	})
}

// noteSaved notes that the text of an open document is that on disk.
func (s *Snapshot) noteSaved(d *Document) {
	if kindByName(d.URI, d.LanguageID) == Other && !d.TooLarge() {
		s.saved = with(s.saved, d.URI, d.Text)
	}
}

// ErrNotOpen says that a change is about a document that was not opened.
var ErrNotOpen = errors.New("the document is not open")

// Change edits an open document (LSP 3.18, DidChangeTextDocumentParams).
func (w *Workspace) Change(uri string, version int32, enc text.Encoding, changes []text.Change) (*Snapshot, error) {
	var err error
	s := w.apply(func(s *Snapshot) {
		d := s.docs[uri]
		if d == nil {
			err = ErrNotOpen
			return
		}
		t, edit := d.Text.Apply(changes, enc)
		s.docs = with(s.docs, uri, d.edited(version, t, edit))
		s.cache = s.cache.after(uri, edit)
	})
	return s, err
}

// Saved notes that the file on disk has the text of the open document: lines that were
// typed since it was opened or saved are unsaved no longer.
func (w *Workspace) Saved(uri string) *Snapshot {
	return w.apply(func(s *Snapshot) {
		if d := s.docs[uri]; d != nil {
			s.noteSaved(d)
		}
		s.cache = s.cache.without(uri)
	})
}

// CompareDisk looks at what the disk has of an open document that is no Toolpath document, and
// says whether that is news: an editor may open a text that was never saved, and takes over
// without a word what another program has written.
func (w *Workspace) CompareDisk(ctx context.Context, src Source, uri string) (news bool) {
	s := w.Snapshot()
	d, saved := s.docs[uri], s.saved[uri]
	if d == nil || saved == nil || d.Path == "" || d.TooLarge() {
		return false
	}
	if d.Kind() != Other { // by its content alone
		w.apply(func(s *Snapshot) { s.saved = without(s.saved, uri) })
		return false
	}
	content, err := src.ReadFile(ctx, d.Path)
	content = bytes.TrimPrefix(content, []byte("\uFEFF"))
	if err != nil || !utf8.Valid(content) || bytes.Equal(content, saved.Bytes()) {
		return false
	}
	now := text.New(content)
	w.apply(func(s *Snapshot) {
		if d := s.docs[uri]; d == nil || s.saved[uri] != saved {
			return // it was saved meanwhile
		} else if bytes.Equal(content, d.Text.Bytes()) {
			now = d.Text
		}
		s.saved, news = with(s.saved, uri, now), true
		s.cache = s.cache.without(uri)
	})
	return news
}

// Close forgets a document that an editor no longer holds.
func (w *Workspace) Close(uri string) *Snapshot {
	return w.apply(func(s *Snapshot) {
		s.docs = without(s.docs, uri)
		s.saved = without(s.saved, uri)
		s.cache = s.cache.without(uri)
	})
}

// SetOptions replaces the options.
func (w *Workspace) SetOptions(o *Options) *Snapshot {
	return w.apply(func(s *Snapshot) { s.Options = o })
}

// Add makes a document on disk part of the workspace: which files it touches is kept, its
// content is not.
func (w *Workspace) Add(path string, content []byte) *Snapshot {
	return w.AddFor(path, w.rootOf(path), content)
}

// AddFor is Add for a document that lies elsewhere than what it speaks of: its relative
// artifact keys refer to root. What shows to be no Toolpath document is forgotten.
func (w *Workspace) AddFor(path, root string, content []byte) *Snapshot {
	now := w.Snapshot()
	before, hash, limit := now.closed.get(path), contentHash(content), now.Options.MaxFileSize
	if before != nil && before.root == root && before.hash == hash {
		return now
	}
	d, e := (*Document)(nil), &entry{path: path, root: root, hash: hash}
	held := now.facts[Need{Document: path}]
	goesOn := before != nil && held != nil && held.doc != nil && held.doc.root == root && held.doc.limit == limit
	if goesOn {
		d = e.goOn(before, held.doc, content)
	} else {
		d = closedDocument(path, content, limit)
		d.parallel = now.Options.Parallel
		touches := d.findTouches
		if w.mayExpect(content) { // its changes are what is asked about next
			touches = d.touchesOfChanges
		}
		now.Options.beside(d.StepCount() >= long, func() { e.touches = touches() }, func() { e.steps = d.stepIndex() })
	}
	if d.Kind() == Other {
		return w.Remove(path)
	}
	e.pointers = d.pointers()
	snap := w.apply(func(s *Snapshot) {
		s.setClosed(path, e)
		s.disk++
		s.forgetDocument(path)
	})
	if goesOn && d.Model() != nil { // who asked about it will ask again
		w.addFacts([]Need{{Document: path}}, []*fact{{doc: d}})
		return w.Snapshot()
	}
	if w.expects == "" || d.Model() == nil || !e.touches.touches(snap.others.real(w.expects), site{root, snap.others}) {
		return snap
	}
	w.addFacts([]Need{{Document: path}}, []*fact{{doc: d}})
	return w.Snapshot()
}

// Expect says that a question about the file at an absolute path follows, so that the
// documents that speak of it need not be read again after they were added. It is called
// before anything is added.
func (w *Workspace) Expect(file string) { w.expects = file }

// mayExpect says whether a document may speak of the file that is expected, as far as a look at
// its text shows: an artifact key mostly ends with the name.
func (w *Workspace) mayExpect(content []byte) bool {
	name := w.expects[strings.LastIndexByte(w.expects, '/')+1:]
	return name != "" && bytes.Contains(content, []byte(name+`"`))
}

// Remove forgets a document on disk.
func (w *Workspace) Remove(path string) *Snapshot {
	return w.apply(func(s *Snapshot) {
		if s.closed.get(path) != nil {
			s.setClosed(path, nil)
			s.disk++
		}
		s.forgetDocument(path)
	})
}

// Retain forgets the documents on disk of which keep does not want to hear.
func (w *Workspace) Retain(keep func(path string) bool) {
	for path := range w.Snapshot().closed.keys() {
		if !keep(path) {
			w.Remove(path)
		}
	}
}

// Holds says whether a document on disk is part of the workspace.
func (s *Snapshot) Holds(path string) bool { return s.closed.get(path) != nil }

// Pointed returns the files that documents on disk name as $ref or as the document of a
// parent, and that are not part of the workspace, in order.
func (s *Snapshot) Pointed() []string {
	var files []string
	for _, e := range s.closed.all() {
		for _, f := range slices.Concat(e.pointers.files, e.pointers.refs) {
			if s.closed.get(f) == nil {
				files = append(files, f)
			}
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// forgetDocument drops what is held of a document on disk.
func (s *Snapshot) forgetDocument(path string) {
	if need := (Need{Document: path}); s.facts[need] != nil {
		s.facts = without(s.facts, need)
		s.disk++
		s.cache = s.cache.without(FileURI(path))
	}
}

// Forget drops what could not be read, so that it is tried again: a commit may have been
// fetched since.
func (w *Workspace) Forget() *Snapshot {
	return w.apply(func(s *Snapshot) {
		before := len(s.facts)
		s.facts = maps.Clone(s.facts)
		maps.DeleteFunc(s.facts, func(_ Need, f *fact) bool { return f.err != nil })
		if len(s.facts) < before {
			s.disk++
		}
	})
}

// forgetFiles drops what files were: nobody tells when they change.
func (w *Workspace) forgetFiles() {
	w.apply(func(s *Snapshot) {
		s.facts = maps.Clone(s.facts)
		maps.DeleteFunc(s.facts, func(n Need, _ *fact) bool { return n.Document == "" && n.Rev == "" && n.Commits == "" })
	})
}

// SameDisk says whether both snapshots know the same of the disk.
func (s *Snapshot) SameDisk(t *Snapshot) bool { return s.disk == t.disk }

// maxHeld bounds the bytes that are held of closed documents and of git objects, beyond
// those that the questions being answered need.
const maxHeld = 256 << 20

// begin notes that a question is being answered: no fact that is used from now on is
// dropped until the function returned is called.
func (w *Workspace) begin() (end func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	at := w.Snapshot().clock.Load()
	w.asked[&at] = true
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.asked, &at)
	}
}

// fact returns what was read for a need, nil if nothing was.
func (s *Snapshot) fact(n Need) *fact {
	f := s.facts[n]
	if f != nil {
		f.used.Store(s.clock.Add(1))
	}
	return f
}

func (w *Workspace) addFacts(needs []Need, facts []*fact) {
	w.apply(func(s *Snapshot) {
		s.facts = maps.Clone(s.facts)
		if s.facts == nil {
			s.facts = make(map[Need]*fact)
		}
		for i, n := range needs {
			facts[i].used.Store(s.clock.Add(1))
			s.facts[n] = facts[i]
		}
		w.drop(s)
	})
}

// drop removes the facts that were not used for longest, as far as there are too many.
func (w *Workspace) drop(s *Snapshot) {
	held, now := 0, s.clock.Load()
	for _, f := range s.facts {
		held += f.size()
	}
	if held <= maxHeld {
		return
	}
	for at := range w.asked {
		now = min(now, *at)
	}
	oldest := slices.Collect(maps.Keys(s.facts))
	used := make(map[Need]int64, len(oldest))
	for n, f := range s.facts {
		used[n] = f.used.Load()
	}
	slices.SortFunc(oldest, func(a, b Need) int { return cmp.Compare(used[a], used[b]) })
	for _, n := range oldest {
		if held <= maxHeld || used[n] > now {
			return
		}
		held -= s.facts[n].size()
		delete(s.facts, n)
		if n.Document != "" {
			s.cache = s.cache.without(FileURI(n.Document))
		}
	}
}

func (w *Workspace) rootOf(path string) string {
	if w.roots != nil {
		if root := w.roots(path); root != "" {
			return root
		}
	}
	return dir(path)
}

func closedDocument(path string, content []byte, limit int) *Document {
	return newDocument(FileURI(path), "", 0, false, text.New(content), limit)
}

// Document returns the open document, nil if there is none.
func (s *Snapshot) Document(uri string) *Document { return s.docs[uri] }

// Documents returns the open documents, ordered by URI.
func (s *Snapshot) Documents() []*Document {
	docs := slices.Collect(maps.Values(s.docs))
	slices.SortFunc(docs, func(a, b *Document) int {
		if a.URI < b.URI {
			return -1
		}
		return 1
	})
	return docs
}

// bytesOf returns the bytes of a string without a copy. They are never written to.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
