package analysis

import (
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
	Children           []Symbol
}

// Symbols returns the outline of a Toolpath document: graph, paths, steps. A stream has no
// graph.
func (d *Document) Symbols() []Symbol {
	m := d.Model()
	if m == nil {
		return nil
	}
	var paths []Symbol
	for _, p := range m.Paths {
		paths = append(paths, pathSymbol(p))
	}
	root := d.Tree().Root()
	if m.Lines || !m.Graph.Valid() {
		return paths
	}
	g := symbol(GraphSymbol, root, m.Graph.Get("id"), m.ID)
	g.Detail = oneLine(m.Meta.Get("title").Text())
	g.Children = paths
	return []Symbol{g}
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

func pathSymbol(p *toolpath.Path) Symbol {
	if p.Ref.Valid() {
		return symbol(PathSymbol, p.Value, p.Ref, p.Ref.Text())
	}
	s := symbol(PathSymbol, p.Value, p.IDValue, p.ID)
	s.Detail = oneLine(p.Title())
	s.Children = make([]Symbol, 0, len(p.Steps))
	dead := p.DAG().Head >= 0 && !p.IsAgentSession()
	for i, step := range p.Steps {
		c := symbol(StepSymbol, step.Self(), step.Value(step.Nodes.ID), step.ID)
		c.Detail = oneLine(step.Actor)
		if step.Intent != "" {
			c.Detail += " · " + oneLine(step.Intent)
		}
		c.DeadEnd = dead && !p.DAG().Active[i]
		s.Children = append(s.Children, c)
		s.Start, s.End = min(s.Start, c.Start), max(s.End, c.End)
	}
	return s
}
