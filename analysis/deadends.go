package analysis

import (
	"fmt"
	"slices"
	"sync"

	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
)

// attempts are what the dead ends of an account's paths did to its file, as far as it is
// known exactly. They are made when somebody asks, and live as long as the account.
type attempts struct {
	mu   sync.Mutex
	made bool
	all  []attempt
}

// attempt is one place that a step of a dead end touched, in idents of the account.
type attempt struct {
	step  StepRef
	lines []provenance.LineID // that it took away or replaced
	// above is, if it put lines in between, the line above; 0 is the top of the file. shared
	// says of the account's edits which ones the dead end started from too.
	above  provenance.LineID
	shared []bool
}

// Bounds of what is replayed to know what dead ends did.
const (
	maxDeadEnds  = 64      // replays
	maxDeadEdits = 100_000 // edits in all of them
)

// DeadEnds returns the steps of dead ends that touched the place where line i of the file is
// now, the last one first: those that changed the line or what it came of, and those that put
// lines where it stands or beside it. It is silent about dead ends of which the content before
// them is not known, and about lines that do not follow from the record.
func (s *Snapshot) DeadEnds(p *Provenance, file string, i int, done func() bool) ([]StepRef, []Need) {
	a := p.accountOf(i)
	if a == nil || a.projection != a.exact || !a.exact.Known {
		return nil, nil
	}
	all, needs := s.attemptsOf(a, file, done)
	if len(all) == 0 || len(needs) > 0 {
		return nil, needs
	}
	line := a.overlay.Line(i)
	chain := a.overlay.Chain(i)
	if line.Head != 0 && a.projection.TouchGrade(line.Head) < provenance.GradeExact && line.Grade != provenance.GradeBase {
		return nil, nil
	}
	var steps []StepRef
	for _, t := range slices.Backward(all) {
		if slices.Contains(steps, t.step) {
			continue
		}
		touched := slices.ContainsFunc(chain, func(c provenance.Touch) bool { return slices.Contains(t.lines, c.ID) })
		if touched || len(t.lines) == 0 && t.isAt(a, i) {
			steps = append(steps, t.step)
		}
	}
	return steps, nil
}

// isAt says whether lines that were put in between would stand at line i of the account's
// text, or right above or below it.
func (t *attempt) isAt(a *Account, i int) bool {
	shared := func(k int) bool {
		return slices.ContainsFunc(a.overlay.Chain(k), func(c provenance.Touch) bool { return c.Edit() < 0 || t.shared[c.Edit()] })
	}
	isAbove := func(k int) bool {
		return slices.ContainsFunc(a.overlay.Chain(k), func(c provenance.Touch) bool { return c.ID == t.above })
	}
	const most = 200
	from := i // the last line, up from i, that the dead end had too
	for from >= 0 && from > i-most && !shared(from) {
		from--
	}
	if from < i { // i came later
		return from < 0 && t.above == 0 || from >= 0 && isAbove(from)
	}
	below := func(k int) bool { return k >= a.overlay.Len() || shared(k) }
	if isAbove(i) && below(i+1) {
		return true
	}
	return i == 0 && t.above == 0 || i > 0 && shared(i-1) && isAbove(i-1)
}

// attemptsOf returns what the dead ends of the account's paths did to the file, the oldest
// first.
func (s *Snapshot) attemptsOf(a *Account, file string, done func() bool) ([]attempt, []Need) {
	a.attempts.mu.Lock()
	defer a.attempts.mu.Unlock()
	if a.attempts.made {
		return a.attempts.all, nil
	}
	all, needs := s.findAttempts(a, file, done)
	if len(needs) > 0 || done != nil && done() {
		return nil, needs
	}
	a.attempts.made, a.attempts.all = true, all
	return all, nil
}

func (s *Snapshot) findAttempts(a *Account, file string, done func() bool) (all []attempt, needs []Need) {
	replays, replayed := 0, 0
	var edits map[editKey]int // of the account; made when it is needed
	for k := range a.strands {
		t := a.strands[k].t
		dead := a.deadSteps(k, file)
		seen := map[int]bool{}
		for _, c := range slices.Backward(dead) {
			if seen[c.step] || replays == maxDeadEnds || replayed > maxDeadEdits {
				continue
			}
			if done != nil && done() {
				return nil, nil
			}
			r := a.step(c)
			b, more, _ := s.accountAfter(r, c.key.Text(), t.orderTo(c.step), done)
			needs = append(needs, more...)
			if b == nil {
				continue
			}
			replays++
			replayed += b.changes.len()
			isDead := map[provenance.StepID]bool{}
			for _, d := range b.changes.all() {
				if d.isStep() && b.strands[d.strand].t == t && !a.isActive(k, d.step) {
					isDead[provenance.StepID(b.strands[d.strand].first+d.step+1)] = !seen[d.step]
					seen[d.step] = true
				}
			}
			if b.projection.Known && len(b.projection.Problems) == 0 {
				if edits == nil {
					edits = map[editKey]int{}
					for i, c := range a.changes.all() {
						if c.key.Valid() {
							edits[a.editKey(c)] = i
						}
					}
				}
				all = append(all, a.attemptsFrom(b, isDead, edits)...)
			}
		}
	}
	slices.SortStableFunc(all, func(x, y attempt) int { return x.step.At().Offset() - y.step.At().Offset() })
	return all, needs
}

