package analysis

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
	"github.com/toolpath-ls/toolpath-ls/analysis/text"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// StepRef names a step of a document.
type StepRef struct {
	Doc  *Document
	Path *toolpath.Path
	Step int // index in Path.Steps
}

// At returns the step.
func (r StepRef) At() toolpath.At { return r.Path.Steps[r.Step] }

// Account is what one path of one document says about a file.
type Account struct {
	Doc  *Document
	Path *toolpath.Path
	// BaseError says why the content at the path's base could not be read, if it was
	// asked for.
	BaseError error
	// NoHead says that the path's head names no step, so that it says nothing.
	NoHead bool

	changes    []change // parallel to the edits of the projection
	projection *provenance.Projection
	overlay    *provenance.Overlay
}

// Problems returns why edits could not be replayed, and why the file does not match.
func (a *Account) Problems() []provenance.Problem {
	var all []provenance.Problem
	if a.projection != nil {
		all = a.projection.Problems
	}
	if a.overlay != nil {
		if p, ok := a.overlay.Problem(); ok {
			all = append(slices.Clip(all), p)
		}
	}
	return all
}

// Steps returns how many steps on the way to the head touch the file.
func (a *Account) Steps() int { return len(a.changes) }

// Provenance says for each line of one version of a file who wrote it.
type Provenance struct {
	Text     *text.Text
	Accounts []*Account
	lines    []lineClaim
	starts   []uint32 // where lines start
}

// lineClaim is the account that a line was given to; -1 for none.
type lineClaim struct {
	account int32
	state   provenance.State
}

// Line is what is known of one line.
type Line struct {
	State provenance.State
	// Step is the last step that wrote the line; only of a recorded one. Of a changed one
	// it is the last step that wrote the line in its place before, if that is known.
	Step *StepRef
	// Gap says that later steps could not be replayed: one of them may have rewritten it.
	Gap bool
	// Overwritten says that the step wrote the whole file, and that nobody knows what the
	// file was before: the line is unrecorded.
	Overwritten bool
	// Account is the one that knows the line, nil if none does.
	Account *Account
}

// Len returns the number of lines: those of the text that end in "\n", and the rest if
// there is one.
func (p *Provenance) Len() int { return len(p.lines) }

// Line returns what is known of line i, 0-based.
func (p *Provenance) Line(i int) Line {
	if i < 0 || i >= len(p.lines) || p.lines[i].account < 0 {
		return Line{}
	}
	a := p.Accounts[p.lines[i].account]
	b := a.overlay.Line(i)
	l := Line{State: p.lines[i].state, Gap: b.InGap, Account: a}
	id := b.ID
	if l.State == provenance.StateChanged && b.Was != 0 {
		id = a.projection.Owner(b.Was)
	}
	if id != 0 {
		ident := a.projection.Ident(id)
		l.Overwritten = ident.Flags&provenance.Overwrite != 0
		if ident.Step > 0 {
			l.Step = a.ref(ident.Step)
		}
	}
	return l
}

func (a *Account) ref(s provenance.StepID) *StepRef { return &StepRef{a.Doc, a.Path, int(s) - 1} }

// Touch is one step in the life of a line.
type Touch struct {
	StepRef
	Text string // the line as the step left it, without its line end
}

// Chain returns the steps that touched line i, the last one first. Of a line that was
// changed after the last recorded step it is the chain of the line that was there.
func (p *Provenance) Chain(i int) []Touch {
	if i < 0 || i >= len(p.lines) || p.lines[i].account < 0 {
		return nil
	}
	a := p.Accounts[p.lines[i].account]
	var chain []Touch
	for _, t := range a.overlay.Chain(i) {
		if t.Step > 0 && t.Kind != provenance.Unrecorded {
			chain = append(chain, Touch{*a.ref(t.Step), a.projection.Text(t.ID)})
		}
	}
	return chain
}

// projectionCache keeps projections between snapshots: of each document and each file the
// newest only, since an old one holds an old text.
type projectionCache struct {
	mu       sync.Mutex
	accounts map[accountKey]cachedAccount
	files    map[string]*Provenance
}

type accountKey struct {
	uri  string
	path int
	file string
}

type cachedAccount struct {
	doc     *Document
	base    *fact
	account *Account
}

const maxCached = 128

