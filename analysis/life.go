package analysis

import (
	"path"
	"slices"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/entity"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/linediff"
	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
	"github.com/toolpath-ls/toolpath-ls/analysis/udiff"
)

// Life is what became of a line, through the files that it was moved between.
type Life struct {
	Touches []Touch // the last one first
	Moves   []Move  // of definitions that the line was in, the last one first
	// Older is what the line was before the first step; nil if that is not known or there
	// was no such line.
	Older *string
}

// Move is that a step moved a definition, and the line with it.
type Move struct {
	Touch    int // index into Life.Touches
	Kind     entity.Kind
	Was, Is  string // its path before and after, such as "Reader.read"
	From, To string // the artifacts; equal if it moved within one
}

// Bounds of what is looked at to follow a line from file to file.
const (
	maxMoves      = 8
	maxMovedFiles = 8 // of one step that may have lost the line
)

// Life returns the life of line i as far as the file itself tells.
func (p *Provenance) Life(i int) *Life {
	life := &Life{Touches: p.Chain(i)}
	if a := p.accountOf(i); a != nil {
		life.Older = a.older(a.overlay.Chain(i))
	}
	return life
}

// older is what a line was before the first step; nil if that is not known.
func (a *Account) older(chain []provenance.Touch) *string {
	if n := len(chain); n > 0 && chain[n-1].Kind == provenance.Base {
		return new(strings.TrimSuffix(a.projection.Text(chain[n-1].ID), "\r"))
	}
	return nil
}

// Life returns the life of line i of a file. Where a step moved the definition that the line
// is in, it goes on in the file that the definition came from: only if that is certain
// ([entity.Compare]) and the very line was there.
func (s *Snapshot) Life(p *Provenance, i int, done func() bool) (*Life, []Need) {
	a := p.accountOf(i)
	if a == nil {
		return &Life{}, nil
	}
	life := &Life{}
	chain := a.overlay.Chain(i)
	for {
		next, from, needs := s.followed(a, chain, life, done)
		if len(needs) > 0 {
			return nil, needs
		}
		if next == nil {
			break
		}
		a, chain = next, next.projection.Chain(from)
	}
	life.Older = a.older(chain)
	return life, nil
}

// describeMove writes which definition the line was moved with the last time, who did that,
// and who wrote the line before; nil if none moved it.
func (l *Life) describeMove() []run {
	if len(l.Moves) == 0 {
		return nil
	}
	m := l.Moves[0]
	out := append(m.runs(), byStep("by", l.Touches[m.Touch].StepRef)...)
	reformatted := -1
	for k := m.Touch + 1; k < len(l.Touches); k++ {
		switch t := l.Touches[k]; {
		case t.Verb == formatted:
			if reformatted < 0 {
				reformatted = k
			}
		case t.Kind.Keeps() || slices.ContainsFunc(l.Moves, func(m Move) bool { return m.Touch == k }):
		case t.Grade <= provenance.GradeInferred || t.Overwritten:
			return out
		default:
			out = append(out, byStep("; written by", t.StepRef)...)
			if reformatted >= 0 {
				out = append(out, byStep("; reformatted by", l.Touches[reformatted].StepRef)...)
			}
			return out
		}
	}
	if l.Older != nil {
		out = append(out, run{text: "; older than the recorded path"})
	}
	return out
}

// runs writes a move, such as "moved fn `parse` from a.rs to b.rs ".
func (m Move) runs() []run {
	out := []run{{text: "moved " + string(m.Kind) + " "}, {text: m.Was, style: code}}
	from, to := shortNames(m.From, m.To)
	switch {
	case m.From != m.To:
		out = append(out, run{text: " from " + from + " to " + to})
		if m.Was != m.Is {
			out = append(out, run{text: " as "}, run{text: m.Is, style: code})
		}
	case m.Was != m.Is:
		out = append(out, run{text: " to "}, run{text: m.Is, style: code})
	default:
		out = append(out, run{text: " within " + to})
	}
	return append(out, run{text: " "})
}

// shortNames are the names of two files without their folders where that tells them apart.
func shortNames(a, b string) (string, string) {
	if path.Base(a) != path.Base(b) {
		a, b = path.Base(a), path.Base(b)
	}
	return clip(oneLine(a), 60), clip(oneLine(b), 60)
}

