package structural

import (
	"cmp"
	"hash/maphash"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/toolpath-ls/toolpath-ls/analysis/linediff"
	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
)

// Formatter answers [provenance.Formatter] with syntax trees. It remembers what it said,
// so that a question asked again costs nothing. The zero value is ready.
type Formatter struct {
	mu    sync.Mutex
	said  map[question]provenance.Formatting
	size  int // lines in said
	forms []keptForm
}

// question is a comparison by hashes of its texts.
type question struct {
	file     string
	old, new uint64
	sizes    [2]int
	declared bool
}

// keptForm is a form that was made lately: the text after one step is the text before
// the next one.
type keptForm struct {
	text     uint64
	size     int
	file     string
	declared bool
	form     *form
}

const (
	saidLimit = 1 << 20 // lines in answers that are remembered
	formLimit = 4       // forms that are kept
	formBytes = 1 << 20 // of the text of a form that is kept
)

var seed = maphash.MakeSeed()

// Proves implements [provenance.Formatter].
func (f *Formatter) Proves(file string) bool {
	if l := ForFile(file, ""); l != nil {
		return !l.Rules.Lines
	}
	r := rulesFor(file)
	return path.Ext(file) == "" || !r.content && !r.lines
}

// Formatting implements [provenance.Formatter].
func (f *Formatter) Formatting(c provenance.Comparison) provenance.Formatting {
	q := question{c.File, maphash.String(seed, c.Old), maphash.String(seed, c.New), [2]int{len(c.Old), len(c.New)}, c.Declared}
	f.mu.Lock()
	answer, ok := f.said[q]
	f.mu.Unlock()
	if ok {
		return answer
	}
	old := make(chan *form, 1)
	go func() { old <- f.form(c, q.old, c.Old) }()
	now := f.form(c, q.new, c.New)
	answer = compare(c, <-old, now)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.said == nil || f.size > saidLimit {
		f.said, f.size = map[question]provenance.Formatting{}, 0
	}
	f.said[q] = answer
	f.size += len(answer.Lines) + 1
	return answer
}

