package analysis

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
)

// telling makes the account of a file that strands give.
type telling struct {
	s       *Snapshot
	strands []strand
	file    string
	done    func() bool
	lineage lineage
	absent  bool // there was no file where the last strand begins
	tracer  *tracer
	anchors map[[2]int]anchor // by strand and step
	used    map[Need]*fact
	needs   []Need
}

// anchor is what a commit says of the content after the step that was derived from it, and
// of that before.
type anchor struct{ was, is *string }

func newTelling(s *Snapshot, strands []strand, file string, done func() bool) *telling {
	return &telling{s: s, strands: strands, file: file, done: done, anchors: map[[2]int]anchor{}, used: map[Need]*fact{}}
}

// Bounds of what is tried where a history cannot be replayed.
const (
	maxFlips   = 4  // beginnings of paths that are looked at again
	maxRounds2 = 8  // rounds of reading what commits have
	maxAnchors = 64 // contents of commits
)

func (t *telling) account() *Account {
	own := &t.strands[0]
	if own.tip < 0 && !own.t.path.IsAgentSession() {
		return &Account{Doc: own.doc, Path: own.t.path, strands: t.strands, NoHead: true}
	}
	if t.tellApart(); len(t.needs) > 0 {
		return nil
	}
	a := &Account{Doc: own.doc, Path: own.t.path, strands: t.strands}
	t.lineage, t.tracer = trace(t.strands, t.file)
	a.formerly = t.tracer.formerNames(t.file)
	a.passes = sync.OnceValue(func() map[string]bool { return passesOf(own) })
	base := t.base(a)
	checks := t.checks()
	if len(t.needs) > 0 {
		return nil
	}
	t.project(a, base, checks)
	t.flip(a, base, checks)
	t.addAnchors(a, base, checks)
	if len(t.needs) > 0 {
		return nil
	}
	a.recovered, a.attempts, a.projection = &recovered{}, &attempts{}, a.exact
	if a.isWhole() {
		a.history = provenance.History{} // there is nothing to recover
	}
	a.changes.list = slices.Clip(a.changes.list)
	return a
}

// fact returns what was read for a need, and notes it if nothing was.
func (t *telling) fact(n Need) *fact {
	f := t.s.fact(n)
	if f == nil {
		t.needs = append(t.needs, n)
		return nil
	}
	t.used[n] = f
	return f
}

// base is what the file was where the last strand begins; nil if that is not on record.
func (t *telling) base(a *Account) *string {
	last := &t.strands[len(t.strands)-1]
	for k := range t.strands {
		if t.strands[k].cut() {
			return nil
		}
	}
	if last.next != atBase || last.ref() == "" {
		return nil
	}
	var content *string
	content, t.absent = t.committed(a, t.lineage.first)
	return content
}

// baseOf is what any file was where the last strand begins, and whether there was none.
func (t *telling) baseOf(name string) (content *string, absent bool) {
	if t.strands[len(t.strands)-1].ref() == "" {
		return nil, false
	}
	return t.committed(new(Account), name)
}

// committed is what a file was in the commit of the last strand's base: "" if it was not there.
func (t *telling) committed(a *Account, name string) (content *string, absent bool) {
	f := t.inCommit(name, t.strands[len(t.strands)-1].ref())
	switch {
	case f == nil:
		return nil, false
	case f.err == nil:
		content := string(f.content)
		if isBinary(f.content) {
			a.BaseError = errBinary
			return nil, false
		}
		return &content, false
	case isNoFile(f.err):
		return new(string), true
	}
	a.BaseError = f.err
	return nil, false
}

var errBinary = errors.New("it is binary there")

// isUnreadable says that it is the file that cannot be read at the base, and not the base.
func (a *Account) isUnreadable() bool {
	return errors.Is(a.BaseError, errBinary) || errors.Is(a.BaseError, ErrTooLarge)
}

