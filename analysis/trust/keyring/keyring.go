// Package keyring makes a keyring of files with public keys, of every type that can be
// verified.
package keyring

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis/trust"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust/gpg"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust/sigstore"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust/ssh"
)

// New reads files with public keys: OpenPGP certificates and keyboxes, SSH public keys,
// allowed_signers, revoked_keys, and trusted roots of Sigstore. Each error is of one file, or
// a part of it, that was not read. Now decides which revocations count.
func New(files []trust.Material, now time.Time) (*trust.Keyring, []error) {
	var errs []error
	var g gpg.Keys
	var s ssh.Keys
	var roots sigstore.Keys
	for _, m := range files {
		err := add(&g, &s, &roots, m, now)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", m.Name, err))
		}
	}
	return trust.NewKeyring(map[string]trust.Keys{trust.GPG: &g, trust.SSH: &s, trust.Sigstore: &roots}), errs
}

func add(g *gpg.Keys, s *ssh.Keys, roots *sigstore.Keys, m trust.Material, now time.Time) (err error) {
	n := 0
	switch {
	case strings.Contains(string(m.Content[:min(len(m.Content), 1<<12)]), "PRIVATE KEY"):
		return errors.New("this is a private key: nobody but its owner should have it, and it is not used")
	case sigstore.Is(m.Content):
		n, err = roots.Add(m)
	case gpg.Is(m.Content):
		n, err = g.Add(m, now)
	case ssh.Is(m.Name, m.Content):
		n, err = s.Add(m)
		if base := path.Base(m.Name); base == ssh.RevokedKeys || base == ssh.AllowedSigners {
			return err // may have none
		}
	default:
		return errors.New("no public keys are in it: neither OpenPGP nor SSH, and no trusted root of Sigstore")
	}
	if n == 0 && err == nil {
		return errors.New("no key that signs is in it")
	}
	return err
}
