package gpg_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis/trust"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust/gpg"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust/trusttest"
)

var message = []byte("0123456789abcdef0123456789abcdef")

func keysOf(t *testing.T, content []byte) *gpg.Keys {
	t.Helper()
	k := new(gpg.Keys)
	if n, err := k.Add(trust.Material{Name: "keys.asc", Content: content}, time.Now()); err != nil || n == 0 {
		t.Fatalf("%d keys were read: %v", n, err)
	}
	return k
}

func TestSignaturesByGPG(t *testing.T) {
	g := trusttest.NewGPG(t)
	for _, algorithm := range []string{"ed25519", "rsa2048", "nistp256", "nistp384", "dsa2048"} {
		t.Run(algorithm, func(t *testing.T) {
			user := "Alex " + algorithm + " <alex@example.com>"
			fingerprint := g.Key(user, algorithm, "0")
			sig := g.Sign(fingerprint, message)
			k := keysOf(t, g.Export(fingerprint))
			c := k.Check(sig, trust.KeyName{}, message)
			if c.Match != trust.Matches || c.Key.Name().Fingerprint != fingerprint || c.Key.Owner != user || c.Revoked != "" {
				t.Fatalf("%+v", c)
			}
			if c := k.Check(sig, trust.KeyName{}, append([]byte("x"), message...)); c.Match != trust.Mismatch {
				t.Errorf("of another message it is %+v", c)
			}
			if c := k.Check(strings.ReplaceAll(sig, "\n", "\r\n"), trust.KeyName{}, message); c.Match != trust.Matches {
				t.Errorf("with CR LF it is %+v", c)
			}
			if c := new(gpg.Keys).Check(sig, trust.KeyName{}, message); c.Match != trust.NoKey || c.Key.Name().Fingerprint != fingerprint {
				t.Errorf("without its key it is %+v", c)
			}
		})
	}
}

// Nothing of a signature can be changed and the signature still match.
func TestNoByteOfASignatureMayChange(t *testing.T) {
	g := trusttest.NewGPG(t)
	for _, algorithm := range []string{"ed25519", "rsa2048"} {
		fingerprint := g.Key(algorithm, algorithm, "0")
		k, sig := keysOf(t, g.Export(fingerprint)), g.Sign(fingerprint, message)
		trusttest.Flips(sig, func(at int, changed string) {
			if c := k.Check(changed, trust.KeyName{}, message); c.Match == trust.Matches {
				t.Errorf("%s: byte %d of the signature may be changed:\n%s", algorithm, at, changed)
			}
		})
		for name, changed := range map[string]string{
			"a header line":     strings.Replace(sig, "\n\n", "\nComment: x\n\n", 1),
			"text before it":    "x\n" + sig,
			"text behind it":    sig + "x",
			"two of them":       sig + sig,
			"no checksum line":  sig[:strings.LastIndex(sig, "\n=")] + "x",
			"lines joined":      strings.Replace(sig, "\n", "", 3),
			"a blank line more": strings.Replace(sig, "\n\n", "\n\n\n", 1),
		} {
			if c := k.Check(changed, trust.KeyName{}, message); c.Match == trust.Matches {
				t.Errorf("%s: %s is taken", algorithm, name)
			}
		}
	}
}

func TestSubkeys(t *testing.T) {
	g := trusttest.NewGPG(t)
	primary := g.Key("Alex", "ed25519", "0")
	g.Run(nil, "--quick-add-key", primary, "ed25519", "sign", "0")
	g.Run(nil, "--quick-add-key", primary, "cv25519", "encr", "0")
	sub := g.Fingerprints("Alex")[1]
	c := keysOf(t, g.Export()).Check(g.Sign(sub+"!", message), trust.KeyName{}, message)
	if c.Match != trust.Matches || len(c.Key.Names) != 2 || c.Key.Names[0].Fingerprint != sub || c.Key.Names[1].Fingerprint != primary {
		t.Fatalf("%+v", c)
	}
}

