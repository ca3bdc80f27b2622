package jsonsrc

// Walk visits the nodes of one chunk, by their places ([Value.Node]). It is the way for
// loops over very many steps, since a Value is five words and a range over members a call.
// Place 0 is the chunk's own value, and where a way ends: it is nobody's child.
type Walk struct {
	text []byte // from the start of the chunk on
	c    *Chunk
}

// Walk returns the walk over the chunk that the value is in.
func (v Value) Walk() Walk {
	if v.c == nil {
		return Walk{}
	}
	return Walk{v.text(), v.c}
}

// Kind returns the kind of a node.
func (w Walk) Kind(n uint32) Kind { return w.c.node(n).kind }

// First returns the first element of an array or the first key of an object, 0 if there is
// none or the elements are chunks.
func (w Walk) First(n uint32) uint32 {
	if w.c.node(n).flags&flagChildren == 0 {
		return 0
	}
	return n + 1
}

// Next returns what follows: on an element the next one, on a key its value, on a value the
// next key; 0 at the end.
func (w Walk) Next(n uint32) uint32 { return w.c.node(n).next }

// Quoted returns what stands between the quotes of a string, escapes as they are, which it
// has if not plain. It is nil if the node is no string that is closed.
func (w Walk) Quoted(n uint32) (quoted []byte, plain bool) {
	d := w.c.node(n)
	if d.kind != String || d.flags&flagUnclosed != 0 {
		return nil, false
	}
	return w.text[d.start+1 : d.end-1], d.flags&flagEscaped == 0
}

// Text returns the decoded content of a string, nil of any other node. It is part of the
// document, or a copy if there are escapes.
func (w Walk) Text(n uint32) []byte {
	d := w.c.node(n)
	if d.kind != String {
		return nil
	}
	end := d.end
	if d.flags&flagUnclosed == 0 {
		end--
	}
	in := w.text[min(d.start+1, end):end]
	if d.flags&flagEscaped != 0 {
		return unescapeAll(mended(in, d.flags))
	}
	return in
}

// Span returns where a node starts and ends, counted from the start of the chunk.
func (w Walk) Span(n uint32) (start, end int) {
	d := w.c.node(n)
	return int(d.start), int(d.end)
}

// Bytes returns a node's source text, quotes and all.
func (w Walk) Bytes(n uint32) []byte {
	d := w.c.node(n)
	return w.text[d.start:d.end]
}

// Member returns the value of an object's last member with the key, 0 if there is none.
func (w Walk) Member(object uint32, key string) (val uint32) {
	if w.c.node(object).kind != Object {
		return 0
	}
	for k := w.First(object); k != 0; {
		v := w.Next(k)
		if string(w.Text(k)) == key && w.c.node(k).kind == String {
			val = v
		}
		k = w.Next(v)
	}
	return val
}
