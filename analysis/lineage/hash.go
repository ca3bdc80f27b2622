package lineage

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

const hashPrefix = "sha256:"

// ContentHash returns the hash of bytes as lineage writes it.
func ContentHash(content []byte) string {
	sum := sha256.Sum256(content)
	return hashPrefix + hex.EncodeToString(sum[:])
}

// IsHash says whether a text is a whole hash, in lower case.
func IsHash(s string) bool { return strings.HasPrefix(s, hashPrefix) && isHex(s[len(hashPrefix):], 64) }

func isHex(s string, n int) bool {
	if len(s) != n {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// tag returns the HMAC-SHA-256 of a message in hex.
func tag(key, message []byte) string {
	m := hmac.New(sha256.New, key)
	m.Write(message)
	return hex.EncodeToString(m.Sum(nil))
}

// sameText compares a tag in a time that does not tell where they differ.
func sameText(a, b string) bool { return hmac.Equal([]byte(a), []byte(b)) }
