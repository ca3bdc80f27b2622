package schema

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
)

// object is an object of a schema file with its keys in the order of the file.
type object struct {
	file   string
	keys   []string
	fields map[string]any // *object, []any, string, bool, float64 or nil
}

// roots returns the schema files as ordered objects.
var roots = sync.OnceValue(func() map[string]*object {
	out := map[string]*object{}
	for _, file := range files {
		dec := json.NewDecoder(bytes.NewReader(source(file)))
		out[file] = decode(dec, file).(*object)
	}
	return out
})

// decode reads the next value of a schema file. The file is embedded and
// compiled in the tests, so faults in it need no error.
func decode(dec *json.Decoder, file string) any {
	token, _ := dec.Token()
	switch token {
	case json.Delim('{'):
		o := &object{file: file, fields: map[string]any{}}
		for dec.More() {
			key, _ := dec.Token()
			o.keys = append(o.keys, key.(string))
			o.fields[key.(string)] = decode(dec, file)
		}
		dec.Token()
		return o
	case json.Delim('['):
		var list []any
		for dec.More() {
			list = append(list, decode(dec, file))
		}
		dec.Token()
		return list
	}
	return token
}

func (o *object) child(key string) *object {
	if o == nil {
		return nil
	}
	c, _ := o.fields[key].(*object)
	return c
}

func (o *object) text(key string) string {
	s, _ := o.fields[key].(string)
	return s
}

func (o *object) strings(key string) []string {
	if o == nil {
		return nil
	}
	if s := o.text(key); s != "" {
		return []string{s}
	}
	list, _ := o.fields[key].([]any)
	var out []string
	for _, v := range list {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// node is the schema of a value: the object that stands at its place and those
// that it refers to by $ref, in that order.
type node []*object

func newNode(o *object) node {
	var n node
	for o != nil {
		n = append(n, o)
		o = o.target()
	}
	return n
}

// target returns the object that the $ref of o names, or nil.
func (o *object) target() *object {
	file, pointer, ok := strings.Cut(o.text("$ref"), "#/")
	if !ok {
		return nil
	}
	if file == "" {
		file = o.file
	}
	t := roots()[file]
	for key := range strings.SplitSeq(pointer, "/") {
		t = t.child(key)
	}
	return t
}

// text returns the first text of the keyword along the node.
func (n node) text(keyword string) string {
	for _, o := range n {
		if s := o.text(keyword); s != "" {
			return s
		}
	}
	return ""
}

// last returns the object that no $ref leads on from.
func (n node) last() *object {
	if len(n) == 0 {
		return nil
	}
	return n[len(n)-1]
}

// property returns the schema of a field that the node names.
func (n node) property(key string) node {
	return newNode(n.last().child("properties").child(key))
}

// properties returns the names of the fields that the node knows, in the order
// of the schema file.
func (n node) properties() []string {
	if p := n.last().child("properties"); p != nil {
		return p.keys
	}
	return nil
}

// next returns the schema of the value behind one element of an instance path:
// a field, an item of a list, or a value of a map such as change or actors.
func (n node) next(element string) node {
	if p := n.property(element); p != nil {
		return p
	}
	for _, keyword := range []string{"items", "additionalProperties"} {
		if c := n.last().child(keyword); c != nil {
			return newNode(c)
		}
	}
	for _, branch := range []string{"else", "then"} {
		if p := newNode(n.last().child(branch)).property(element); p != nil {
			return p
		}
	}
	return nil
}

// schemaOf returns the schema of def.
func schemaOf(def Def) node {
	at := locations[def]
	return newNode(roots()[at.file].child("$defs").child(at.name))
}

// at returns the schema of the value at pointer below a value of shape def, or
// nil if the schema says nothing about it.
func at(def Def, pointer []string) node {
	n := schemaOf(def)
	for _, element := range pointer {
		n = n.next(element)
	}
	return n
}

// Describe returns in one or two sentences, as plain text with `code` spans,
// what the field at pointer below a value of shape def means, or "" if the
// format says nothing about it. pointer is an instance path such as paths, 0,
// steps, 3, step, actor; its indices need not exist.
func Describe(def Def, pointer ...string) string {
	return at(def, pointer).text("description")
}