func TestExpiredAndRevokedKeys(t *testing.T) {
	g := trusttest.NewGPG(t)
	now := time.Now()

	expired := g.Key("Expired", "ed25519", "seconds=3600", "--faked-system-time", now.Add(-48*time.Hour).UTC().Format("20060102T150405"))
	sig := g.Sign(expired, message, "--faked-system-time", now.Add(-48*time.Hour).Add(time.Minute).UTC().Format("20060102T150405"))
	c := keysOf(t, g.Export(expired)).Check(sig, trust.KeyName{}, message)
	if c.Match != trust.Matches || c.Revoked != "" || !ended(c.Terms, now) || ended(c.Terms, now.Add(-48*time.Hour).Add(2*time.Minute)) {
		t.Errorf("by an expired key: %+v", c)
	}

	short := g.Key("Signature that expires", "ed25519", "0")
	c = keysOf(t, g.Export(short)).Check(g.Sign(short, message, "--default-sig-expire", "1d"), trust.KeyName{}, message)
	if ended(c.Terms, time.Now()) || !ended(c.Terms, time.Now().Add(25*time.Hour)) {
		t.Errorf("a signature for a day: %+v", c)
	}

	revoked := g.Key("Revoked", "ed25519", "0")
	sig = g.Sign(revoked, message)
	if c := keysOf(t, g.Export(revoked)).Check(sig, trust.KeyName{}, message); c.Revoked != "" {
		t.Errorf("before it is revoked: %+v", c)
	}
	before := g.Export(revoked)
	cert, err := os.ReadFile(filepath.Join(g.Home, "openpgp-revocs.d", revoked+".rev"))
	if err != nil {
		t.Fatal(err)
	}
	g.Run([]byte(strings.Replace(string(cert), ":-----BEGIN", "-----BEGIN", 1)), "--import")
	if c := keysOf(t, g.Export(revoked)).Check(sig, trust.KeyName{}, message); c.Match != trust.Matches || c.Revoked == "" {
		t.Errorf("by a revoked key: %+v", c)
	}
	// A copy from before does not bring it back.
	for _, files := range [][][]byte{{before, g.Export(revoked)}, {g.Export(revoked), before}} {
		if c := keysOf(t, append(slices.Clone(files[0]), files[1]...)).Check(sig, trust.KeyName{}, message); c.Revoked == "" {
			t.Errorf("with a copy from before: %+v", c)
		}
	}
}

// Of two copies of a key the newer one says until when it is in force.
func TestNewestCopyCounts(t *testing.T) {
	g := trusttest.NewGPG(t)
	now := time.Now()
	at := func(d time.Duration) []string {
		return []string{"--faked-system-time", now.Add(d).UTC().Format("20060102T150405")}
	}
	fingerprint := g.Key("Alex", "ed25519", "0", at(-72*time.Hour)...)
	sig := g.Sign(fingerprint, message, at(-71*time.Hour)...)
	before := g.Export(fingerprint)
	g.Run(nil, append(at(-48*time.Hour), "--quick-set-expire", fingerprint, "1d")...)
	after := g.Export(fingerprint)
	for _, files := range [][][]byte{{before, after}, {after, before}} {
		c := keysOf(t, append(slices.Clone(files[0]), files[1]...)).Check(sig, trust.KeyName{}, message)
		if c.Match != trust.Matches || !ended(c.Terms, now) {
			t.Errorf("%+v", c)
		}
	}
}

// ended says whether one of the terms is over, or has not begun.
func ended(terms []trust.Term, now time.Time) bool {
	for _, t := range terms {
		if !t.Until.IsZero() && !now.Before(t.Until) || now.Before(t.From) {
			return true
		}
	}
	return false
}

func TestKeyboxAndBinaryKeyring(t *testing.T) {
	g := trusttest.NewGPG(t)
	first, second := g.Key("First", "ed25519", "0"), g.Key("Second", "rsa2048", "0")
	box, err := os.ReadFile(filepath.Join(g.Home, "pubring.kbx"))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"keybox": box, "binary": g.Run(nil, "--export"), "two blocks": append(g.Export(first), g.Export(second)...),
	} {
		if !gpg.Is(content) {
			t.Errorf("%s is not recognised", name)
		}
		k := keysOf(t, content)
		for _, key := range []string{first, second} {
			if c := k.Check(g.Sign(key, message), trust.KeyName{}, message); c.Match != trust.Matches {
				t.Errorf("%s: %+v", name, c)
			}
		}
	}
}

func TestKindsOfSignaturesThatAreRefused(t *testing.T) {
	g := trusttest.NewGPG(t)
	fingerprint := g.Key("Alex", "rsa2048", "0")
	k := keysOf(t, g.Export())
	for name, sig := range map[string]string{
		"text":     g.Sign(fingerprint, message, "--textmode"),
		"sha1":     g.Sign(fingerprint, message, "--digest-algo", "sha1"),
		"critical": g.Sign(fingerprint, message, "--sig-notation", "!x@example.com=y"),
		"clear":    string(g.Run(message, "--local-user", fingerprint, "--clearsign")),
		"inline":   string(g.Run(message, "--local-user", fingerprint, "--armor", "--sign")),
	} {
		if c := k.Check(sig, trust.KeyName{}, message); c.Match != trust.Unreadable {
			t.Errorf("%s: %+v", name, c)
		}
	}
}
