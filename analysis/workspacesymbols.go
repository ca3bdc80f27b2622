package analysis

import (
	"cmp"
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

func (d *Document) summaries() []StepSummary {
	m := d.Model()
	if m == nil {
		return nil
	}
	var all []StepSummary
	for _, p := range m.Paths {
		for _, s := range p.Steps {
			all = append(all, StepSummary{s.ID, s.Actor, clip(oneLine(s.Intent), 120), p.ID, d.Text.Line(s.IDValue().Start())})
		}
	}
	return all
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
			for i, step := range p.Steps {
				if i%1024 == 0 && done() {
					return nil
				}
				v := step.IDValue()
				consider(FoundStep{StepSummary: StepSummary{ID: step.ID, Actor: step.Actor, Intent: step.Intent, Path: p.ID},
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
		for _, step := range e.steps {
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