// form makes the form of a text, or finds it.
func (f *Formatter) form(c provenance.Comparison, hash uint64, source string) *form {
	f.mu.Lock()
	for _, k := range f.forms {
		if k.text == hash && k.size == len(source) && k.file == c.File && k.declared == c.Declared {
			f.mu.Unlock()
			return k.form
		}
	}
	f.mu.Unlock()
	made, _ := newForm(c.File, source, ForFile(c.File, source), c.Declared)
	if len(source) > formBytes {
		return made
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.forms = append(f.forms, keptForm{hash, len(source), c.File, c.Declared, made})
	if len(f.forms) > formLimit {
		f.forms = slices.Delete(f.forms, 0, 1)
	}
	return made
}

// comparison maps one form to another.
type comparison struct {
	provenance.Comparison
	old, new *form

	pairs    []int32         // by item of new: the item of old, -1: none
	hunks    []linediff.Hunk // of items that differ
	comments []int32         // the same for words of comments
	back     []int32         // by line of old: a line of new that has what is left of it, plus 1; 0: none
	inverse  []int32         // see to

	touched []bool             // by line of new: in a hunk of lines
	edited  []bool             // by line of new: the step changed it
	told    []bool             // by line of new: has a token that was mapped
	votes   [][]lineVote       // by line of new
	labels  []bool             // by line of new: all that differs is the label of a block
	placed  []bool             // by line of new: an import that was put in another place
	moved   []bool             // by line of new: it changed places with what is laid out anew
	faulty  []bool             // by line of new: what it means is not known
	fault   []bool             // by line of old
	form    []linediff.Hunk    // where the forms differ; hunks are without marks if they cannot be trusted
	first   map[int]*softToken // by line of new: its first bracket
	// The brackets of both texts, once somebody asks for them.
	oldSofts, newSofts *brackets
}

// lineVote says how much of a new line came from an old one.
type lineVote struct {
	old    int32
	weight float32
}

// add counts a token of a new line that came from an old one.
func (m *comparison) add(now, was int, weight float32) {
	for i := range m.votes[now] {
		if v := &m.votes[now][i]; int(v.old) == was {
			v.weight += weight
			return
		}
	}
	m.votes[now] = append(m.votes[now], lineVote{int32(was), weight})
}

// weight is how much of a new line came from an old one.
func (m *comparison) weight(now, was int) float32 {
	for _, v := range m.votes[now] {
		if int(v.old) == was {
			return v.weight
		}
	}
	return 0
}

// compare says what of an edit is formatting.
func compare(c provenance.Comparison, old, new *form) provenance.Formatting {
	if (old.content || new.content) && !c.Declared || (old.tree == nil) != (new.tree == nil) {
		return provenance.Formatting{}
	}
	m := newComparison(c, old, new)
	m.align()
	m.vote()
	m.edits()
	m.unread()
	m.settle()
	lines, own := m.lines()
	return provenance.Formatting{Lines: lines, Own: own, Changes: m.changes()}
}

func newComparison(c provenance.Comparison, old, new *form) *comparison {
	m := &comparison{Comparison: c, old: old, new: new}
	m.votes, m.back = make([][]lineVote, len(new.lines)), make([]int32, len(old.lines)+1)
	m.touched, m.edited = make([]bool, len(new.lines)), make([]bool, len(new.lines))
	m.labels, m.placed = make([]bool, len(new.lines)), make([]bool, len(new.lines))
	m.told, m.faulty, m.fault = make([]bool, len(new.lines)), new.faultyLines(), old.faultyLines()
	m.first = new.firstSoft()
	for _, h := range c.Hunks {
		for l := h.NewStart; l < h.NewEnd && l < len(new.lines); l++ {
			m.touched[l] = true
		}
	}
	return m
}

// align pairs the items and the words of comments of both forms.
func (m *comparison) align() {
	hashes := func(f *form) []uint64 {
		all := make([]uint64, len(f.items))
		for i := range f.items {
			all[i] = f.items[i].hash
		}
		return all
	}
	m.form = diff(hashes(m.old), hashes(m.new))
	m.hunks = m.form
	m.pairs = pair(len(m.old.items), len(m.new.items), m.hunks)
	if m.Declared && len(m.form) > 0 && (len(m.old.faults) > 0 || len(m.new.faults) > 0) {
		m.alignTokens()
	}
	words := func(f *form) []uint64 {
		all := make([]uint64, len(f.comments))
		for i, t := range f.comments {
			all[i] = hash(0, f.source[t.start:t.end])
		}
		return all
	}
	for k := range m.hunks {
		m.slide(&m.hunks[k])
	}
	m.comments = pair(len(m.old.comments), len(m.new.comments), diff(words(m.old), words(m.new)))
}

// slide moves items that were added, and that could as well be equal ones above or below,
// to lines that the line diff calls changed.
func (m *comparison) slide(h *linediff.Hunk) {
	const most = 256
	if h.OldStart != h.OldEnd || h.NewStart == h.NewEnd || m.in(*h) {
		return
	}
	up := *h
	for n := 0; n < most && up.NewStart > 0 && m.pairs[up.NewStart-1] >= 0 && m.new.items[up.NewStart-1].hash == m.new.items[up.NewEnd-1].hash; n++ {
		up.NewStart, up.NewEnd = up.NewStart-1, up.NewEnd-1
		if m.in(up) {
			for j := h.NewStart - 1; j >= up.NewStart; j-- {
				m.pairs[j+up.NewEnd-up.NewStart] = m.pairs[j]
			}
			for j := up.NewStart; j < up.NewEnd; j++ {
				m.pairs[j] = -1
			}
			up.OldStart -= h.NewStart - up.NewStart
			up.OldEnd = up.OldStart
			*h = up
			return
		}
	}
	down := *h
	for n := 0; n < most && down.NewEnd < len(m.pairs) && m.pairs[down.NewEnd] >= 0 && m.new.items[down.NewStart].hash == m.new.items[down.NewEnd].hash; n++ {
		down.NewStart, down.NewEnd = down.NewStart+1, down.NewEnd+1
		if m.in(down) {
			for j := h.NewEnd; j < down.NewEnd; j++ {
				m.pairs[j-(h.NewEnd-h.NewStart)] = m.pairs[j]
			}
			for j := down.NewStart; j < down.NewEnd; j++ {
				m.pairs[j] = -1
			}
			down.OldStart += down.NewStart - h.NewStart
			down.OldEnd = down.OldStart
			*h = down
			return
		}
	}
}

// in says whether all tokens that a hunk added are on changed lines.
func (m *comparison) in(h linediff.Hunk) bool {
	for _, i := range m.new.items[h.NewStart:h.NewEnd] {
		if i.kind == leafItem && !m.touched[m.new.line(i.start)] {
			return false
		}
	}
	return true
}

// alignTokens pairs the tokens alone: where a text could not be read, how they nest says
// nothing.
func (m *comparison) alignTokens() {
	tokens := func(f *form) (at []int, hashes []uint64) {
		for i := range f.items {
			if it := &f.items[i]; it.kind == leafItem || it.kind == looseItem {
				at = append(at, i)
				hashes = append(hashes, hash(0, f.plain(f.source[it.start:it.end])))
			}
		}
		return append(at, len(f.items)), hashes
	}
	was, x := tokens(m.old)
	now, y := tokens(m.new)
	marks := m.pairs
	m.hunks = diff(x, y)
	m.pairs = make([]int32, len(m.new.items))
	for j := range m.pairs {
		if m.pairs[j] = -1; m.new.items[j].kind == openItem {
			m.pairs[j] = marks[j]
		}
	}
	for j, i := range pair(len(x), len(y), m.hunks) {
		if i >= 0 {
			m.pairs[now[j]] = int32(was[i])
		}
	}
	for k := range m.hunks {
		h := &m.hunks[k]
		*h = linediff.Hunk{OldStart: was[h.OldStart], OldEnd: was[h.OldEnd], NewStart: now[h.NewStart], NewEnd: now[h.NewEnd]}
		m.respell(h)
	}
	m.hunks = slices.DeleteFunc(m.hunks, func(h linediff.Hunk) bool { return h == linediff.Hunk{} })
}

// plain is a token without white space, and a string without its quotes: it may be cut in
// two, and have other quotes where they mean the same. A string is no other token.
func (f *form) plain(text string) string {
	if !strings.ContainsAny(text, " \t\r\n\"'") {
		return text
	}
	class := ""
	if text[0] == '"' || text[0] == '\'' {
		class = "\x00"
	}
	quotes := f.tree != nil && f.tree.Language.Rules.Quotes
	return class + strings.Map(func(r rune) rune {
		if r == '"' || r == '\'' && quotes || r < 0x80 && isBlank(byte(r)) {
			return -1
		}
		return r
	}, text)
}

// respell pairs tokens of a hunk that are the same when they are read without a break,
// such as "> >" and ">>", and empties it.
func (m *comparison) respell(h *linediff.Hunk) {
	text := func(f *form, from, to int) (string, []int) {
		var b strings.Builder
		var at []int // by byte: the item
		for i := from; i < to; i++ {
			if it := &f.items[i]; it.kind == leafItem || it.kind == looseItem {
				b.WriteString(f.source[it.start:it.end])
				for len(at) < b.Len() {
					at = append(at, i)
				}
			}
		}
		return b.String(), at
	}
	a, was := text(m.old, h.OldStart, h.OldEnd)
	b, now := text(m.new, h.NewStart, h.NewEnd)
	if a != b {
		return
	}
	for i := len(now) - 1; i >= 0; i-- {
		m.pairs[now[i]] = int32(was[i])
	}
	*h = linediff.Hunk{}
}

// faultyLines are the lines of which the parser may not have understood what they mean.
func (f *form) faultyLines() []bool {
	lines := make([]bool, len(f.lines)+1)
	if f.tree == nil {
		return lines
	}
	for _, s := range f.faults {
		from, to := f.entity(s)
		for l := from; l <= to; l++ {
			lines[l] = true
		}
	}
	return lines
}

// diff compares two lists by numbers.
func diff(old, new []uint64) []linediff.Hunk {
	head := 0
	for head < len(old) && head < len(new) && old[head] == new[head] {
		head++
	}
	tail := 0
	for tail < len(old)-head && tail < len(new)-head && old[len(old)-1-tail] == new[len(new)-1-tail] {
		tail++
	}
	if head+tail == len(old) && head+tail == len(new) {
		return nil
	}
	numbers := map[uint64]uint32{}
	number := func(list []uint64) []uint32 {
		ids := make([]uint32, len(list))
		for i, h := range list {
			id, ok := numbers[h]
			if !ok {
				id = uint32(len(numbers))
				numbers[h] = id
			}
			ids[i] = id
		}
		return ids
	}
	a, b := number(old[head:len(old)-tail]), number(new[head:len(new)-tail])
	hunks := linediff.Numbered(linediff.Text{IDs: a}, linediff.Text{IDs: b}, linediff.Options{})
	for i := range hunks {
		hunks[i].OldStart += head
		hunks[i].OldEnd += head
		hunks[i].NewStart += head
		hunks[i].NewEnd += head
	}
	return hunks
}

// pair gives every new item the old one that it is, -1 to those in a hunk.
func pair(old, new int, hunks []linediff.Hunk) []int32 {
	pairs := make([]int32, new)
	at, from := 0, 0
	for _, h := range append(slices.Clip(hunks), linediff.Hunk{OldStart: old, OldEnd: old, NewStart: new, NewEnd: new}) {
		for ; at < h.NewStart; at, from = at+1, from+1 {
			pairs[at] = int32(from)
		}
		for ; at < h.NewEnd; at++ {
			pairs[at] = -1
		}
		from = h.OldEnd
	}
	return pairs
}

// vote counts for every new line from which old lines its tokens came.
func (m *comparison) vote() {
	newLines, oldLines := liner{m.new.lines, 0}, liner{m.old.lines, 0}
	add := func(now, was uint32, nowText, wasText string) {
		n, o := newLines.line(now), oldLines.line(was)
		weight := float32(min(len(nowText), 12))
		lines := 0
		if len(nowText) > 1 {
			if lines = strings.Count(nowText, "\n"); lines > 0 && lines != strings.Count(wasText, "\n") {
				lines = 0
			}
		}
		for i := range lines + 1 {
			if n+i >= len(m.told) {
				break
			}
			m.told[n+i] = true
			m.add(n+i, o+i, weight)
			m.back[o+i] = int32(n + i + 1)
		}
	}
	for j, i := range m.pairs {
		if now := &m.new.items[j]; i >= 0 && (now.kind == leafItem || now.kind == looseItem) {
			was := &m.old.items[i]
			add(now.start, was.start, m.new.source[now.start:now.end], m.old.source[was.start:was.end])
		}
	}
	for j, i := range m.comments {
		if i >= 0 {
			now, was := m.new.comments[j], m.old.comments[i]
			add(now.start, was.start, m.new.source[now.start:now.end], m.old.source[was.start:was.end])
		}
	}
}

// edits finds the lines that the step changed.
func (m *comparison) edits() {
	for _, h := range m.hunks {
		added := false
		for j := h.NewStart; j < h.NewEnd; j++ {
			if m.pairs[j] < 0 && !(m.tokens() && m.new.items[j].kind != leafItem) && !m.layoutOfMacro(m.new, j) {
				m.mark(m.new.items[j])
				added = added || m.new.items[j].kind == leafItem
			}
		}
		if !added && h.OldEnd > h.OldStart && !(m.tokens() && m.marksOnly(h)) && !m.layoutOfMacros(h) {
			m.gone(h)
		}
	}
	m.commentEdits()
	if m.Declared {
		m.importMoves()
	}
}

// unread looks again at lines that the parser may not have understood: where the language
// has tokens that prove layout by themselves, they say what is what.
func (m *comparison) unread() {
	if m.Declared || m.new.tree == nil || m.new.tree.Language.Rules.Tokens == nil || !slices.Contains(m.faulty, true) {
		return
	}
	n := newComparison(m.Comparison, m.old.tokens(), m.new.tokens())
	n.align()
	n.vote()
	n.edits()
	for l, faulty := range m.faulty {
		if faulty {
			m.edited[l], m.told[l], m.votes[l], m.labels[l] = n.edited[l], n.told[l], n.votes[l], n.labels[l]
		}
	}
	clear(m.faulty)
}

// tokens is the form of the text by its tokens alone.
func (f *form) tokens() *form {
	g := &form{source: f.source, lines: f.lines, comments: f.comments}
	g.strict(f.tree.Language.Rules.Tokens(f.source))
	return g
}

// layoutOfMacro says that an item is a bracket or comma in what is given to a macro: it may
// carry meaning, which is reported, but a step that says that it formats has not written the
// line for that.
func (m *comparison) layoutOfMacro(f *form, item int) bool {
	it := &f.items[item]
	if !m.Declared || f.tree == nil || it.kind != leafItem || it.end-it.start != 1 || strings.IndexByte(",(){}", f.source[it.start]) < 0 {
		return false
	}
	for n := int(it.node); n > 0; n = int(f.tree.Nodes[n].Parent) {
		if f.tree.rule(n)&isOpaque != 0 {
			return true
		}
	}
	return false
}

// layoutOfMacros says that nothing else is gone in a hunk.
func (m *comparison) layoutOfMacros(h linediff.Hunk) bool {
	for i := h.OldStart; i < h.OldEnd; i++ {
		if !m.layoutOfMacro(m.old, i) {
			return false
		}
	}
	return true
}

// gone says that items are no more and none took their place: what is left beside them of
// their lines is edited. Where whole lines went, nothing is.
func (m *comparison) gone(h linediff.Hunk) {
	from, to := m.old.line(m.old.items[h.OldStart].at()), m.old.line(m.old.items[h.OldEnd-1].at())
	for i := h.OldStart - 1; i >= 0; i-- {
		if it := &m.old.items[i]; it.kind == leafItem {
			if j := m.to(i); j >= 0 && m.old.line(it.end-1) == from {
				m.edited[m.new.line(m.new.items[j].end-1)] = true
				return
			}
			break
		}
	}
	for i := h.OldEnd; i < len(m.old.items); i++ {
		if it := &m.old.items[i]; it.kind == leafItem {
			if j := m.to(i); j >= 0 && m.old.line(it.start) == to {
				m.edited[m.new.line(m.new.items[j].start)] = true
			}
			return
		}
	}
}

// at is the byte at which an item is.
func (i *item) at() uint32 {
	if i.kind == closeItem && i.end > i.start {
		return i.end - 1
	}
	return i.start
}

// to is the new item that an old one is, -1 if it is gone.
func (m *comparison) to(old int) int {
	if m.inverse == nil {
		m.inverse = make([]int32, len(m.old.items))
		for j, i := range m.pairs {
			if i >= 0 {
				m.inverse[i] = int32(j + 1)
			}
		}
	}
	return int(m.inverse[old]) - 1
}

// importMoves takes lines of imports that a step which says that it formats put in
// another order for what they were, where the tree does not show it.
func (m *comparison) importMoves() {
	lines := func(f *form, start, end int, yield func(l int, text string)) {
		for l := start; l < end && l < len(f.lines); l++ {
			text := strings.TrimSpace(f.text(l))
			for _, word := range []string{"#include", "import ", "from ", "use ", "using "} {
				if strings.HasPrefix(text, word) {
					yield(l, text)
				}
			}
		}
	}
	was := map[string]int{}
	for _, h := range m.Hunks {
		lines(m.old, h.OldStart, h.OldEnd, func(l int, text string) { was[text] = l })
	}
	for _, h := range m.Hunks {
		lines(m.new, h.NewStart, h.NewEnd, func(l int, text string) {
			if o, ok := was[text]; ok && m.edited[l] {
				m.edited[l], m.told[l] = false, true
				m.votes[l] = []lineVote{{int32(o), 1}}
			}
		})
	}
}

// tokens says whether the tokens alone are compared.
func (m *comparison) tokens() bool {
	return m.Declared && (len(m.old.faults) > 0 || len(m.new.faults) > 0)
}

// mark says that a new item is the step's.
func (m *comparison) mark(i item) {
	switch i.kind {
	case leafItem:
		for l := m.new.line(i.start); l <= m.new.line(max(i.start, i.end-1)); l++ {
			m.edited[l] = true
		}
	case openItem:
		m.edited[m.new.line(i.start)] = true
	case closeItem:
		m.edited[m.new.line(max(i.start, i.end-1))] = true
	}
}

func (m *comparison) marksOnly(h linediff.Hunk) bool {
	leaf := func(i item) bool { return i.kind == leafItem || i.kind == looseItem }
	return !slices.ContainsFunc(m.old.items[h.OldStart:h.OldEnd], leaf) && !slices.ContainsFunc(m.new.items[h.NewStart:h.NewEnd], leaf)
}

// commentEdits finds the lines of which the words of comments changed.
func (m *comparison) commentEdits() {
	kept := make([]bool, len(m.old.comments))
	labels := labeller{comparison: m}
	for j, i := range m.comments {
		if i >= 0 {
			kept[i] = true
			continue
		}
		l := m.new.line(m.new.comments[j].start)
		if !labels.labelled(l, -1) && (!m.Declared || !m.told[l] && m.first[l] == nil) {
			m.edited[l] = true
		}
	}
	for i, k := range kept {
		was := m.old.line(m.old.comments[i].start)
		if l := int(m.back[was]) - 1; !k && !m.Declared && l >= 0 && !labels.labelled(l, was) {
			m.edited[l] = true
		}
	}
	labels.place()
}

// moves looks for lines that changed places, of which the line diff and the forms take
// another one each for the line that stayed. The step that moved them must not be lost: of
// two lines that are what they were it is the one that the line diff calls new, else the one
// that the forms do.
func (m *comparison) moves() {
	if !slices.Contains(m.edited, true) {
		return
	}
	unchanged := m.unchanged()
	stayed, kept := make([]int, len(m.new.lines)), make([]int, len(m.new.lines)) // old lines by the line diff alone, and by the forms alone; -1: none
	for l := range stayed {
		stayed[l], kept[l] = -1, -1
		switch {
		case m.faulty[l]:
		case m.edited[l] && !m.touched[l]:
			stayed[l] = unchanged[l]
		case m.touched[l] && m.told[l] && !m.edited[l]:
			if was := m.best(l); len(was) > 0 {
				kept[l] = was[0]
			}
		}
	}
	for l, crossed := range crossing(kept, stayed, len(m.old.lines)) {
		if crossed && m.old.text(kept[l]) == m.new.text(l) {
			m.edited[l], kept[l] = true, -1
		}
	}
	m.moved = crossing(stayed, kept, len(m.old.lines))
}

// crossing says which lines that one side pairs with an old one changed places with a line
// that the other side does: -1 is no old line, of which there are so many.
func crossing(one, other []int, lines int) []bool {
	crossed := make([]bool, len(one))
	above, below := -1, lines // of the other side: the last old line so far, and the first one
	for l, o := range one {
		crossed[l] = o >= 0 && o < above
		above = max(above, other[l])
	}
	for l := len(one) - 1; l >= 0; l-- {
		crossed[l] = crossed[l] || one[l] > below
		if other[l] >= 0 {
			below = min(below, other[l])
		}
	}
	return crossed
}

// unchanged is where the line diff has a new line, -1 if it has changed or is new.
func (m *comparison) unchanged() []int {
	unchanged := make([]int, len(m.new.lines))
	at, from := 0, 0
	for _, h := range append(slices.Clip(m.Hunks), linediff.Hunk{OldStart: len(m.old.lines), NewStart: len(m.new.lines)}) {
		for ; at < h.NewStart && at < len(unchanged); at, from = at+1, from+1 {
			unchanged[at] = from
		}
		for ; at < h.NewEnd && at < len(unchanged); at++ {
			unchanged[at] = -1
		}
		from = h.OldEnd
	}
	return unchanged
}

// count is the number of lines: what stands behind the last line end is one only if it is
// something.
func (f *form) count() int {
	if n := len(f.lines) - 1; int(f.lines[n]) == len(f.source) {
		return n
	}
	return len(f.lines)
}

// text is a line without its end.
func (f *form) text(line int) string {
	return strings.TrimRight(f.source[f.lines[line]:f.lineEnd(line)], "\r\n")
}

// lineEnd is the byte behind the end of a line.
func (f *form) lineEnd(line int) uint32 {
	if line+1 < len(f.lines) {
		return f.lines[line+1]
	}
	return uint32(len(f.source))
}

// best are the old lines that a new one came from, those with a quarter of its tokens.
func (m *comparison) best(line int) []int {
	votes := slices.Clone(m.votes[line])
	total := float32(0)
	for _, v := range votes {
		total += v.weight
	}
	slices.SortFunc(votes, func(a, b lineVote) int { return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.old, b.old)) })
	var old []int
	for i, v := range votes {
		if i > 0 && 4*v.weight < total {
			break
		}
		old = append(old, int(v.old))
	}
	return old
}

