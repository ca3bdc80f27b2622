package analysis

import (
	"iter"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// SymbolKind is the kind of a symbol.
type SymbolKind uint8

// The kinds of symbols, from the outside in.
const (
	GraphSymbol SymbolKind = iota
	PathSymbol
	StepSymbol
)

// Symbol is an entry of a document's outline.
type Symbol struct {
	Kind               SymbolKind
	Name, Detail       string
	Start, End         int // the whole object
	NameStart, NameEnd int // its id
	DeadEnd            bool
	Children           []Symbol // of Document.Symbols alone
}

// Symbols returns the outline of a Toolpath document as a tree.
func (d *Document) Symbols() []Symbol {
	var root Symbol
	open := []*Symbol{&root} // by depth: what the next symbol of that depth belongs to
	for depth, s := range d.Outline() {
		in := open[depth]
		in.Children = append(in.Children, s)
		open = append(open[:depth+1], &in.Children[len(in.Children)-1])
	}
	return root.Children
}

// Steps returns the steps of all paths, as they stand.
func (d *Document) Steps() (all []StepRef) {
	if d.Model() == nil {
		return nil
	}
	for _, p := range d.Model().Paths {
		for i := range p.Steps.Len() {
			all = append(all, StepRef{d, p, i})
		}
	}
	return all
}

// StepCount returns the number of steps of all paths.
func (d *Document) StepCount() (n int) {
	if m := d.Model(); m != nil {
		for _, p := range m.Paths {
			n += p.Steps.Len()
		}
	}
	return n
}

// Outline yields the graph, its paths and their steps, each with its depth: what follows a
// symbol and is deeper belongs to it. A stream has no graph.
func (d *Document) Outline() iter.Seq2[int, Symbol] {
	return func(yield func(int, Symbol) bool) {
		m := d.Model()
		if m == nil {
			return
		}
		depth := 0
		if !m.Lines && m.Graph.Valid() {
			g := symbol(GraphSymbol, m.Form.Content(d.Tree().Root()), m.Graph.Get("id"), m.ID)
			g.Detail = oneLine(m.Meta.Get("title").Text())
			if !yield(depth, g) {
				return
			}
			depth++
		}
		for _, p := range m.Paths {
			if !yield(depth, pathSymbol(p)) {
				return
			}
			dead := p.DAG().Head >= 0 && !p.IsAgentSession()
			for i, step := range p.Steps.All() {
				s := stepSymbol(step)
				s.DeadEnd = dead && !p.DAG().Active[i]
				if !yield(depth+1, s) {
					return
				}
			}
		}
	}
}

func symbol(kind SymbolKind, whole, id jsonsrc.Value, name string) Symbol {
	s := Symbol{Kind: kind, Name: name, Start: whole.Start(), End: whole.End(), NameStart: id.Start(), NameEnd: id.End()}
	if !id.Valid() || s.NameStart < s.Start || s.NameEnd > s.End {
		s.NameStart, s.NameEnd = s.Start, s.Start
	}
	if s.Name = oneLine(s.Name); strings.TrimSpace(s.Name) == "" {
		s.Name = "(no id)"
	}
	return s
}

// pathSymbol is a path with its steps, which in a stream stand behind it.
func pathSymbol(p *toolpath.Path) Symbol {
	if p.Ref.Valid() {
		return symbol(PathSymbol, p.Value, p.Ref, p.Ref.Text())
	}
	s := symbol(PathSymbol, p.Value, p.IDValue, p.ID)
	s.Detail = oneLine(p.Title())
	if n := p.Steps.Len(); n > 0 {
		s.Start, s.End = min(s.Start, p.Steps.At(0).Self().Start()), max(s.End, p.Steps.At(n-1).Self().End())
	}
	return s
}

func stepSymbol(step toolpath.At) Symbol {
	s := symbol(StepSymbol, step.Self(), step.Value(step.Nodes.ID), step.ID)
	s.Detail = oneLine(step.Actor)
	if intent := step.Intent(); intent != "" {
		s.Detail += " · " + oneLine(intent)
	}
	return s
}
