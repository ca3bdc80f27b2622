package analysis

import (
	"fmt"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/entity"
	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
)

// EntityLens sums up who wrote one definition of a source file.
type EntityLens struct {
	Start, End int // offsets of its name
	Title      string
	// Steps are those of which it has lines, each once.
	Steps []StepRef
}

// maxEntityLenses bounds the lenses of one file.
const maxEntityLenses = 500

// EntityLenses sums up the functions and types of a file: those at the top, and the methods
// in them. There are none without a grammar for it.
func (s *Snapshot) EntityLenses(p *Provenance, file string) []EntityLens {
	source := string(p.Text.Bytes())
	if s.language(file, source) == "" {
		return nil
	}
	f, err := s.Options.Syntax.Entities(file, source)
	if err != nil {
		return nil
	}
	var all []EntityLens
	for i := range f.Entities {
		e := &f.Entities[i]
		if !hasLens(&f, e) || len(all) == maxEntityLenses {
			continue
		}
		l := EntityLens{Start: e.NameStart, End: e.NameEnd}
		if l.End == 0 {
			l.Start, l.End = e.Start, e.Start
		}
		var words string
		words, l.Steps = p.rangeWords(p.LineOf(e.Start), p.LineOf(max(e.Start, e.End-1))+1)
		l.Title = fmt.Sprintf("%s `%s` · %s", e.Kind, e.Name, words)
		all = append(all, l)
	}
	return all
}

// hasLens says whether an entity is a function, a type, or a method of a type at the top.
func hasLens(f *entity.File, e *entity.Entity) bool {
	switch e.Kind {
	case "fn", "method", "test":
		return e.Parent < 0 || f.Entities[e.Parent].Parent < 0 && f.Entities[e.Parent].Kind != "fn"
	case "struct", "class", "enum", "trait", "interface", "impl":
		return e.Parent < 0
	}
	return false
}

// rangeWords sums up lines, such as "claude-code 80 % · alex 20 % · 4 steps".
func (p *Provenance) rangeWords(from, to int) (string, []StepRef) {
	s := Summary{Lines: to - from}
	count := map[string]int{}
	seen := map[[4]string]bool{}
	var steps []StepRef
	for _, r := range p.Runs(from, to) {
		n := r.End - r.Start
		switch {
		case r.State == provenance.StateRecorded && r.Step != nil:
			count[r.Step.At().Actor] += n
			s.Recorded += n
			if id := r.Step.identity(); !seen[id] {
				seen[id] = true
				steps = append(steps, *r.Step)
			}
		case r.State == provenance.StateBase:
			s.Base += n
		case r.State == provenance.StateChanged:
			s.Changed += n
		}
	}
	s.Shares = sharesOf(count)
	words := s.Words()
	if len(steps) > 0 {
		words += " · " + plural(len(steps), "step")
	}
	return strings.TrimPrefix(words, " · "), steps
}
