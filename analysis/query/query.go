// Package query answers questions about the history that a document records (RFC "Use
// Cases", "First Parent" and "Path Parent").
//
// Terms: a question is asked of each path of a document, or of those that a [Selection]
// names. Where it starts at a step, that is the selected one, otherwise the head. History
// goes on where path.parent leads: the root steps of a path have the step that it names as
// their parent. It is cut off where a parent names no step, where path.parent cannot be
// followed, where the head names no step, and where steps are their own ancestors; an
// answer from a history that is cut off is not complete.
//
// Nothing found is an answer. A selector that names what is not there (a path, a step, an
// actor, artifacts) is none: it is told apart by [NoMatch].
package query

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// Source is a document and the name that its reader knows it by: documents of one name are
// one document.
type Source struct {
	Name  string
	Model *toolpath.Document
}

// Loader reads the document that the path.parent of a path in a document names by URI. It
// is asked once for each.
type Loader func(from Source, uri string) (Source, error)

// Selection names where a question is asked; "" stands for all paths, and for the head.
type Selection struct{ Path, Step string }

// Step is a step of a path: the path that was asked, or one that it descends from.
type Step struct {
	Path  *toolpath.Path
	Index int
}

// At returns what the step says.
func (s Step) At() toolpath.At { return s.Path.Steps.At(s.Index) }

// Answer is what a question found in one path.
type Answer struct {
	Path     *toolpath.Path
	Query    string   // the question's name
	Steps    []Step   // in the order that the question defines
	Actors   []Actor  // that an actor question found
	Complete bool     // the history is not cut off
	Gaps     []string // where it is cut off, for people
	Notes    []string // what one should know of the answer, for people
}

// NoMatch says that a selector names nothing of the document.
type NoMatch struct{ Message string }

func (e *NoMatch) Error() string { return e.Message }

// Question is one of [Ancestors], [MainLine], [Branch], [DeadEnds], [Filter] and
// [WhoIs].
type Question interface {
	name() string
	// ask answers for one path. Start is -1 where the head names no step.
	ask(h *history, start int, s Selection) found
}

// found is an answer of one path, and what is wrong with the selectors of the question
// there; a selector is wrong if it is so in every path.
type found struct {
	steps     []Step
	actors    []Actor
	unmatched map[string]string // selector → message
	notes     []string
}

// Ask asks a question of the paths of a document, one answer for each in order. The loader
// may be nil: then path.parent cannot be followed. The error is a [*NoMatch].
func Ask(d Source, q Question, s Selection, load Loader) ([]Answer, error) {
	paths, err := selected(d.Model, s)
	if err != nil {
		return nil, err
	}
	parents := newParents(load)
	parents.named(d)
	var answers []Answer
	var unmatched []map[string]string
	for _, p := range paths {
		h := newHistory(d, p, parents)
		start := p.DAG().Head
		if s.Step != "" {
			start = p.Find(s.Step)
		} else if start < 0 {
			h.cutOff(headGap(p))
		}
		f := q.ask(h, start, s)
		answers = append(answers, Answer{Path: p, Query: q.name(), Steps: f.steps, Actors: f.actors, Complete: len(h.gaps) == 0, Gaps: h.gaps, Notes: f.notes})
		unmatched = append(unmatched, f.unmatched)
	}
	if len(paths) == 0 {
		none := pathWithoutSteps()
		unmatched = append(unmatched, q.ask(newHistory(Source{Model: none.Doc}, none, parents), -1, s).unmatched)
	}
	if message := inAll(unmatched); message != "" {
		return nil, &NoMatch{message}
	}
	return answers, nil
}

// pathWithoutSteps is what selectors are asked of where no path is: nothing matches them.
func pathWithoutSteps() *toolpath.Path {
	const src = `{"graph": {"id": ""}, "paths": [{"path": {"id": "", "head": ""}, "steps": []}]}`
	return toolpath.Build(jsonsrc.Parse([]byte(src), toolpath.Layout), nil).Paths[0]
}

// inAll returns the message of a selector that nothing matched anywhere.
func inAll(unmatched []map[string]string) string {
	if len(unmatched) == 0 {
		return ""
	}
	var messages []string
next:
	for selector, message := range unmatched[0] {
		for _, other := range unmatched[1:] {
			if other[selector] == "" {
				continue next
			}
		}
		messages = append(messages, message)
	}
	slices.Sort(messages)
	return strings.Join(messages, "; ")
}

func headGap(p *toolpath.Path) string {
	if !p.HeadVal.Valid() {
		return "no step is known to be the head"
	}
	return fmt.Sprintf("the head %s names no step", quote(p.Head))
}

// selected returns the inline paths that are asked.
func selected(d *toolpath.Document, s Selection) ([]*toolpath.Path, error) {
	var inline, named []*toolpath.Path
	for _, p := range d.Paths {
		if p.Identity.Valid() || !p.Ref.Valid() {
			inline = append(inline, p)
		}
	}
	for _, p := range inline {
		if s.Path == "" || p.ID == s.Path {
			named = append(named, p)
		}
	}
	if s.Path != "" && len(named) == 0 {
		return nil, &NoMatch{fmt.Sprintf("no path has the id %s; %s", quote(s.Path), listed("the paths are", "there are no paths", pathIDs(inline)))}
	}
	if s.Step == "" {
		return named, nil
	}
	var having []*toolpath.Path
	for _, p := range named {
		if p.Find(s.Step) >= 0 {
			having = append(having, p)
		}
	}
	if len(having) == 0 {
		return nil, &NoMatch{fmt.Sprintf("no step has the id %s in %s", quote(s.Step), listed("the paths", "this document, which has no paths", pathIDs(named)))}
	}
	return having, nil
}

func pathIDs(paths []*toolpath.Path) []string {
	ids := make([]string, len(paths))
	for i, p := range paths {
		ids[i] = p.ID
	}
	return ids
}

// listed names the first few of a list.
func listed(before, none string, names []string) string {
	const most = 5
	if len(names) == 0 {
		return none
	}
	var b strings.Builder
	b.WriteString(before)
	for i, n := range names[:min(len(names), most)] {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte(' ')
		b.WriteString(quote(n))
	}
	if len(names) > most {
		b.WriteString(", …")
	}
	return b.String()
}

// quote quotes a text of a document, cut after 80 bytes or so.
func quote(s string) string {
	const most = 80
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return `"` + s + `"`
}
