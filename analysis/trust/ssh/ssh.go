// Package ssh reads SSH public keys and allowed_signers files, and verifies SSHSIG signatures
// (PROTOCOL.sshsig, ssh-keygen(1) "ALLOWED SIGNERS").
//
// A signature must be armoured as ssh-keygen does it, and must be what a writer would make
// of its content: nothing of it can be changed and the signature still be good.
package ssh

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"

	"github.com/toolpath-ls/toolpath-ls/analysis/trust"
)

// Namespace is the one that signatures of Toolpath documents are made for, our choice: the
// RFC names none. Signatures for [FileNamespace], the one that ssh-keygen(1) proposes
// for files, are accepted too.
const (
	Namespace     = "toolpath"
	FileNamespace = "file"
)

// Keys are SSH public keys. It implements [trust.Keys].
type Keys struct {
	byFingerprint map[string][]entry // by "SHA256:…"
	revoked       map[string]string  // why, by "SHA256:…"
	// unreadable says why nobody knows which keys are revoked; "" if that is known.
	unreadable string
	n          int
}

// Bounds of what is read.
const (
	maxKeys      = 100_000
	maxSignature = 1 << 16 // bytes without armour
	leastRSA     = 2048    // bits
)

// Check implements [trust.Keys].
func (k *Keys) Check(sig string, _ trust.KeyName, message []byte) trust.Check {
	s, err := parse(sig)
	if err != nil {
		return trust.Check{Match: trust.Unreadable, Reason: fmt.Sprintf("this is no armoured SSH signature: %v", err)}
	}
	name := trust.NewKeyName(trust.SSH, ssh.FingerprintSHA256(s.PublicKey))
	it := trust.Key{Names: []trust.KeyName{name}}
	known := k.byFingerprint[name.Fingerprint]
	if len(known) > 0 {
		it = known[0].key
	}
	if s.Namespace != Namespace && s.Namespace != FileNamespace {
		return trust.Check{Match: trust.Unreadable, Key: it, Reason: fmt.Sprintf("it is a signature for the namespace %q; those of Toolpath documents are for %q", s.Namespace, Namespace)}
	}
	// The key stands in the signature, so that a bad one is known as such without the keys.
	if err := sshsig.Verify(bytes.NewReader(message), s, s.PublicKey, s.HashAlgorithm, s.Namespace); err != nil {
		return trust.Check{Match: trust.Mismatch, Key: it, Reason: "the signature is not one of this content"}
	}
	if len(known) == 0 {
		return trust.Check{Match: trust.NoKey, Key: it, Reason: fmt.Sprintf("it matches, but nobody has given its public key %s, which is in none of the key files", name)}
	}
	return k.judge(known, name.Fingerprint, s.Namespace)
}

// judge says what is known of a key that matches. Of all that give the key only those count
// that count most, so that nobody lifts what the user's allowed_signers restricts.
func (k *Keys) judge(known []entry, fingerprint, namespace string) trust.Check {
	var all []trust.Check
	for _, e := range known {
		if rank(e) > rank(known[0]) {
			break
		}
		c := trust.Check{Match: trust.Matches, Key: e.key, Revoked: k.revoked[fingerprint], Terms: e.terms, Principals: e.principals}
		switch {
		case k.unreadable != "":
			c = trust.Check{Match: trust.NoKey, Key: e.key, Reason: k.unreadable}
		case !e.allows(namespace):
			c = trust.Check{Match: trust.NoKey, Key: e.key, Reason: fmt.Sprintf("it matches, but %s does not allow the key for the namespace %q", e.key.File, namespace)}
		}
		all = append(all, c)
	}
	best := max(0, slices.IndexFunc(all, func(c trust.Check) bool { return c.Match == trust.Matches }))
	c := all[best]
	for i, other := range all {
		if i != best && other.Match == trust.Matches {
			c.Or = append(c.Or, other)
		}
	}
	return c
}

const (
	armourBegin = "-----BEGIN SSH SIGNATURE-----"
	armourEnd   = "-----END SSH SIGNATURE-----"
)

// parse reads an armoured signature.
func parse(s string) (*sshsig.Signature, error) {
	if strings.Contains(s, "\r\n") && strings.Count(s, "\r\n") == strings.Count(s, "\n") {
		s = strings.ReplaceAll(s, "\r\n", "\n")
	}
	s = strings.TrimSuffix(s, "\n")
	s, ok := strings.CutPrefix(s, armourBegin+"\n")
	if !ok {
		return nil, errors.New("it does not begin with " + armourBegin)
	}
	if s, ok = strings.CutSuffix(s, "\n"+armourEnd); !ok {
		return nil, errors.New("it does not end with " + armourEnd)
	}
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if l == "" || i > 0 && (len(l) > len(lines[0]) || len(l) < len(lines[0]) && i < len(lines)-1) || len(lines) > 1 && len(lines[0]) < 48 || len(l) > 76 {
			return nil, errors.New("its lines are not what ssh-keygen writes")
		}
	}
	blob, err := base64.StdEncoding.Strict().DecodeString(strings.Join(lines, ""))
	if err != nil || len(blob) > maxSignature {
		return nil, errors.New("it is not base64, or too long")
	}
	sig, err := sshsig.ParseSignature(blob)
	if err != nil {
		return nil, errors.New("its content cannot be read: " + strings.TrimPrefix(err.Error(), "ssh: "))
	}
	if !bytes.Equal(sig.Marshal(), blob) {
		return nil, errors.New("its content is not written in the one way")
	}
	return sig, shape(sig)
}

// shape checks what the libraries leave open.
func shape(s *sshsig.Signature) error {
	if _, ok := s.PublicKey.(*ssh.Certificate); ok {
		return errors.New("it is by a certificate, and those are not verified here")
	}
	switch kind := s.PublicKey.Type(); kind {
	case ssh.KeyAlgoRSA:
		size, err := modulus(s.PublicKey)
		if err != nil || size < leastRSA {
			return fmt.Errorf("its RSA key has less than %d bits", leastRSA)
		}
		if len(s.Signature.Blob) != (size+7)/8 {
			return errors.New("it has not the length of its RSA key")
		}
	case ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521, ssh.KeyAlgoSKECDSA256:
		var rs struct{ R, S *big.Int }
		if ssh.Unmarshal(s.Signature.Blob, &rs) != nil || !bytes.Equal(ssh.Marshal(rs), s.Signature.Blob) {
			return errors.New("its numbers are not written in the one way")
		}
	case ssh.KeyAlgoED25519, ssh.KeyAlgoSKED25519:
	default:
		return fmt.Errorf("keys of the kind %s are not verified", kind)
	}
	isSK := strings.HasPrefix(s.PublicKey.Type(), "sk-")
	if !isSK && len(s.Signature.Rest) > 0 || isSK && len(s.Signature.Rest) != 5 {
		return errors.New("its end is not that of a signature of its kind")
	}
	return nil
}

// modulus returns the size of an RSA key in bits.
func modulus(k ssh.PublicKey) (int, error) {
	var w struct {
		Name string
		E, N *big.Int
	}
	if err := ssh.Unmarshal(k.Marshal(), &w); err != nil {
		return 0, err
	}
	return w.N.BitLen(), nil
}
