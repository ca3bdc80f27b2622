package structural

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/entity"
)

// maxEntities bounds what is listed of one file; what comes later is left out.
const maxEntities = 1 << 16

// tokenSeed is one for all files, so that their tokens can be compared.
var tokenSeed = maphash.MakeSeed()

// Entities lists the definitions of a tree that was parsed with [Options].Query, as the
// version of the file of that name.
func Entities(t *Tree, name string) entity.File {
	return entity.New(name, t.Source, t.definitions(), t.tokens(), t.meanings())
}

// tokens are the leaves of the tree, without comments and what is there or not by taste:
// commas and semicolons.
func (t *Tree) tokens() []entity.Token {
	tokens := make([]entity.Token, 0, len(t.Nodes)/2)
	add := func(start, end uint32) {
		if start >= end {
			return
		}
		if text := t.Source[start:end]; text != "," && text != ";" && strings.TrimSpace(text) != "" {
			tokens = append(tokens, entity.Token{Start: int(start), End: int(end), Hash: maphash.String(tokenSeed, text)})
		}
	}
	t.Walk(func(n int) bool {
		node := &t.Nodes[n]
		if t.rule(n)&isComment != 0 {
			return false
		}
		if int(node.Next) == n+1 {
			add(node.Start, node.End)
			return true
		}
		// Some grammars have no node for the content of a string.
		at := node.Start
		for c := range t.Children(n) {
			add(at, t.Nodes[c].Start)
			at = t.Nodes[c].End
		}
		add(at, node.End)
		return true
	})
	slices.SortFunc(tokens, func(a, b entity.Token) int { return cmp.Compare(a.Start, b.Start) })
	return tokens
}

func (t *Tree) rule(n int) kindRule {
	if k := int(t.Nodes[n].Kind); k < len(t.Language.loaded.rules) {
		return t.Language.loaded.rules[k]
	}
	return 0
}

// meanings returns a function that hashes the form of a span: of two spans with an equal
// hash one is the other laid out anew. It is nil where white space is content, and for a
// tree that is too deep.
func (t *Tree) meanings() func(start, end int) uint64 {
	f := &form{source: t.Source}
	m := former{form: f, l: t.Language, rules: t.Language.loaded.rules}
	f.tree, f.content = t, t.Language.Rules.Lines
	if m.children(0); m.tooDeep || f.content {
		return nil
	}
	items := f.items
	at := func(i item) int {
		if i.kind == closeItem {
			return int(i.end)
		}
		return int(i.start)
	}
	slices.SortStableFunc(items, func(a, b item) int { return cmp.Compare(at(a), at(b)) })
	return func(start, end int) uint64 {
		var h uint64
		from, _ := slices.BinarySearchFunc(items, start, func(i item, start int) int { return cmp.Compare(at(i), start) })
		for _, i := range items[from:] {
			if at(i) >= end {
				break
			}
			if int(i.start) >= start {
				h = mix(h*31 ^ i.hash)
			}
		}
		return h | 1
	}
}

// words of structural operations for the captures that have others.
var entityKinds = map[string]entity.Kind{"function": "fn", "element": "", "table": "key", "rule": "rule", "section": "section"}

// definitions reads the captures of the language's query.
func (t *Tree) definitions() []entity.Entity {
	type match struct{ def, name, recv, body int }
	var all []entity.Entity
	byNode := map[uint32]int{}
	before := t.siblings()
	for i := 0; i < len(t.Captures) && len(all) < maxEntities; {
		first := t.Captures[i].Match
		m := match{-1, -1, -1, -1}
		kind := ""
		for ; i < len(t.Captures) && t.Captures[i].Match == first; i++ {
			c := t.Captures[i]
			switch capture := t.CaptureName(c); capture {
			case "name":
				m.name = int(c.Node)
			case "recv":
				m.recv = int(c.Node)
			case "body":
				m.body = int(c.Node)
			default:
				kind, m.def = strings.TrimPrefix(capture, "def."), int(c.Node)
			}
		}
		if m.def < 0 {
			continue
		}
		e, ok := t.entity(kind, m.def, m.name, m.recv, m.body, before)
		if !ok {
			continue
		}
		// Of several patterns for one node the more special one says its kind, and a
		// declaration of several names is as many entities.
		key := uint32(m.def)
		if m.name >= 0 {
			key = uint32(m.name)
		}
		if j, ok := byNode[key]; ok {
			if general(all[j].Kind) {
				all[j] = e
			}
			continue
		}
		byNode[key] = len(all)
		all = append(all, e)
	}
	return all
}

func general(k entity.Kind) bool { return k == "type" || k == "var" || k == "const" }

