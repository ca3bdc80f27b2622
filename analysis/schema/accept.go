package schema

import (
	"bytes"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
)

// AcceptsStep says that v certainly is a valid step: if it returns true,
// Validate finds nothing wrong. False means that Validate has to decide. It
// allocates nothing, so that a document of many steps is checked without
// decoding them.
func AcceptsStep(v jsonsrc.Value) bool { return stepShape.accepts(v) }

// AcceptsStepLine is AcceptsStep for a whole line of a stream, {"Step": …}.
func AcceptsStepLine(v jsonsrc.Value) bool { return stepLineShape.accepts(v) }

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
	accepts func(jsonsrc.Value) bool
}

func (s *shape) accepts(v jsonsrc.Value) bool {
	if v.Kind() != jsonsrc.Object {
		return false
	}
	var seen uint32
	members := 0
	for key, value := range v.Members() {
		i, ok := s.index(plain(key))
		if !ok {
			return false
		}
		if i >= 0 {
			seen |= 1 << i
			if !s.fields[i].accepts(value) {
				return false
			}
		}
		members++
	}
	return seen&s.required == s.required && members >= s.least
}

// index returns which field the name is, -1 for another that is allowed. A
// nil name is none.
func (s *shape) index(name []byte) (int, bool) {
	for i := range s.fields {
		if string(name) == s.fields[i].name {
			return i, true
		}
	}
	return -1, s.open && name != nil && bytes.IndexByte(name, '\\') < 0
}

// plain returns what stands between the quotes of a string, escapes as they
// are, or nil if v is no whole string.
func plain(v jsonsrc.Value) []byte {
	if v.Kind() != jsonsrc.String || !v.Closed() {
		return nil
	}
	b := v.Bytes()
	return b[1 : len(b)-1]
}

func acceptString(v jsonsrc.Value) bool { return v.Kind() == jsonsrc.String }

func listOf(accepts func(jsonsrc.Value) bool) func(jsonsrc.Value) bool {
	return func(v jsonsrc.Value) bool { return everyElement(v, accepts) }
}

// mapOf accepts an object whose keys and values are accepted.
func mapOf(key, value func(jsonsrc.Value) bool) func(jsonsrc.Value) bool {
	return func(v jsonsrc.Value) bool { return everyMember(v, key, value) }
}

// everyElement is a function of its own because in the closure of listOf the
// loop would allocate.
func everyElement(v jsonsrc.Value, accepts func(jsonsrc.Value) bool) bool {
	for _, e := range v.Elements() {
		if !accepts(e) {
			return false
		}
	}
	return v.Kind() == jsonsrc.Array
}

func everyMember(v jsonsrc.Value, key, value func(jsonsrc.Value) bool) bool {
	for k, val := range v.Members() {
		if !key(k) || !value(val) {
			return false
		}
	}
	return v.Kind() == jsonsrc.Object
}

func oneOf(words ...string) func(jsonsrc.Value) bool {
	return func(v jsonsrc.Value) bool {
		for _, w := range words {
			if v.Is(w) {
				return true
			}
		}
		return false
	}
}

var actorKinds = []string{"human:", "agent:", "tool:", "ci:"}

// acceptActor accepts kind:name and kind:name/suffix.
func acceptActor(v jsonsrc.Value) bool {
	b := plain(v)
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
