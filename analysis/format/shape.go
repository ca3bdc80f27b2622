package format

import (
	"slices"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
)

// shape is what is known of the value at a place of a document: the keys of an object in
// order, each with the shape of its value, or the shape of all elements or values.
type shape struct {
	keys []key
	each *shape // of the elements of an array, or of the values of a map
}

type key struct {
	name  string
	shape *shape
}

func object(keys ...key) *shape { return &shape{keys: keys} }

// fields are keys whose values have no order of their own.
func fields(names ...string) *shape {
	s := &shape{}
	for _, n := range names {
		s.keys = append(s.keys, key{n, anything})
	}
	return s
}

// each is an array of, or a map to, values of one shape.
func each(s *shape) *shape { return &shape{each: s} }

var anything = &shape{}

// The objects of the RFC, "Format Specification", and of the JSONL Streaming RFC. Where
// the RFC has no example, the order is that of the table that lists the fields.
var (
	reference  = fields("rel", "href")
	signature  = fields("signer", "key", "scope", "timestamp", "sig")
	definition = object(key{"name", anything}, key{"provider", anything}, key{"model", anything},
		key{"identities", each(fields("system", "id"))},
		key{"keys", each(fields("type", "fingerprint", "href"))})
	meta = object(key{"title", anything}, key{"kind", anything}, key{"source", anything},
		key{"intent", anything}, key{"description", anything},
		key{"refs", each(reference)}, key{"actors", each(definition)}, key{"signatures", each(signature)})

	stepObject = object(key{"step", fields("id", "parents", "actor", "timestamp")},
		key{"change", each(object(key{"raw", anything}, key{"structural", fields("type")}))},
		key{"meta", meta})
	base         = fields("uri", "ref", "branch")
	parent       = fields("uri", "path", "step")
	pathIdentity = object(key{"id", anything}, key{"base", base}, key{"head", anything},
		key{"graph_ref", anything}, key{"parent", parent})
	pathObject  = object(key{"$ref", anything}, key{"path", pathIdentity}, key{"steps", each(stepObject)}, key{"meta", meta})
	graphObject = object(key{"graph", fields("id")}, key{"paths", each(pathObject)}, key{"meta", meta})

	// root is a graph, or what old and careless writers put in its place.
	root = object(slices.Concat(graphObject.keys[:2], pathObject.keys[1:3], stepObject.keys[:2], graphObject.keys[2:], []key{
		{"Graph", graphObject}, {"Path", pathObject}, {"Step", stepObject}})...)

	line = object(
		key{"PathOpen", object(key{"version", anything}, key{"id", anything}, key{"base", base},
			key{"graph_ref", anything}, key{"parent", parent}, key{"meta", meta})},
		key{"Step", stepObject},
		key{"ActorDef", object(key{"actor", anything}, key{"definition", definition})},
		key{"Signature", object(key{"target", anything}, key{"signature", signature})},
		key{"PathMeta", object(key{"patch", meta})},
		key{"Head", fields("step_id")})
)

func (s *shape) elements() *shape {
	if s.each == nil {
		return anything
	}
	return s.each
}

// of returns the rank of a key and the shape of its value.
func (s *shape) of(k jsonsrc.Value) (rank int, _ *shape) {
	for i := range s.keys {
		if k.Is(s.keys[i].name) {
			return i, s.keys[i].shape
		}
	}
	return len(s.keys), s.elements()
}

// member is a member of an object on its way to its new place.
type member struct {
	key, value jsonsrc.Value
	shape      *shape
	rank       int
	moves      bool
}

// order appends the members in the order of the shape: by rank, equal ones as they stand.
func (s *shape) order(v jsonsrc.Value, to []member) []member {
	first, sorted, last := len(to), true, 0
	for k, val := range v.Members() {
		rank, shape := s.of(k)
		sorted = sorted && rank >= last
		last = rank
		to = append(to, member{key: k, value: val, shape: shape, rank: rank})
	}
	if ms := to[first:]; !sorted {
		s.markMoves(ms)
		slices.SortStableFunc(ms, func(a, b member) int { return a.rank - b.rank })
	}
	return to
}

// markMoves marks the members that move: all but those of the largest number of bytes that
// are in order already.
func (s *shape) markMoves(ms []member) {
	type chain struct{ bytes, last int }
	best := make([]chain, len(s.keys)+1) // the heaviest chain that ends with a rank
	before := make([]int, len(ms))       // the member before this one in its chain, or -1
	for r := range best {
		best[r].last = -1
	}
	for i, m := range ms {
		c := chain{last: -1}
		for _, b := range best[:m.rank+1] {
			if b.bytes > c.bytes {
				c = b
			}
		}
		before[i] = c.last
		best[m.rank] = chain{bytes: c.bytes + m.value.End() - m.key.Start(), last: i}
	}
	end := best[0]
	for _, b := range best {
		if b.bytes > end.bytes {
			end = b
		}
	}
	for i := range ms {
		ms[i].moves = true
	}
	for i := end.last; i >= 0; i = before[i] {
		ms[i].moves = false
	}
}
