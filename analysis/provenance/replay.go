package provenance

import (
	"slices"

	"github.com/toolpath-ls/toolpath-ls/analysis/udiff"
)

// version is what is known of the file between two edits.
type version struct {
	lines    []LineID // the text, or the last known one
	known    bool
	doubt    bool     // known, but a hunk stood elsewhere than its numbers say
	gap      int      // index into Projection.Problems of the gap we are in, -1: none
	anchored bool     // there was a known text
	absent   bool     // the file does not exist
	lastGap  uint32   // the last edit that was not replayed, as in Ident.edit
	deleted  []LineID // the last text of a deleted file
	cap      uint8    // the most that Conf of a line to come can be, 0: no bound
	drift    int      // how much further down than stated hunks are; only with a guesser
}

// replay goes from version to version.
type replay struct {
	p *Projection
	version

	first  int // edits that were replayed by another one, see Extend
	now    int // the edit being replayed
	step   StepID
	search int // what is left of SearchLimit

	shared int // idents that another projection has too
	layout layout
	chunk  *chunk // gathers the lines of small edits
	loaded Edit   // see History.Load

	before  map[int][]LineID // by edit that does not say how it changed the content: the text before it; nil: nobody asks
	numbers *lineNumbers     // made when a hunk is looked for
	guess   *guesser         // places what does not fit; nil: nothing is guessed

	diff    udiff.Diff
	raw     uint32 // source of diff
	sided   bool   // the sides of the hunk at hand were compared by us
	strict  bool   // line ends count where hunks are looked for
	unglue  bool   // added lines before a marker have a glued '<'
	flags   Flags  // of the idents being made
	placed  []placement
	fresh   []LineID
	freshAt int    // where in fresh the lines of the place at hand start
	over    LineID // the line above that place
	removed []LineID
	added   []piece
	pairs   pairer
}

// piece is a line that is about to become an ident.
type piece struct {
	source, from, to uint32
	noEOL            bool
}

func newReplay(h History) *replay {
	r := &replay{p: &Projection{idents: make([]Ident, 1), sources: make([]string, 1)}, version: version{gap: -1}, search: SearchLimit, layout: newLayout(h)}
	switch {
	case h.Base == nil:
	case len(*h.Base) >= MaxContent:
		r.p.Problems = append(r.p.Problems, Problem{Kind: TooLong, Edit: -1, Hunk: -1})
	default:
		r.fill(*h.Base, Base)
		r.absent = h.Absent
	}
	return r
}

// begin makes i the edit to which idents and problems belong.
func (r *replay) begin(i int, step StepID) {
	r.now, r.step, r.flags, r.unglue = i, step, 0, false
}

func (r *replay) finish() *Projection {
	r.p.head, r.p.Known = r.lines, r.known && !r.doubt
	r.p.Anchored, r.p.Absent, r.p.lastGap = r.anchored, r.absent, r.lastGap
	r.p.end = r.version
	if r.guess != nil {
		r.p.replayed = -1
	}
	return r.p
}

func (r *replay) edit(e *Edit) {
	from, sources := r.point(), len(r.p.sources)
	r.replayEdit(e)
	r.formatting(e, from)
	r.moves(from.changes)
	r.gather(sources, int(from.fresh))
}

func (r *replay) replayEdit(e *Edit) {
	if e.Before != nil {
		r.saw(*e.Before)
	}
	r.replayChange(e)
	if e.After != nil {
		r.saw(*e.After)
	}
}

func (r *replay) replayChange(e *Edit) {
	switch {
	case e.Delete:
		r.remove()
	case e.Whole != nil:
		r.whole(e)
	case e.HasRaw:
		r.rawDiff(e)
	case len(e.Replace) > 0 && r.replace(e):
	default:
		if r.before != nil && r.known && !r.doubt {
			r.before[r.now] = slices.Clone(r.lines)
		}
		r.lose(Problem{Kind: NoContent, Hunk: -1})
	}
}

// problem notes a problem of the current edit.
func (r *replay) problem(p Problem) {
	p.Edit, p.Step = r.now, r.step
	r.p.Problems = append(r.p.Problems, p)
}

