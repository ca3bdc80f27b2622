package analysis

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"path"
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
func (r StepRef) At() toolpath.At { return r.Path.Steps.At(r.Step) }

// Account is what one path of one document says about a file.
type Account struct {
	Doc  *Document
	Path *toolpath.Path
	// BaseError says why the content at the path's base could not be read, if it was
	// asked for.
	BaseError error
	// NoHead says that the path's head names no step, so that it says nothing.
	NoHead bool

	strands    []strand // the path, what it continues, and so on
	changes    changes  // parallel to the edits of the projection
	latest     time.Time
	history    provenance.History
	exact      *provenance.Projection // the replay of the history without guesses
	recovered  *recovered
	attempts   *attempts
	projection *provenance.Projection // that, or for one text what can be recovered besides
	overlay    *provenance.Overlay
	from       string                 // the commit that the path starts from; set together with order
	order      *fact                  // how such commits of the accounts of a file descend from one another; may be nil
	explains   int                    // lines of the text that the head has
	passes     func() map[string]bool // the commits on the way to the head

	formerly []formerName // names that the file had on the way to the head
	former   bool         // it speaks of the file by such a name
}

// Problems returns why edits could not be replayed, and why the file does not match.
func (a *Account) Problems() []provenance.Problem {
	var all []provenance.Problem
	if a.projection != nil {
		for _, q := range a.projection.Problems {
			// That a commit has more than the path before it left is no fault of either.
			if q.Edit < 0 || a.changes.at(q.Edit).isStep() || a.changes.at(q.Edit).drop {
				all = append(all, q)
			}
		}
	}
	if a.overlay != nil && !a.former {
		if p, ok := a.overlay.Problem(); ok {
			all = append(slices.Clip(all), p)
		}
	}
	return all
}

// words says in a sentence what a problem is.
func (a *Account) words(q provenance.Problem) string {
	if q.Kind == provenance.NoContent && q.Edit >= 0 {
		switch c := a.changes.at(q.Edit); {
		case c.drop:
			return "a branch descends from a step that is not on record"
		case c.isMerge():
			return "the step merges branches that changed the file, and does not say what it was then"
		case len(operationsOf(c.value.Get("structural"))) > 0:
			return operationProblem(c.value.Get("structural"))
		}
	}
	return q.String()
}

// Provenance says for each line of one version of a file who wrote it.
type Provenance struct {
	Text     *text.Text
	Accounts []*Account
	// Unread are documents that touch the file and could not be read, with the reasons.
	Unread []string

	lines  []lineClaim
	kin    [][]int32 // by account: which ones are kin
	starts []uint32  // where lines start
	ignore *Ignore

	commits   *Commits // nil: nobody has asked git
	committed *provenance.Overlay

	sinceSaved bool // it was recovered for the text that was saved last

	size     int  // of the text, in bytes
	endsOpen bool // see endsOpen
}

// lineClaim is the account that a line was given to; -1 for none.
type lineClaim struct {
	account int32
	state   provenance.State
}

// newProvenance returns what accounts say about a text, which may be nil. If it was saved last
// as another one, that is given too.
func newProvenance(content, saved *text.Text, accounts []*Account, unread []string, done func() bool) *Provenance {
	p := &Provenance{Text: content, Unread: unread}
	if content == nil {
		p.Text = text.New(nil)
	}
	for _, a := range accounts {
		b := *a
		if b.projection != nil {
			if saved == nil {
				b.projection, b.overlay = a.recover(p.Text.Bytes(), false, done)
			} else {
				b.projection, b.overlay = a.recover(saved.Bytes(), true, done)
			}
			if saved != nil && saved != content {
				b.overlay = b.projection.Overlay(p.Text.Bytes()).Since(b.overlay)
			}
			b.explains = b.overlay.InHead()
		}
		p.Accounts = append(p.Accounts, &b)
	}
	p.sinceSaved = saved != nil
	p.starts = lineStarts(p.Text.Bytes())
	p.size, p.endsOpen = p.Text.Len(), endsOpen(p.Text.Bytes())
	p.kin = kinship(p.Accounts)
	p.decide()
	return p
}

// recovered keeps what was recovered last.
type recovered struct {
	mu         sync.Mutex
	projection *provenance.Projection
	hash       uint64 // of the text that it was made for
}

