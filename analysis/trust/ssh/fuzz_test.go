package ssh_test

import (
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/trust"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust/ssh"
)

// No text is taken for a signature by a key that nobody gave.
func FuzzSignature(f *testing.F) {
	f.Add("-----BEGIN SSH SIGNATURE-----\nU1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgJKxoLBJBivUPNTUJUSslQTt2hD\njozKvHarKeN8uYFqgAAAADZm9vAAAAAAAAAFMAAAALc3NoLWVkMjU1MTkAAABAKNC4IEbt\nTq0Fb56xhtuE1/lK9H9RZJfON4o6hE9R4ZGFX98gy0+fFJ/1d2/RxnZky0Y7GojwrZkrHT\n-----END SSH SIGNATURE-----\n")
	f.Add("-----BEGIN SSH SIGNATURE-----\n\n-----END SSH SIGNATURE-----")
	f.Fuzz(func(t *testing.T, s string) {
		if c := new(ssh.Keys).Check(s, trust.KeyName{}, []byte("x")); c.Match == trust.Matches {
			t.Fatalf("%q is taken", s)
		}
	})
}

// A file of keys is read or refused; no line of it gives a key more than the line says.
func FuzzAllowedSigners(f *testing.F) {
	const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJKxoLBJBivUPNTUJUSslQTt2hDjozKvHarKeN8uYFqg"
	f.Add("alex@example.com " + key + " comment\n")
	f.Add(`a,b namespaces="x,y",valid-after="20200101",valid-before="29990101Z" ` + key)
	f.Add("\"quoted \\\" principal\" " + key)
	f.Fuzz(func(t *testing.T, s string) {
		for _, name := range []string{"allowed_signers", "keys.pub", "revoked_keys"} {
			k := new(ssh.Keys)
			n, err := k.Add(trust.Material{Name: name, Content: []byte(s)})
			if n < 0 || n > 1+len(s)/32 {
				t.Fatalf("%d keys of %d bytes: %v", n, len(s), err)
			}
		}
		ssh.Is("x", []byte(s))
	})
}
