package analysis

import (
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/entity"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
)

// claims tells which lines of a text the steps wrote that say so by a structural operation
// and record no diff (design/projection.md 4.2); nil if there are none. What an operation
// names must be in the text once, and not in the base.
func (s *Snapshot) claims(a *Account, file string) func(text string) []provenance.Claim {
	if s.Options.Syntax == nil {
		return nil
	}
	type step struct {
		edit int
		ops  []operation
	}
	var steps []step
	for i, c := range a.changes {
		if c.value.Get("raw").Kind() == jsonsrc.String || !c.isStep() {
			continue
		}
		if ops := operationsOf(c.value.Get("structural")); len(ops) > 0 {
			steps = append(steps, step{i, ops})
		}
	}
	if len(steps) == 0 {
		return nil
	}
	base := a.history.Base
	return func(text string) []provenance.Claim {
		syntax := s.Options.Syntax
		now, err := syntax.Entities(file, text)
		if err != nil {
			return nil
		}
		c := claimer{text: text, now: &now, lines: map[int]provenance.Claim{}}
		if base != nil {
			if before, err := syntax.Entities(file, *base); err == nil {
				c.base, c.was = *base, &before
			}
		}
		for i := len(steps) - 1; i >= 0; i-- { // the last word counts
			c.edit = steps[i].edit
			for _, op := range steps[i].ops {
				c.claim(op)
			}
		}
		all := make([]provenance.Claim, 0, len(c.lines))
		for _, claim := range c.lines {
			all = append(all, claim)
		}
		return all
	}
}

type claimer struct {
	text, base string
	now, was   *entity.File
	edit       int
	lines      map[int]provenance.Claim
}

func (c *claimer) claim(op operation) {
	switch op.verb {
	case "add_items", "insert_items":
		for _, it := range op.items() {
			e := c.only(it)
			if e == nil || c.was != nil && len(it.find(c.was)) > 0 {
				continue
			}
			if len(it.methods) == 0 {
				c.span(e.Start, e.End, false)
				continue
			}
			for _, name := range it.methods {
				if m := c.only(namedItem{kind: "method", name: name, parent: e.Name}); m != nil {
					c.span(m.Start, m.End, false)
				}
			}
		}
	case "change_signature", "extract":
		for _, it := range op.items() {
			if e := c.only(it); e != nil && e.NameStart > 0 {
				c.span(e.NameStart, max(e.NameEnd, e.Body-1), false)
			}
		}
	case "rename":
		to := op.value.Get("to").Text()
		const most = 1000
		if c.base != "" && len(wordsAt(c.base, to, 1)) > 0 {
			return
		}
		for _, at := range wordsAt(c.text, to, most) {
			c.span(at, at+len(to), true)
		}
	default:
		for _, r := range op.replacements() {
			at := strings.Index(c.text, r.to)
			const telling = 4 // less may stand there by chance
			if len(strings.TrimSpace(r.to)) < telling || at < 0 || strings.Contains(c.text[at+1:], r.to) || strings.Contains(c.base, r.to) {
				continue
			}
			c.span(at, at+len(strings.TrimRight(r.to, "\r\n")), false)
		}
	}
}

// only is the one entity that an item can mean.
func (c *claimer) only(it namedItem) *entity.Entity {
	found := it.find(c.now)
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

// span claims the lines that hold the bytes from start to end.
func (c *claimer) span(start, end int, inferred bool) {
	first := strings.Count(c.text[:start], "\n")
	for line := first; line <= first+strings.Count(strings.TrimRight(c.text[start:end], "\n"), "\n"); line++ {
		if _, taken := c.lines[line]; !taken {
			c.lines[line] = provenance.Claim{Line: line, Edit: c.edit, Inferred: inferred}
		}
	}
}