// byStep writes who did something, and in which step.
func byStep(words string, r StepRef) []run {
	return []run{{text: words + " "}, {text: clip(oneLine(r.At().Actor), 60), style: code}, {text: " in "}, stepLink(r)}
}

// followed adds the touches of a chain, up to the one by which the line came from another
// file: where it was there, before that step, is returned.
func (s *Snapshot) followed(a *Account, chain []provenance.Touch, life *Life, done func() bool) (*Account, provenance.LineID, []Need) {
	own := slices.DeleteFunc(slices.Clone(chain), func(t provenance.Touch) bool { return !isOfStep(t) })
	for k, touch := range slices.Collect(a.touches(chain)) {
		t := own[k]
		life.Touches = append(life.Touches, touch)
		if len(life.Moves) == maxMoves || touch.Artifact == "" || touch.Grade <= provenance.GradeInferred {
			continue
		}
		m := mover{s: s, a: a, touch: touch, of: t, done: done}
		switch t.Kind {
		case provenance.Move:
			m.within()
		case provenance.Add, provenance.Modify:
			m.between()
		}
		switch {
		case len(m.needs) > 0:
			return nil, 0, m.needs
		case m.move == nil:
			continue
		}
		life.Touches[len(life.Touches)-1].Verb = "moved"
		m.move.Touch = len(life.Touches) - 1
		life.Moves = append(life.Moves, *m.move)
		if m.account != nil {
			return m.account, m.line, nil
		}
	}
	return nil, 0, nil
}

// mover asks whether a touch moved a line, and from where.
type mover struct {
	s     *Snapshot
	a     *Account
	touch Touch
	of    provenance.Touch
	done  func() bool

	needs []Need
	move  *Move // nil: it did not, or that is not certain
	// account tells of another file before the step, where the line was line; nil: the
	// chain of the line says where it was.
	account *Account
	line    provenance.LineID
}

// between looks for the definition in the other files of the step.
func (m *mover) between() {
	artifact := m.touch.Artifact
	wanted := map[string]bool{artifact: true}
	for key, change := range m.touch.At().Value(m.touch.At().Nodes.Change).Members() {
		if len(wanted) <= maxMovedFiles && !key.Is(artifact) && mayLose(change, m.touch.Text) {
			wanted[key.Text()] = true
		}
	}
	if len(wanted) == 1 {
		return
	}
	at := m.moment()
	if at < 0 {
		return
	}
	st, needs := m.s.structureOf(m.touch.StepRef, func(key string) bool { return wanted[key] }, m.done)
	if m.needs = needs; len(needs) > 0 {
		return
	}
	var pair *entity.Change
	for _, c := range st.Changes {
		if c.Action != entity.Move && c.Action != entity.Rename || st.Before[c.Before.File].Name == st.After[c.After.File].Name {
			continue
		}
		if _, is := st.Pair(c); is.File == artifact && is.StartLine <= at && at <= is.EndLine {
			pair = &c // those inside of others come later
		}
	}
	if pair == nil {
		return
	}
	was, is := st.Pair(*pair)
	if pair.Likeness < 1 && !isTelling(m.touch.Text) {
		return
	}
	line := lineOf(st.linesOf(was, st.old), st.linesOf(is, st.new), at-is.StartLine)
	if line < 0 {
		return
	}
	before, order, err := m.touch.before()
	if err != nil {
		return
	}
	account, needs, err := m.s.accountAfter(before, was.File, order, m.done)
	if m.needs = needs; len(needs) > 0 || err != nil || account == nil {
		return
	}
	lines := account.projection.Lines()
	if line += was.StartLine; line >= len(lines) {
		return
	}
	m.account, m.line = account, lines[line]
	m.move = &Move{Kind: is.Entity.Kind, Was: was.Entity.Path(), Is: is.Entity.Path(), From: was.File, To: is.File}
}