// baseWords says in a sentence why what the file was at the base is not known; "" if nothing
// kept it from being read.
func (a *Account) baseWords() string {
	switch {
	case a.BaseError == nil:
		return ""
	case errors.Is(a.BaseError, errBinary):
		return "the file is binary at the base, so that its diffs cannot be replayed from there"
	case errors.Is(a.BaseError, ErrTooLarge):
		return "the file is too large at the base, so that its diffs cannot be replayed from there: " + a.BaseError.Error()
	}
	return "the content at the base could not be read: " + a.BaseError.Error()
}

// isBinary says whether a content is, for git, that of a binary file.
func isBinary(content []byte) bool {
	const look = 8000
	return bytes.IndexByte(content[:min(len(content), look)], 0) >= 0
}

// checks are, for strands that continue another one, the contents at their own bases where
// these are of another commit: it has what was committed, and more than the path before says.
func (t *telling) checks() map[int]*string {
	checks := map[int]*string{}
	ref := ""
	for k := len(t.strands) - 1; k >= 0; k-- {
		own := t.strands[k].ref()
		if own == "" {
			continue
		}
		if t.strands[k].next == atStep && ref != "" && own != ref {
			if content := t.blob(k); content != nil {
				checks[k] = content
			}
		}
		ref = own
	}
	return checks
}

// blob is what the file was in the commit of a strand's base; nil if it was not in it: it
// may not have been committed yet.
func (t *telling) blob(k int) *string {
	if t.lineage.names[k] == "" || t.strands[k].ref() == "" {
		return nil
	}
	return t.content(t.lineage.names[k], t.strands[k].ref())
}

// inCommit is what is known of a file in a commit, which may have it under another one of its
// names: what is a link to a folder now was a folder once. It is nil if nothing was read.
func (t *telling) inCommit(file, rev string) *fact {
	first := t.fact(Need{File: file, Rev: rev})
	if first == nil || !isNoFile(first.err) {
		return first
	}
	for _, name := range t.strands[0].site.names.all(file) {
		if f := t.fact(Need{File: name, Rev: rev}); f == nil || f.err == nil {
			return f
		}
	}
	return first
}

// tellApart takes files for two that a commit from which a path starts has under two names of
// one: what is one file now was none then.
func (t *telling) tellApart() {
	names := t.strands[0].site.names.all(t.file)
	if !slices.ContainsFunc(names[1:], t.isSpokenOf) {
		return
	}
	for k := range t.strands {
		rev, there := t.strands[k].ref(), 0
		if rev == "" {
			continue
		}
		for _, name := range names {
			if f := t.fact(Need{File: name, Rev: rev}); f != nil && f.err == nil {
				there++
			}
		}
		if there > 1 {
			t.strands = slices.Clone(t.strands)
			withNames(t.strands, nil)
			return
		}
	}
}

// isSpokenOf says whether a path speaks of a file by this very name.
func (t *telling) isSpokenOf(name string) bool {
	return slices.ContainsFunc(t.strands, func(a strand) bool { return a.t.touches(name, site{root: a.site.root}) })
}

func (t *telling) content(file, rev string) *string {
	f := t.inCommit(file, rev)
	if f == nil || f.err != nil || isBinary(f.content) {
		return nil
	}
	content := string(f.content)
	return &content
}

