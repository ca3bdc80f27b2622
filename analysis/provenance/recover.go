package provenance

import (
	"slices"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/linediff"
)

// Recover replays h once more, of which p is the exact replay, for a file whose
// text is now text. Where p lost its way it places what it can: diffs where most
// of them fits, forward from what is known, and backward from the text. What it
// finds is graded ([Projection.Grade]); what it does not find is unrecorded.
//
// The head of the result is p's if that is known, else text. p itself is returned
// if it lost nothing, and if text seems to be of another file.
func (p *Projection) Recover(h History, text string) *Projection {
	if p.complete() || len(text) >= MaxContent {
		return p
	}
	if p.Known {
		text = p.HeadText()
	}
	h = h.complete()
	s := newScript(h)
	c := recovery{h: h, text: text, noBase: h.Base == nil}
	if p.Anchored {
		c.forward = forward(h, newGuesser(s, nil))
	}
	c.undo(s)
	if !p.Anchored {
		// What the undoing of everything leaves is what the base may have been.
		start := c.backward.start()
		from := h
		from.Base = &start
		c.forward = forward(from, backGuesser(s, c.backward))
		c.undo(s)
	}
	q := c.project()
	q.Problems = p.Problems
	if q.otherFile() && (p.Anchored || !c.backward.isOf()) {
		return p
	}
	return q
}

// isOf says that most hunks that tell anything were there as a whole: the text is of the file
// that they speak of, even if they wrote little of it.
func (b *backward) isOf() bool {
	telling, there := 0, 0
	for k := range b.hunks {
		if b.sum(b.hunks[k].new) >= tellingWeight {
			telling++
			if b.sure[k] {
				there++
			}
		}
	}
	return there > 0 && 2*there >= telling
}

// complete says that every edit was replayed.
func (p *Projection) complete() bool {
	lost := func(problem Problem) bool { return problem.Lost > 0 }
	return p.Known && !slices.ContainsFunc(p.Problems, lost)
}

// otherFile says that so little of the head is accounted for that the record seems
// to be of another file.
func (p *Projection) otherFile() bool {
	lines, known := 0, 0
	for i, line := range p.headLines(0, len(p.head)) {
		if telling(line) {
			lines++
			if p.Grade(p.head[i]) != GradeUnrecorded {
				known++
			}
		}
	}
	return lines >= MinLines && 100*known < MinShare*lines
}

// forward replays h and guesses where it has to.
func forward(h History, g *guesser) *replay {
	r := newReplay(h)
	r.guess = g
	r.numbers = &lineNumbers{symbols: g.finder.symbols}
	if h.Claims != nil {
		r.before = map[int][]LineID{}
	}
	if g.hints != nil {
		r.cap = mostFuzzy // the base is a guess
	}
	r.run(h)
	for k := range g.blind {
		if g.blind[k] {
			g.spots[k] = -1
		}
	}
	return r
}

// backGuesser knows what a backward pass has found.
func backGuesser(s *script, b *backward) *guesser {
	g := newGuesser(s, b.spots)
	g.blind = b.blind
	return g
}

// recovery puts together what the replays in both directions say.
type recovery struct {
	h        History
	text     string
	noBase   bool
	forward  *replay
	backward *backward
}

// undo runs the backward pass, which knows what the forward one found if there was
// one.
func (c *recovery) undo(s *script) {
	c.backward = newBackward(c.h, s, c.text)
	if c.forward != nil {
		c.backward.hints, c.backward.every = c.forward.guess.spots, c.forward.guess.every
	}
	c.backward.run()
}

// project makes the projection whose head is the text.
func (c *recovery) project() *Projection {
	r := c.forward
	b := c.backward
	chains := c.emit()
	pieces := cut(r.source(c.text), c.text)
	said := c.said(pieces)
	head := make([]LineID, len(pieces))
	claims := c.claims()
	for i, line := range pieces {
		ident := c.decide(said[i], &b.asked[i], chains[i])
		if claim, ok := claims[i]; ok && ident.Kind == Unrecorded {
			ident = claim
		}
		ident.source, ident.from, ident.to = line.source, line.from, line.to
		ident.Flags &^= NoEOL
		if line.noEOL {
			ident.Flags |= NoEOL
		}
		r.p.idents = append(r.p.idents, ident)
		head[i] = LineID(len(r.p.idents) - 1)
	}
	r.find(head)
	r.lastGap = c.lastUnplaced()
	r.p.alias = said
	return r.finish()
}