// isActive says whether a step of a strand's path is on the way to the path's head or to the
// step from which another path goes on.
func (a *Account) isActive(k, step int) bool {
	x := &a.strands[k]
	return x.t.path.DAG().Active[step] || x.order.position[step] >= 0 || x.order.merged[step]
}

// deadSteps are the changes of the file by steps that are on the way to nothing, by the order
// of the document.
func (a *Account) deadSteps(k int, file string) (dead []change) {
	x := &a.strands[k]
	if x.t.path.IsAgentSession() || x.t.path.DAG().Head < 0 {
		return nil // heads and parents say nothing about the disk
	}
	known := x.site.namesOf(file, x.t.base)
	for _, c := range a.changes.all() {
		if c.strand == k && c.key.Valid() {
			for _, name := range c.names() {
				if name = artifactName(name, x.t.base); !slices.Contains(known, name) {
					known = append(known, name)
				}
			}
		}
	}
	for _, name := range known {
		for _, at := range x.t.steps[name] {
			if !a.isActive(k, int(at.step)) {
				c := x.t.at(at)
				c.strand = k
				dead = append(dead, c)
			}
		}
	}
	slices.SortStableFunc(dead, func(x, y change) int { return x.step - y.step })
	return dead
}

// attemptsFrom are the attempts of the steps that isDead maps to true, as the account of a
// dead end tells; those that it maps to false were told of already. edits are those of a.
func (a *Account) attemptsFrom(b *Account, isDead map[provenance.StepID]bool, edits map[editKey]int) (all []attempt) {
	shared := make([]bool, a.changes.len())
	edit := make([]int, b.changes.len()) // of a, by that of b
	for i, c := range a.changes.all() {
		shared[i] = !c.isStep()
	}
	for i, c := range b.changes.all() {
		edit[i] = a.changes.len() // of no line
		if c.key.Valid() {
			if at, ok := edits[b.editKey(c)]; ok {
				edit[i], shared[at] = at, true
			}
		}
	}
	mine := func(id provenance.LineID) provenance.LineID {
		place := b.projection.Place(id)
		if place.Edit >= 0 {
			place.Edit = edit[place.Edit]
		}
		at := a.projection.At(place)
		if at == 0 || a.projection.Text(at) != b.projection.Text(id) {
			return 0
		}
		return at
	}
	for _, t := range b.projection.Attempts(func(id provenance.StepID) bool { _, ok := isDead[id]; return ok }) {
		if !isDead[t.Step] {
			continue
		}
		found := attempt{step: *b.ref(t.Step), shared: shared}
		if found.above = t.Above; t.Above != 0 {
			if found.above = mine(t.Above); found.above == 0 && len(t.Lines) == 0 {
				continue
			}
		}
		for _, id := range t.Lines {
			if id = mine(id); id != 0 {
				found.lines = append(found.lines, id)
			}
		}
		if len(t.Lines) == 0 || len(found.lines) > 0 {
			all = append(all, found)
		}
	}
	return all
}

// editKey names an edit in all accounts that have it: its step and its artifact.
type editKey struct {
	step     [4]string
	artifact string
}

func (a *Account) editKey(c change) editKey { return editKey{a.step(c).identity(), c.key.Text()} }

// describeDeadEnds writes which abandoned attempts touched the place of a line.
func describeDeadEnds(out *Prose, steps []StepRef) {
	if len(steps) == 0 {
		return
	}
	r := steps[0]
	at := r.At()
	line := []run{{text: "something else was tried here by " + displayName(r.Path, at, at.Actor) + " and dropped in "}, stepLink(r)}
	if len(steps) > 1 {
		line = append(line, run{text: fmt.Sprintf(" and %d more", len(steps)-1)})
	}
	if intent := at.Intent(); intent != "" {
		line = append(line, run{text: ": "}, run{text: clip(oneLine(intent), 80), style: italic})
	}
	out.line(line...)
}
