package toolpath

import (
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
)

// Step is what one step says. It depends on the bytes of its chunk alone, so that it is
// shared between the versions of a document; nodes are places within the chunk.
type Step struct {
	ID        string
	Actor     string
	Timestamp string
	Intent    string
	Parents   []string
	// Time is the timestamp's instant, if it is one of RFC 3339.
	Time    time.Time
	HasTime bool

	Nodes  Nodes
	memo   memo
	sealed memo
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
func stepOf(v jsonsrc.Value, in *interner) *Step {
	s := &Step{Nodes: Nodes{Self: v.Node()}}
	for k, val := range v.Members() {
		switch {
		case k.Is("step"):
			s.identity(val, in)
		case k.Is("change") && val.Kind() == jsonsrc.Object:
			s.Nodes.Change = val.Node()
		case k.Is("meta") && val.Kind() == jsonsrc.Object:
			s.Nodes.Meta = val.Node()
			s.Intent = val.Get("intent").Text()
		}
	}
	return s
}

func (s *Step) identity(v jsonsrc.Value, in *interner) {
	for k, val := range v.Members() {
		if val.Kind() == jsonsrc.Array && k.Is("parents") {
			s.Nodes.Parents, s.Parents = val.Node(), nil // of two lists the last one counts
			for _, e := range val.Elements() {
				if e.Kind() == jsonsrc.String {
					s.Parents = in.append(s.Parents, in.text(e))
				}
			}
		}
		if val.Kind() != jsonsrc.String {
			continue
		}
		switch {
		case k.Is("id"):
			s.ID, s.Nodes.ID = in.text(val), val.Node()
		case k.Is("actor"):
			s.Actor, s.Nodes.Actor = in.once(val), val.Node()
		case k.Is("timestamp"):
			s.Timestamp, s.Nodes.Timestamp = in.text(val), val.Node()
			s.Time, s.HasTime = ParseTimestamp(s.Timestamp)
		}
	}
}

// Offset returns where the step's chunk starts.
func (s At) Offset() int { return s.Tree.Chunks()[s.Chunk].Off }
