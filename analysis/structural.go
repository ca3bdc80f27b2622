package analysis

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolpath-ls/toolpath-ls/analysis/entity"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
)

// Structural operations as documents record them (RFC "Structural", design/projection.md
// 4.1). There is no registry, so that what is read is what producers write: "<lang>.<op>"
// with items, or with from and to. Operations that are not known here say nothing of lines.

// operation is one structural operation.
type operation struct {
	verb  string // what comes behind the last dot of the type
	value jsonsrc.Value
}

// maxOperations bounds the operations of one artifact change that are looked at.
const maxOperations = 1000

// operationsOf lists the operations of a structural change, those of a container each.
func operationsOf(v jsonsrc.Value) []operation {
	name := v.Get("type").Text()
	if name == "file.write" || strings.HasPrefix(name, "conversation.") || strings.HasPrefix(name, "tool.") {
		return nil
	}
	_, verb, ok := cutLast(name, ".")
	if !ok {
		return nil
	}
	if verb != "edit" {
		return []operation{{verb, v}}
	}
	var all []operation
	for _, inner := range v.Get("ops").Elements() {
		if _, verb, ok := cutLast(inner.Get("type").Text(), "."); ok && verb != "edit" && len(all) < maxOperations {
			all = append(all, operation{verb, inner})
		}
	}
	return all
}

// namedItem is an entity as an operation names it; at is where it does so.
type namedItem struct {
	kind, name, parent string
	methods            []string
	at                 jsonsrc.Value
}

// items are the entities that an operation is about.
func (o operation) items() []namedItem {
	var all []namedItem
	for _, v := range o.value.Get("items").Elements() {
		if it, ok := itemOf(v); ok && len(all) < maxOperations {
			all = append(all, it)
		}
	}
	if it, ok := itemOf(o.value.Get("item")); ok {
		all = append(all, it)
	}
	return all
}

func itemOf(v jsonsrc.Value) (namedItem, bool) {
	if v.Kind() == jsonsrc.String {
		return namedItem{name: v.Text(), at: v}, v.Text() != ""
	}
	it := namedItem{kind: v.Get("kind").Text(), name: v.Get("name").Text(), parent: v.Get("parent").Text(), at: v}
	if n := v.Get("name"); n.Kind() == jsonsrc.String {
		it.at = n
	}
	if kind, ok := itemKinds[it.kind]; ok {
		it.kind = kind
	}
	switch {
	case it.kind == "impl" && v.Get("for").Text() != "":
		it.name = v.Get("for").Text()
		if trait := v.Get("trait").Text(); trait != "" {
			it.name = trait + " for " + it.name
		}
	case it.name == "":
		it.name = v.Get("path").Text()
	}
	for _, m := range v.Get("methods").Elements() {
		name := m.Text()
		if m.Kind() == jsonsrc.Object {
			name = m.Get("name").Text()
		}
		it.methods = append(it.methods, name)
	}
	return it, it.name != ""
}

// itemKinds are other words for kinds.
var itemKinds = map[string]string{
	"function": "fn", "func": "fn", "def": "fn", "constructor": "method", "module": "mod", "namespace": "mod", "package": "mod",
	"use": "import", "include": "import", "require": "import", "constant": "const", "variable": "var", "let": "var",
	"record": "class", "object": "class", "property": "field", "member": "field", "attribute": "field", "typedef": "type", "alias": "type",
}

// find returns the entities of a file that an item can mean.
func (it namedItem) find(f *entity.File) []*entity.Entity {
	name, parent := it.name, it.parent
	if it.kind != "import" && it.kind != "impl" {
		for _, sep := range []string{"::", "#", "."} {
			if up, last, ok := cutLast(name, sep); ok {
				parent, name = up, last
			}
		}
	}
	var found []*entity.Entity
	for i := range f.Entities {
		e := &f.Entities[i]
		if e.Name != name || it.kind != "" && !sameKind(it.kind, string(e.Kind)) {
			continue
		}
		if up := e.Path(); parent != "" && !strings.HasPrefix(up, parent+".") && !strings.Contains(up, "."+parent+".") {
			continue
		}
		found = append(found, e)
	}
	return found
}

// sameKind says whether two kinds can mean one: languages differ in what they call a
// function in a class, or a type.
func sameKind(a, b string) bool {
	groups := [][]string{{"fn", "method", "test", "declaration"}, {"struct", "class", "type", "interface", "trait", "enum", "mod"}, {"const", "var", "static", "field"}}
	return a == b || slices.ContainsFunc(groups, func(g []string) bool { return slices.Contains(g, a) && slices.Contains(g, b) })
}

// mentions says whether a source has the last word of an item's name at all.
func (it namedItem) mentions(source string) bool {
	words := strings.FieldsFunc(it.name, func(r rune) bool { return !isWordRune(r) })
	return len(words) == 0 || len(wordsAt(source, words[len(words)-1], 1)) > 0
}

func isWordRune(r rune) bool {
	return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// wordsAt lists up to most places of a whole word.
func wordsAt(source, word string, most int) []int {
	var found []int
	if word == "" {
		return nil
	}
	for at := 0; len(found) < most; {
		i := strings.Index(source[at:], word)
		if i < 0 {
			break
		}
		i += at
		before, _ := utf8.DecodeLastRuneInString(source[:i])
		after, _ := utf8.DecodeRuneInString(source[i+len(word):])
		if (i == 0 || !isWordRune(before)) && (i+len(word) == len(source) || !isWordRune(after)) {
			found = append(found, i)
		}
		at = i + len(word)
	}
	return found
}

// replacement is a piece of text that an operation puts in place of another.
type replacement struct {
	from, to string
	at       jsonsrc.Value
}

// replacements are the texts that an operation changes.
func (o operation) replacements() []replacement {
	switch o.verb {
	case "modify_expressions", "fix":
		var all []replacement
		for _, c := range o.value.Get("changes").Elements() {
			if len(all) < maxOperations {
				all = append(all, replacement{c.Get("from").Text(), c.Get("to").Text(), c})
			}
		}
		return all
	case "replace", "insert", "delete":
		r := replacement{from: o.value.Get("old").Text(), to: o.value.Get("new").Text(), at: o.value}
		if r.to == "" {
			r.to = o.value.Get("text").Text()
		}
		if o.verb == "delete" {
			r.from, r.to = r.to, ""
		}
		return []replacement{r}
	}
	return nil
}
