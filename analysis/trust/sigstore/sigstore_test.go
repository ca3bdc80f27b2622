//go:build !nosigstore

package sigstore_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/testing/ca"
	"github.com/sigstore/sigstore-go/pkg/tlog"

	"github.com/toolpath-ls/toolpath-ls/analysis/trust"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust/sigstore"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust/trusttest"
)

const (
	identity = "alex@example.com"
	issuer   = "https://accounts.example.com"
)

var message = []byte("0123456789abcdef0123456789abcdef")

// authority is a Sigstore of the test's own: certificate authority, log and timestamps.
type authority struct {
	t *testing.T
	*ca.VirtualSigstore
}

func newAuthority(t *testing.T) authority {
	t.Helper()
	v, err := ca.NewVirtualSigstore()
	if err != nil {
		t.Fatal(err)
	}
	return authority{t, v}
}

// root returns the trusted root of the authority as a file.
func (a authority) root() []byte {
	a.t.Helper()
	logs := a.RekorLogs()
	for id, log := range logs {
		log.ID, _ = hex.DecodeString(id) // the library's own has the digits
	}
	r, err := root.NewTrustedRoot(root.TrustedRootMediaType01, a.FulcioCertificateAuthorities(), nil, a.TimestampingAuthorities(), logs)
	if err != nil {
		a.t.Fatal(err)
	}
	content, err := r.MarshalJSON()
	if err != nil {
		a.t.Fatal(err)
	}
	return content
}

// sign returns the bundle of a message.
func (a authority) sign(message []byte) string {
	a.t.Helper()
	e, err := a.Sign(identity, issuer, message)
	if err != nil {
		a.t.Fatal(err)
	}
	verification, _ := e.VerificationContent()
	content, _ := e.SignatureContent()
	times, _ := e.Timestamps()
	entries, _ := e.TlogEntries()
	var logged []map[string]any
	for _, entry := range entries {
		e := entry.TransparencyLogEntry()
		promise, err := a.RekorSignPayload(tlog.RekorPayload{Body: base64.StdEncoding.EncodeToString(e.CanonicalizedBody),
			IntegratedTime: e.IntegratedTime, LogIndex: e.LogIndex, LogID: hex.EncodeToString(e.LogId.KeyId)})
		if err != nil {
			a.t.Fatal(err)
		}
		logged = append(logged, map[string]any{
			"logIndex": fmt.Sprint(e.LogIndex), "logId": map[string]any{"keyId": e.LogId.KeyId}, "integratedTime": fmt.Sprint(e.IntegratedTime),
			"kindVersion": map[string]any{"kind": "hashedrekord", "version": "0.0.1"}, "canonicalizedBody": e.CanonicalizedBody,
			"inclusionPromise": map[string]any{"signedEntryTimestamp": promise},
		})
	}
	out, err := json.Marshal(map[string]any{
		"mediaType": "application/vnd.dev.sigstore.bundle+json;version=0.1",
		"verificationMaterial": map[string]any{
			"x509CertificateChain":      map[string]any{"certificates": []any{map[string]any{"rawBytes": verification.Certificate().Raw}}},
			"tlogEntries":               logged,
			"timestampVerificationData": map[string]any{"rfc3161Timestamps": []any{map[string]any{"signedTimestamp": times[0]}}},
		},
		"messageSignature": map[string]any{
			"messageDigest": map[string]any{"algorithm": "SHA2_256", "digest": content.MessageSignatureContent().Digest()}, "signature": content.Signature(),
		},
	})
	if err != nil {
		a.t.Fatal(err)
	}
	return string(out)
}

func keysOf(t *testing.T, roots ...[]byte) *sigstore.Keys {
	t.Helper()
	k := new(sigstore.Keys)
	for _, r := range roots {
		if !sigstore.Is(r) {
			t.Errorf("it is not recognised: %.200s", r)
		}
		if n, err := k.Add(trust.Material{Name: "trusted_root.json", Content: r}); n != 1 || err != nil {
			t.Fatalf("%d: %v", n, err)
		}
	}
	return k
}

func TestBundles(t *testing.T) {
	a, other := newAuthority(t), newAuthority(t)
	sig := a.sign(message)
	c := keysOf(t, other.root(), a.root()).Check(sig, trust.KeyName{}, message)
	if c.Match != trust.Matches || c.Key.Name() != trust.NewKeyName(trust.Sigstore, issuer+"#"+identity) || !strings.Contains(c.Key.Owner, identity) {
		t.Fatalf("%+v", c)
	}
	if !trust.NewKeyName(trust.Sigstore, identity).Identifies(c.Key.Name()) || trust.NewKeyName(trust.Sigstore, "example.com").Identifies(c.Key.Name()) {
		t.Errorf("names of the key: %v", c.Key.Name())
	}
	if c := keysOf(t, a.root()).Check(sig, trust.KeyName{}, message[1:]); c.Match != trust.Mismatch {
		t.Errorf("of another message: %+v", c)
	}
	if c := keysOf(t, other.root()).Check(sig, trust.KeyName{}, message); c.Match != trust.Mismatch {
		t.Errorf("by another authority: %+v", c)
	}
	if c := new(sigstore.Keys).Check(sig, trust.KeyName{}, message); c.Match != trust.NoKey || c.Key.Name().Fingerprint != issuer+"#"+identity {
		t.Errorf("without a root: %+v", c)
	}
	for _, bad := range []string{"", "{}", "x", strings.Replace(sig, "{", `{"x":1,`, 1), strings.Replace(sig, `"messageSignature"`, `"dsseEnvelope"`, 1)} {
		if c := keysOf(t, a.root()).Check(bad, trust.KeyName{}, message); c.Match != trust.Unreadable {
			t.Errorf("%.80s: %+v", bad, c)
		}
	}
}

// No value of a bundle can be changed and the bundle still verify, but for the frame of a
// timestamp, which nobody signs and which says nothing of the signature.
func TestNoByteOfABundleMayChange(t *testing.T) {
	a := newAuthority(t)
	k, sig := keysOf(t, a.root()), a.sign(message)
	var original any
	if err := json.Unmarshal([]byte(sig), &original); err != nil {
		t.Fatal(err)
	}
	frame := strings.Index(sig, `"signedTimestamp":"`) + len(`"signedTimestamp":"`)
	timestamp := strings.Index(sig[frame:], `"`)
	trusttest.Flips(sig, func(at int, changed string) {
		if at >= frame && at < frame+timestamp {
			return
		}
		if c := k.Check(changed, trust.KeyName{}, message); c.Match == trust.Matches {
			var value any
			if json.Unmarshal([]byte(changed), &value) == nil && reflect.DeepEqual(value, original) {
				return // white space, or an escape
			}
			t.Errorf("byte %d may be changed: …%s…", at, changed[max(0, at-60):min(len(changed), at+20)])
		}
	})
}

func FuzzBundle(f *testing.F) {
	f.Add(`{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json","verificationMaterial":{"certificate":{"rawBytes":"AA=="}},"messageSignature":{"messageDigest":{"algorithm":"SHA2_256","digest":"AA=="},"signature":"AA=="}}`)
	f.Fuzz(func(t *testing.T, s string) {
		if c := new(sigstore.Keys).Check(s, trust.KeyName{}, message); c.Match == trust.Matches {
			t.Fatalf("%q is taken", s)
		}
	})
}
