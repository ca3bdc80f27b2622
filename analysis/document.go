package analysis

import (
	"path"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/text"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// Kind says what a document is.
type Kind uint8

const (
	// Other is any file that is no Toolpath document.
	Other Kind = iota
	// Canonical is a graph in the form of ".path.json".
	Canonical
	// Stream is a ".path.jsonl".
	Stream
)

// Language ids that make a document a Toolpath document, whatever its name and content are.
const (
	LanguageCanonical = "toolpath"
	LanguageStream    = "toolpath-jsonl"
)

// Document is one version of one document. It is immutable and safe for concurrent use.
type Document struct {
	URI        string
	Path       string // of a file URI, else ""
	LanguageID string
	Version    int32
	Open       bool // an editor holds it
	Text       *text.Text

	limit int    // bytes; a larger document is not parsed
	root  string // what relative artifact keys refer to
	base  atomic.Pointer[parsed]
	mu    sync.Mutex // held while the tree is made
	tree  atomic.Pointer[jsonsrc.Tree]
	made  atomic.Pointer[toolpath.Document] // the model, once it was made
	prev  atomic.Pointer[toolpath.Document] // an earlier version's, until then
	kind  func() Kind
	model func() *toolpath.Document
	// changes says for each path of the model which step changes which file.
	changes func() []pathTouches
	outward func() []outward
	ids     func() ids
	derived derivations

	parallel func(n int, work func(i int)) // as in Options
}

// parsed is the tree of an earlier version and the edit that came after it.
type parsed struct {
	tree *jsonsrc.Tree
	edit text.Edit
}

func newDocument(uri, languageID string, version int32, open bool, t *text.Text, limit int) *Document {
	d := &Document{URI: uri, Path: FilePath(uri), LanguageID: languageID, Version: version, Open: open, Text: t, limit: limit}
	d.kind = sync.OnceValue(d.findKind)
	d.model = sync.OnceValue(func() *toolpath.Document {
		if d.Kind() == Other || d.TooLarge() {
			return nil
		}
		if d.parallel != nil {
			toolpath.ReadSteps(d.Tree(), d.parallel)
		}
		m := toolpath.Build(d.Tree(), d.prev.Load())
		d.made.Store(m)
		d.prev.Store(nil)
		return m
	})
	d.changes = sync.OnceValue(d.findChanges)
	d.outward = sync.OnceValue(d.findOutwards)
	d.ids = sync.OnceValue(d.findIDs)
	return d
}

// edited returns the next version. It does no work that grows with the document but for
// the copy of the text.
func (d *Document) edited(version int32, t *text.Text, e text.Edit) *Document {
	next := newDocument(d.URI, d.LanguageID, version, d.Open, t, d.limit)
	next.root, next.parallel = d.root, d.parallel
	// prev before made, and base before tree: what is made is stored first and what it was
	// made from is dropped then.
	prev := d.prev.Load()
	if m := d.made.Load(); m != nil {
		prev = m
	}
	next.prev.Store(prev)
	base := d.base.Load()
	if tree := d.tree.Load(); tree != nil {
		next.base.Store(&parsed{tree, e})
	} else if base != nil {
		next.base.Store(&parsed{base.tree, base.edit.Then(e)})
	}
	return next
}

// TooLarge says whether the document exceeds the size up to which documents are read.
func (d *Document) TooLarge() bool { return d.limit > 0 && d.Text.Len() > d.limit }

// Limit returns that size in bytes, 0 for none.
func (d *Document) Limit() int { return d.limit }

// Kind returns what the document is: by its name, or for other names of JSON files by its
// content.
func (d *Document) Kind() Kind { return d.kind() }

func (d *Document) findKind() Kind {
	name := strings.ToLower(path.Base(d.URI))
	switch {
	case strings.HasSuffix(name, ".path.json") || d.LanguageID == LanguageCanonical:
		return Canonical
	case strings.HasSuffix(name, ".path.jsonl") || d.LanguageID == LanguageStream:
		return Stream
	case strings.HasSuffix(name, ".jsonl") || d.LanguageID == "jsonl":
		if toolpath.IsStream(d.Text.Bytes()) {
			return Stream
		}
	case strings.HasSuffix(name, ".json") || d.LanguageID == "json" || d.LanguageID == "jsonc":
		if !d.TooLarge() && toolpath.MayBeToolpath(d.Text.Bytes()) && toolpath.IsToolpath(d.parse(false)) {
			return Canonical
		}
	}
	return Other
}

// Tree returns the parse of the document.
func (d *Document) Tree() *jsonsrc.Tree { return d.parse(d.Kind() == Stream) }

func (d *Document) parse(lines bool) *jsonsrc.Tree {
	if t := d.tree.Load(); t != nil {
		return t
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if t := d.tree.Load(); t != nil {
		return t
	}
	var base parsed
	if b := d.base.Load(); b != nil {
		base = *b
	}
	var t *jsonsrc.Tree
	if lines {
		t = jsonsrc.ReparseLines(base.tree, d.Text.Bytes(), base.edit)
	} else {
		t = jsonsrc.Reparse(base.tree, d.Text.Bytes(), base.edit, toolpath.Layout)
	}
	d.tree.Store(t)
	d.base.Store(nil)
	return t
}

// Model returns the document's model, nil for a source file and for what is too large.
func (d *Document) Model() *toolpath.Document { return d.model() }

// Name returns the last part of the document's URI, for messages.
func (d *Document) Name() string {
	if d.Path != "" {
		return path.Base(d.Path)
	}
	return path.Base(d.URI)
}
