package analysis

import (
	"slices"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// strand is one path on the way to a head, up to one of its steps.
type strand struct {
	doc   *Document
	t     *pathTouches
	site  site
	tip   int // index of the step, -1 if the path has none that counts
	order replayOrder
	// first is the number of its first step among those of all strands. The strand that
	// comes first in time has the lowest ones, so that they stay when the last one grows.
	first int
	// next says what the strand's roots start from.
	next beginning
}

// beginning is what the content of files was where a path begins.
type beginning uint8

const (
	// atBase: what path.base names, or what nobody knows.
	atBase beginning = iota
	// atStep: what the next strand left.
	atStep
	// unknown: what a step left that cannot be found.
	unknown
)

// maxStrands bounds the paths that descend from one another.
const maxStrands = 1000

// strandsOf returns the path of a document, the one that it continues, and so on: the edges
// between documents are path.parent (RFC "Path Parent") and a toolpath: base (RFC "Toolpath
// Base"), which says more of the content if both are there. What must be read to know them
// is returned instead.
func (s *Snapshot) strandsOf(d *Document, path int) ([]strand, []Need) {
	t := &d.changes()[path]
	return s.strandsTo(d, t, headOf(t.path), t.order)
}

// headOf is the step that a path's content is that of: its head or, in an agent session,
// whose head says nothing about the disk, the last step.
func headOf(p *toolpath.Path) int {
	if p.IsAgentSession() {
		return p.Steps.Len() - 1
	}
	return p.DAG().Head
}

// strandsTo is strandsOf for another step of the path than its head.
func (s *Snapshot) strandsTo(d *Document, t *pathTouches, tip int, order replayOrder) ([]strand, []Need) {
	all := []strand{{doc: d, t: t, site: s.siteOf(d), tip: tip, order: order}}
	for {
		last := &all[len(all)-1]
		from, beginning, need := s.beginningOf(last.doc, last.t.path)
		if need != nil {
			return nil, s.needsBehind(*need)
		}
		if beginning == atStep && (len(all) == maxStrands || slices.ContainsFunc(all, func(a strand) bool { return a.t.path == from.Path })) {
			beginning = unknown // it descends from itself
		}
		last.next = beginning
		if beginning != atStep {
			number(all)
			return all, nil
		}
		next := &from.Doc.changes()[from.Path.Index]
		a := strand{doc: from.Doc, t: next, site: s.siteOf(from.Doc), tip: from.Step}
		if from.Step == from.Path.DAG().Head {
			a.tip = headOf(from.Path)
		}
		if a.order = next.order; a.tip != headOf(from.Path) {
			a.order = next.orderTo(a.tip)
		}
		all = append(all, a)
	}
}

// number gives the steps of strands their numbers.
func number(strands []strand) {
	n := 0
	for k := len(strands) - 1; k >= 0; k-- {
		strands[k].first = n
		n += strands[k].t.path.Steps.Len()
	}
}

// needsBehind adds to a document that must be read those that it continues, as far as what is
// kept of closed documents says.
func (s *Snapshot) needsBehind(first Need) []Need {
	needs := []Need{first}
	for i := 0; i < len(needs) && len(needs) < maxStrands; i++ {
		e := s.closed.get(needs[i].Document)
		if e == nil {
			continue
		}
		for _, file := range e.pointers.files {
			if n := (Need{Document: file}); s.facts[n] == nil && !slices.Contains(needs, n) {
				needs = append(needs, n)
			}
		}
	}
	return needs
}

// beginningOf returns the step in another path whose content a path starts with.
func (s *Snapshot) beginningOf(d *Document, p *toolpath.Path) (from StepRef, b beginning, need *Need) {
	for _, field := range []outwardField{baseURI, parentStep} {
		for _, o := range d.outwardsOf(p) {
			if o.field != field {
				continue
			}
			sub, need, ok := s.follow(d, o)
			if need != nil {
				return from, unknown, need
			}
			if !ok {
				b = unknown
				continue
			}
			from = StepRef{sub.doc, sub.path, sub.path.Find(sub.step)}
			if from.Step >= 0 {
				return from, atStep, nil
			}
			b = unknown
		}
	}
	if p.Parent().Valid() {
		b = unknown
	}
	return from, b, nil
}

// ref is what path.base.ref of the strand's path names, "" if nothing.
func (a *strand) ref() string {
	base := a.t.path.Base()
	if strings.HasPrefix(base.Get("uri").Text(), toolpathScheme) {
		return ""
	}
	return base.Get("ref").Text()
}

// fileOf is the file that an artifact key of the strand's path means: where it is or, if nobody
// knows that, the name that the key gives to it.
func (a *strand) fileOf(key string) string {
	name := artifactName(key, a.t.base)
	if file := a.site.fileOf(name, a.t.base); name != "" && file != "" {
		return file
	}
	return name
}

// withNames says by which names the files of strands are known.
func withNames(strands []strand, names *otherNames) {
	for k := range strands {
		strands[k].site.names = names
	}
}

func (a strand) equal(b strand) bool {
	return a.t == b.t && a.tip == b.tip && a.site.equal(b.site) && a.next == b.next
}