// project replays the lineage.
func (t *telling) project(a *Account, base *string, checks map[int]*string) {
	l := t.lineage
	switch {
	case t.tracer.branched:
		l = newFileGraph(t.strands, t.file, checks, t.baseOf).lineage(l)
		base = nil // it is part of the graph
	case len(checks) > 0:
		l = l.list(checks)
	}
	h := provenance.History{Base: base, Absent: base != nil && t.absent, Done: t.done, File: t.file, Formatter: t.s.Options.Formatter, Parallel: t.s.Options.Parallel}
	if l.parents != nil {
		h.Parents = [][]int{}
	}
	own := &t.strands[0]
	key := fileOfPath{own.t.path.Index, t.file, own.site.root}
	given := t.given(&l)
	var from resume
	if l.parents == nil {
		from = own.doc.resumes.get(key).begins(base, h.Absent, given)
	}
	a.changes = newChanges(t.strands, l.changes.len())
	a.latest = from.latest
	kept := slices.Grow(slices.Clone(from.kept), l.changes.len()-len(from.kept))
	for i, keep := range from.kept {
		if keep {
			a.changes.take(&l.changes, i, from.changes[a.changes.len()].commit)
		}
	}
	first := len(from.kept)
	edits := make([]provenance.Edit, l.changes.len()-first)
	told := make([]toldEdit, len(edits))
	t.s.Options.shards(len(edits), func(i int) { edits[i], told[i] = t.edit(l.changes.at(first + i)) })
	h.Edits = edits[:0]
	for i, e := range told {
		if kept = append(kept, e.ok); !e.ok {
			continue // only of a list; a graph has been made of edits
		}
		if at := l.changes.list[first+i]; at.step >= 0 {
			s := t.strands[at.strand].t.path.Steps.At(int(at.step))
			if s.HasTime && s.Time().After(a.latest) {
				a.latest = s.Time()
			}
		}
		if e.later {
			h.Load = a.load
		}
		a.changes.take(&l.changes, first+i, e.commit)
		h.Edits = append(h.Edits, edits[i])
		if l.parents != nil {
			h.Parents = append(h.Parents, l.parents[first+i])
		}
	}
	if from.projection == nil {
		a.exact = provenance.Project(h)
	} else if a.exact = from.projection.Extend(h); !a.isWhole() {
		h.Edits = append(t.edits(from.kept, &l, &h, a), h.Edits...) // for a recovery
	}
	a.history = h
	if a.exact.Replayed() == a.changes.len() && own.tip == headOf(own.t.path) {
		own.doc.resumes.put(key, resume{base, h.Absent, given, kept, slices.Clip(a.changes.list), a.latest, a.exact})
	}
}

// toldEdit is what else is said of an edit.
type toldEdit struct {
	ok     bool // the change has an effect
	later  bool // its diff is read when it is replayed
	commit bool // see change
}

// edit reads a change for the history of an account.
func (t *telling) edit(c change) (e provenance.Edit, told toldEdit) {
	strand := &t.strands[c.strand]
	e, later, ok := strand.t.editLater(c)
	told = toldEdit{ok, later, c.commit}
	if ok && c.isStep() {
		s := strand.t.path.Steps.At(c.step)
		e.Step = strand.stepID(c.step)
		c.anchor(&e)
		e.Formats = formats(s, c.value)
		told.commit = isCommit(s)
	}
	return e, told
}

// edits reads the first changes of a lineage, those that have an effect, once more.
func (t *telling) edits(kept []bool, l *lineage, h *provenance.History, a *Account) []provenance.Edit {
	var all []provenance.Edit
	for i, keep := range kept {
		if keep {
			e, told := t.edit(l.changes.at(i))
			if told.later {
				h.Load = a.load
			}
			all = append(all, e)
		}
	}
	return all
}

// isWhole says that there is nothing to recover.
func (a *Account) isWhole() bool {
	n, _ := a.lost()
	return n == 0 && a.exact.Known
}

// stepID is the number of a step among those of all strands.
func (a *strand) stepID(step int) provenance.StepID { return provenance.StepID(a.first + step + 1) }

// given is what the changes of a lineage hang on. It adds to them what commits say.
func (t *telling) given(l *lineage) []resumed {
	if len(t.anchors) > 0 {
		t.addCommitted(&l.changes)
	}
	all := make([]resumed, l.changes.len())
	for i := range l.changes.list {
		at := &l.changes.list[i]
		x := resumed{rest: uint64(at.key) << 32}
		if at.step >= 0 {
			strand := &t.strands[at.strand]
			x.step = strand.t.path.Steps.At(int(at.step)).Step
			x.rest |= uint64(strand.stepID(int(at.step)))
		}
		if c, rare := l.changes.rare[i]; rare {
			x.rest = c.restOf(x.rest)
		}
		all[i] = x
	}
	return all
}

