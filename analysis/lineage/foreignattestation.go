package lineage

import (
	"crypto"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"slices"

	"github.com/toolpath-ls/toolpath-ls/analysis/lineage/pyjson"
)

// ForeignVerdict is what can be said of a claim that someone outside made.
type ForeignVerdict string

// The verdicts. VerifiedForeign alone says that the issuer made the claim.
const (
	VerifiedForeign ForeignVerdict = "verified_foreign"
	Unverifiable    ForeignVerdict = "unverifiable" // there is no key to check it with
	Rejected        ForeignVerdict = "rejected"     // its signature is wrong
	Malformed       ForeignVerdict = "malformed"
)

// outsiderClasses are the trust classes that an outsider's claim may carry.
var outsiderClasses = []string{"third_party", "public"}

var membersOfAttestation = []string{"issuer", "issuer_key_id", "content_hash", "claimed_subject", "trust_class", "envelope"}

// attestationFault returns what keeps a claim from being part of an entry, "" for nothing,
// and whether its envelope alone is at fault.
func attestationFault(v pyjson.Value) (fault string, inEnvelope bool) {
	members := v.Members()
	if v.Kind() != pyjson.Object || len(members) != len(membersOfAttestation) ||
		slices.ContainsFunc(members, func(m pyjson.Member) bool { return !slices.Contains(membersOfAttestation, m.Name) }) {
		return `"external_attestation" must be an object with issuer, issuer_key_id, content_hash, claimed_subject, trust_class and envelope`, false
	}
	text := func(v pyjson.Value, name string) string {
		m, _ := v.Get(name)
		return m.Text()
	}
	for _, name := range []string{"issuer", "issuer_key_id", "claimed_subject"} {
		if text(v, name) == "" {
			return fmt.Sprintf("%q of \"external_attestation\" must be a text that is not empty", name), false
		}
	}
	if !IsHash(text(v, "content_hash")) {
		return `"content_hash" of "external_attestation" must be "sha256:" and 64 digits of lower-case hex`, false
	}
	envelope, _ := v.Get("envelope")
	switch {
	case envelope.Kind() != pyjson.Object:
		return `"envelope" of "external_attestation" must be an object`, true
	case text(envelope, "format") == "":
		return `the envelope of "external_attestation" has no format`, true
	case !IsHash(text(envelope, "payload_hash")):
		return `"payload_hash" of the envelope must be "sha256:" and 64 digits of lower-case hex`, true
	}
	return "", false
}

// VerifyForeign classifies a claim that someone outside made, given the issuer's public key
// in PEM (Ed25519, or RSA with PKCS #1 v1.5 and SHA-256), nil if it is not known. The taint
// is the trust class that what depends on the claim has at best. A claim that names a class
// of insiders is malformed: nobody outside can vouch for the inside.
func VerifyForeign(attestation pyjson.Value, issuerKey []byte) (verdict ForeignVerdict, taint, reason string) {
	fault, inEnvelope := attestationFault(attestation)
	stated, _ := attestation.Get("trust_class")
	class := stated.Text()
	switch {
	case fault != "" && !inEnvelope:
		return Malformed, "public", fault
	case !slices.Contains(outsiderClasses, class):
		return Malformed, "public", fmt.Sprintf("an outsider's claim may carry the trust class third_party or public, not %s", literal(stated))
	case fault != "":
		return Malformed, class, fault
	}
	verdict, reason = verifyEnvelope(attestation, issuerKey)
	return verdict, class, reason
}

func verifyEnvelope(attestation pyjson.Value, issuerKey []byte) (ForeignVerdict, string) {
	if issuerKey == nil {
		return Unverifiable, "the issuer's key is not known"
	}
	block, _ := pem.Decode(issuerKey)
	if block == nil {
		return Unverifiable, "the issuer's key is not PEM"
	}
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return Unverifiable, "the issuer's key cannot be read: " + err.Error()
	}
	envelope, _ := attestation.Get("envelope")
	hash, _ := envelope.Get("payload_hash")
	stated, _ := envelope.Get("signature")
	if stated.Kind() != pyjson.String {
		return Rejected, "the envelope has no signature"
	}
	signature, ok := looseBase64(stated.Text(), false)
	if !ok {
		return Rejected, "the signature is not base64"
	}
	message := []byte(hash.Text())
	valid := false
	switch key := key.(type) {
	case ed25519.PublicKey:
		valid = ed25519.Verify(key, message, signature)
	case *rsa.PublicKey:
		sum := sha256.Sum256(message)
		valid = rsa.VerifyPKCS1v15(key, crypto.SHA256, sum[:], signature) == nil
	default:
		return Unverifiable, "the issuer's key is neither of Ed25519 nor of RSA"
	}
	if !valid {
		return Rejected, "the signature is not the issuer's over the payload's hash"
	}
	return VerifiedForeign, ""
}
