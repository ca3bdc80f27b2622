package trust

import (
	"bytes"
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/toolpath-ls/toolpath-ls/analysis/format"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// Fields are the fields of a new signature.
type Fields struct {
	Signer    string
	Key       KeyName
	Scope     string
	Timestamp string // "" for none
	Sig       string
}

func (f Fields) literal() string {
	fields := []string{"signer", f.Signer, "key", f.Key.String(), "scope", f.Scope}
	if f.Timestamp != "" {
		fields = append(fields, "timestamp", f.Timestamp)
	}
	return objectLiteral(append(fields, "sig", f.Sig)...)
}

// objectLiteral writes an object of strings, keys and values by turns, on one line.
func objectLiteral(fields ...string) string {
	var b strings.Builder
	b.WriteString("{")
	for i := 0; i < len(fields); i += 2 {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(quote(fields[i]) + ": " + quote(fields[i+1]))
	}
	return b.String() + "}"
}

func quote(s string) string {
	out, _ := jsontext.AppendQuote(nil, s) // what is no UTF-8 is replaced
	return string(out)
}

// Insert returns the edits that write a signature of a step, or of the path for step -1, into
// the document. Nothing else of the text changes: not the order of anything, nor its layout.
func Insert(p *toolpath.Path, step int, f Fields) ([]format.Edit, error) {
	if p.Doc.Lines {
		return insertLine(p, step, f)
	}
	object := p.Value
	if step >= 0 {
		object = p.Steps[step].Self()
	}
	literal := f.literal()
	meta := object.Get("meta")
	signatures := meta.Get("signatures")
	switch {
	case object.Kind() != jsonsrc.Object || !object.Closed():
		return nil, errors.New("what is signed is not a whole object")
	case signatures.Valid() && signatures.Kind() != jsonsrc.Array || meta.Valid() && meta.Kind() != jsonsrc.Object:
		return nil, errors.New("there is no place for a signature: meta is no object, or meta.signatures no array")
	case signatures.Valid():
		return []format.Edit{appendTo(p.Doc.Tree, signatures, literal)}, nil
	case meta.Valid():
		return []format.Edit{appendTo(p.Doc.Tree, meta, `"signatures": [`+literal+"]")}, nil
	}
	return []format.Edit{appendTo(p.Doc.Tree, object, `"meta": {"signatures": [`+literal+"]}")}, nil
}

// insertLine appends a Signature line to a stream; before its PathClose, if it is closed.
func insertLine(p *toolpath.Path, step int, f Fields) ([]format.Edit, error) {
	target := "path"
	if step >= 0 {
		id := p.Steps[step].ID
		for _, s := range p.Steps[step+1:] {
			if s.ID == id {
				return nil, errors.New("a later step has the same id, and a Signature line would be about that one")
			}
		}
		target = "step:" + id
	}
	return []format.Edit{lineEdit(p.Doc.Tree, `{"Signature":{"target":`+quote(target)+`,"signature":`+f.literal()+"}}")}, nil
}

// lineEdit adds a line to a stream: before PathClose, else at the end.
func lineEdit(t *jsonsrc.Tree, line string) format.Edit {
	src := t.Source()
	eol := "\n"
	if bytes.Contains(src[:min(len(src), 1<<16)], []byte("\r\n")) {
		eol = "\r\n"
	}
	for i := len(t.Chunks()) - 1; i >= 0; i-- {
		v := t.Chunk(i)
		if !v.Valid() {
			continue
		}
		if key, _ := toolpath.Variant(v); key.Is("PathClose") {
			return format.Edit{Start: v.Start(), End: v.Start(), New: line + eol}
		}
		break
	}
	end := len(src)
	if end > 0 && src[end-1] != '\n' {
		return format.Edit{Start: end, End: end, New: eol + line + eol}
	}
	return format.Edit{Start: end, End: end, New: line + eol}
}

// Define returns the edits that give an actor a key, so that its signatures can be its
// own: in the definition that the step, the path or the graph has of it, else in a new one of
// the path. None if the actor has the key.
func Define(p *toolpath.Path, step int, actor string, key KeyName) ([]format.Edit, error) {
	at := toolpath.At{}
	if step >= 0 {
		at = p.Steps[step]
	}
	def, defined := p.Actor(at, actor)
	keys := def.Value.Get("keys")
	for _, v := range keys.Elements() {
		if NewKeyName(v.Get("type").Text(), v.Get("fingerprint").Text()).Identifies(key) {
			return nil, nil
		}
	}
	literal := objectLiteral("type", key.Type, "fingerprint", key.Fingerprint)
	list := `"keys": [` + literal + "]"
	if p.Doc.Lines {
		return defineLine(p, actor, def, literal, list)
	}
	t := p.Doc.Tree
	actors := p.Meta.Get("actors")
	switch {
	case defined && keys.Kind() == jsonsrc.Array:
		return []format.Edit{appendTo(t, keys, literal)}, nil
	case defined && def.Value.Kind() == jsonsrc.Object && !keys.Valid():
		return []format.Edit{appendTo(t, def.Value, list)}, nil
	case defined:
		return nil, errors.New("the definition of " + actor + " has no place for a key")
	case actors.Kind() == jsonsrc.Object:
		return []format.Edit{appendTo(t, actors, quote(actor)+": {"+list+"}")}, nil
	case actors.Valid() || p.Meta.Valid() && p.Meta.Kind() != jsonsrc.Object:
		return nil, errors.New("there is no place for a definition: meta or meta.actors is no object")
	case p.Meta.Valid():
		return []format.Edit{appendTo(t, p.Meta, `"actors": {`+quote(actor)+": {"+list+"}}")}, nil
	}
	return []format.Edit{appendTo(t, p.Value, `"meta": {"actors": {`+quote(actor)+": {"+list+"}}}")}, nil
}

// defineLine writes an ActorDef line, which replaces the definition that there is.
func defineLine(p *toolpath.Path, actor string, def toolpath.ActorDefinition, literal, list string) ([]format.Edit, error) {
	body := "{" + list + "}"
	if def.Value.Kind() == jsonsrc.Object {
		src, off := def.Value.Bytes(), def.Value.Start()
		var edit format.Edit
		switch keys := def.Value.Get("keys"); {
		case keys.Kind() == jsonsrc.Array:
			edit = appendTo(p.Doc.Tree, keys, literal)
		case keys.Valid():
			return nil, errors.New("the definition of " + actor + " has no place for a key")
		default:
			edit = appendTo(p.Doc.Tree, def.Value, list)
		}
		body = string(src[:edit.Start-off]) + edit.New + string(src[edit.End-off:])
	}
	return []format.Edit{lineEdit(p.Doc.Tree, `{"ActorDef":{"actor":`+quote(actor)+`,"definition":`+body+"}}")}, nil
}

// appendTo returns the edit that adds an element to an array, or a member to an object, as
// its last one. It stands on a line of its own if the others do.
func appendTo(t *jsonsrc.Tree, container jsonsrc.Value, literal string) format.Edit {
	src := t.Source()
	var last jsonsrc.Value
	start := 0 // of the last element, or of the key of the last member
	for k, v := range container.Members() {
		last, start = v, k.Start()
	}
	for _, v := range container.Elements() {
		last, start = v, v.Start()
	}
	if !last.Valid() {
		return format.Edit{Start: container.Start() + 1, End: container.End() - 1, New: literal}
	}
	gap := whiteBefore(src, start)
	if !strings.Contains(gap, "\n") && gap != "" {
		gap = " "
	}
	return format.Edit{Start: last.End(), End: last.End(), New: "," + gap + literal}
}

// whiteBefore returns the white space before an offset.
func whiteBefore(src []byte, off int) string {
	start := off
	for start > 0 && strings.IndexByte(" \t\r\n", src[start-1]) >= 0 {
		start--
	}
	return string(src[start:off])
}

// ActorsWith returns the actors that the path, or the graph, defines with a key.
func ActorsWith(p *toolpath.Path, key KeyName) (actors []string) {
	for _, name := range p.ActorNames() {
		def, _ := p.Actor(toolpath.At{}, name)
		for _, v := range def.Value.Get("keys").Elements() {
			if NewKeyName(v.Get("type").Text(), v.Get("fingerprint").Text()).Identifies(key) {
				actors = append(actors, name)
				break
			}
		}
	}
	return actors
}