// account returns the cached account, or makes it. Making it twice at a time is harmless.
// What was made in vain, because done said so, is not kept.
func (c *projectionCache) account(k accountKey, doc *Document, base *fact, done func() bool, project func() *Account) *Account {
	c.mu.Lock()
	kept := c.accounts[k]
	c.mu.Unlock()
	if kept.account != nil && kept.doc == doc && kept.base == base {
		return kept.account
	}
	a := project()
	if done != nil && done() {
		return a
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.accounts == nil || len(c.accounts) >= maxCached {
		c.accounts = make(map[accountKey]cachedAccount)
	}
	c.accounts[k] = cachedAccount{doc, base, a}
	return a
}

// Provenance returns what the workspace's documents say about the file, whose text is
// that of the open document if there is one for its URI, else content. If something must
// be read first, it returns that instead.
func (s *Snapshot) Provenance(uri string, content *text.Text, done func() bool) (*Provenance, []Need) {
	file := FilePath(uri)
	if d := s.docs[uri]; d != nil {
		content, file = d.Text, d.Path
	}
	if file == "" || content == nil {
		return &Provenance{Text: content}, nil
	}
	accounts, needs := s.accounts(file, done)
	if len(needs) > 0 {
		return nil, needs
	}
	if p := s.cache.file(file, content, accounts); p != nil {
		return p, nil
	}
	p := &Provenance{Text: content}
	for _, a := range accounts {
		b := *a
		if b.projection != nil {
			b.overlay = b.projection.Overlay(content.Bytes())
		}
		p.Accounts = append(p.Accounts, &b)
	}
	p.starts = lineStarts(content.Bytes())
	p.decide()
	s.cache.keep(file, p)
	return p, nil
}

func (c *projectionCache) file(file string, content *text.Text, accounts []*Account) *Provenance {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.files[file]
	if p == nil || p.Text != content || len(p.Accounts) != len(accounts) {
		return nil
	}
	for i, a := range accounts {
		if p.Accounts[i].projection != a.projection || p.Accounts[i].Doc != a.Doc {
			return nil
		}
	}
	return p
}

func (c *projectionCache) keep(file string, p *Provenance) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.files == nil || len(c.files) >= maxCached {
		c.files = make(map[string]*Provenance)
	}
	c.files[file] = p
}

// accounts returns an account for each path that touches the file, ordered by the time
// of its last step.
func (s *Snapshot) accounts(file string, done func() bool) (accounts []*Account, needs []Need) {
	for _, d := range s.docsAbout(file, &needs) {
		root := s.rootOf(d)
		for i := range d.index().paths {
			t := &d.index().paths[i]
			if len(t.of(file, root)) == 0 {
				continue
			}
			p := d.Model().Paths[i]
			base, need := s.baseOf(p, file)
			if need != nil {
				needs = append(needs, *need)
				continue
			}
			key := accountKey{d.URI, i, file}
			accounts = append(accounts, s.cache.account(key, d, base, done, func() *Account {
				return newAccount(d, p, t, file, root, base, done)
			}))
		}
	}
	slices.SortStableFunc(accounts, func(a, b *Account) int {
		return cmp.Or(a.last().Compare(b.last()), strings.Compare(a.Doc.URI, b.Doc.URI))
	})
	return accounts, needs
}

// docsAbout returns the documents that touch the file, ordered by URI; it adds to needs
// what must be read for that.
func (s *Snapshot) docsAbout(file string, needs *[]Need) []*Document {
	var docs []*Document
	open := map[string]bool{}
	for _, d := range s.docs {
		if d.Path != "" {
			open[d.Path] = true
		}
		if d.Kind() != Other && d.index().touches(file, s.rootOf(d)) {
			docs = append(docs, d)
		}
	}
	for _, e := range s.closed {
		if open[e.path] || !e.touches.touches(file, e.root) {
			continue
		}
		need := Need{Document: e.path}
		switch f := s.facts[need]; {
		case f == nil:
			*needs = append(*needs, need)
		case f.doc != nil && f.doc.Model() != nil:
			docs = append(docs, f.doc)
		}
	}
	slices.SortFunc(docs, func(a, b *Document) int { return strings.Compare(a.URI, b.URI) })
	return docs
}

// rootOf returns the folder that the relative keys of the document refer to.
func (s *Snapshot) rootOf(d *Document) string {
	if e := s.closed[d.Path]; e != nil {
		return e.root
	}
	return d.root
}

// baseOf returns what the file was at the path's base: nil if that is not on record, or
// what must be read to know.
func (s *Snapshot) baseOf(p *toolpath.Path, file string) (*fact, *Need) {
	base := p.Base()
	rev := base.Get("ref").Text()
	if rev == "" || strings.HasPrefix(base.Get("uri").Text(), "toolpath:") || p.Parent().Valid() || cutOff(p) {
		return nil, nil
	}
	need := Need{File: file, Rev: rev}
	if f := s.facts[need]; f != nil {
		return f, nil
	}
	return nil, &need
}