// claims are the idents of the lines that edits claim without a diff.
func (c *recovery) claims() map[int]Ident {
	if c.h.Claims == nil {
		return nil
	}
	idents := map[int]Ident{}
	for _, claim := range c.h.Claims(c.text) {
		conf := uint8(confStructural)
		if claim.Inferred {
			conf = confInferredName
		}
		prev := c.was(claim.Was)
		kind := Add
		switch {
		case claim.Moved:
			kind = Move
		case claim.LaidOut && prev == 0:
			continue
		case claim.LaidOut && c.h.Formatter != nil:
			kind = Format
		case prev != 0:
			kind = Modify
		}
		idents[claim.Line] = Ident{Step: c.h.Edits[claim.Edit].Step, Kind: kind, Prev: prev, Conf: conf, edit: uint32(claim.Edit + 1)}
	}
	return idents
}

// was is the ident of an old line, 0 if the forward replay knows none with that text.
func (c *recovery) was(l *OldLine) LineID {
	if l == nil {
		return 0
	}
	lines := c.forward.before[l.Edit]
	if l.Line < 0 || l.Line >= len(lines) || plain(c.forward.p.Text(lines[l.Line])) != plain(l.Text) {
		return 0
	}
	return lines[l.Line]
}

// lastUnplaced is the last edit, as in Ident.edit, of which neither direction could
// make anything.
func (c *recovery) lastUnplaced() uint32 {
	floated := map[int]bool{}
	for _, k := range c.forward.guess.floated {
		floated[k] = true
	}
	last := 0
	for _, k := range c.backward.floated {
		if floated[k] {
			last = max(last, int(c.backward.hunks[k].edit)+1)
		}
	}
	for i := len(c.h.Edits) - 1; i >= last; i-- {
		e := &c.h.Edits[i]
		hunks := c.backward.first[i+1] - c.backward.first[i]
		if silent(e) || e.HasRaw && e.Whole == nil && !e.Delete && e.Raw != "" && hunks == 0 {
			return uint32(i + 1)
		}
	}
	return uint32(last)
}

// said is what the forward replay says of each line: an ident, or 0.
func (c *recovery) said(pieces []piece) []LineID {
	r := c.forward
	said := make([]LineID, len(pieces))
	if !r.anchored {
		return said
	}
	now := make([][]byte, len(pieces))
	for i, line := range pieces {
		now[i] = []byte(plain(r.text(line)))
	}
	p := &Projection{idents: r.p.idents, sources: r.p.sources, head: r.lines}
	at, was := 0, 0
	for _, h := range append(linediff.Lines(p.headLines(0, len(r.lines)), now, linediff.Options{IndentHeuristic: true}), closing(len(r.lines), len(now))) {
		for ; at < h.NewStart; at, was = at+1, was+1 {
			said[at] = r.lines[was]
		}
		at, was = h.NewEnd, h.OldEnd
	}
	return said
}

// emit makes idents of the lines before those of the text that the backward pass
// found, and returns for each line of the text the one it replaced.
func (c *recovery) emit() []LineID {
	b, r := c.backward, c.forward
	ids := make([]LineID, len(b.asked))
	raws := map[int32]uint32{}
	for i := len(b.asked) - 1; i >= 0; i-- {
		s := &b.asked[i]
		prev := LineID(0)
		if s.prev >= 0 {
			prev = ids[s.prev]
		}
		if i < b.atEnd {
			ids[i] = prev
			continue
		}
		if s.edit < 0 {
			ids[i] = prev
			continue
		}
		r.begin(int(s.edit), c.h.Edits[s.edit].Step)
		var line piece
		if s.parts {
			text := b.texts[s.sym]
			line = piece{r.source(text), 0, uint32(len(text)), false}
		} else {
			source, ok := raws[s.edit]
			if !ok {
				source = r.source(c.h.Edits[s.edit].Raw)
				raws[s.edit] = source
			}
			line = piece{source, s.from, s.to, false}
		}
		ids[i] = r.ident(line, s.kind, prev)
		r.p.idents[ids[i]].Conf = s.conf
	}
	return ids[:b.atEnd]
}