// recover returns the projection that knows most of a text, and the text laid over it. A
// recovery can take long: unless it must be that of this very text, the last one is good for
// texts that are much like the one that it was made for.
func (a *Account) recover(content []byte, exactly bool, done func() bool) (*provenance.Projection, *provenance.Overlay) {
	if a.isWhole() {
		return a.exact, a.exact.Overlay(content)
	}
	hash := maphash.Bytes(contentSeed, content)
	a.recovered.mu.Lock()
	kept, of := a.recovered.projection, a.recovered.hash
	a.recovered.mu.Unlock()
	if kept != nil {
		if o := kept.Overlay(content); of == hash || !exactly && fits(o) {
			return kept, o
		}
	}
	h := a.history
	h.Done = done
	p := a.exact.Recover(h, string(content))
	if done == nil || !done() {
		a.recovered.mu.Lock()
		a.recovered.projection, a.recovered.hash = p, hash
		a.recovered.mu.Unlock()
	}
	return p, p.Overlay(content)
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
	// Grade says how sure State is, and Step if there is one. An inferred line is
	// unrecorded; Step is only likely to have written it.
	Grade provenance.Grade
	// Account is the one that knows the line, nil if none does.
	Account *Account
	// Commit is the one that brought a line for which no step is known; nil if none did, or
	// if git was not asked (Provenance.WithCommits).
	Commit *Commit
}

// IsSpokenOf says that a document tells what became of the file, or could not be read. One that
// only an abandoned attempt changed, or that was only read, is not spoken of.
func (p *Provenance) IsSpokenOf() bool { return len(p.Accounts) > 0 || len(p.Unread) > 0 }

// Len returns the number of lines: those of the text that end in "\n", and the rest if
// there is one.
func (p *Provenance) Len() int { return len(p.lines) }

// Line returns what is known of line i, 0-based.
func (p *Provenance) Line(i int) Line {
	if i < 0 || i >= len(p.lines) || p.lines[i].account < 0 {
		return Line{Commit: p.commit(i)}
	}
	decided := p.decided(i)
	a := p.Accounts[decided.account]
	if a.overlay == nil {
		return Line{Account: a, Commit: p.commit(i)}
	}
	b := a.overlay.Line(i)
	l := Line{State: decided.state, Gap: b.InGap, Account: a}
	id, _, grade := p.owner(a, b)
	l.Grade = grade
	if l.State == provenance.StateChanged && b.Was != 0 {
		id, _, _ = p.owner(a, provenance.BufferLine{ID: a.projection.Owner(b.Was), Head: b.Was})
	}
	if l.State == provenance.StateUnrecorded && l.Grade != provenance.GradeInferred {
		l.Grade = provenance.GradeUnrecorded
	}
	if id != 0 {
		ident := a.projection.Ident(id)
		l.Overwritten = ident.Flags&provenance.Overwrite != 0
		if ident.Step > 0 {
			l.Step = a.ref(ident.Step)
		}
	}
	if l.State != provenance.StateRecorded {
		l.Commit = p.commit(i)
	}
	return l
}

// ref is the step that a number of the account's histories stands for.
func (a *Account) ref(id provenance.StepID) *StepRef {
	k := 0
	for a.strands[k].first >= int(id) {
		k++
	}
	return &StepRef{a.strands[k].doc, a.strands[k].t.path, int(id) - 1 - a.strands[k].first}
}

// fileOfPath names a file that a path of a document speaks of.
type fileOfPath struct {
	path       int
	file, root string
}

// derived is what is derived from a document about one file.
type derived struct {
	strands []strand
	used    map[Need]*fact
	account *Account
}

// derivations keeps what is derived from one version of a document, and lives as long.
type derivations struct {
	mu  sync.Mutex
	all map[fileOfPath]derived
}

const maxCached = 128

func (c *derivations) get(k fileOfPath) (derived, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	d, ok := c.all[k]
	return d, ok
}

func (c *derivations) put(k fileOfPath, d derived) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all == nil || len(c.all) >= maxCached {
		c.all = make(map[fileOfPath]derived)
	}
	c.all[k] = d
}