func (t *Tree) entity(kind string, def, name, recv, body int, before []int32) (entity.Entity, bool) {
	k, ok := entityKinds[kind]
	if !ok {
		k = entity.Kind(kind)
	}
	if k == "" {
		return entity.Entity{}, false
	}
	start, end := t.span(def, before)
	e := entity.Entity{Kind: k, Start: start, End: end, Body: start}
	if name >= 0 {
		e.Name = t.Text(name)
		e.NameStart, e.NameEnd = int(t.Nodes[name].Start), int(t.Nodes[name].End)
	}
	if body < 0 {
		body = t.content(def, name)
	}
	if body >= 0 {
		e.Body = int(t.Nodes[body].Start)
	}
	switch {
	case k == "import":
		// The names in braces are what it brings in, and come in any order.
		e.Name, _, _ = strings.Cut(e.Name, "{")
		e.Name = strings.TrimRight(unquoted(e.Name), ":. ")
		if e.Name == "" {
			e.Name = strings.Join(strings.Fields(t.Text(def)), " ")
		}
		e.NameStart, e.NameEnd = 0, 0
	case k == "key":
		e.Name = unquoted(e.Name)
	case k == "impl":
		e.Name, _, _ = strings.Cut(e.Name, "<")
		if recv >= 0 {
			e.Name = t.Text(recv) + " for " + e.Name
		}
		e.NameStart, e.NameEnd = 0, 0
	case recv >= 0:
		e.Qualifier = t.receiver(recv)
	}
	e.Name = strings.Join(strings.Fields(e.Name), " ")
	if k == "fn" && t.inside(def, isClass) {
		e.Kind = "method"
	}
	return e, e.Name != ""
}

// isClass are the kinds of nodes whose functions are methods.
var isClass = map[string]bool{
	"class_definition": true, "class_declaration": true, "impl_item": true, "trait_item": true, "class_specifier": true,
	"struct_specifier": true, "object_definition": true, "trait_definition": true, "enum_definition": true, "interface_declaration": true,
}

// functions are the kinds of nodes that a definition inside is local to.
var functionKinds = map[string]bool{"function_definition": true, "function_declaration": true, "function_item": true, "method_definition": true}

func (t *Tree) inside(n int, kinds map[string]bool) bool {
	for n != 0 {
		n = int(t.Nodes[n].Parent)
		if kinds[t.Kind(n)] {
			return true
		}
		if functionKinds[t.Kind(n)] {
			return false
		}
	}
	return false
}

// receiver is the type's name in the receiver of a Go method, and what stands before the
// name of a Ruby singleton method.
func (t *Tree) receiver(n int) string {
	for i := n; i < int(t.Nodes[n].Next); i++ {
		if k := t.Kind(i); k == "type_identifier" {
			return t.Text(i)
		}
	}
	return strings.Trim(t.Text(n), "() ")
}

func unquoted(s string) string { return strings.Trim(s, "\"'`") }

// content is the node at which a definition's head ends where the query does not say:
// its body or value; -1 if it has none.
func (t *Tree) content(def, name int) int {
	for n := def + 1; n < int(t.Nodes[def].Next); n++ {
		switch t.Field(n) {
		case "body", "value", "right":
			if n > name {
				return n
			}
		case "parameters", "arguments":
			n = int(t.Nodes[n].Next) - 1
		}
	}
	return -1
}

// wrappers are the kinds of nodes that belong to the one definition in them.
var wrappers = map[string]bool{
	"export_statement": true, "decorated_definition": true, "template_declaration": true, "type_declaration": true,
	"const_declaration": true, "var_declaration": true, "lexical_declaration": true, "expression_statement": true,
	"variable_declaration": true, "declaration": true, "import_declaration": true, "ambient_declaration": true,
}

// span is that of a definition with what belongs to it: the declaration that holds nothing
// else, and comments and attributes directly above.
func (t *Tree) span(n int, before []int32) (start, end int) {
	for n != 0 {
		up := int(t.Nodes[n].Parent)
		if !wrappers[t.Kind(up)] {
			break
		}
		others := 0
		for c := range t.Children(up) {
			if c != n && t.Nodes[c].Flags&Named != 0 && t.Nodes[c].Flags&Extra == 0 && !isAttribute(t.Kind(c)) && t.Field(c) == "" {
				others++
			}
		}
		if others > 0 && t.Kind(up) != "template_declaration" {
			break
		}
		n = up
	}
	start, end = int(t.Nodes[n].Start), int(t.Nodes[n].End)
	if n == 0 {
		return start, end
	}
	for c := int(before[n]); c >= 0 && (t.rule(c)&isComment != 0 || isAttribute(t.Kind(c))); c = int(before[c]) {
		between := t.Source[t.Nodes[c].End:start]
		if strings.Count(between, "\n") > 1 || strings.TrimSpace(between) != "" || !t.firstOnLine(int(t.Nodes[c].Start)) {
			break
		}
		start = int(t.Nodes[c].Start)
	}
	return start, end
}

// siblings are the nodes before each node, below the same parent; -1 is none.
func (t *Tree) siblings() []int32 {
	before := make([]int32, len(t.Nodes))
	before[0] = -1
	for n := range t.Nodes {
		last := int32(-1)
		for c := range t.Children(n) {
			before[c], last = last, int32(c)
		}
	}
	return before
}

// firstOnLine says that nothing but blanks stands before a place in its line.
func (t *Tree) firstOnLine(at int) bool {
	line := t.Source[strings.LastIndexByte(t.Source[:at], '\n')+1 : at]
	return strings.TrimSpace(line) == ""
}

func isAttribute(kind string) bool {
	switch kind {
	case "attribute_item", "decorator", "attribute_list", "marker_annotation", "annotation", "inner_attribute_item":
		return true
	}
	return false
}
