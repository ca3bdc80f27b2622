package lineage

import (
	"bytes"
	"crypto/hkdf"
	"crypto/sha256"
)

// Key is the secret that a spine's tags are made with: what the rows of the older scheme
// use as it is, and what is derived from it for the newer one.
type Key struct {
	master, derived []byte
}

// domainTag begins what is hashed of a row in scheme 2; nothing does in scheme 1.
const domainTag = "bernstein:lineage:v2"

// KeyFromFile makes a key of a key file's content. The bytes are the key, hexadecimal or
// not, without ASCII whitespace at both ends.
func KeyFromFile(content []byte) *Key { return NewKey(bytes.Trim(content, " \t\n\v\f\r")) }

// NewKey makes a key of a master key (HKDF-SHA-256 of RFC 5869 without salt, info
// "lineage", 32 bytes).
func NewKey(master []byte) *Key {
	derived, err := hkdf.Key(sha256.New, master, nil, "lineage", sha256.Size)
	if err != nil {
		panic(err) // only for a length beyond 255 hashes
	}
	return &Key{bytes.Clone(master), derived}
}

// forScheme returns the key that rows of the scheme are tagged with.
func (k *Key) forScheme(v int) []byte {
	if v == 1 {
		return k.master
	}
	return k.derived
}