// lines are the new lines that are old ones in another layout, and those that are the
// step's although the line diff takes them for old ones.
func (m *comparison) lines() (all []provenance.FormattedLine, own []int) {
	unchanged := m.unchanged()
	for l := range m.new.count() {
		if m.edited[l] || m.faulty[l] && !m.Declared {
			continue
		}
		switch {
		case m.told[l]:
			was := m.best(l)
			if m.touched[l] || m.sure() && len(was) > 0 && unchanged[l] != was[0] && m.weight(l, unchanged[l]) == 0 {
				all = append(all, provenance.FormattedLine{New: l, Old: was, Reordered: m.placed[l]})
			}
		case !m.touched[l]:
		case m.first[l] != nil:
			if was := m.bracket(m.first[l]); was >= 0 {
				all = append(all, provenance.FormattedLine{New: l, Old: []int{was}})
			}
		default:
			if was := m.blank(l, unchanged); was >= 0 {
				all = append(all, provenance.FormattedLine{New: l, Old: []int{was}})
			}
		}
	}
	claimed := map[int]bool{}
	for _, l := range all {
		claimed[l.Old[0]] = true
	}
	m.join(all)
	for l, e := range m.edited {
		if e && !m.touched[l] && l < len(unchanged) && (claimed[unchanged[l]] || m.moved != nil && m.moved[l]) {
			own = append(own, l)
		}
	}
	return all, own
}

