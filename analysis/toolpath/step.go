package toolpath

import (
	"sync/atomic"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
)

// Step is what one step says. It depends on the bytes of its chunk alone, so that it is
// shared between the versions of a document; nodes are places within the chunk.
type Step struct {
	ID      string
	Actor   string
	Parents []string

	seconds int64 // of the timestamp's instant, see Time
	nanos   int32
	// HasTime says whether the timestamp is one of RFC 3339.
	HasTime bool

	Nodes  Nodes
	memo   memo
	sealed atomic.Pointer[any] // few steps have one
}

// Nodes are the places of a step's parts; 0 = absent (the place 0 is the step itself, but
// for ".path.jsonl", where Self is that of the body).
type Nodes struct {
	Self, ID, Parents, Actor, Timestamp, Change, Meta uint32
}

// At binds a step to its place in one version of a document.
type At struct {
	*Step
	Tree  *jsonsrc.Tree
	Chunk int
}

// Value returns the part of the step that the node names; not valid for node 0 unless
// that is the step itself.
func (s At) Value(node uint32) jsonsrc.Value {
	if node == 0 {
		return jsonsrc.Value{}
	}
	return s.Tree.Value(s.Chunk, node)
}

// Self returns the whole step object.
func (s At) Self() jsonsrc.Value { return s.Tree.Value(s.Chunk, s.Nodes.Self) }

// IDValue returns the id, or the step object where there is none.
func (s At) IDValue() jsonsrc.Value {
	if s.Nodes.ID == 0 {
		return s.Self()
	}
	return s.Value(s.Nodes.ID)
}

// ParentValue returns the string that names parent i.
func (s At) ParentValue(i int) jsonsrc.Value {
	for _, e := range s.Value(s.Nodes.Parents).Elements() {
		if e.Kind() != jsonsrc.String {
			continue
		}
		if i == 0 {
			return e
		}
		i--
	}
	return jsonsrc.Value{}
}

// ParentValues returns the strings that name the parents.
func (s At) ParentValues() []jsonsrc.Value {
	all := make([]jsonsrc.Value, 0, len(s.Parents))
	for _, e := range s.Value(s.Nodes.Parents).Elements() {
		if e.Kind() == jsonsrc.String {
			all = append(all, e)
		}
	}
	return all
}

// stepOf reads a step object. Wrong types read as absent.
func stepOf(v jsonsrc.Value, in *Interner) *Step {
	s := in.step()
	s.Nodes.Self = v.Node()
	if v.Kind() != jsonsrc.Object {
		return s
	}
	w := v.Walk()
	for k := w.First(v.Node()); k != 0; {
		val := w.Next(k)
		switch string(w.Text(k)) {
		case "step":
			s.identity(w, val, in)
		case "change":
			if w.Kind(val) == jsonsrc.Object {
				s.Nodes.Change = val
			}
		case "meta":
			if w.Kind(val) == jsonsrc.Object {
				s.Nodes.Meta = val
			}
		}
		k = w.Next(val)
	}
	return s
}

func (s *Step) identity(w jsonsrc.Walk, object uint32, in *Interner) {
	if w.Kind(object) != jsonsrc.Object {
		return
	}
	for k := w.First(object); k != 0; {
		val := w.Next(k)
		switch key, kind := w.Text(k), w.Kind(val); {
		case kind == jsonsrc.Array && string(key) == "parents":
			s.Nodes.Parents, s.Parents = val, nil // of two lists the last one counts
			for e := w.First(val); e != 0; e = w.Next(e) {
				if w.Kind(e) == jsonsrc.String {
					s.Parents = in.append(s.Parents, in.text(w.Text(e)))
				}
			}
		case kind != jsonsrc.String:
		case string(key) == "id":
			s.ID, s.Nodes.ID = in.text(w.Text(val)), val
		case string(key) == "actor":
			s.Actor, s.Nodes.Actor = in.once(w.Text(val)), val
		case string(key) == "timestamp":
			s.Nodes.Timestamp = val
			var t time.Time
			t, s.HasTime = parseTimestamp(w.Text(val))
			s.seconds, s.nanos = t.Unix(), int32(t.Nanosecond())
		}
		k = w.Next(val)
	}
}

// Time returns the timestamp's instant, in UTC; the zero time if it is none of RFC 3339.
func (s *Step) Time() time.Time {
	if !s.HasTime {
		return time.Time{}
	}
	return time.Unix(s.seconds, int64(s.nanos)).UTC()
}

// Timestamp returns the timestamp as the document has it, "" if that is no string.
func (s At) Timestamp() string { return s.Value(s.Nodes.Timestamp).Text() }

// Intent returns why the step was made, "" if the document does not say.
func (s At) Intent() string { return s.Value(s.Nodes.Meta).Get("intent").Text() }

// Offset returns where the step's chunk starts.
func (s At) Offset() int { return s.Tree.ChunkAt(s.Chunk).Off }

// End returns where the step's chunk ends.
func (s At) End() int {
	c := s.Tree.ChunkAt(s.Chunk)
	return c.Off + c.Size()
}