// within looks for a definition that the step moved in its file: the line with its name
// went too.
func (m *mover) within() {
	artifact := m.touch.Artifact
	then, at := m.momentIn()
	if then == nil || at < 0 {
		return
	}
	st, needs := m.s.structureOf(m.touch.StepRef, func(key string) bool { return key == artifact }, m.done)
	if m.needs = needs; len(needs) > 0 || len(st.After) != 1 {
		return
	}
	before, after := &st.Before[0], &st.After[0]
	lines := then.projection.Lines()
	edit := then.projection.Ident(lines[at]).Edit()
	for i := range after.Entities {
		is := entityAt(st.After, entity.Ref{Entity: i}, st.new)
		if at < is.StartLine || at > is.EndLine || is.Entity.NameEnd == 0 {
			continue
		}
		name := strings.Count(st.new[artifact][:is.Entity.NameStart], "\n")
		if name >= len(lines) {
			return
		}
		if ident := then.projection.Ident(lines[name]); ident.Kind != provenance.Move || ident.Edit() != edit {
			continue
		}
		if was := st.partner(before, after, i); was != nil {
			m.move = &Move{Kind: is.Entity.Kind, Was: was.Path(), Is: is.Entity.Path(), From: artifact, To: artifact}
		}
	}
}

// partner is what entity i of the one file was before the step: that which changed into it,
// or, if nothing did, the only one of its name. nil if that is not certain.
func (st *Structure) partner(before, after *entity.File, i int) *entity.Entity {
	for _, c := range st.Changes {
		if c.After.File == 0 && c.After.Entity == i {
			if c.Before.File < 0 || c.Likeness < 1 {
				return nil
			}
			return &before.Entities[c.Before.Entity]
		}
	}
	only := func(f *entity.File) (found *entity.Entity) {
		for k := range f.Entities {
			e := &f.Entities[k]
			if e.Path() == after.Entities[i].Path() && e.Kind == after.Entities[i].Kind {
				if found != nil {
					return nil
				}
				found = e
			}
		}
		return found
	}
	if only(after) == nil {
		return nil
	}
	return only(before)
}

// moment is the line that the touch made, in the file as the step left it; -1 if that is not
// known.
func (m *mover) moment() int {
	_, at := m.momentIn()
	return at
}

func (m *mover) momentIn() (*Account, int) {
	then, _, needs, err := m.s.accountNamed(m.touch.StepRef, []string{m.touch.Artifact}, m.done)
	if m.needs = needs; len(needs) > 0 || err != nil || then == nil {
		return nil, -1
	}
	id := then.projection.At(then.placeOf(m.a, m.a.projection.Place(m.of.ID)))
	return then, slices.Index(then.projection.Lines(), id)
}

// mayLose says whether a line may have been in a file before a change and not after it.
func mayLose(change jsonsrc.Value, line string) bool {
	raw := change.Get("raw")
	if raw.Kind() != jsonsrc.String {
		return changesText(change) && !change.Get("structural").Get("operation").Is("add")
	}
	text := raw.Text()
	d := udiff.Parse(text)
	line = strings.TrimSpace(line)
	for i := range d.Hunks {
		for _, l := range d.Lines(&d.Hunks[i]) {
			if l.Kind == udiff.Removed && strings.TrimSpace(text[l.Span().Start:l.Span().End]) == line {
				return true
			}
		}
	}
	return false
}

// linesOf are the lines of an entity, without white space around them.
func (s *Structure) linesOf(e *EntityAt, sources entity.Sources) [][]byte {
	all := trimmedLines(splitLines(sources[e.File]))
	return all[e.StartLine:min(e.EndLine+1, len(all))]
}

// lineOf is the old line that a new one is, -1 if it is none.
func lineOf(old, new [][]byte, line int) int {
	apart := 0
	for _, h := range linediff.Lines(old, new, linediff.Options{IndentHeuristic: true}) {
		switch {
		case line < h.NewStart:
			return line - apart
		case line < h.NewEnd:
			return -1
		}
		apart = h.NewEnd - h.OldEnd
	}
	return line - apart
}

// isTelling says whether a line has enough letters and digits to be no accident.
func isTelling(line string) bool {
	const enough = 8
	n := 0
	for _, r := range line {
		if isWordRune(r) {
			n++
		}
	}
	return n >= enough
}