// sure says that all tokens are mapped: nothing was added and nothing is gone.
func (m *comparison) sure() bool { return len(m.form) == 0 || m.Declared && len(m.hunks) == 0 }

// blank is the old line to which a new line without tokens belongs, -1 if it came with
// an edit: a blank line of a changed place is the step's like the place itself.
func (m *comparison) blank(line int, unchanged []int) int {
	above, below := line-1, line+1
	for above >= 0 && !m.told[above] && strings.TrimSpace(m.new.text(above)) == "" {
		above--
	}
	for below < len(m.told) && !m.told[below] && strings.TrimSpace(m.new.text(below)) == "" {
		below++
	}
	if above >= 0 && m.edited[above] || below < len(m.told) && m.edited[below] {
		return -1
	}
	if !m.Declared && !m.sure() && (above < 0 || !m.touched[above]) && (below >= len(m.told) || !m.touched[below]) {
		return -1 // the step did no more here than to add a line
	}
	for _, near := range []int{above, below} {
		if near < 0 || near >= len(m.told) {
			continue
		}
		old := -1
		switch {
		case unchanged[near] >= 0:
			old = unchanged[near]
		case m.told[near]:
			old = slices.Max(m.best(near))
		case m.first[near] != nil:
			old = m.bracket(m.first[near])
		}
		switch {
		case old < 0:
		case near == above && old+1 < m.old.count() && strings.TrimSpace(m.old.text(old+1)) == strings.TrimSpace(m.new.text(line)):
			return old + 1
		default:
			return old
		}
	}
	return -1
}

// entity widens a span to the smallest node of some lines around it: as far as what the
// parser could not read may have led it astray.
func (f *form) entity(s span) (from, to int) {
	const most = 200
	n := f.tree.At(int(s.start), int(s.start))
	for n > 0 {
		p := int(f.tree.Nodes[n].Parent)
		if p == 0 || f.line(f.tree.Nodes[p].End)-f.line(f.tree.Nodes[p].Start) > most {
			break
		}
		n = p
	}
	from, to = f.line(s.start), f.line(min(s.end, uint32(len(f.source))))
	if n > 0 {
		from, to = min(from, f.line(f.tree.Nodes[n].Start)), max(to, f.line(f.tree.Nodes[n].End))
	}
	return from, to
}