// account returns what path i of the document says about a file by any of its names, or what
// must be read to know. Making it twice at a time is harmless. What was made in vain, because
// done said so, is not kept.
func (s *Snapshot) account(d *Document, i int, file string, names *otherNames, done func() bool) (*Account, []Need) {
	strands, needs := s.strandsOf(d, i)
	if len(needs) > 0 {
		return nil, needs
	}
	withNames(strands, names)
	k := fileOfPath{i, file, strands[0].site.root}
	kept, ok := d.derived.get(k)
	if ok && slices.EqualFunc(kept.strands, strands, strand.equal) && s.hasFacts(kept.used) {
		return kept.account, nil
	}
	t := newTelling(s, strands, file, done)
	a := t.account()
	if len(t.needs) > 0 {
		return nil, t.needs
	}
	if a.exact != nil && !a.isWhole() {
		a.history.Claims = s.claims(a, file)
	}
	if done == nil || !done() {
		d.derived.put(k, derived{strands, t.used, a})
	}
	return a, nil
}

// hasFacts says whether what was read is still what is known.
func (s *Snapshot) hasFacts(used map[Need]*fact) bool {
	for n, f := range used {
		if s.fact(n) != f {
			return false
		}
	}
	return true
}

// projectionCache keeps the newest projection of each file between snapshots. A snapshot
// in which a document was changed has another one, without what the document is part of:
// nothing keeps an old text alive longer than the snapshots that have it.
type projectionCache struct {
	mu     sync.Mutex
	files  map[string]*Provenance
	edited map[string]edited
}

// without returns a cache that has nothing of the document.
func (c *projectionCache) without(uri string) *projectionCache {
	next := &projectionCache{files: map[string]*Provenance{}, edited: map[string]edited{}}
	c.mu.Lock()
	defer c.mu.Unlock()
	for file, e := range c.edited {
		if file != FilePath(uri) && !e.before.uses(uri) {
			next.edited[file] = e
		}
	}
	for file, p := range c.files {
		if file != FilePath(uri) && !p.uses(uri) {
			next.files[file] = p
		}
	}
	return next
}

func (p *Provenance) uses(uri string) bool {
	return slices.ContainsFunc(p.Accounts, func(a *Account) bool { return a.Doc.URI == uri })
}

// Provenance returns what the workspace's documents say about the file, of which the text
// is given; nil stands for the text of the open document. If something must be read first,
// it returns that instead.
func (s *Snapshot) Provenance(uri string, content *text.Text, done func() bool) (*Provenance, []Need) {
	file := FilePath(uri)
	if d := s.docs[uri]; d != nil && content == nil {
		content = d.Text
	}
	if file == "" || content == nil {
		return newProvenance(content, nil, nil, nil, nil), nil
	}
	if limit := s.Options.MaxFileSize; limit > 0 && content.Len() > limit {
		return s.tooLarge(file, content), nil
	}
	accounts, unread, needs := s.accounts(file, done)
	if len(needs) > 0 {
		return nil, needs
	}
	if p := s.cache.file(file, content, accounts, unread); p != nil {
		return p, nil
	}
	d := s.docs[uri]
	isOpen := d != nil && d.Text == content // else it is the text of an earlier snapshot, or no editor's
	var p *Provenance
	if isOpen {
		p = s.cache.spliced(file, content, accounts, unread)
	}
	if p == nil {
		p = newProvenance(content, s.saved[uri], accounts, unread, done)
	}
	if (d == nil || isOpen) && (done == nil || !done()) {
		s.cache.keep(file, p)
	}
	return p, nil
}

// tooLarge is what is said of a file that is larger than what is read: no line is on record.
func (s *Snapshot) tooLarge(file string, content *text.Text) *Provenance {
	var unread []string
	var toRead []Need
	if docs, others := s.docsAbout(s.others.real(file), s.others, &toRead); len(docs)+len(others)+len(toRead) > 0 {
		const mb = 1 << 20
		unread = []string{fmt.Sprintf("this file has %.1f MB, more than the limit of %.1f MB: nobody is named for its lines (setting limits.fileSize)",
			float64(content.Len())/mb, float64(s.Options.MaxFileSize)/mb)}
	}
	return newProvenance(content, nil, nil, unread, nil)
}

