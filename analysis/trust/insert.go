package trust

import (
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
		object = p.Steps.At(step).Self()
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
		return []format.Edit{format.Append(p.Doc.Tree, signatures, literal)}, nil
	case meta.Valid():
		return []format.Edit{format.Append(p.Doc.Tree, meta, `"signatures": [`+literal+"]")}, nil
	}
	return []format.Edit{format.Append(p.Doc.Tree, object, `"meta": {"signatures": [`+literal+"]}")}, nil
}

// insertLine appends a Signature line to a stream; before its PathClose, if it is closed.
func insertLine(p *toolpath.Path, step int, f Fields) ([]format.Edit, error) {
	target := "path"
	if step >= 0 {
		id := p.Steps.At(step).ID
		for later := step + 1; later < p.Steps.Len(); later++ {
			if p.Steps.At(later).ID == id {
				return nil, errors.New("a later step has the same id, and a Signature line would be about that one")
			}
		}
		target = "step:" + id
	}
	return []format.Edit{format.AppendLine(p.Doc.Tree, `{"Signature":{"target":`+quote(target)+`,"signature":`+f.literal()+"}}")}, nil
}

// Define returns the edits that give an actor a key, so that its signatures can be its
// own: in the definition that the step, the path or the graph has of it, else in a new one of
// the path. None if the actor has the key.
func Define(p *toolpath.Path, step int, actor string, key KeyName) ([]format.Edit, error) {
	at := toolpath.At{}
	if step >= 0 {
		at = p.Steps.At(step)
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
		return []format.Edit{format.Append(t, keys, literal)}, nil
	case defined && def.Value.Kind() == jsonsrc.Object && !keys.Valid():
		return []format.Edit{format.Append(t, def.Value, list)}, nil
	case defined:
		return nil, errors.New("the definition of " + actor + " has no place for a key")
	case actors.Kind() == jsonsrc.Object:
		return []format.Edit{format.Append(t, actors, quote(actor)+": {"+list+"}")}, nil
	case actors.Valid() || p.Meta.Valid() && p.Meta.Kind() != jsonsrc.Object:
		return nil, errors.New("there is no place for a definition: meta or meta.actors is no object")
	case p.Meta.Valid():
		return []format.Edit{format.Append(t, p.Meta, `"actors": {`+quote(actor)+": {"+list+"}}")}, nil
	}
	return []format.Edit{format.Append(t, p.Value, `"meta": {"actors": {`+quote(actor)+": {"+list+"}}}")}, nil
}

// defineLine writes an ActorDef line, which replaces the definition that there is.
func defineLine(p *toolpath.Path, actor string, def toolpath.ActorDefinition, literal, list string) ([]format.Edit, error) {
	body := "{" + list + "}"
	if def.Value.Kind() == jsonsrc.Object {
		src, off := def.Value.Bytes(), def.Value.Start()
		var edit format.Edit
		switch keys := def.Value.Get("keys"); {
		case keys.Kind() == jsonsrc.Array:
			edit = format.Append(p.Doc.Tree, keys, literal)
		case keys.Valid():
			return nil, errors.New("the definition of " + actor + " has no place for a key")
		default:
			edit = format.Append(p.Doc.Tree, def.Value, list)
		}
		body = string(src[:edit.Start-off]) + edit.New + string(src[edit.End-off:])
	}
	return []format.Edit{format.AppendLine(p.Doc.Tree, `{"ActorDef":{"actor":`+quote(actor)+`,"definition":`+body+"}}")}, nil
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