// cutOff says whether the path's history begins before its first step: that names a
// parent which the path does not have.
func cutOff(p *toolpath.Path) bool {
	if p.IsAgentSession() {
		return false
	}
	line := p.DAG().MainLine(p.DAG().Head)
	return len(line) > 0 && len(p.DAG().Parents[line[len(line)-1]]) > 0
}

func newAccount(d *Document, p *toolpath.Path, t *pathTouches, file, root string, base *fact, done func() bool) *Account {
	a := &Account{Doc: d, Path: p}
	if p.DAG().Head < 0 && !p.IsAgentSession() {
		a.NoHead = true
		return a
	}
	h := provenance.History{Done: done}
	if base != nil {
		switch {
		case base.err == nil:
			content := string(base.content)
			h.Base = &content
		case isNoFile(base.err):
			h.Base = new(string)
		default:
			a.BaseError = base.err
		}
	}
	for _, c := range changesOf(p, t, file, root, replayOrder(p)) {
		if e, ok := editOf(p, c); ok {
			a.changes = append(a.changes, c)
			h.Edits = append(h.Edits, e)
		}
	}
	a.projection = provenance.Project(h)
	return a
}

// last returns the latest time of the account's steps.
func (a *Account) last() (latest time.Time) {
	for _, c := range a.changes {
		if s := a.Path.Steps[c.step]; s.HasTime && s.Time.After(latest) {
			latest = s.Time
		}
	}
	return latest
}

// lineStarts returns the offsets at which lines that end in "\n" start.
func lineStarts(b []byte) []uint32 {
	starts := []uint32{0}
	for i := 0; ; {
		k := bytes.IndexByte(b[i:], '\n')
		if k < 0 || i+k+1 == len(b) {
			return starts
		}
		i += k + 1
		starts = append(starts, uint32(i))
	}
}

// rank orders what accounts can say of a line: a step beats all; a line that is older
// than one path was not written after another.
var rank = [...]int{
	provenance.StateUnrecorded: 0,
	provenance.StateChanged:    1,
	provenance.StateBase:       2,
	provenance.StateRecorded:   3,
}

// decide gives each line to the account that knows most of it; of two that name a step,
// to the one whose step is later.
func (p *Provenance) decide() {
	n := 0
	for _, a := range p.Accounts {
		if a.overlay != nil {
			n = max(n, a.overlay.Len())
		}
	}
	p.lines = make([]lineClaim, n)
	for i := range p.lines {
		best, bestTime := lineClaim{account: -1}, time.Time{}
		for k, a := range p.Accounts {
			if a.overlay == nil {
				continue
			}
			b := a.overlay.Line(i)
			c := lineClaim{int32(k), b.State}
			var at time.Time
			if b.State == provenance.StateRecorded {
				ident := a.projection.Ident(b.ID)
				at = a.ref(ident.Step).At().Time
				if ident.Flags&provenance.Overwrite != 0 {
					c.state = provenance.StateUnrecorded
				}
			}
			if best.account < 0 || cmp.Or(rank[c.state]-rank[best.state], at.Compare(bestTime)) >= 0 {
				best, bestTime = c, at
			}
		}
		p.lines[i] = best
	}
}

// ProvenanceOf is Snapshot.Provenance that reads what must be read. It returns the
// snapshot in which all of it is known.
func (w *Workspace) ProvenanceOf(ctx context.Context, src Source, uri string, content *text.Text) (*Snapshot, *Provenance, error) {
	const rounds = 8 // documents, then what they need; more only if documents change meanwhile
	for range rounds {
		s := w.Snapshot()
		p, needs := s.Provenance(uri, content, func() bool { return ctx.Err() != nil })
		if err := ctx.Err(); err != nil {
			return s, nil, err
		}
		if p != nil {
			return s, p, nil
		}
		if err := w.Fetch(ctx, src, needs); err != nil {
			return s, nil, err
		}
	}
	return w.Snapshot(), &Provenance{Text: content}, nil
}

// LineOf returns the line that holds the offset, as Line counts: by "\n" alone, which is
// what a line is to git and to a diff.
func (p *Provenance) LineOf(off int) int {
	return sort.Search(len(p.starts), func(i int) bool { return int(p.starts[i]) > off }) - 1
}

// LineStart returns the offset at which line i starts; behind the last line that is the
// end of the text.
func (p *Provenance) LineStart(i int) int {
	if i >= len(p.starts) {
		return p.Text.Len()
	}
	return int(p.starts[max(i, 0)])
}

// LineEnd returns the offset behind the last character of line i, its line end left out.
func (p *Provenance) LineEnd(i int) int {
	b, end := p.Text.Bytes(), p.LineStart(i+1)
	if end > 0 && b[end-1] == '\n' {
		end--
		if end > p.LineStart(i) && b[end-1] == '\r' {
			end--
		}
	}
	return end
}
