package entity

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Item is an entity as a structural operation names it.
type Item struct {
	Kind      Kind   `json:"kind"`
	Name      string `json:"name"`
	Parent    string `json:"parent,omitempty"`
	Signature string `json:"signature,omitempty"`
	// From is the old signature where an operation changes it.
	From string `json:"from,omitempty"`
}

// Operation is a structural operation in the vocabulary of design/projection.md 4.1; Type
// has the form "<lang>.<op>".
type Operation struct {
	Type  string `json:"type"`
	Items []Item `json:"items,omitempty"`
	// From and To are the names of a rename.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
	Kind Kind   `json:"kind,omitempty"`
	// Item, FromFile, ToFile and ToParent are those of a move.
	Item     *Item  `json:"item,omitempty"`
	FromFile string `json:"from_file,omitempty"`
	ToFile   string `json:"to_file,omitempty"`
	ToParent string `json:"to_parent,omitempty"`
	// Ops are the operations of an "<lang>.edit", which holds several.
	Ops []Operation `json:"ops,omitempty"`
}

// Sources are the texts of the files that were compared, by their names.
type Sources map[string]string

// Operations are the operations that make the new version of one file of the old one, as
// far as entities tell: one operation, an "<lang>.edit" that holds several, or none. An
// entity that went to another file is moved there by the operation of that file, and is
// not removed by the one of the file that it left.
func Operations(lang, file string, changes []Change, before, after []File, old, new Sources) (Operation, bool) {
	var add, remove, modify, signature []Item
	var single []Operation
	for _, c := range changes {
		if c.In(before, after) != file {
			continue
		}
		var was, is Item
		if c.Before != none {
			was = item(before, c.Before, old)
		}
		if c.After != none {
			is = item(after, c.After, new)
		}
		switch c.Action {
		case Add:
			add = append(add, is)
		case Remove:
			remove = append(remove, was)
		case Rename:
			single = append(single, Operation{Type: lang + ".rename", Kind: is.Kind, From: was.Name, To: is.Name})
		case Move:
			op := Operation{Type: lang + ".move", Item: &Item{Kind: is.Kind, Name: is.Name, Parent: was.Parent}, ToParent: is.Parent}
			if from := before[c.Before.File].Name; from != file {
				op.FromFile, op.ToFile = from, file
			}
			single = append(single, op)
		}
		if c.Action == Modify || c.Action == Rename || c.Action == Move {
			if c.Head && was.Signature != is.Signature {
				signature = append(signature, Item{Kind: is.Kind, Name: is.Name, Parent: is.Parent, From: was.Signature, Signature: is.Signature})
			}
			if c.Body || c.Head && was.Signature == is.Signature {
				modify = append(modify, Item{Kind: is.Kind, Name: is.Name, Parent: is.Parent})
			}
		}
	}
	var ops []Operation
	for _, list := range []struct {
		op    string
		items []Item
	}{{"add_items", add}, {"remove_items", remove}, {"change_signature", signature}, {"modify_items", modify}} {
		if len(list.items) > 0 {
			ops = append(ops, Operation{Type: lang + "." + list.op, Items: list.items})
		}
	}
	ops = append(ops, single...)
	if len(ops) == 0 {
		if slices.ContainsFunc(changes, func(c Change) bool { return c.Action == Format && after[c.After.File].Name == file }) {
			return Operation{Type: "fmt.apply"}, true
		}
		return Operation{}, false
	}
	if len(ops) == 1 {
		return ops[0], true
	}
	return Operation{Type: lang + ".edit", Ops: ops}, true
}

func item(files []File, r Ref, sources Sources) Item {
	f := &files[r.File]
	e := &f.Entities[r.Entity]
	it := Item{Kind: e.Kind, Name: e.Name, Parent: e.Qualifier}
	if e.Parent >= 0 {
		it.Parent = f.Entities[e.Parent].path
	}
	it.Signature = e.Signature(sources[f.Name])
	return it
}

// Signature is the head of an entity on one line, without comments and attributes above
// it, at most 200 bytes; "" for one without a body, and for an import.
func (e *Entity) Signature(source string) string {
	if e.Body <= e.NameStart || e.NameEnd == 0 || e.Body > len(source) {
		return ""
	}
	start := strings.LastIndexByte(source[:e.NameStart], '\n') + 1
	s := strings.Join(strings.Fields(source[max(start, e.Start):e.Body]), " ")
	s = strings.TrimRight(s, " {:=")
	if len(s) > 200 {
		s = strings.ToValidUTF8(s[:197], "") + "…"
	}
	return s
}

// Words says what a change did, such as "moved fn `parse` from a.rs to b.rs".
func (c Change) Words(before, after []File) string {
	var was, is *Entity
	if c.Before != none {
		was = &before[c.Before.File].Entities[c.Before.Entity]
	}
	if c.After != none {
		is = &after[c.After.File].Entities[c.After.Entity]
	}
	name := func(e *Entity) string { return fmt.Sprintf("%s `%s`", e.Kind, e.path) }
	but := ""
	switch {
	case is != nil && is.Kind != "fn" && is.Kind != "method" && (c.Head || c.Body):
		but = ", and changed it"
	case c.Head && c.Body:
		but = ", with another signature and body"
	case c.Head:
		but = ", with another signature"
	case c.Body:
		but = ", with another body"
	}
	switch c.Action {
	case Add:
		return "added " + name(is)
	case Remove:
		return "removed " + name(was)
	case Rename:
		return fmt.Sprintf("renamed %s to `%s`%s", name(was), is.path, but)
	case Move:
		from, to := before[c.Before.File].Name, after[c.After.File].Name
		if from != to {
			if path.Base(from) != path.Base(to) {
				from, to = path.Base(from), path.Base(to)
			}
			return fmt.Sprintf("moved %s from %s to %s%s", name(is), from, to, but)
		}
		return fmt.Sprintf("moved `%s` to `%s`%s", was.path, is.path, but)
	case Format:
		return "formatted " + name(is)
	}
	switch {
	case is.Kind != "fn" && is.Kind != "method" && (!is.isType() || is.Body <= is.Start):
		return "changed " + name(is)
	case c.Head && !c.Body:
		return "changed the signature of " + name(is)
	case c.Head:
		return "changed the signature and body of " + name(is)
	}
	return "changed the body of " + name(is)
}