// lose says that the text after the current edit is not known. The first edit of
// a gap gives the reason.
func (r *replay) lose(why Problem) {
	if r.guess != nil && r.anchored {
		r.doubt, r.known, r.cap = true, true, mostFuzzy
		return
	}
	if r.gap < 0 {
		r.problem(why)
		r.gap = len(r.p.Problems) - 1
	}
	r.p.Problems[r.gap].Lost++
	r.lastGap = uint32(r.now + 1)
	r.known = false
}

// stop makes the current edit and all behind it a gap.
func (r *replay) stop(edits int) {
	r.lose(Problem{Kind: Stopped, Hunk: -1})
	if r.gap < 0 {
		return // a replay that guesses keeps no gaps
	}
	r.p.Problems[r.gap].Lost += edits - r.now - 1
	r.lastGap = uint32(edits)
}

// find says that the text is known again.
func (r *replay) find(lines []LineID) {
	r.lines, r.known, r.doubt, r.gap, r.cap, r.drift = lines, true, false, -1, 0, 0
	r.anchored = true
}

// remove makes the text that of a file that does not exist.
func (r *replay) remove() {
	if len(r.lines) > 0 {
		r.deleted = slices.Clone(r.lines)
		r.note(Add, 0, r.lines, LineID(len(r.p.idents)))
	}
	r.find(r.lines[:0])
	r.absent = true
}

// saw compares the content that a producer saw, or a commit has, with the known text.
func (r *replay) saw(content string) {
	if len(content) >= MaxContent {
		return
	}
	r.absent = false
	switch {
	case !r.anchored && r.lastGap == 0:
		r.fill(content, Base)
	case !r.anchored:
		r.fill(content, Unrecorded)
	case r.isText(content):
		r.find(r.lines)
	default:
		if r.known && !r.doubt {
			r.problem(Problem{Kind: OutsideRecord, Hunk: -1})
		}
		r.rewrite(0, len(r.lines), r.source(content), Unrecorded)
		r.find(r.lines)
	}
}

// fill makes content the text, all of one kind and in place of nothing.
func (r *replay) fill(content string, kind Kind) {
	pieces := cut(r.source(content), content)
	lines := make([]LineID, len(pieces), len(pieces)+64)
	came := LineID(len(r.p.idents))
	for i, piece := range pieces {
		lines[i] = r.ident(piece, kind, 0)
	}
	r.note(kind, 0, nil, came)
	r.find(lines)
}

// whole takes the content after the step as given.
func (r *replay) whole(e *Edit) {
	content := *e.Whole
	if len(content) >= MaxContent {
		r.lose(Problem{Kind: TooLong, Hunk: -1})
		return
	}
	if r.known && r.absent && e.Updates {
		r.flags |= Overwrite
	}
	r.absent = false
	switch {
	case r.known:
		r.wholeOver(e, content)
	case r.anchored:
		r.rewrite(0, len(r.lines), r.source(content), Unrecorded)
		r.find(r.lines)
	case r.lastGap > 0:
		r.fill(content, Unrecorded)
	default:
		if !r.createsWhole(e) {
			r.flags |= Overwrite
		}
		r.fill(content, Add)
	}
}

// createsWhole says that the record of a whole content shows that there was
// nothing before.
func (r *replay) createsWhole(e *Edit) bool {
	if e.Creates {
		return true
	}
	if !e.HasRaw {
		return false
	}
	r.diff.Reset(e.Raw)
	_, ok := r.diff.Replayable()
	return ok && r.creates(e) != notCreating
}

