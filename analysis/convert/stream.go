package convert

import (
	"github.com/toolpath-ls/toolpath-ls/analysis/format"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
)

// ToStream returns the document as a stream: PathOpen, an ActorDef for each actor, the
// steps as they are, the path's Signatures, Head and PathClose (JSONL Streaming RFC). Refused
// is what a stream cannot be: a document with no, several or referenced paths. The error is
// an [*Error].
func ToStream(t *jsonsrc.Tree) (Result, error) {
	if err := format.Syntax(t); err != nil {
		return Result{}, refused(err)
	}
	w := streamWriter{out: make(writer, 0, len(t.Source()))}
	if err := w.document(t.Root()); err != nil {
		return Result{}, err
	}
	text, err := format.Text(jsonsrc.ParseLines(w.out))
	return Result{text, w.lost}, refused(err)
}

type streamWriter struct {
	out  writer
	lost losses
}

func (w *streamWriter) document(root jsonsrc.Value) error {
	entry, err := onlyPath(root)
	if err != nil {
		return err
	}
	identity, meta := entry.Get("path"), entry.Get("meta")
	w.graph(root, identity.Get("id"))
	if ref, v := entry.Member("$ref"); v.Valid() {
		w.lost.add(ref, "the $ref beside an inline path is left out")
	}
	w.lost.unknown(entry, "the path", "path", "steps", "meta", "$ref")

	w.open(identity, meta)
	w.actors(meta.Get("actors"))
	for i, s := range entry.Get("steps").Elements() {
		if s.Kind() != jsonsrc.Object {
			return fault(s, "step %d of the path is not an object but %v", i+1, s.Kind())
		}
		w.out.line(`{"Step":`, s, "}")
	}
	w.signatures(meta.Get("signatures"))
	w.out.line(`{"Head":{"step_id":`, identity.Get("head"), "}}")
	w.out.line(`{"PathClose":{}}`)
	return nil
}

// onlyPath returns the one path of a document, or says why it is none.
func onlyPath(root jsonsrc.Value) (entry jsonsrc.Value, err error) {
	paths := root.Get("paths")
	if root.Kind() != jsonsrc.Object || paths.Kind() != jsonsrc.Array {
		return entry, fault(root, "this is no Toolpath document: it has no list of paths")
	}
	n := 0
	for _, e := range paths.Elements() {
		entry = e
		n++
	}
	identity := entry.Get("path")
	switch {
	case n != 1:
		return entry, fault(paths, "a stream (.path.jsonl) holds exactly one path, and this document has %d", n)
	case entry.Get("$ref").Valid() && !identity.Valid():
		return entry, fault(entry, "a stream (.path.jsonl) cannot hold a reference ($ref) to a path in another document")
	case identity.Kind() != jsonsrc.Object || identity.Get("id").Kind() != jsonsrc.String:
		return entry, fault(entry, "the path has no id that is a string, which its stream would have to start with")
	case identity.Get("head").Kind() != jsonsrc.String:
		return entry, fault(identity, "the path has no head that is a string, which its stream would have to end with")
	case entry.Get("steps").Kind() != jsonsrc.Array:
		return entry, fault(entry, "the path has no steps: write an empty array if it has none yet")
	}
	return entry, nil
}

// graph tells what is lost of the graph around the path.
func (w *streamWriter) graph(root, pathID jsonsrc.Value) {
	graph := root.Get("graph")
	w.lost.unknown(root, "the document", "graph", "paths", "meta")
	w.lost.unknown(graph, "the graph", "id")
	if id := graph.Get("id"); id.Valid() && !id.Is(pathID.Text()) {
		w.lost.add(id, "the id %s of the graph is left out: read again, the graph has the id of its path, %s", short(id), short(pathID))
	}
	if k, v := root.Member("meta"); v.Valid() {
		w.lost.add(k, "the meta of the graph is left out: a stream has only that of its path")
	}
}

// open writes the PathOpen line: the identity but its head, and the meta but its actors and
// signatures, which have lines of their own.
func (w *streamWriter) open(identity, meta jsonsrc.Value) {
	w.out.write(`{"PathOpen":{"version":"1"`)
	for k, v := range identity.Members() {
		switch {
		case k.Is("head"):
		case k.Is("version") || k.Is("meta"):
			w.lost.add(k, "the unknown field %s of the path's identity is left out: the first line of a stream has another field of this name", short(k))
		default:
			w.out.member(",", k, v)
		}
	}
	if meta.Valid() {
		w.out.write(`,"meta":`)
		w.meta(meta)
	}
	w.out.line("}}")
}

func (w *streamWriter) meta(meta jsonsrc.Value) {
	if meta.Kind() != jsonsrc.Object {
		w.out.value(meta)
		return
	}
	comma := "{"
	for k, v := range meta.Members() {
		if k.Is("actors") || k.Is("signatures") {
			continue
		}
		w.out.member(comma, k, v)
		comma = ","
	}
	if comma == "{" {
		w.out.write("{")
	}
	w.out.write("}")
}

func (w *streamWriter) actors(actors jsonsrc.Value) {
	n := 0
	for k, v := range actors.Members() {
		w.out.write(`{"ActorDef":{"actor":`)
		w.out.value(k)
		w.out.line(`,"definition":`, v, "}}")
		n++
	}
	if actors.Valid() && n == 0 {
		w.lost.add(actors, "meta.actors is left out: it defines no actor")
	}
}

func (w *streamWriter) signatures(signatures jsonsrc.Value) {
	n := 0
	for _, s := range signatures.Elements() {
		w.out.line(`{"Signature":{"target":"path","signature":`, s, "}}")
		n++
	}
	if signatures.Valid() && n == 0 {
		w.lost.add(signatures, "meta.signatures is left out: it holds no signature")
	}
}

// writer writes JSON: literals as they are, values without white space.
type writer []byte

func (w *writer) write(s string) { *w = append(*w, s...) }

// value writes a value, which must be without faults.
func (w *writer) value(v jsonsrc.Value) {
	src := v.Bytes()
	for i := 0; i < len(src); {
		start := i
		switch src[i] {
		case ' ', '\t', '\n', '\r':
			i++
			continue
		case '"':
			for i++; src[i] != '"'; i++ {
				if src[i] == '\\' {
					i++
				}
			}
			i++
		default:
			i++
		}
		*w = append(*w, src[start:i]...)
	}
}

func (w *writer) member(before string, k, v jsonsrc.Value) {
	w.write(before)
	w.value(k)
	w.write(":")
	w.value(v)
}

// line writes literals and values, and ends the line.
func (w *writer) line(parts ...any) {
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			w.write(p)
		case jsonsrc.Value:
			w.value(p)
		}
	}
	w.write("\n")
}
