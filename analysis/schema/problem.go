package schema

import (
	"cmp"
	"slices"
)

// Problem is one fault in the shape of a value.
type Problem struct {
	// Pointer leads from the validated value to the faulty one: object keys as
	// they are (not escaped) and array indices in decimal. For a missing field
	// it leads to the object that lacks it.
	Pointer []string
	// OnKey says that the fault is the key named by the last element of
	// Pointer, not the value behind it.
	OnKey   bool
	Cause   Cause
	Message string
	// Meant is the key or the word that was probably meant, "" if that is not known.
	Meant string
	// LeaveOut says that the field is optional, so that it can be left out instead.
	LeaveOut bool
	// Alone says that the value is what the list that should stand there would hold.
	Alone bool
}

// Cause is the stable machine-readable reason of a [Problem].
type Cause string

const (
	// UnknownProperty is a field that the object cannot have. On the key.
	UnknownProperty Cause = "unknown-property"
	// TooManyProperties stands for the unknown fields of an object beyond the
	// first hundred. On the object.
	TooManyProperties Cause = "too-many-properties"
	// DraftField is a field that an earlier or abandoned draft of the format
	// had: base.commit, base.from, parent.relation. On the key.
	DraftField Cause = "draft-field"
	// ReservedProperty is a field that is known but not allowed at this place:
	// actors and signatures in the metadata of a stream's lines. On the key.
	ReservedProperty Cause = "reserved-property"
	// MissingProperty is a required field that is absent. On the object.
	MissingProperty Cause = "missing-property"
	// WrongType is a value of another JSON type than the field takes.
	WrongType Cause = "wrong-type"
	// ActorForm is a string that is no actor, as a value or, on the key, as a
	// key of actors.
	ActorForm Cause = "actor-form"
	// KeyType is the type of a key that is none of gpg, ssh, sigstore.
	KeyType Cause = "key-type"
	// UnknownScope is a signature's scope that is not in the RFC's list.
	UnknownScope Cause = "unknown-scope"
	// UnknownVersion is a version of the stream format other than "1".
	UnknownVersion Cause = "unknown-version"
	// SignatureTarget is a target that is neither "path" nor "step:<id>".
	SignatureTarget Cause = "signature-target"
	// NoPerspective is the change of an artifact that has neither raw nor
	// structural.
	NoPerspective Cause = "no-perspective"
	// RefAndPath is a path entry that is a reference and an inline path at
	// once. On the key $ref.
	RefAndPath Cause = "ref-and-path"
	// LegacyEnvelope is an object wrapped in {"Graph": …}, {"Path": …} or
	// {"Step": …}, as the format had it before its root was always a graph. On
	// the wrapping key.
	LegacyEnvelope Cause = "legacy-envelope"
	// BareRoot is a path or a step as the root of a document.
	BareRoot Cause = "bare-root"
	// Misplaced is a graph, path or step at a place for another of them.
	Misplaced Cause = "misplaced"
	// StreamLine is a line of a stream as the root of a .path.json document.
	// On the variant's key.
	StreamLine Cause = "stream-line"
	// UnknownVariant is a line whose key names no variant. On the key.
	UnknownVariant Cause = "unknown-variant"
	// VariantCount is a line with no key or with several.
	VariantCount Cause = "variant-count"
	// UnknownWord is a word that is none of those that a kind lists: a tool's
	// category, what triggered a compaction.
	UnknownWord Cause = "unknown-word"
	// BadShape is a fault that no other cause covers. It does not occur with
	// the schemas of this package.
	BadShape Cause = "bad-shape"
)

// compare orders problems by pointer, then cause and message, so that equal
// input gives equal output. It is not the order of the document.
func (p Problem) compare(q Problem) int {
	return cmp.Or(
		slices.Compare(p.Pointer, q.Pointer),
		cmp.Compare(p.Cause, q.Cause),
		cmp.Compare(p.Message, q.Message),
	)
}

// under returns the problems with their pointers moved below prefix.
func under(prefix []string, problems []Problem) []Problem {
	for i, p := range problems {
		problems[i].Pointer = slices.Concat(prefix, p.Pointer)
	}
	return problems
}
