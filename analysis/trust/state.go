package trust

import "time"

// State is what is known of a signature.
type State uint8

// The states. All but Valid mean that nobody is shown to have signed.
const (
	// Valid: the key matches the payload, is known, in force, and one of the signer's.
	Valid State = iota
	// Bad: the signature is not one of the payload, or not by the key that it names, or
	// cannot be read.
	Bad
	// KeyUnknown: nobody has given the key, or keys of its type cannot be verified here.
	KeyUnknown
	// Expired: the key, or the signature, is not in force at this time.
	Expired
	// Revoked: the key has been revoked.
	Revoked
	// SignerUndefined: the signature matches, but no meta.actors defines the signer.
	SignerUndefined
	// KeyNotOfSigner: the signature matches, but by a key that the document, or who gave
	// the key, does not give to the signer.
	KeyNotOfSigner
	// Placeholder: the example of a signature, not one.
	Placeholder
	// NoPayload: it is not defined what the signature signs.
	NoPayload
)

var stateNames = [...]string{"valid", "bad", "key-unknown", "expired", "revoked", "signer-undefined", "key-not-of-signer", "placeholder", "no-payload"}

// String returns the state's name, as programs see it.
func (s State) String() string { return stateNames[s] }

var stateWords = [...]string{"valid", "bad", "key unknown", "expired", "revoked", "signer not defined", "not the signer's key", "placeholder", "no defined payload"}

// Words returns the state in plain words.
func (s State) Words() string { return stateWords[s] }

// Origin says who gave a key.
type Origin uint8

// The origins of key material, by how much they prove.
const (
	// OfUser: the user's own keyrings and settings, or files that a command was given.
	OfUser Origin = iota
	// OfWorkspace: a folder of the repository that has the document. Who can write
	// the document can mostly write there too.
	OfWorkspace
)

var originNames = [...]string{"user", "workspace"}

func (o Origin) String() string { return originNames[o] }

// Material is the content of one file with public keys.
type Material struct {
	Name    string // the file, for messages
	Origin  Origin
	Content []byte
}

// Key is a key that made a signature.
type Key struct {
	// Names are the key's whole fingerprints: its own, and that of the primary key that it
	// is a subkey of.
	Names []KeyName
	// Owner is whom the key material gives the key to: user ids, principals, an
	// identity; "" if it does not say.
	Owner  string
	File   string // of the material
	Origin Origin
}

// Name returns the key's own name.
func (k Key) Name() KeyName {
	if len(k.Names) == 0 {
		return KeyName{}
	}
	return k.Names[0]
}

// Term is a time in which a key, or a signature, is in force.
type Term struct {
	What        string    // "the key"
	From, Until time.Time // zero: without end
}

// Match says how a signature and a message go together.
type Match uint8

// The ways.
const (
	Unreadable Match = iota // the signature has a fault
	Mismatch                // it is of another message
	NoKey                   // the key that could tell is not there
	Matches
)

// Check is what keys of one type say of a signature and a message.
type Check struct {
	Match  Match
	Reason string // in plain words, for people; "" for Matches
	// Key is who made the signature: with Matches, and with NoKey and Mismatch if it is known.
	Key     Key
	Revoked string // why the key is not to be trusted any more; "" if it is
	Terms   []Term
	// Principals are patterns of the actors and addresses that the key material gives the
	// key to; nil: it does not say.
	Principals []string
	// Or is what else is said of the same key, of which the best counts.
	Or []Check
}

// Keys are the known keys of one type. Implementations are safe for concurrent use and do
// no I/O.
type Keys interface {
	// Check says whether the signature, as it stands in a document, is one of the
	// message. The name is that of the key which the signature is said to be by.
	Check(sig string, name KeyName, message []byte) Check
}

// Result is what is known of one signature of a document.
type Result struct {
	State State
	// Reason says why in plain words, "" where the state says it all.
	Reason string
	Key    Key // that made it, if that is known
	// Canonical says that the signature is one of the canonical bytes of the payload, in
	// place of their digest.
	Canonical bool
	// ByUnits says that keys were sorted as RFC 8785 has it, where that makes a
	// difference; ByBytes, as the RFC has it.
	ByUnits, ByBytes bool
	// Start and End are the place that the reason is about; both 0 for none.
	Start, End int
}

// Notes says plainly how a matching signature differs from the RFC's letter.
func (r Result) Notes() (notes []string) {
	if r.Canonical {
		notes = append(notes, "it signs the canonical bytes, where the RFC signs their SHA-256 digest: other verifiers may refuse it")
	}
	switch {
	case r.ByUnits:
		notes = append(notes, "it signs keys in the order of UTF-16 units (RFC 8785), where the Toolpath RFC sorts them by UTF-8 bytes: other verifiers may refuse it")
	case r.ByBytes:
		notes = append(notes, "it signs keys in the order of UTF-8 bytes (Toolpath RFC), where RFC 8785 sorts them by UTF-16 units: other verifiers may refuse it")
	}
	return notes
}
