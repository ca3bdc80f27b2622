//go:build !nosigstore

// Package sigstore verifies Sigstore bundles against trusted roots that are given as files.
// It does not use the network: what a bundle leaves out is not asked for.
//
// Keys of this type have no key material but the trusted root, which says whose word counts:
// certificate authorities, transparency logs and timestamp authorities. The fingerprint of a
// key is the identity of its certificate behind that of who vouched for it,
// "https://accounts.google.com#alex@example.com"; a document may leave the issuer and "#"
// out.
//
// The library is the largest that the program has; it is used here alone.
package sigstore

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/sigstore/sigstore-go/pkg/bundle"
	"github.com/sigstore/sigstore-go/pkg/fulcio/certificate"
	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/verify"

	"github.com/toolpath-ls/toolpath-ls/analysis/trust"
)

// Keys are trusted roots. It implements [trust.Keys].
type Keys struct{ roots []trusted }

type trusted struct {
	verifier *verify.Verifier
	file     string
	origin   trust.Origin
}

const maxRoots = 16

// Is says whether a file is a trusted root of Sigstore.
func Is(content []byte) bool {
	return bytes.Contains(content[:min(len(content), 1<<12)], []byte("application/vnd.dev.sigstore.trustedroot"))
}

// Add adds a trusted root.
func (k *Keys) Add(m trust.Material) (int, error) {
	if len(k.roots) >= maxRoots {
		return 0, fmt.Errorf("there are more than %d trusted roots", maxRoots)
	}
	r, err := root.NewTrustedRootFromJSON(m.Content)
	if err != nil {
		return 0, err
	}
	options := []verify.VerifierOption{verify.WithObserverTimestamps(1)}
	if len(r.RekorLogs()) > 0 {
		options = append(options, verify.WithTransparencyLog(1))
	}
	if len(r.CTLogs()) > 0 {
		options = append(options, verify.WithSignedCertificateTimestamps(1))
	}
	v, err := verify.NewVerifier(r, options...)
	if err != nil {
		return 0, err
	}
	k.roots = append(k.roots, trusted{v, m.Name, m.Origin})
	return 1, nil
}

// Check implements [trust.Keys].
func (k *Keys) Check(sig string, _ trust.KeyName, message []byte) trust.Check {
	b, err := parse([]byte(sig))
	if err != nil {
		return trust.Check{Match: trust.Unreadable, Reason: fmt.Sprintf("this is no Sigstore bundle of a message: %v", err)}
	}
	named := trust.Key{}
	if content, err := b.VerificationContent(); err == nil && content.Certificate() != nil {
		if summary, err := certificate.SummarizeCertificate(content.Certificate()); err == nil {
			named = keyOf(summary, trusted{})
		}
	}
	if len(k.roots) == 0 {
		return trust.Check{Match: trust.NoKey, Key: named, Reason: "no trusted root of Sigstore has been given (trusted_root.json)"}
	}
	var last error
	for _, r := range k.roots {
		result, err := r.verifier.Verify(b, verify.NewPolicy(verify.WithArtifact(bytes.NewReader(message)), verify.WithoutIdentitiesUnsafe()))
		if err != nil {
			last = err
			continue
		}
		switch {
		case result.Signature == nil || result.Signature.Certificate == nil:
			last = errors.New("it has no certificate that says who signed")
			continue
		case len(result.VerifiedTimestamps) != times(b):
			last = errors.New("one of its timestamps does not verify")
			continue
		}
		return trust.Check{Match: trust.Matches, Key: keyOf(*result.Signature.Certificate, r)}
	}
	return trust.Check{Match: trust.Mismatch, Key: named, Reason: fmt.Sprintf("the bundle does not verify: %v", last)}
}

// keyOf returns the key that a certificate is for. Whom it names is what the document's key
// must be.
func keyOf(c certificate.Summary, r trusted) trust.Key {
	return trust.Key{
		Names:  []trust.KeyName{trust.NewKeyName(trust.Sigstore, c.Issuer+"#"+c.SubjectAlternativeName)},
		Owner:  fmt.Sprintf("%s, for whom %s vouched", c.SubjectAlternativeName, c.Issuer),
		File:   r.file,
		Origin: r.origin,
	}
}

// parse reads a bundle. Its JSON must have no field that is not known and no value that could
// be written in another way, so that nothing of it can be changed unseen; white space and
// the order of fields are free, since its writers differ in them.
func parse(src []byte) (*bundle.Bundle, error) {
	if len(src) > trust.MaxSignature {
		return nil, errors.New("it is too long")
	}
	given := jsontext.Value(bytes.Clone(src))
	if err := given.Canonicalize(); err != nil {
		return nil, errors.New("it is not JSON")
	}
	b := new(bundle.Bundle)
	if err := b.UnmarshalJSON(src); err != nil {
		return nil, err
	}
	written, err := b.MarshalJSON()
	if err != nil {
		return nil, err
	}
	again := jsontext.Value(written)
	if err := again.Canonicalize(); err != nil || !bytes.Equal(given, again) {
		return nil, errors.New("its values are not written in the one way")
	}
	if b.GetMessageSignature() == nil {
		return nil, errors.New("it signs an attestation, not a message")
	}
	return b, entries(b)
}

// entries checks what the library leaves open: more entries of a log than it verifies, and
// what an entry says of its own kind.
func entries(b *bundle.Bundle) error {
	all := b.GetVerificationMaterial().GetTlogEntries()
	if len(all) > 1 {
		return errors.New("it has more than one entry of a transparency log")
	}
	for _, e := range all {
		var body struct {
			Kind       string `json:"kind"`
			APIVersion string `json:"apiVersion"`
		}
		err := json.Unmarshal(e.GetCanonicalizedBody(), &body)
		if kind := e.GetKindVersion(); err != nil || kind.GetKind() != body.Kind || kind.GetVersion() != body.APIVersion {
			return errors.New("its log entry is of another kind than it says")
		}
	}
	return nil
}

// times counts the timestamps of a bundle, all of which have to verify.
func times(b *bundle.Bundle) int {
	n := len(b.GetVerificationMaterial().GetTimestampVerificationData().GetRfc3161Timestamps())
	for _, e := range b.GetVerificationMaterial().GetTlogEntries() {
		if e.GetIntegratedTime() != 0 && len(e.GetInclusionPromise().GetSignedEntryTimestamp()) > 0 {
			n++
		}
	}
	return n
}
