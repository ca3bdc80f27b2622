package analysis

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// StepSummary is what is kept of a step of a closed document, to find it by.
type StepSummary struct {
	ID, Actor, Intent, Path string
	Line                    int // 0-based, of its id
}

// stepIndex keeps the steps of a closed document in little memory: a workspace may have
// millions.
type stepIndex struct {
	text  string   // their ids and intents, one after the other
	names []string // actors and ids of paths, each once
	steps []indexedStep
}

// indexedStep says where the id and the intent end in the text of the index, and which names
// the actor and the path have.
type indexedStep struct{ id, intent, actor, path, line uint32 }

func (d *Document) stepIndex() stepIndex { return d.stepIndexAfter(&stepIndex{}) }

// stepIndexAfter is stepIndex for a document that begins with the steps of another index.
func (d *Document) stepIndexAfter(before *stepIndex) stepIndex {
	x := stepIndex{steps: make([]indexedStep, 0, d.StepCount())}
	if d.Model() == nil {
		return x
	}
	var b strings.Builder
	line, at := uint32(0), 0 // of the last step
	n := len(before.steps)
	if n > 0 {
		x.steps = append(x.steps, before.steps...)
		x.names = slices.Clip(before.names)
		line, at = before.steps[n-1].line, d.Model().Paths[0].Steps.At(n-1).IDValue().Start()
		b.WriteString(before.text)
	}
	numbers := map[string]uint32{}
	for i, name := range x.names {
		numbers[name] = uint32(i)
	}
	number := func(name string) uint32 {
		n, known := numbers[name]
		if !known {
			n = uint32(len(x.names))
			name = strings.Clone(name) // what it was cut out of is not kept
			numbers[name] = n
			x.names = append(x.names, name)
		}
		return n
	}
	size := 0
	for _, p := range d.Model().Paths {
		for _, s := range p.Steps.All() {
			size += len(s.ID)
		}
	}
	b.Grow(max(0, size-b.Len()))
	for i, p := range d.Model().Paths {
		first := 0
		if i == 0 {
			first = n
		}
		for _, s := range p.Steps.Between(first, p.Steps.Len()) {
			var e indexedStep
			b.WriteString(s.ID)
			e.id = uint32(b.Len())
			b.WriteString(clip(oneLine(s.Intent()), 120))
			e.intent = uint32(b.Len())
			start := s.IDValue().Start()
			line += uint32(d.Text.LineEnds(at, start))
			at = start
			e.actor, e.path, e.line = number(s.Actor), number(p.ID), line
			x.steps = append(x.steps, e)
		}
	}
	x.text = strings.Clone(b.String())
	return x
}

func (x *stepIndex) all() iter.Seq[StepSummary] {
	return func(yield func(StepSummary) bool) {
		from := uint32(0)
		for _, e := range x.steps {
			if !yield(StepSummary{x.text[from:e.id], x.names[e.actor], x.text[e.id:e.intent], x.names[e.path], int(e.line)}) {
				return
			}
			from = e.intent
		}
	}
}

// FoundStep is a step that a query matched, in a document that may be closed.
type FoundStep struct {
	StepSummary
	URI string
	// Doc is the document if it is open.
	Doc *Document
	// Start and End are the id's place if it is.
	Start, End int
	score      int
}

// FindSteps returns the steps of all documents whose id, intent or actor matches a query,
// the best first, at most so many. A query matches if its characters occur in order; an
// empty one matches all.
func (s *Snapshot) FindSteps(query string, most int, done func() bool) []FoundStep {
	q := []rune(strings.ToLower(strings.TrimSpace(query)))
	var found []FoundStep
	trim := func() {
		slices.SortStableFunc(found, func(a, b FoundStep) int { return cmp.Compare(b.score, a.score) })
		found = found[:min(len(found), most)]
	}
	consider := func(f FoundStep) {
		f.score = matchStep(q, f.StepSummary)
		if f.score < 0 {
			return
		}
		if found = append(found, f); len(found) >= 8*most+1024 {
			trim()
		}
	}
	open := map[string]bool{}
	for _, d := range s.Documents() {
		open[d.Path] = true
		if d.Model() == nil {
			continue
		}
		for _, p := range d.Model().Paths {
			for i, step := range p.Steps.All() {
				if i%1024 == 0 && done() {
					return nil
				}
				v := step.IDValue()
				consider(FoundStep{StepSummary: StepSummary{ID: step.ID, Actor: step.Actor, Intent: step.Intent(), Path: p.ID},
					URI: d.URI, Doc: d, Start: v.Start(), End: v.End()})
			}
		}
	}
	for _, e := range s.closed.all() {
		if done() {
			return nil
		}
		if open[e.path] {
			continue
		}
		uri := FileURI(e.path)
		for step := range e.steps.all() {
			consider(FoundStep{StepSummary: step, URI: uri})
		}
	}
	trim()
	slices.SortStableFunc(found, func(a, b FoundStep) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.URI, b.URI))
	})
	return found
}

// matchStep scores a step, -1 for none: its id counts most, then intent and actor.
func matchStep(q []rune, s StepSummary) int {
	if len(q) == 0 {
		return 0
	}
	best := -1
	for i, field := range []string{s.Actor, s.Intent, s.ID} {
		if n := match(q, field); n >= 0 {
			best = max(best, 4*n+i)
		}
	}
	return best
}

// match scores how well the query, in lower case, matches a text: characters that follow
// each other or begin a word count more. It returns -1 if the characters do not occur in
// order.
func match(q []rune, s string) int {
	score, k, before, run := 0, 0, rune(0), 0
	for _, r := range s {
		if k == len(q) {
			break
		}
		lower := r
		if r < utf8.RuneSelf {
			if 'A' <= r && r <= 'Z' {
				lower = r + 'a' - 'A'
			}
		} else {
			lower = unicode.ToLower(r)
		}
		if lower == q[k] {
			k++
			run++
			score += run
			if before == 0 || !unicode.IsLetter(before) && !unicode.IsDigit(before) {
				score += 3
			}
		} else {
			run = 0
		}
		before = r
	}
	if k < len(q) {
		return -1
	}
	return 2*score - min(len(s), 40)/4 + 20
}

// Held returns a closed document that is held in full, nil if it is not.
func (s *Snapshot) Held(path string) *Document {
	if f := s.facts[Need{Document: path}]; f != nil {
		return f.doc
	}
	return nil
}
