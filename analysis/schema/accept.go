package schema

import (
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
)

// AcceptsStep says that v certainly is a valid step: if it returns true,
// Validate finds nothing wrong. False means that Validate has to decide. It
// allocates nothing, so that a document of many steps is checked without
// decoding them.
func AcceptsStep(v jsonsrc.Value) bool {
	return v.Valid() && stepShape.accepts(v.Walk(), v.Node())
}

// AcceptsStepLine is AcceptsStep for a whole line of a stream, {"Step": …}.
func AcceptsStepLine(v jsonsrc.Value) bool {
	return v.Valid() && stepLineShape.accepts(v.Walk(), v.Node())
}

// shape is a hand-written form of an object schema. Escapes in keys, actors
// and enum values are left to Validate.
type shape struct {
	fields   []field // at most 32
	required uint32  // bit i: fields[i] must be there
	least    int     // least number of members
	open     bool    // other fields are allowed
}

type field struct {
	name    string
	accepts accepts
}

// accepts says whether a node is what it must be.
type accepts = func(w jsonsrc.Walk, n uint32) bool

func (s *shape) accepts(w jsonsrc.Walk, n uint32) bool {
	if w.Kind(n) != jsonsrc.Object {
		return false
	}
	var seen uint32
	members := 0
	for key := w.First(n); key != 0; {
		value := w.Next(key)
		i, ok := s.index(w.Quoted(key))
		if !ok {
			return false
		}
		if i >= 0 {
			seen |= 1 << i
			if !s.fields[i].accepts(w, value) {
				return false
			}
		}
		members++
		key = w.Next(value)
	}
	return seen&s.required == s.required && members >= s.least
}

// index returns which field the name is, -1 for another that is allowed. A
// nil name is none.
func (s *shape) index(name []byte, plain bool) (int, bool) {
	for i := range s.fields {
		if string(name) == s.fields[i].name {
			return i, true
		}
	}
	return -1, s.open && plain
}

func acceptString(w jsonsrc.Walk, n uint32) bool { return w.Kind(n) == jsonsrc.String }

func listOf(element accepts) accepts {
	return func(w jsonsrc.Walk, n uint32) bool {
		if w.Kind(n) != jsonsrc.Array {
			return false
		}
		for e := w.First(n); e != 0; e = w.Next(e) {
			if !element(w, e) {
				return false
			}
		}
		return true
	}
}

// mapOf accepts an object whose keys and values are accepted.
func mapOf(key, value accepts) accepts {
	return func(w jsonsrc.Walk, n uint32) bool {
		if w.Kind(n) != jsonsrc.Object {
			return false
		}
		for k := w.First(n); k != 0; {
			v := w.Next(k)
			if !key(w, k) || !value(w, v) {
				return false
			}
			k = w.Next(v)
		}
		return true
	}
}

func oneOf(words ...string) accepts {
	return func(w jsonsrc.Walk, n uint32) bool {
		text := w.Text(n)
		for _, word := range words {
			if string(text) == word {
				return true
			}
		}
		return false
	}
}

var actorKinds = []string{"human:", "agent:", "tool:", "ci:"}

// acceptActor accepts kind:name and kind:name/suffix.
func acceptActor(w jsonsrc.Walk, n uint32) bool {
	b, _ := w.Quoted(n)
	for _, kind := range actorKinds {
		if len(b) > len(kind) && string(b[:len(kind)]) == kind {
			return isActorName(b[len(kind):])
		}
	}
	return false
}

// isActorName says whether b is one or two non-empty runs of letters, digits,
// ".", "_" and "-", with a slash between.
func isActorName(b []byte) bool {
	slash := -1
	for i, c := range b {
		if c == '/' && slash < 0 && i > 0 {
			slash = i
		} else if !actorBytes[c] {
			return false
		}
	}
	return len(b) > 0 && slash != len(b)-1
}

var actorBytes = func() (ok [256]bool) {
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") {
		ok[c] = true
	}
	return ok
}()

var (
	stepLineShape = shape{required: 1, fields: []field{{"Step", stepShape.accepts}}}

	stepShape = shape{required: 0b11, fields: []field{
		{"step", stepIdentityShape.accepts},
		{"change", mapOf(acceptString, artifactChangeShape.accepts)},
		{"meta", stepMetaShape.accepts},
	}}
	stepIdentityShape = shape{required: 0b111, fields: []field{
		{"id", acceptString},
		{"actor", acceptActor},
		{"timestamp", acceptString},
		{"parents", listOf(acceptString)},
	}}
	artifactChangeShape = shape{least: 1, fields: []field{
		{"raw", acceptString},
		{"structural", structuralShape.accepts},
	}}
	structuralShape = shape{open: true, required: 1, fields: []field{{"type", acceptString}}}
	stepMetaShape   = shape{open: true, fields: []field{
		{"intent", acceptString},
		{"description", acceptString},
		{"source", stepSourceShape.accepts},
		{"refs", listOf(refShape.accepts)},
		{"actors", mapOf(acceptActor, actorDefinitionShape.accepts)},
		{"signatures", listOf(signatureShape.accepts)},
	}}
	stepSourceShape = shape{open: true, required: 0b11, fields: []field{
		{"type", acceptString},
		{"revision", acceptString},
		{"change_id", acceptString},
	}}
	refShape = shape{required: 0b11, fields: []field{
		{"rel", acceptString},
		{"href", acceptString},
	}}
	actorDefinitionShape = shape{fields: []field{
		{"name", acceptString},
		{"provider", acceptString},
		{"model", acceptString},
		{"identities", listOf(identityShape.accepts)},
		{"keys", listOf(keyShape.accepts)},
	}}
	identityShape = shape{required: 0b11, fields: []field{
		{"system", acceptString},
		{"id", acceptString},
	}}
	keyShape = shape{required: 0b11, fields: []field{
		{"type", oneOf("gpg", "ssh", "sigstore")},
		{"fingerprint", acceptString},
		{"href", acceptString},
	}}
	signatureShape = shape{required: 0b1111, fields: []field{
		{"signer", acceptActor},
		{"key", acceptString},
		{"scope", oneOf("author", "reviewer", "witness", "ci", "release")},
		{"sig", acceptString},
		{"timestamp", acceptString},
	}}
)
