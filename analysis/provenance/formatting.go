package provenance

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/linediff"
)

// Formatter tells what an edit only laid out anew from what it changed. It is asked once
// for each edit, never while somebody types, and must be safe for concurrent use.
type Formatter interface {
	// Proves says whether an edit of the file may turn out to be formatting although the
	// step does not say so. It depends on the name alone.
	Proves(file string) bool
	Formatting(Comparison) Formatting
}

// Comparison is the question: a file before and after an edit.
type Comparison struct {
	File     string // its name, which tells the language
	Old, New string
	Hunks    []linediff.Hunk // where the lines differ
	Declared bool            // the step says that it formats: [Edit].Formats
}

// Formatting is the answer. The zero value says that the edit changed all that it
// touched.
type Formatting struct {
	// Lines are the lines of New that are old ones in another layout or order, in order.
	Lines []FormattedLine
	// Own are lines of New that the edit added although an equal line of Old stands in
	// their place: that one is now another line.
	Own []int
	// Changes are places where a step that says that it formats changed what the file
	// means, in order. A file that cannot be judged has none.
	Changes []MeaningChange
}

// FormattedLine is a line that came of the layout of others.
type FormattedLine struct {
	New int   // 0-based
	Old []int // the lines that its tokens came from, 0-based, the one with most first
	// Reordered: it is an import that the edit put in another place of its block, of which
	// the order may carry meaning.
	Reordered bool
}

// MeaningChange is one place.
type MeaningChange struct {
	Old, New         string // what became what, on one line, shortened
	OldStart, OldEnd int    // bytes of the text before
	NewStart, NewEnd int    // bytes of the text after
	Nesting          bool   // Old and New read the same: what they belong to changed

	// In a [Projection]: who did it, and the line where New begins, as the step left it.
	Edit int
	Step StepID
	Line LineID
}

// Words is a sentence for people about what actor did.
func (c MeaningChange) Words(actor string) string {
	if c.Nesting {
		return fmt.Sprintf("formatting step changes meaning: %s made `%s` part of something else", actor, c.New)
	}
	return fmt.Sprintf("formatting step changes meaning: %s turned `%s` into `%s`", actor, c.Old, c.New)
}

// FormatLimit bounds the bytes that are given to a [Formatter] in one projection. The
// edits behind it count as real ones.
const FormatLimit = 64 << 20

// layout is what a replay needs to tell layout from edits.
type layout struct {
	file      string
	formatter Formatter
	proves    bool
	left      int // of FormatLimit
}

func newLayout(h History) layout {
	l := layout{file: h.File, formatter: h.Formatter, left: FormatLimit}
	l.proves = l.formatter != nil && l.formatter.Proves(l.file)
	return l
}

// point is where a replay stands before an edit.
type point struct {
	changes, lines int
	fresh          LineID // the first ident that the edit makes
	known          bool
}

func (r *replay) point() point {
	return point{len(r.p.changes), len(r.lines), LineID(len(r.p.idents)), r.known && (!r.doubt || r.guess != nil)}
}

// formatting asks the formatter about the edit since from, and makes idents of kind
// [Format] of the lines that it only laid out anew.
func (r *replay) formatting(e *Edit, from point) {
	changes := r.p.changes[from.changes:]
	switch {
	case r.layout.formatter == nil, !from.known, !r.known, r.doubt && r.guess == nil, r.absent, len(changes) == 0, from.lines == 0, len(r.lines) == 0:
		return
	case !e.Formats && !(r.layout.proves && r.mayFormat(changes)):
		return
	}
	was := r.undone(changes, from)
	if was == nil {
		return
	}
	hunks := r.differences(was)
	if len(hunks) == 0 {
		return
	}
	old, now := string(r.content(was)), string(r.content(r.lines))
	if r.layout.left -= len(old) + len(now); r.layout.left < 0 {
		return
	}
	answer := r.layout.formatter.Formatting(Comparison{File: r.layout.file, Old: old, New: now, Hunks: hunks, Declared: e.Formats})
	unchanged := make([]bool, len(r.lines))
	at := 0
	for _, h := range append(hunks, closing(len(was), len(r.lines))) {
		for ; at < h.NewStart; at++ {
			unchanged[at] = true
		}
		at = h.NewEnd
	}
	for _, l := range answer.Lines {
		if l.New < 0 || l.New >= len(r.lines) || len(l.Old) == 0 || slices.ContainsFunc(l.Old, func(o int) bool { return o < 0 || o >= len(was) }) {
			continue
		}
		if unchanged[l.New] && was[l.Old[0]] == r.lines[l.New] {
			continue
		}
		kind := Format
		if l.Reordered {
			kind = Reorder
		}
		r.lines[l.New] = r.laidOut(r.lines[l.New], kind, was, l.Old)
	}
	for _, l := range answer.Own {
		if l >= 0 && l < len(r.lines) && unchanged[l] {
			r.lines[l] = r.again(r.lines[l], Add)
		}
	}
	for _, c := range answer.Changes {
		c.Edit, c.Step = r.now, r.step
		if l := strings.Count(now[:c.NewStart], "\n"); l < len(r.lines) {
			c.Line = r.lines[l]
		}
		r.p.Meanings = append(r.p.Meanings, c)
	}
}