func (c *projectionCache) file(file string, content *text.Text, accounts []*Account, unread []string) *Provenance {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.files[file]
	if p == nil || p.Text != content || !p.isOf(accounts, unread) {
		return nil
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
	delete(c.edited, file)
}

// accounts returns an account for each path that changes the file, ordered by the time of
// its last step, and why documents that touch the file could not be read.
func (s *Snapshot) accounts(file string, done func() bool) (accounts []*Account, unread []string, needs []Need) {
	names, needs := s.namesFor(file, done)
	if len(needs) > 0 {
		return nil, nil, needs
	}
	file = names.real(file)
	docs, unread := s.docsAbout(file, names, &needs)
	for _, d := range docs {
		at := site{s.rootOf(d), names}
		for i := range d.changes() {
			t := &d.changes()[i]
			if !t.touches(file, at) {
				continue
			}
			switch a, need := s.account(d, i, file, names, done); {
			case need != nil:
				needs = append(needs, need...)
			case a.NoHead || a.changes.len() > 0:
				accounts = append(accounts, a)
			}
		}
	}
	former, more := s.formerly(file, accounts, done)
	accounts, needs = append(accounts, former...), append(needs, more...)
	accounts = slices.DeleteFunc(accounts, func(a *Account) bool {
		return slices.ContainsFunc(accounts, func(b *Account) bool { return b.continues(a) })
	})
	slices.SortStableFunc(accounts, func(a, b *Account) int {
		return cmp.Or(a.latest.Compare(b.latest), strings.Compare(a.Doc.URI, b.Doc.URI))
	})
	if need := s.inOrder(accounts); need != nil {
		needs = append(needs, *need)
	}
	return accounts, unread, needs
}

// continues says that the account begins with all that b says.
func (a *Account) continues(b *Account) bool {
	return !b.NoHead && slices.ContainsFunc(a.strands[1:], func(x strand) bool {
		return x.t.path == b.Path && x.tip == b.strands[0].tip
	})
}

// isKin says that the accounts have a beginning in common: of such heads one at most is what
// the file came from, or they were merged, and then each knows its own lines alone.
func (a *Account) isKin(b *Account) bool {
	return a.startsLike(b) || a.partsFrom(b) || b.partsFrom(a) || slices.ContainsFunc(a.strands, func(x strand) bool {
		return slices.ContainsFunc(b.strands, func(y strand) bool { return x.t.path == y.t.path })
	})
}

// kinship says for each account which ones are kin.
func kinship(accounts []*Account) [][]int32 {
	kin := make([][]int32, len(accounts))
	for k, a := range accounts {
		for i, b := range accounts[:k] {
			if a.isKin(b) {
				kin[k], kin[i] = append(kin[k], int32(i)), append(kin[i], int32(k))
			}
		}
	}
	return kin
}

// isOutdone says that a kin of account k knows the line too, and tells more of the text.
func (p *Provenance) isOutdone(k int, claims []claim) bool {
	known := func(k int) bool { return rank[claims[k].state] >= rank[provenance.StateBase] }
	return known(k) && slices.ContainsFunc(p.kin[k], func(i int32) bool {
		return known(int(i)) && p.Accounts[i].tellsMore(p.Accounts[k])
	})
}

// tellsMore says that the account explains more of the text than a kin, or as much and its
// head is later.
func (a *Account) tellsMore(b *Account) bool {
	return a.explains > b.explains || a.explains == b.explains && a.headTime().After(b.headTime())
}

// headTime is when the step was taken that the account's path has come to.
func (a *Account) headTime() time.Time {
	if tip := a.strands[0].tip; tip >= 0 && a.Path.Steps.At(tip).HasTime {
		return a.Path.Steps.At(tip).Time()
	}
	return a.latest
}

// docsAbout returns the documents that touch the file by any of its names, ordered by URI; it
// adds to needs what must be read for that.
func (s *Snapshot) docsAbout(file string, names *otherNames, needs *[]Need) (docs []*Document, unread []string) {
	open := map[string]bool{}
	for _, d := range s.docs {
		if d.Path != "" {
			open[d.Path] = true
		}
		at := site{s.rootOf(d), names}
		if d.Kind() != Other && d.isCurrent() && slices.ContainsFunc(d.changes(), func(t pathTouches) bool { return t.touches(file, at) }) {
			docs = append(docs, d)
		}
	}
	for doc := range s.byName.about(names.all(file)) {
		e := s.closed.get(doc)
		if e == nil || open[doc] || !e.touches.touches(file, site{e.root, names}) {
			continue
		}
		need := Need{Document: doc}
		switch f := s.fact(need); {
		case f == nil:
			*needs = append(*needs, need)
		case f.err != nil:
			unread = append(unread, path.Base(e.path)+" could not be read: "+f.err.Error())
		case f.doc.Model() != nil:
			docs = append(docs, f.doc)
		}
	}
	slices.SortFunc(docs, func(a, b *Document) int { return strings.Compare(a.URI, b.URI) })
	slices.Sort(unread)
	return docs, unread
}

// rootOf returns the folder that the relative keys of the document refer to.
func (s *Snapshot) rootOf(d *Document) string {
	if e := s.closed.get(d.Path); e != nil {
		return e.root
	}
	return d.root
}

// lineStarts returns the offsets at which lines that end in "\n" start, and the rest if
// there is one.
func lineStarts(b []byte) []uint32 {
	if len(b) == 0 {
		return nil
	}
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

// claim is what one account says of one line.
type claim struct {
	lineClaim
	id          provenance.LineID // that a step wrote; 0: none
	overwritten bool
	at          time.Time // of the step that wrote the line
	commit      bool      // that step was derived from a commit
	since       time.Time // of the step before that changed the file
}

// decide gives each line to the account that knows most of it.
func (p *Provenance) decide() {
	p.lines = make([]lineClaim, len(p.starts))
	for i := range p.lines {
		p.lines[i] = p.decideLine(i)
	}
}

// decided returns what was decided about a line, or what is for a reader who ignores actors.
func (p *Provenance) decided(i int) lineClaim {
	if p.ignore != nil {
		return p.decideLine(i)
	}
	return p.lines[i]
}

// decideLine gives line i to the account that knows most of it. Of several heads of one
// history that one counts first which explains most of the text, and of those the last one.
func (p *Provenance) decideLine(i int) lineClaim {
	if len(p.Accounts) == 1 {
		return p.says(i, 0).lineClaim
	}
	claims := make([]claim, len(p.Accounts))
	for k := range p.Accounts {
		claims[k] = p.claim(i, k)
	}
	best := claim{lineClaim: lineClaim{account: -1}}
	for k, c := range claims {
		if p.isOutdone(k, claims) {
			continue
		}
		if best.account < 0 || best.sameKind(c) && p.Accounts[k].descendsFrom(p.Accounts[best.account]) || !best.beats(c) {
			best = c
		}
	}
	if best.state == provenance.StateChanged || best.state == provenance.StateBase {
		if k := p.mayHaveWritten(i, best); k >= 0 {
			return lineClaim{k, provenance.StateUnrecorded}
		}
	}
	return best.lineClaim
}

// says returns what account k says of line i, without when that was written.
func (p *Provenance) says(i, k int) claim {
	a := p.Accounts[k]
	if a.overlay == nil {
		return claim{lineClaim: lineClaim{account: int32(k)}}
	}
	id, state, grade := p.owner(a, a.overlay.Line(i))
	c := claim{lineClaim: lineClaim{int32(k), state}}
	if state != provenance.StateRecorded {
		return c
	}
	c.id = id
	c.overwritten = a.projection.Ident(id).Flags&provenance.Overwrite != 0
	if c.overwritten || grade == provenance.GradeInferred {
		c.state = provenance.StateUnrecorded
	}
	return c
}

// claim returns what account k says of line i.
func (p *Provenance) claim(i, k int) claim {
	a, c := p.Accounts[k], p.says(i, k)
	if c.id == 0 {
		return c
	}
	ident := a.projection.Ident(c.id)
	e := ident.Edit()
	c.at, c.commit = a.ref(ident.Step).At().Time(), a.changes.at(e).commit
	if c.commit {
		for e--; e >= 0 && !a.changes.at(e).isStep(); e-- {
		}
		if e >= 0 {
			c.since = a.step(a.changes.at(e)).At().Time()
		}
	}
	return c
}

// beats says whether c, of an account that comes before that of d, is to be believed
// nevertheless. Of two steps the later one is the last that wrote the line; but a commit
// only carries what was written since the commit before it.
func (c claim) beats(d claim) bool {
	if n := rank[c.state] - rank[d.state]; n != 0 {
		return n > 0
	}
	if c.commit != d.commit && c.state == provenance.StateRecorded {
		if c.commit {
			return !c.carries(d)
		}
		return d.carries(c)
	}
	if c.overwritten != d.overwritten {
		return c.overwritten
	}
	return c.at.After(d.at)
}

// carries says whether the commit c holds what the step of d wrote.
func (c claim) carries(d claim) bool { return d.at.After(c.since) && (c.at.IsZero() || !d.at.IsZero()) }

// mayHaveWritten returns an account that may have written a line of which another one says
// that it is older or younger than its path; -1 if there is none. It cannot be replayed as a
// whole, knows nothing of the line, and does not lie on the wrong side of that path in time.
func (p *Provenance) mayHaveWritten(i int, c claim) int32 {
	latest := p.Accounts[c.account].latest
	for k, a := range p.Accounts {
		if a.isComplete(c.state, i) || a.isOther() || p.says(i, k).state != provenance.StateUnrecorded {
			continue
		}
		order := a.latest.Compare(latest)
		if a.latest.IsZero() || latest.IsZero() || order == 0 || (order > 0) == (c.state == provenance.StateChanged) {
			return int32(k)
		}
	}
	return -1
}

// isComplete says whether the account knows all that it could say of line i: that all edits
// were replayed; or, if the line is younger than a path, that the head is known and does not
// have it.
func (a *Account) isComplete(state provenance.State, i int) bool {
	if a.projection == nil {
		return false
	}
	if state == provenance.StateChanged {
		return a.projection.Known && a.overlay.Line(i).Head == 0
	}
	return !slices.ContainsFunc(a.projection.Problems, func(q provenance.Problem) bool { return q.Lost > 0 })
}

// isOther says that the account speaks of another file of the same name. That shows only if
// it knows what the file was at its head.
func (a *Account) isOther() bool {
	if a.overlay == nil || !a.projection.Known {
		return false
	}
	_, other := a.overlay.Problem()
	return other
}

// Also returns the steps that other accounts name for a recorded line: two records of one
// change, or of one line written twice.
func (p *Provenance) Also(i int) []StepRef {
	l := p.Line(i)
	if l.State != provenance.StateRecorded || l.Step == nil {
		return nil
	}
	var also []StepRef
	for k, a := range p.Accounts {
		c := p.claim(i, k)
		if a == l.Account || c.state != provenance.StateRecorded {
			continue
		}
		id, _, _ := p.owner(a, a.overlay.Line(i))
		r := *a.ref(a.projection.Ident(id).Step)
		if r.identity() != l.Step.identity() {
			also = append(also, r)
		}
	}
	return also
}

// identity is equal for the copies of a step in several documents, such as a stream and
// what it was sealed to.
func (r StepRef) identity() [4]string {
	s := r.At()
	return [4]string{r.Path.ID, s.ID, s.Actor, s.Timestamp()}
}

// ProvenanceOf is Snapshot.Provenance that reads what must be read. It returns the
// snapshot in which all of it is known.
//
// A file of which no document speaks by the name that it was opened by may be spoken of by its
// name without symbolic links.
func (w *Workspace) ProvenanceOf(ctx context.Context, src Source, uri string, content *text.Text) (*Snapshot, *Provenance, error) {
	s, p, err := w.provenanceOf(ctx, src, uri, content)
	links, ok := src.(LinkSource)
	if !ok || p == nil || err != nil || p.IsSpokenOf() {
		return s, p, err
	}
	file := FilePath(uri)
	real := ""
	if file != "" {
		real = links.Real(file)
	}
	if real == "" || real == file {
		return s, p, nil
	}
	t, q, err := w.provenanceOf(ctx, src, FileURI(real), p.Text)
	if q == nil || !q.IsSpokenOf() {
		return s, p, err
	}
	return t, q, nil
}

func (w *Workspace) provenanceOf(ctx context.Context, src Source, uri string, content *text.Text) (*Snapshot, *Provenance, error) {
	const rounds = maxRounds // documents, then what they need; more only if documents change meanwhile
	defer w.begin()()
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
	return w.Snapshot(), nil, errUnsettled
}

var errUnsettled = errors.New("the workspace's documents change too fast to say who wrote the file")

// LineOf returns the line that holds the offset, as Line counts: by "\n" alone, which is
// what a line is to git and to a diff. Behind the last "\n" that is Len.
func (p *Provenance) LineOf(off int) int {
	if b := p.Text.Bytes(); off >= len(b) && (len(b) == 0 || b[len(b)-1] == '\n') {
		return len(p.starts)
	}
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
	if end > p.LineStart(i) && b[end-1] == '\n' {
		end--
		if end > p.LineStart(i) && b[end-1] == '\r' {
			end--
		}
	}
	return end
}
