package convert

import (
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/format"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// ToDocument returns the stream as a document: a graph of one path, which has its id. Later
// lines about an actor, a field of meta or the head replace earlier ones, but null in a
// patch changes nothing; signatures go to the latest step of the id. Without a Head line the
// head is the one step that no other names as a parent. Refused is what is fatal for a
// reader (JSONL Streaming RFC). The error is an [*Error].
func ToDocument(t *jsonsrc.Tree) (Result, error) {
	if err := format.Syntax(t); err != nil {
		return Result{}, refused(err)
	}
	r := streamReader{byID: map[string]int{}}
	for i := range t.NumChunks() {
		if v := t.Chunk(i); v.Valid() {
			if err := r.line(v); err != nil {
				return Result{}, err
			}
		}
	}
	if err := r.end(t); err != nil {
		return Result{}, err
	}
	text, err := format.Text(parse(r.document(len(t.Source())), Document))
	return Result{text, r.lost}, refused(err)
}

// streamReader is what the lines so far have said.
type streamReader struct {
	open       jsonsrc.Value // the PathOpen body
	closed     bool
	head       string // as it is spelled
	meta       object
	hasMeta    bool // as an object
	actors     object
	hasActors  bool
	signatures []jsonsrc.Value
	steps      []signedStep
	byID       map[string]int // the latest step of an id
	lost       losses
}

type signedStep struct {
	value      jsonsrc.Value
	signatures []jsonsrc.Value // of lines, beside those that it has
}

// variants are the kinds of lines: the fields of the body, and what a line does.
var variants map[string]variant

type variant struct {
	fields []string
	read   func(*streamReader, jsonsrc.Value) error
}

func init() {
	variants = map[string]variant{
		"PathOpen":  {nil, (*streamReader).pathOpen},
		"Step":      {nil, (*streamReader).step},
		"ActorDef":  {[]string{"actor", "definition"}, (*streamReader).actorDef},
		"Signature": {[]string{"target", "signature"}, (*streamReader).signature},
		"PathMeta":  {[]string{"patch"}, (*streamReader).pathMeta},
		"Head":      {[]string{"step_id"}, (*streamReader).headLine},
		"PathClose": {[]string{}, (*streamReader).pathClose},
	}
}

func (r *streamReader) line(v jsonsrc.Value) error {
	members := 0
	for range v.Members() {
		members++
	}
	if members != 1 {
		return fault(v, "a line of a stream is an object with exactly one field, such as \"Step\"")
	}
	key, body := toolpath.Variant(v)
	if !r.open.Valid() && !key.Is("PathOpen") {
		return fault(key, "the first line of a stream must be a PathOpen, not %s", short(key))
	}
	if r.closed {
		return fault(v, "this line comes after PathClose, which ends the stream")
	}
	kind, known := variants[key.Text()]
	if !known {
		r.lost.add(key, "the line is left out: its kind %s is not known", short(key))
		return nil
	}
	if body.Kind() != jsonsrc.Object {
		return fault(body, "what a %s line holds must be an object, not %v", key.Text(), body.Kind())
	}
	if kind.fields != nil {
		r.lost.unknown(body, "the "+key.Text()+" line", kind.fields...)
	}
	return kind.read(r, body)
}

func (r *streamReader) pathOpen(body jsonsrc.Value) error {
	version, meta := body.Get("version"), body.Get("meta")
	switch {
	case r.open.Valid():
		return fault(body, "this is the second PathOpen line: a stream holds one path")
	case version.Kind() != jsonsrc.String:
		return fault(body, "the PathOpen line has no version that is a string; write \"version\": \"1\"")
	case body.Get("id").Kind() != jsonsrc.String:
		return fault(body, "the PathOpen line has no id that is a string")
	case meta.Valid() && meta.Kind() != jsonsrc.Object && meta.Kind() != jsonsrc.Null:
		return fault(meta, "meta must be an object, not %v", meta.Kind())
	}
	if !version.Is("1") {
		r.lost.add(version, "the version %s is not known; the lines were read as those of version 1", short(version))
	}
	if k, v := body.Member("head"); v.Valid() {
		r.lost.add(k, "the field head of the PathOpen line is left out: the head of a stream has its own line")
	}
	r.open, r.hasMeta = body, meta.Kind() == jsonsrc.Object
	for k, v := range meta.Members() {
		r.setMeta(k, v)
	}
	return nil
}

// setMeta sets a field of the path's meta. Actors and signatures, which have lines of their
// own, are added to those.
func (r *streamReader) setMeta(k, v jsonsrc.Value) {
	switch {
	case k.Is("actors") && v.Kind() == jsonsrc.Object:
		r.hasActors = true
		for name, definition := range v.Members() {
			r.actors.set(name, definition)
		}
	case k.Is("signatures") && v.Kind() == jsonsrc.Array:
		for _, s := range v.Elements() {
			r.signatures = append(r.signatures, s)
		}
	case k.Is("actors") || k.Is("signatures"):
		r.lost.add(k, "%s is left out: it is %v", short(k), v.Kind())
	default:
		r.meta.set(k, v)
	}
}

func (r *streamReader) step(body jsonsrc.Value) error {
	if id := body.Get("step").Get("id"); id.Kind() == jsonsrc.String {
		r.byID[id.Text()] = len(r.steps)
	}
	r.steps = append(r.steps, signedStep{value: body})
	return nil
}

func (r *streamReader) actorDef(body jsonsrc.Value) error {
	actor, definition := body.Get("actor"), body.Get("definition")
	if actor.Kind() != jsonsrc.String || !definition.Valid() {
		return fault(body, "an ActorDef line needs actor, a string, and definition")
	}
	r.actors.set(actor, definition)
	return nil
}

func (r *streamReader) signature(body jsonsrc.Value) error {
	target, signature := body.Get("target"), body.Get("signature")
	if target.Kind() != jsonsrc.String || !signature.Valid() {
		return fault(body, "a Signature line needs target, a string, and signature")
	}
	if target.Is("path") {
		r.signatures = append(r.signatures, signature)
		return nil
	}
	id, ok := strings.CutPrefix(target.Text(), "step:")
	if !ok {
		return fault(target, "the target of a signature is \"path\" or \"step:\" and a step's id, not %s", short(target))
	}
	i, ok := r.byID[id]
	if !ok {
		return fault(target, "no step before this line has the id that the target %s names", short(target))
	}
	s := &r.steps[i]
	meta := s.value.Get("meta")
	if signatures := meta.Get("signatures"); !isOr(meta, jsonsrc.Object) || !isOr(signatures, jsonsrc.Array) {
		return fault(target, "the step that the target %s names has no place for the signature: its meta or meta.signatures is of the wrong kind", short(target))
	}
	s.signatures = append(s.signatures, signature)
	return nil
}

// isOr says whether the value is of the kind, null or absent.
func isOr(v jsonsrc.Value, k jsonsrc.Kind) bool {
	return !v.Valid() || v.Kind() == jsonsrc.Null || v.Kind() == k
}

func (r *streamReader) pathMeta(body jsonsrc.Value) error {
	patch := body.Get("patch")
	if patch.Kind() != jsonsrc.Object {
		return fault(body, "a PathMeta line needs patch, an object")
	}
	for k, v := range patch.Members() {
		if v.Kind() != jsonsrc.Null {
			r.setMeta(k, v)
		}
	}
	return nil
}

func (r *streamReader) headLine(body jsonsrc.Value) error {
	id := body.Get("step_id")
	if id.Kind() != jsonsrc.String {
		return fault(body, "a Head line needs step_id, a string")
	}
	r.head = string(id.Bytes())
	return nil
}

func (r *streamReader) pathClose(jsonsrc.Value) error {
	r.closed = true
	return nil
}

// end looks for the head if no line has named it.
func (r *streamReader) end(t *jsonsrc.Tree) error {
	if !r.open.Valid() {
		return &Error{0, len(t.Source()), "the stream is empty: its first line would be a PathOpen"}
	}
	if r.head != "" {
		return nil
	}
	p := toolpath.Build(t, nil).Paths[0]
	tips := p.Tips()
	if len(tips) == 1 && p.Steps.At(tips[0]).Nodes.ID != 0 {
		r.head = string(p.Steps.At(tips[0]).IDValue().Bytes())
		return nil
	}
	return fault(r.open, "no Head line says which step is the head, and it does not follow from the steps: %s", candidates(p, tips))
}

// candidates names the steps that may be the head.
func candidates(p *toolpath.Path, tips []int) string {
	const most = 5
	switch {
	case p.Steps.Len() == 0:
		return "there are none"
	case len(tips) == 0:
		return "each is the parent of another"
	}
	var names []string
	for _, i := range tips[:min(len(tips), most)] {
		names = append(names, short(p.Steps.At(i).IDValue()))
	}
	if len(tips) > most {
		names = append(names, "…")
	}
	return "no step has " + strings.Join(names, ", ") + " as a parent"
}

// document writes what was read, in about size bytes.
func (r *streamReader) document(size int) []byte {
	w := make(writer, 0, size)
	w.write(`{"graph":{"id":`)
	w.value(r.open.Get("id"))
	w.write(`},"paths":[{"path":{"head":` + r.head)
	for k, v := range r.open.Members() {
		if !k.Is("version") && !k.Is("meta") && !k.Is("head") {
			w.member(",", k, v)
		}
	}
	w.write(`},"steps":[`)
	for i, s := range r.steps {
		if i > 0 {
			w.write(",")
		}
		s.write(&w)
	}
	w.write("]")
	r.writeMeta(&w)
	w.write("}]}")
	return w
}

func (r *streamReader) writeMeta(w *writer) {
	actors := r.hasActors || len(r.actors.members) > 0
	if !r.hasMeta && len(r.meta.members) == 0 && !actors && len(r.signatures) == 0 {
		if meta := r.open.Get("meta"); meta.Valid() {
			w.write(`,"meta":`)
			w.value(meta)
		}
		return
	}
	w.write(`,"meta":{`)
	comma := r.meta.write(w, "")
	if actors {
		w.write(comma + `"actors":{`)
		r.actors.write(w, "")
		w.write("}")
		comma = ","
	}
	if len(r.signatures) > 0 {
		w.write(comma + `"signatures":`)
		list(w, r.signatures)
	}
	w.write("}")
}

func (s signedStep) write(w *writer) {
	if len(s.signatures) == 0 {
		w.value(s.value)
		return
	}
	w.write("{")
	for k, v := range s.value.Members() {
		if !k.Is("meta") {
			w.member("", k, v)
			w.write(",")
		}
	}
	w.write(`"meta":{`)
	meta := s.value.Get("meta")
	for k, v := range meta.Members() {
		if !k.Is("signatures") {
			w.member("", k, v)
			w.write(",")
		}
	}
	w.write(`"signatures":`)
	var all []jsonsrc.Value
	for _, own := range meta.Get("signatures").Elements() {
		all = append(all, own)
	}
	list(w, append(all, s.signatures...))
	w.write("}}")
}

func list(w *writer, values []jsonsrc.Value) {
	w.write("[")
	for i, v := range values {
		if i > 0 {
			w.write(",")
		}
		w.value(v)
	}
	w.write("]")
}

// object is an object whose members are set one by one, and keep their first place.
type object struct {
	members []objectMember
	index   map[string]int
}

type objectMember struct{ key, value jsonsrc.Value }

func (o *object) set(k, v jsonsrc.Value) {
	name := k.Text()
	if i, ok := o.index[name]; ok {
		o.members[i].value = v
		return
	}
	if o.index == nil {
		o.index = map[string]int{}
	}
	o.index[name] = len(o.members)
	o.members = append(o.members, objectMember{k, v})
}

// write writes the members, and returns what has to stand before a further one.
func (o *object) write(w *writer, comma string) string {
	for _, m := range o.members {
		w.member(comma, m.key, m.value)
		comma = ","
	}
	return comma
}