// decide is the ident of a line of the text: said by the forward, found by the
// backward replay. Of a line that was laid out anew it is that layout, behind which its
// author stands.
func (c *recovery) decide(said LineID, found *slot, prev LineID) Ident {
	ident, forward := c.choose(said, found, prev)
	if forward && ident.Kind != Unrecorded && c.forward.p.idents[said].Kind.isLayout() {
		layout := c.forward.p.idents[said]
		layout.Conf = min(layout.Conf, ident.Conf)
		if ident.Kind == Base {
			layout.Conf = min(c.forward.p.idents[said].Conf, mostFuzzy)
		}
		return layout
	}
	return ident
}

// laidOut says that the forward replay knows that an edit only laid a line out anew.
func (c *recovery) laidOut(id LineID, edit int32) bool {
	for idents := c.forward.p.idents; id != 0; id = idents[id].Prev {
		switch k := idents[id].Kind; {
		case k.isLayout() && idents[id].edit == uint32(edit+1):
			return true
		case !k.Keeps():
			return false
		}
	}
	return false
}

// choose is the ident of the author of a line, and whether that is what the forward replay
// said.
func (c *recovery) choose(said LineID, found *slot, prev LineID) (ident Ident, forward bool) {
	var f Ident
	if said != 0 {
		f = c.forward.p.idents[c.forward.p.Owner(said)]
		f.Conf = min(f.Conf, c.forward.p.idents[said].Conf)
		if f.Kind == Base && c.noBase {
			f = Ident{Kind: Unrecorded}
		}
	}
	names := said != 0 && f.Kind != Base && f.Kind != Unrecorded && f.Conf > confBlind
	if f.Conf == confBlind {
		f = Ident{Kind: Unrecorded}
	}
	little := c.backward.weight[found.sym] <= littleWeight
	if names && f.Conf >= leastExact {
		f.Conf = mostFuzzy // nothing has confirmed it yet
	}
	if found.edit < 0 {
		switch {
		case said == 0:
			return Ident{Kind: Unrecorded, Prev: prev}, false
		case names && little:
			f.Conf = min(f.Conf, confUnseen)
		}
		return f, said != 0
	}
	back := Ident{Step: c.h.Edits[found.edit].Step, Prev: prev, Kind: found.kind, edit: uint32(found.edit + 1), Conf: min(found.conf, mostFuzzy)}
	if found.conf == confOverwritten {
		back.Flags = Overwrite
	}
	formats := c.h.Edits[found.edit].Formats
	if formats {
		// Without what stood there before it is likely that the line is older.
		back.Conf = min(back.Conf, confUnseen)
	}
	switch {
	case c.laidOut(said, found.edit):
		if names {
			f.Conf = c.agreed(f.Conf, back.Conf)
		}
		return f, true
	case f.Kind == Base && said != 0 && (little || back.Conf < confFound):
		return f, true
	case !names:
		if little && back.Conf < confFound {
			back.Conf = min(back.Conf, confUnseen)
		}
		return back, false
	case f.Step == back.Step && formats:
		return f, true
	case f.Step == back.Step:
		f.Conf = c.agreed(f.Conf, back.Conf)
		return f, true
	case f.Conf > back.Conf+10 || f.Conf+10 >= back.Conf && f.edit > back.edit:
		if little {
			return Ident{Kind: Unrecorded, Prev: prev}, false // either is as likely to be wrong
		}
		f.Conf = min(f.Conf, confDoubtful)
		return f, true
	case back.Conf >= confFound:
		back.Conf = confDisputed // it is about what is there now
	default:
		back.Conf = min(back.Conf, confDoubtful)
	}
	return back, false
}

const (
	// littleWeight is the most that a line weighs that is everywhere.
	littleWeight = 4
	// confUnseen is for such a line if one direction alone found it. Of lines that they
	// give to different steps, confDisputed is for those of hunks that the undoing found as
	// a whole, confDoubtful for the others.
	confUnseen   = 110
	confDisputed = 132
	confDoubtful = 115
)

// agreed is the confidence in a step that both directions name. Found as a whole
// and in one place only, from the base on and from the end back, is exact.
func (c *recovery) agreed(forward, backward uint8) uint8 {
	if !c.noBase && forward >= confPlaced && backward >= confFound {
		return confExact
	}
	return min(mostFuzzy, max(forward, backward))
}

// start is the text before the first edit, as far as the backward pass got.
func (b *backward) start() string {
	var s strings.Builder
	for _, l := range b.text {
		s.WriteString(b.texts[l])
		s.WriteByte('\n')
	}
	return s.String()
}