// addCommitted adds to changes what commits say of the contents before and after them.
func (t *telling) addCommitted(l *changes) {
	all := newChanges(l.strands, l.len())
	for _, c := range l.all() {
		if c.isStep() {
			anchor := t.anchors[[2]int{c.strand, c.step}]
			c.was, c.is = anchor.was, anchor.is
		}
		all.add(c)
	}
	*l = all
}

// load reads the diff of an edit that editLater left out.
func (a *Account) load(i int, e *provenance.Edit) {
	if c := a.changes.at(i); e.HasRaw && e.Raw == "" && c.key.Valid() {
		e.Raw = c.value.Get("raw").Text()
	}
}

// lost counts the edits that could not be replayed; first is the strand of the first one.
func (a *Account) lost() (n, first int) {
	first = -1
	for _, q := range a.exact.Problems {
		if q.Lost > 0 && q.Edit >= 0 {
			if first < 0 {
				first = a.changes.at(q.Edit).strand
			}
			n += q.Lost
		}
	}
	return n, first
}

// flip looks at the beginnings of paths again that the next edits do not fit to: the working
// tree may have had what the commit of the base has, or what the path before left.
func (t *telling) flip(a *Account, base *string, checks map[int]*string) {
	for range maxFlips {
		n, k := a.lost()
		if n == 0 || t.strands[k].next != atStep || t.strands[k].ref() == "" || t.done != nil && t.done() {
			return
		}
		other := maps.Clone(checks)
		if other[k] != nil {
			delete(other, k)
		} else if other[k] = t.blob(k); other[k] == nil {
			return
		}
		b := *a
		t.project(&b, base, other)
		if m, _ := b.lost(); m >= n {
			return
		}
		*a, checks = b, other
	}
}

// addAnchors asks the commits from which steps were derived for contents, where edits could
// not be replayed without.
func (t *telling) addAnchors(a *Account, base *string, checks map[int]*string) {
	for range maxRounds2 {
		added := false
		for _, q := range a.exact.Problems {
			if q.Lost == 0 || q.Edit < 0 || len(t.anchors) >= maxAnchors {
				continue
			}
			c := a.changes.at(q.Edit)
			key := [2]int{c.strand, c.step}
			if _, tried := t.anchors[key]; tried || !c.isStep() {
				continue
			}
			if rev := revision(a.step(c)); rev != "" {
				file := t.nameOf(c)
				if is := t.content(file, rev); is != nil {
					added = true
					t.anchors[key] = t.anchored(c, is)
				} else if len(t.needs) == 0 {
					t.anchors[key] = anchor{} // it has none
				}
			}
		}
		if len(t.needs) > 0 || !added {
			return
		}
		t.project(a, base, checks)
	}
}

// anchored adds to the content after a change that before it, if the diff tells.
func (t *telling) anchored(c change, is *string) anchor {
	x := anchor{is: is}
	if e, ok := t.strands[c.strand].t.edit(c); ok && e.HasRaw && c.before == nil {
		if was, ok := provenance.Undo(*is, e); ok {
			x.was = &was
		}
	}
	return x
}

// nameOf is what the file is called after a change.
func (t *telling) nameOf(c change) string {
	a := &t.strands[c.strand]
	if position := a.order.position[c.step]; position >= 0 {
		return t.tracer.nameAt(c.strand, position)
	}
	return a.site.fileOf(artifactName(c.key.Text(), a.t.base), a.t.base)
}

// revision is the commit from which a step was derived, "" for none.
func revision(r StepRef) string {
	source := r.At().Value(r.At().Nodes.Meta).Get("source")
	if !source.Get("type").Is("git") || source.Get("revision").Kind() != jsonsrc.String {
		return ""
	}
	return source.Get("revision").Text()
}

// step is the step of a change.
func (a *Account) step(c change) StepRef {
	return StepRef{a.strands[c.strand].doc, a.strands[c.strand].t.path, c.step}
}