// wholeOver goes from a known text to content. The diff on record is used where
// it leads there.
func (r *replay) wholeOver(e *Edit, content string) {
	if len(r.lines) == 0 && (!r.doubt || r.guess == nil) {
		r.create(cut(r.source(content), content))
		return
	}
	if e.HasRaw {
		lines := slices.Clone(r.lines)
		mark, doubt := r.mark(), r.doubt
		r.diff.Reset(e.Raw)
		if _, ok := r.apply(e); ok && r.isText(content) {
			r.doubt = false
			return
		}
		r.lines = append(r.lines[:0], lines...)
		r.back(mark)
		r.flags, r.doubt = 0, doubt
		if was, ok := Undo(content, *e); ok && !e.Late && !e.Snippet && r.guess == nil && !doubt && len(r.diff.Hunks) > 0 {
			r.saw(was) // its producer compared with that
		}
	}
	kind := Add
	switch {
	case r.doubt && r.guess != nil:
		r.flags |= Overwrite
	case r.doubt:
		kind = Unrecorded
	}
	r.rewrite(0, len(r.lines), r.source(content), kind)
	r.find(r.lines)
}

// isText compares the known text with content.
func (r *replay) isText(content string) bool {
	at := 0
	for i, id := range r.lines {
		text := r.p.Text(id)
		if len(content)-at < len(text) || content[at:at+len(text)] != text {
			return false
		}
		at += len(text)
		if i == len(r.lines)-1 && r.p.idents[id].Flags&NoEOL != 0 {
			break
		}
		if at == len(content) || content[at] != '\n' {
			return false
		}
		at++
	}
	return at == len(content)
}

// creating says what a diff of added lines only means.
type creating uint8

const (
	notCreating creating = iota
	mayCreate            // a creation, or lines put before the first one
	surelyCreates
)

// creates classifies r.diff.
func (r *replay) creates(e *Edit) creating {
	d := &r.diff
	if len(d.Hunks) == 0 {
		if len(d.Sections) > 0 && d.Sections[0].Creates {
			return surelyCreates
		}
		return notCreating
	}
	h := &d.Hunks[0]
	if len(d.Hunks) > 1 || h.OldLines > 0 {
		return notCreating
	}
	switch {
	case e.Creates || d.Sections[h.Section].Creates:
		return surelyCreates
	case h.Old.Start == 0 && h.Numbers == udiff.NumbersStated:
		if e.GitDeriver {
			return surelyCreates
		}
		return mayCreate
	}
	return notCreating
}

// deletes says that the file is empty or gone after r.diff, whatever was in it.
func (r *replay) deletes(e *Edit) bool {
	d := &r.diff
	if len(d.Sections) == 0 {
		return false
	}
	if d.Sections[len(d.Sections)-1].Deletes {
		return true
	}
	return e.GitDeriver && len(d.Hunks) == 1 && d.Hunks[0].New == udiff.Range{} && d.Hunks[0].Fits()
}

// rawDiff replays a diff.
func (r *replay) rawDiff(e *Edit) {
	r.diff.Reset(e.Raw)
	deletes := r.deletes(e)
	if !deletes && len(r.diff.Hunks) == 0 && len(r.diff.Issues) == 0 && r.creates(e) == notCreating {
		return // nothing changed, known or not
	}
	if deletes {
		r.rawDelete(e)
		return
	}
	if issue, ok := r.diff.Replayable(); !ok && (r.guess == nil || !r.known) {
		r.lose(Problem{Kind: NotReplayable, Issue: issue.Kind, Hunk: issue.Hunk, Span: issue.Span})
		return
	}
	switch creates := r.creates(e); {
	case creates == surelyCreates, creates == mayCreate && r.untouched():
		r.rawCreate(e)
	case !r.known && !r.anchored && r.lastGap == 0:
		r.lose(Problem{Kind: NoBase, Hunk: 0, Span: r.diff.Hunks[0].Header})
	case !r.known:
		r.lose(Problem{})
	case r.guess != nil:
		r.applyGuessing(e)
	default:
		doubted := r.doubt
		if why, ok := r.apply(e); !ok {
			r.lose(why)
		} else if r.doubt && !doubted {
			r.problem(r.displaced())
		}
	}
	if r.known {
		r.absent = false
	}
}

// displaced is the problem of the last hunk that stood elsewhere.
func (r *replay) displaced() Problem {
	p := Problem{Kind: Displaced, Hunk: -1}
	for _, placed := range r.placed {
		if at := stated(placed.hunk.Old); at != placed.at {
			p.Span = placed.hunk.Header
			p.Line = placed.at + 1
			break
		}
	}
	for i := range r.diff.Hunks {
		if r.diff.Hunks[i].Header == p.Span {
			p.Hunk = i
		}
	}
	return p
}