// laidOut is the line now, made of old ones.
func (r *replay) laidOut(now LineID, kind Kind, was []LineID, from []int) LineID {
	if int(r.p.idents[now].edit) != r.now+1 {
		// The line diff took it for another line of the same text.
		now = r.again(now, kind)
	}
	ident := &r.p.idents[now]
	ident.Kind, ident.Prev = kind, was[from[0]]
	if len(from) > 1 {
		if r.p.joined == nil {
			r.p.joined = map[LineID][]LineID{}
		}
		for _, o := range from[1:] {
			r.p.joined[now] = append(r.p.joined[now], was[o])
		}
	}
	return now
}

// again is an ident of the current edit with the text of another one.
func (r *replay) again(id LineID, kind Kind) LineID {
	ident := r.p.idents[id]
	ident.Step, ident.Prev, ident.Kind, ident.Conf, ident.edit = r.step, 0, kind, r.conf(kind), uint32(r.now+1)
	r.p.idents = append(r.p.idents, ident)
	return LineID(len(r.p.idents) - 1)
}

// undone is the version before an edit that made changes: nil if that does not follow from
// them, since the edit went on from a content that it found.
func (r *replay) undone(changes []change, from point) []LineID {
	below := map[LineID][]int{}
	for i, c := range changes {
		below[c.above] = append(below[c.above], i)
	}
	was := make([]LineID, 0, from.lines)
	put := func(above LineID) {
		for _, i := range below[above] {
			was = append(was, r.p.gone[changes[i].gone[0]:changes[i].gone[1]]...)
		}
	}
	put(0)
	for _, id := range r.lines {
		if id < from.fresh {
			was = append(was, id)
		}
		put(id)
	}
	if len(was) != from.lines || slices.ContainsFunc(was, func(id LineID) bool { return id >= from.fresh }) {
		return nil
	}
	return was
}

// differences are where the current version and the one before have other idents. Lines
// that both have stand in one order.
func (r *replay) differences(was []LineID) []linediff.Hunk {
	now := r.lines
	head := 0
	for head < len(was) && head < len(now) && was[head] == now[head] {
		head++
	}
	tail := 0
	for tail < len(was)-head && tail < len(now)-head && was[len(was)-1-tail] == now[len(now)-1-tail] {
		tail++
	}
	oldEnd, newEnd := len(was)-tail, len(now)-tail
	place := make(map[LineID]int, oldEnd-head)
	for i := head; i < oldEnd; i++ {
		place[was[i]] = i
	}
	var hunks []linediff.Hunk
	at, from := head, head // behind the last line that both have
	for i := head; i < newEnd; i++ {
		o, ok := place[now[i]]
		if !ok || o < at {
			continue
		}
		if o > at || i > from {
			hunks = append(hunks, linediff.Hunk{OldStart: at, OldEnd: o, NewStart: from, NewEnd: i})
		}
		at, from = o+1, i+1
	}
	if at < oldEnd || from < newEnd {
		hunks = append(hunks, linediff.Hunk{OldStart: at, OldEnd: oldEnd, NewStart: from, NewEnd: newEnd})
	}
	return hunks
}

// mayFormat looks at the changed lines alone: whether one of them is an old one with
// other white space or brackets, or was joined or split. It spares most edits the
// formatter.
func (r *replay) mayFormat(changes []change) bool {
	const most = 1 << 16 // bytes of lines among which joined ones are looked for
	for _, c := range changes {
		if c.gone[0] == c.gone[1] || c.came == c.last {
			continue
		}
		var before, after []string
		known := map[string]bool{}
		starts := map[int]bool{0: true}
		at := 0
		for _, id := range r.p.gone[c.gone[0]:c.gone[1]] {
			if l := ink(r.p.Text(id)); l != "" {
				before, known[l] = append(before, l), true
				at += len(l)
				starts[at] = true
			}
		}
		for id := c.came; id < c.last; id++ {
			l := ink(r.p.Text(id))
			if known[l] {
				return true
			}
			if l != "" {
				after = append(after, l)
			}
		}
		if len(before) == 0 || len(after) == 0 {
			continue
		}
		if at > most {
			return true
		}
		whole := strings.Join(before, "")
		for i, l := range after {
			if at := strings.Index(whole, l); at >= 0 && starts[at] && starts[at+len(l)] {
				return true
			}
			if i > 0 && strings.Contains(whole, after[i-1]+l) {
				return true
			}
		}
	}
	return false
}

// ink is a line without white space and without what formatters add and drop.
func ink(line string) string {
	b := make([]byte, 0, 128)
	for i := range len(line) {
		if c := line[i]; !isLayout[c] {
			b = append(b, c)
		}
	}
	return string(b)
}

var isLayout = func() (table [256]bool) {
	for _, c := range []byte(" \t\r\f\v,;(){}\"'\\") {
		table[c] = true
	}
	return table
}()

// Joined are the lines besides Prev from which a line of kind [Format] or [Reorder] came.
func (p *Projection) Joined(id LineID) []LineID { return p.joined[id] }
