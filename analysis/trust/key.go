package trust

import "strings"

// The types of keys (RFC "Supported Key Types").
const (
	GPG      = "gpg"
	SSH      = "ssh"
	Sigstore = "sigstore"
)

// KeyName is how a document names a key, "type:fingerprint" (RFC "Signatures"), without what
// does not count: of OpenPGP white space, colons, letter case and "0x", of SSH white space
// and the padding of base64.
type KeyName struct{ Type, Fingerprint string }

// ParseKeyName reads a key's name.
func ParseKeyName(s string) KeyName {
	kind, fingerprint, _ := strings.Cut(s, ":")
	return NewKeyName(kind, fingerprint)
}

// NewKeyName makes a name of its parts, as the keys of an actor have them.
func NewKeyName(kind, fingerprint string) KeyName {
	kind = strings.ToLower(strings.TrimSpace(kind))
	switch kind {
	case SSH:
		fingerprint = strings.TrimRight(strings.Join(strings.Fields(fingerprint), ""), "=")
	case Sigstore:
		fingerprint = strings.TrimSpace(fingerprint)
	default:
		fingerprint = strings.ToUpper(strings.NewReplacer(" ", "", "\t", "", "\n", "", "\r", "", "\u00a0", "", ":", "").Replace(fingerprint))
		fingerprint = strings.TrimPrefix(fingerprint, "0X")
	}
	return KeyName{kind, fingerprint}
}

func (n KeyName) String() string { return n.Type + ":" + n.Fingerprint }

// The digits of a short name of an OpenPGP key. Keys with the same last 8 digits are
// made in a minute: they name a key, but do not identify it.
const (
	leastToName     = 8
	leastToIdentify = 16
)

// Like says whether two names can be of one key: they are the same, or one is the end of the
// other.
func (n KeyName) Like(m KeyName) bool { return n.endsAs(m, leastToName) || m.endsAs(n, leastToName) }

// Identifies says whether the name is that of the key whose whole fingerprint is m, and of no
// other key that somebody could make.
func (n KeyName) Identifies(m KeyName) bool { return n.endsAs(m, leastToIdentify) }

// endsAs says whether the name is the other one, or of an OpenPGP key at least so many of its
// last digits.
func (n KeyName) endsAs(whole KeyName, least int) bool {
	if n.Type != whole.Type || n.Fingerprint == "" {
		return false
	}
	switch n.Type {
	case SSH:
		return n.Fingerprint == whole.Fingerprint
	case Sigstore:
		// A name may leave the issuer out: see package sigstore. The identity may have a "#".
		_, identity, _ := strings.Cut(whole.Fingerprint, "#")
		return n.Fingerprint == whole.Fingerprint || n.Fingerprint == identity
	}
	short := len(n.Fingerprint) == leastToName || len(n.Fingerprint) == leastToIdentify // as programs print them
	return n.Fingerprint == whole.Fingerprint || short && len(n.Fingerprint) >= least && strings.HasSuffix(whole.Fingerprint, n.Fingerprint)
}

// IsWhole says whether the name identifies one key: of OpenPGP by the whole fingerprint or
// its last 16 digits, of SSH by SHA-256, of Sigstore by issuer and identity.
func (n KeyName) IsWhole() bool {
	switch n.Type {
	case GPG:
		isHex := strings.Trim(n.Fingerprint, "0123456789ABCDEF") == ""
		return isHex && (len(n.Fingerprint) == leastToIdentify || len(n.Fingerprint) == 40 || len(n.Fingerprint) == 64)
	case SSH:
		return strings.HasPrefix(n.Fingerprint, "SHA256:") && len(n.Fingerprint) == len("SHA256:")+43
	case Sigstore:
		issuer, identity, _ := strings.Cut(n.Fingerprint, "#")
		return issuer != "" && identity != ""
	}
	return false
}