// untouched says that nothing at all is known yet and no edit came before, or
// that the text is known to be empty.
func (r *replay) untouched() bool {
	if r.known {
		return len(r.lines) == 0
	}
	return !r.anchored && r.lastGap == 0
}

// rawDelete ends the file; a diff that does not apply is still reported.
func (r *replay) rawDelete(e *Edit) {
	if r.known && len(r.diff.Hunks) > 0 && len(r.diff.Sections) == 1 {
		if why, ok := r.place(e, 0, len(r.diff.Hunks)); !ok {
			r.problem(why)
		}
	}
	r.remove()
}

// rawCreate takes the added lines as the whole content.
func (r *replay) rawCreate(e *Edit) {
	r.absent = false
	r.raw = r.source(e.Raw)
	r.unglue = e.GitDeriver
	var content []piece
	if len(r.diff.Hunks) > 0 {
		for _, l := range r.diff.Lines(&r.diff.Hunks[0]) {
			content = append(content, r.piece(l))
		}
	}
	for i := range content[:max(0, len(content)-1)] {
		content[i].noEOL = false
	}
	if r.known && len(r.lines) > 0 {
		r.rewritePieces(0, len(r.lines), content, Add)
		return
	}
	r.create(content)
}

// create fills an empty file. Lines that were in the file when it was deleted are
// linked to it.
func (r *replay) create(content []piece) {
	links := r.links(content)
	lines := make([]LineID, len(content), len(content)+64)
	came := LineID(len(r.p.idents))
	for i, piece := range content {
		lines[i] = r.ident(piece, Add, 0)
		if links != nil && links[i] != 0 {
			ident := &r.p.idents[lines[i]]
			ident.Prev = links[i]
			ident.Flags |= ReAdded
		}
	}
	r.note(Add, 0, nil, came)
	r.find(lines)
}

func (r *replay) links(content []piece) []LineID {
	if len(r.deleted) == 0 {
		return nil
	}
	links := make([]LineID, len(content))
	at := 0
	was := r.deleted
	for _, h := range append(r.compare(was, content), closing(len(was), len(content))) {
		for ; at < h.NewStart; at++ {
			links[at] = was[h.OldStart-(h.NewStart-at)]
		}
		at = h.NewEnd
	}
	r.deleted = nil
	return links
}

// source keeps a string that idents point into.
func (r *replay) source(s string) uint32 {
	r.p.sources = append(r.p.sources, s)
	return uint32(len(r.p.sources) - 1)
}

// piece is a line of r.diff.
func (r *replay) piece(l udiff.Line) piece {
	span := l.Span()
	if r.unglue {
		if _, ok := r.diff.Unglued(l); ok {
			span.End--
		}
	}
	return piece{r.raw, uint32(span.Start), uint32(span.End), l.NoEOL}
}

func (r *replay) text(p piece) string { return r.p.sources[p.source][p.from:p.to] }

// ident makes an ident of the current edit.
func (r *replay) ident(p piece, kind Kind, prev LineID) LineID {
	ident := Ident{Step: r.step, Prev: prev, Kind: kind, Flags: r.flags, Conf: r.conf(kind), edit: uint32(r.now + 1), source: p.source, from: p.from, to: p.to}
	if p.noEOL {
		ident.Flags |= NoEOL
	}
	switch kind {
	case Unrecorded:
		ident.Step = 0
	case Base:
		ident.Step, ident.edit = 0, 0
	}
	r.p.idents = append(roomy(r.p.idents), ident)
	return LineID(len(r.p.idents) - 1)
}

// conf is the confidence in an ident of the current edit.
func (r *replay) conf(kind Kind) uint8 {
	conf := uint8(confExact)
	if r.cap > 0 {
		conf = r.cap
	}
	switch {
	case kind == Unrecorded:
		return 0
	case r.flags&Overwrite != 0:
		return min(conf, confOverwrite)
	}
	return conf
}
