package analysis

import (
	"context"
	"path"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/text"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust"
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
	turn  chan struct{} // taken while the tree or the model is made
	tree  atomic.Pointer[jsonsrc.Tree]
	made  atomic.Pointer[toolpath.Document] // the model, once it was made
	prev  atomic.Pointer[toolpath.Document] // an earlier version's, until then
	kind  func() Kind
	// changes says for each path of the model which step changes which file.
	changes func() []pathTouches
	outward func() []outward
	byPath  func() map[*toolpath.Path][]outward // of outward
	ids     func() ids
	reviews func() map[*toolpath.Path][]trust.Signature
	derived derivations
	resumes *resumes // shared by the versions of a document
	touched *touchedBefore
	cased   casedFiles

	parallel func(n int, work func(i int)) // as in Options
}

// parsed is the tree of an earlier version and the edit that came after it.
type parsed struct {
	tree *jsonsrc.Tree
	edit text.Edit
}

func newDocument(uri, languageID string, version int32, open bool, t *text.Text, limit int) *Document {
	d := &Document{URI: uri, Path: FilePath(uri), LanguageID: languageID, Version: version, Open: open, Text: t, limit: limit, turn: make(chan struct{}, 1)}
	d.resumes, d.touched = &resumes{}, &touchedBefore{}
	d.kind = sync.OnceValue(d.findKind)
	d.changes = sync.OnceValue(d.findChanges)
	d.outward = sync.OnceValue(d.findOutwards)
	d.byPath = sync.OnceValue(d.findByPath)
	d.ids = sync.OnceValue(d.findIDs)
	d.reviews = sync.OnceValue(d.findReviews)
	return d
}

// edited returns the next version. It does no work that grows with the document.
func (d *Document) edited(version int32, t *text.Text, e text.Edit) *Document {
	next := newDocument(d.URI, d.LanguageID, version, d.Open, t, d.limit)
	next.root, next.parallel = d.root, d.parallel
	next.resumes, next.touched = d.resumes, d.touched
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
	switch lines, maybe := d.form(); {
	case !maybe:
		return Other
	case lines:
		return Stream
	case d.isNamed() || toolpath.IsToolpath(d.parse(false)):
		return Canonical
	}
	return Other
}

// kindByName returns what the name and the language alone make of a document.
func kindByName(uri, languageID string) Kind {
	name := strings.ToLower(path.Base(uri))
	switch {
	case strings.HasSuffix(name, ".path.json") || languageID == LanguageCanonical:
		return Canonical
	case strings.HasSuffix(name, ".path.jsonl") || languageID == LanguageStream:
		return Stream
	}
	return Other
}

// form says how the document is parsed, if it may be a Toolpath document.
func (d *Document) form() (lines, maybe bool) {
	switch kindByName(d.URI, d.LanguageID) {
	case Canonical:
		return false, true
	case Stream:
		return true, true
	}
	switch name := strings.ToLower(path.Base(d.URI)); {
	case strings.HasSuffix(name, ".jsonl") || d.LanguageID == "jsonl":
		return true, toolpath.IsStream(d.Head())
	case strings.HasSuffix(name, ".json") || d.LanguageID == "json" || d.LanguageID == "jsonc":
		return false, !d.TooLarge() && toolpath.MayBeToolpath(d.Text)
	}
	return false, false
}

// Head returns the start of the text, as much as it takes to see whether that is a stream.
func (d *Document) Head() []byte { return d.Text.Slice(0, min(d.Text.Len(), 64<<10)) }

// isNamed says whether the document's name, or its language, is that of a canonical one.
func (d *Document) isNamed() bool {
	return strings.HasSuffix(strings.ToLower(d.URI), ".path.json") || d.LanguageID == LanguageCanonical
}

// Tree returns the parse of the document.
func (d *Document) Tree() *jsonsrc.Tree { return d.parse(d.Kind() == Stream) }

// Model returns the document's model, nil for a source file and for what is too large.
func (d *Document) Model() *toolpath.Document {
	if m := d.made.Load(); m != nil || d.Kind() == Other || d.TooLarge() {
		return m
	}
	d.turn <- struct{}{}
	defer func() { <-d.turn }()
	return d.makeModel(nil)
}

// Prepare makes the tree and the model, which all that is asked about the document needs,
// unless ctx ends before that: its error is returned then, and what was done is lost. Tree
// and Model do the same if nobody did it before, and cannot be stopped.
func (d *Document) Prepare(ctx context.Context) error {
	lines, maybe := d.form()
	if !maybe || d.TooLarge() || d.made.Load() != nil {
		return ctx.Err()
	}
	stop := func() bool { return ctx.Err() != nil }
	if err := d.inTurn(ctx, func() { d.makeTree(lines, stop) }); err != nil || d.Kind() == Other {
		return err
	}
	return d.inTurn(ctx, func() { d.makeModel(stop) })
}

// inTurn does what one goroutine at a time may do, unless ctx ends before its turn comes.
// What waits for the turn while it holds a lock must not be waited for in here: Kind may.
func (d *Document) inTurn(ctx context.Context, do func()) error {
	select {
	case d.turn <- struct{}{}:
		defer func() { <-d.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	do()
	return ctx.Err()
}

func (d *Document) parse(lines bool) *jsonsrc.Tree {
	if t := d.tree.Load(); t != nil {
		return t
	}
	d.turn <- struct{}{}
	defer func() { <-d.turn }()
	return d.makeTree(lines, nil)
}

// makeTree returns the tree, nil if stop, which may be nil, said so before it was made. The
// caller has the turn.
func (d *Document) makeTree(lines bool, stop func() bool) *jsonsrc.Tree {
	if t := d.tree.Load(); t != nil {
		return t
	}
	var t *jsonsrc.Tree
	var ok bool
	var base parsed
	if b := d.base.Load(); b != nil {
		base = *b
	}
	if d.Text.InParts() && base.tree != nil && base.tree.IsLines() == lines {
		t, ok = base.tree.Edited(d.Text, base.edit)
	}
	switch {
	case ok:
	case lines:
		t, ok = jsonsrc.ReparseLinesUnless(stop, base.tree, d.Text.Bytes(), base.edit)
	default:
		t, ok = toolpath.Parse(stop, base.tree, d.Text.Bytes(), base.edit)
	}
	if ok {
		d.tree.Store(t)
		d.base.Store(nil)
	}
	return t
}

// makeModel is to the model what makeTree is to the tree.
func (d *Document) makeModel(stop func() bool) *toolpath.Document {
	if m := d.made.Load(); m != nil {
		return m
	}
	lines, _ := d.form()
	t := d.makeTree(lines, stop)
	if t == nil {
		return nil
	}
	if d.parallel != nil {
		toolpath.ReadSteps(t, stop, d.parallel)
	}
	m, ok := toolpath.BuildUnless(stop, t, d.prev.Load())
	if ok {
		d.made.Store(m)
		d.prev.Store(nil)
	}
	return m
}

// isCurrent says whether the document has the form of today. One that readers refuse for its form
// is checked, but names nobody.
func (d *Document) isCurrent() bool {
	m := d.Model()
	return m != nil && m.Form == toolpath.GraphForm
}

// Name returns the last part of the document's URI, for messages.
func (d *Document) Name() string {
	if d.Path != "" {
		return path.Base(d.Path)
	}
	return path.Base(d.URI)
}
