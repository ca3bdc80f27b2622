package gpg_test

import (
	"testing"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis/trust"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust/gpg"
)

// No text is taken for a signature by a key that nobody gave.
func FuzzSignature(f *testing.F) {
	f.Add("-----BEGIN PGP SIGNATURE-----\n\niHUEABYKAB0WIQQ=\n=AAAA\n-----END PGP SIGNATURE-----\n")
	f.Add("-----BEGIN PGP SIGNATURE-----\n\n\n-----END PGP SIGNATURE-----")
	f.Fuzz(func(t *testing.T, s string) {
		if c := new(gpg.Keys).Check(s, trust.KeyName{}, []byte("x")); c.Match == trust.Matches {
			t.Fatalf("%q is taken", s)
		}
	})
}

// A file of keys is read or refused.
func FuzzKeys(f *testing.F) {
	f.Add([]byte("-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmDMEZ\n=AAAA\n-----END PGP PUBLIC KEY BLOCK-----\n"))
	f.Add([]byte("\x00\x00\x00\x20\x01\x01\x00\x02KBXf\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x10\x02\x01\x00\x00\x00\x00\x00\x10\x00\x00\x00\x01"))
	f.Add([]byte{0x99, 0, 1, 4})
	f.Fuzz(func(t *testing.T, b []byte) {
		if !gpg.Is(b) {
			return
		}
		if n, _ := new(gpg.Keys).Add(trust.Material{Content: b}, time.Now()); n < 0 {
			t.Fatal(n)
		}
	})
}
