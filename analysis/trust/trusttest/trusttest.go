// Package trusttest makes keys and signatures for tests with the programs that people use:
// gpg and ssh-keygen. What it makes lives in the test's own folders, and no key of the
// user is touched.
package trusttest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Need returns the path of a program; a test whose program is missing is skipped, and fails
// when TOOLPATH_TEST_REQUIRE=1.
func Need(t testing.TB, program, debianPackage string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err == nil {
		return path
	}
	message := fmt.Sprintf("NOT TESTED: %s is missing; apt-get install %s", program, debianPackage)
	if os.Getenv("TOOLPATH_TEST_REQUIRE") == "1" {
		t.Fatal(message)
	}
	t.Skip(message)
	return ""
}

// GPG is a GnuPG home.
type GPG struct {
	t    testing.TB
	Home string
}

// NewGPG makes an empty home. Its agent is ended with the test.
func NewGPG(t testing.TB) *GPG {
	t.Helper()
	Need(t, "gpg", "gnupg")
	home, err := os.MkdirTemp("", "gpg") // the names of sockets are short
	if err != nil {
		t.Fatal(err)
	}
	g := &GPG{t, home}
	t.Cleanup(func() {
		cmd := exec.Command("gpgconf", "--kill", "all")
		cmd.Env = g.env()
		_ = cmd.Run()
		_ = os.RemoveAll(home)
	})
	return g
}

func (g *GPG) env() []string { return append(os.Environ(), "GNUPGHOME="+g.Home, "LC_ALL=C") }

// Try runs gpg.
func (g *GPG) Try(input []byte, args ...string) (stdout []byte, stderr string, err error) {
	g.t.Helper()
	cmd := exec.Command("gpg", append([]string{"--batch", "--no-tty", "--pinentry-mode", "loopback", "--passphrase", ""}, args...)...)
	cmd.Env = g.env()
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &out, &errs
	err = cmd.Run()
	return out.Bytes(), errs.String(), err
}

// Run is Try that must succeed.
func (g *GPG) Run(input []byte, args ...string) []byte {
	g.t.Helper()
	out, errs, err := g.Try(input, args...)
	if err != nil {
		g.t.Fatalf("gpg %s: %v\n%s", strings.Join(args, " "), err, errs)
	}
	return out
}

// Key makes a key that signs and returns its fingerprint. The algorithm is one of gpg's, such as
// "ed25519" or "rsa2048"; the expiry is gpg's too, "0" for none.
func (g *GPG) Key(user, algorithm, expire string, options ...string) string {
	g.t.Helper()
	g.Run(nil, append(options, "--quick-generate-key", user, algorithm, "cert,sign", expire)...)
	return g.Fingerprints(user)[0]
}

// Fingerprints returns the fingerprints of a key and its subkeys.
func (g *GPG) Fingerprints(user string) (all []string) {
	g.t.Helper()
	for line := range strings.Lines(string(g.Run(nil, "--with-colons", "--list-keys", user))) {
		if fields := strings.Split(line, ":"); fields[0] == "fpr" {
			all = append(all, fields[9])
		}
	}
	return all
}

// Export returns the armoured certificates of keys; of all without a name.
func (g *GPG) Export(users ...string) []byte {
	g.t.Helper()
	return g.Run(nil, append([]string{"--armor", "--export"}, users...)...)
}

// Sign returns the armoured detached signature of a message. The key may be a fingerprint
// with "!" for a subkey.
func (g *GPG) Sign(key string, message []byte, options ...string) string {
	g.t.Helper()
	return string(g.Run(message, append(options, "--local-user", key, "--armor", "--detach-sign")...))
}

// Verify says whether gpg takes a signature for one of the message.
func (g *GPG) Verify(signature string, message []byte) error {
	g.t.Helper()
	name := filepath.Join(g.t.TempDir(), "sig.asc")
	if err := os.WriteFile(name, []byte(signature), 0o600); err != nil {
		g.t.Fatal(err)
	}
	_, errs, err := g.Try(message, "--verify", name, "-")
	if err != nil {
		return fmt.Errorf("%w\n%s", err, errs)
	}
	return nil
}

// SSHKey is a pair of files that ssh-keygen made.
type SSHKey struct {
	t      testing.TB
	File   string // of the private key
	Public string // "type base64 comment"
	Name   string // "SHA256:…"
}

// NewSSHKey makes a key without a passphrase: "ed25519", "rsa", "ecdsa".
func NewSSHKey(t testing.TB, kind, comment string, options ...string) *SSHKey {
	t.Helper()
	Need(t, "ssh-keygen", "openssh-client")
	file := filepath.Join(t.TempDir(), "id_"+kind)
	run(t, nil, "ssh-keygen", append([]string{"-q", "-t", kind, "-N", "", "-C", comment, "-f", file}, options...)...)
	public, err := os.ReadFile(file + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(run(t, nil, "ssh-keygen", "-l", "-E", "sha256", "-f", file+".pub")))
	return &SSHKey{t, file, strings.TrimSpace(string(public)), fields[1]}
}

// Sign returns the armoured signature of a message for a namespace.
func (k *SSHKey) Sign(namespace string, message []byte, options ...string) string {
	k.t.Helper()
	return string(run(k.t, message, "ssh-keygen", append([]string{"-Y", "sign", "-q", "-n", namespace, "-f", k.File}, options...)...))
}

// SSHVerify says whether ssh-keygen takes a signature for one of the message by a principal of
// an allowed_signers file.
func SSHVerify(t testing.TB, allowedSigners, principal, namespace, signature string, message []byte) error {
	t.Helper()
	folder := t.TempDir()
	signers, sig := filepath.Join(folder, "allowed_signers"), filepath.Join(folder, "sig")
	for name, content := range map[string]string{signers: allowedSigners, sig: signature} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("ssh-keygen", "-Y", "verify", "-f", signers, "-I", principal, "-n", namespace, "-s", sig)
	cmd.Stdin = bytes.NewReader(message)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

func run(t testing.TB, input []byte, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(name, args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, errs.String())
	}
	return out.Bytes()
}

// Flips calls a function with every text that differs from s in one bit, or in all bits of one
// byte.
func Flips(s string, see func(at int, changed string)) {
	b := []byte(s)
	for i, c := range b {
		for _, mask := range []byte{1, 2, 4, 8, 16, 32, 64, 128, 0xFF} {
			b[i] = c ^ mask
			see(i, string(b))
		}
		b[i] = c
	}
}

// Certify has an authority make a certificate of a key, which lies beside it from then on.
func Certify(t testing.TB, authority, key *SSHKey, principal string) {
	t.Helper()
	run(t, nil, "ssh-keygen", "-q", "-s", authority.File, "-I", "test", "-n", principal, key.File+".pub")
}
