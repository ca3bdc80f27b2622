package ssh_test

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	xssh "golang.org/x/crypto/ssh"

	"github.com/toolpath-ls/toolpath-ls/analysis/trust"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust/ssh"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust/trusttest"
)

var message = []byte("0123456789abcdef0123456789abcdef")

// keysOf reads files; a name and its content by turns.
func keysOf(t *testing.T, files ...string) *ssh.Keys {
	t.Helper()
	k := new(ssh.Keys)
	for i := 0; i < len(files); i += 2 {
		if _, err := k.Add(trust.Material{Name: files[i], Content: []byte(files[i+1])}); err != nil {
			t.Fatal(err)
		}
	}
	return k
}

func TestSignaturesBySSHKeygen(t *testing.T) {
	for _, kind := range []struct {
		name    string
		options []string
	}{{"ed25519", nil}, {"rsa", []string{"-b", "2048"}}, {"ecdsa", []string{"-b", "256"}}, {"ecdsa", []string{"-b", "384"}}, {"ecdsa", []string{"-b", "521"}}} {
		t.Run(strings.Join(append([]string{kind.name}, kind.options...), ""), func(t *testing.T) {
			key := trusttest.NewSSHKey(t, kind.name, "alex@example.com", kind.options...)
			k := keysOf(t, "id.pub", key.Public)
			for _, namespace := range []string{"toolpath", "file"} {
				c := k.Check(key.Sign(namespace, message), trust.KeyName{}, message)
				if c.Match != trust.Matches || c.Key.Name().Fingerprint != key.Name || c.Key.Owner != "alex@example.com" {
					t.Errorf("for %s: %+v", namespace, c)
				}
			}
			sig := key.Sign("toolpath", message, "-Ohashalg=sha256")
			if c := k.Check(sig, trust.KeyName{}, message); c.Match != trust.Matches {
				t.Errorf("with SHA-256: %+v", c)
			}
			if c := k.Check(sig, trust.KeyName{}, message[1:]); c.Match != trust.Mismatch {
				t.Errorf("of another message: %+v", c)
			}
			if c := k.Check(key.Sign("git", message), trust.KeyName{}, message); c.Match != trust.Unreadable || !strings.Contains(c.Reason, `"git"`) {
				t.Errorf("for git: %+v", c)
			}
			if c := new(ssh.Keys).Check(sig, trust.KeyName{}, message); c.Match != trust.NoKey || c.Key.Name().Fingerprint != key.Name {
				t.Errorf("without its key: %+v", c)
			}
		})
	}
}

// Nothing of a signature can be changed and the signature still match.
func TestNoByteOfASignatureMayChange(t *testing.T) {
	for _, kind := range []string{"ed25519", "ecdsa", "rsa"} {
		key := trusttest.NewSSHKey(t, kind, "x")
		k, sig := keysOf(t, "id.pub", key.Public), key.Sign("toolpath", message)
		trusttest.Flips(sig, func(at int, changed string) {
			if c := k.Check(changed, trust.KeyName{}, message); c.Match == trust.Matches {
				t.Errorf("%s: byte %d of the signature may be changed:\n%s", kind, at, changed)
			}
		})
		for name, changed := range map[string]string{
			"text before it": "x\n" + sig, "text behind it": sig + "x", "two of them": sig + sig,
			"lines joined": strings.Replace(strings.Replace(sig, "\n", "", 3), "E-----", "E-----\n", 1), "a blank line": strings.Replace(sig, "\n", "\n\n", 1),
			"a header line": strings.Replace(sig, "\n", "\nComment: x\n", 1),
		} {
			if c := k.Check(changed, trust.KeyName{}, message); c.Match == trust.Matches {
				t.Errorf("%s: %s is taken", kind, name)
			}
		}
	}
}

func TestAllowedSigners(t *testing.T) {
	key, other := trusttest.NewSSHKey(t, "ed25519", "x"), trusttest.NewSSHKey(t, "ed25519", "y")
	sig := key.Sign("toolpath", message)
	now := time.Now()
	for _, c := range []struct {
		name, lines string
		match       trust.Match
		principals  string
		in          bool // in force now
	}{
		{"principals", "alex@example.com,human:alex " + key.Public, trust.Matches, "alex@example.com,human:alex", true},
		{"quoted principals", `"alex@example.com" ` + key.Public, trust.Matches, "alex@example.com", true},
		{"comments and blank lines", "# a\n\n   \nalex " + key.Public + "\n", trust.Matches, "alex", true},
		{"of another key", "bob " + other.Public, trust.NoKey, "", false},
		{"for the namespace", `alex namespaces="toolpath" ` + key.Public, trust.Matches, "alex", true},
		{"for patterns of namespaces", `alex namespaces="git,tool*" ` + key.Public, trust.Matches, "alex", true},
		{"for another namespace", `alex namespaces="git" ` + key.Public, trust.NoKey, "", false},
		{"not for the namespace", `alex namespaces="*,!toolpath" ` + key.Public, trust.NoKey, "", false},
		{"valid before a time to come", `alex valid-before="29990101Z" ` + key.Public, trust.Matches, "alex", true},
		{"valid before a time gone", `alex valid-before="20200101Z" ` + key.Public, trust.Matches, "alex", false},
		{"valid after a time gone", `alex valid-after="202001010102" ` + key.Public, trust.Matches, "alex", true},
		{"valid after a time to come", `alex valid-after="29990101010203Z" ` + key.Public, trust.Matches, "alex", false},
		{"several options", `alex namespaces="toolpath",valid-after="20200101",valid-before="29990101" ` + key.Public, trust.Matches, "alex", true},
	} {
		check := keysOf(t, "/x/allowed_signers", c.lines).Check(sig, trust.KeyName{}, message)
		in := check.Match == trust.Matches
		for _, term := range check.Terms {
			in = in && !(!term.Until.IsZero() && !now.Before(term.Until) || now.Before(term.From))
		}
		if check.Match != c.match || in != c.in || c.match == trust.Matches && strings.Join(check.Principals, ",") != c.principals {
			t.Errorf("%s: %+v", c.name, check)
		}
		// ssh-keygen judges, of a principal of the line.
		principal, _, _ := strings.Cut(strings.Trim(c.principals, `"`), ",")
		if principal == "" {
			principal = "alex"
		}
		err := trusttest.SSHVerify(t, c.lines+"\n", principal, "toolpath", sig, message)
		if (err == nil) != c.in {
			t.Errorf("%s: ssh-keygen says %v", c.name, err)
		}
	}
	for name, line := range map[string]string{
		"an unknown option": `alex x="y" ` + key.Public, "an authority": "alex cert-authority " + key.Public,
		"a broken time": `alex valid-before="soon" ` + key.Public, "no key": "alex ssh-ed25519 AAAA", "principals alone": "alex",
		"a key of another type": "alex " + strings.Replace(key.Public, "ssh-ed25519", "ssh-rsa", 1),
	} {
		k := new(ssh.Keys)
		if n, err := k.Add(trust.Material{Name: "allowed_signers", Content: []byte(line)}); n != 0 || err == nil {
			t.Errorf("%s: %d keys, %v", name, n, err)
		}
	}
}

// What the user's allowed_signers restricts, a plain key in the workspace does not free.
func TestRestrictionsHold(t *testing.T) {
	key := trusttest.NewSSHKey(t, "ed25519", "x")
	k := new(ssh.Keys)
	for _, m := range []trust.Material{
		{Name: "/w/.toolpath/keys/alex.pub", Origin: trust.OfWorkspace, Content: []byte(key.Public)},
		{Name: "/u/allowed_signers", Content: []byte(`alex namespaces="git" ` + key.Public)},
	} {
		if _, err := k.Add(m); err != nil {
			t.Fatal(err)
		}
	}
	if c := k.Check(key.Sign("toolpath", message), trust.KeyName{}, message); c.Match != trust.NoKey {
		t.Errorf("%+v", c)
	}
}

func TestRevokedKeys(t *testing.T) {
	key := trusttest.NewSSHKey(t, "ed25519", "x")
	sig := key.Sign("toolpath", message)
	for name, list := range map[string]string{"key": key.Public, "fingerprint": key.Name} {
		c := keysOf(t, "a.pub", key.Public, "revoked_keys", "# gone\n"+list+"\n").Check(sig, trust.KeyName{}, message)
		if c.Match != trust.Matches || c.Revoked == "" {
			t.Errorf("revoked by its %s: %+v", name, c)
		}
	}
	// Where nobody knows which keys are revoked, none is good.
	for _, list := range []string{"SSHKRL\n\x00x", "nonsense"} {
		k := keysOf(t, "a.pub", key.Public)
		if _, err := k.Add(trust.Material{Name: "revoked_keys", Content: []byte(list)}); err == nil {
			t.Errorf("%q is read", list)
		}
		if c := k.Check(sig, trust.KeyName{}, message); c.Match != trust.NoKey {
			t.Errorf("%q: %+v", list, c)
		}
	}
}

func TestCertificatesAreNotVerified(t *testing.T) {
	authority, key := trusttest.NewSSHKey(t, "ed25519", "ca"), trusttest.NewSSHKey(t, "ed25519", "x")
	trusttest.Certify(t, authority, key, "alex")
	c := keysOf(t, "a.pub", key.Public).Check(key.Sign("toolpath", message), trust.KeyName{}, message)
	if c.Match == trust.Matches && c.Key.Name().Fingerprint != key.Name {
		t.Errorf("%+v", c)
	}
}

// hardware signs as a security key does (PROTOCOL.u2f, "SSH U2F Signatures").
type hardware struct {
	kind, application string
	public            []byte // in SSH wire format
	sign              func(data []byte) []byte
}

func newED25519SK(t *testing.T, application string) hardware {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	wire := xssh.Marshal(struct {
		Type        string
		Key         []byte
		Application string
	}{xssh.KeyAlgoSKED25519, public, application})
	return hardware{xssh.KeyAlgoSKED25519, application, wire, func(data []byte) []byte { return ed25519.Sign(private, data) }}
}

func newECDSASK(t *testing.T, application string) hardware {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	point, err := key.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	wire := xssh.Marshal(struct {
		Type, Curve string
		Point       []byte
		Application string
	}{xssh.KeyAlgoSKECDSA256, "nistp256", point, application})
	return hardware{xssh.KeyAlgoSKECDSA256, application, wire, func(data []byte) []byte {
		hash := sha256.Sum256(data)
		r, s, err := ecdsa.Sign(rand.Reader, key, hash[:])
		if err != nil {
			t.Fatal(err)
		}
		return xssh.Marshal(struct{ R, S *big.Int }{r, s})
	}}
}

// signature returns the armoured SSHSIG of a message.
func (h hardware) signature(flags byte, counter uint32, namespace string, message []byte) string {
	hash := sha512.Sum512(message)
	signed := append([]byte("SSHSIG"), xssh.Marshal(struct{ Namespace, Reserved, Hash, Digest string }{namespace, "", "sha512", string(hash[:])})...)
	application, digest := sha256.Sum256([]byte(h.application)), sha256.Sum256(signed)
	data := append(append(application[:], flags, byte(counter>>24), byte(counter>>16), byte(counter>>8), byte(counter)), digest[:]...)
	inner := xssh.Marshal(struct {
		Format  string
		Blob    []byte
		Flags   byte
		Counter uint32
	}{h.kind, h.sign(data), flags, counter})
	blob := append([]byte("SSHSIG\x00\x00\x00\x01"), xssh.Marshal(struct{ Public, Namespace, Reserved, Hash, Sig string }{string(h.public), namespace, "", "sha512", string(inner)})...)
	var b strings.Builder
	b.WriteString("-----BEGIN SSH SIGNATURE-----\n")
	for encoded := base64.StdEncoding.EncodeToString(blob); encoded != ""; {
		n := min(70, len(encoded))
		b.WriteString(encoded[:n] + "\n")
		encoded = encoded[n:]
	}
	return b.String() + "-----END SSH SIGNATURE-----\n"
}

func TestHardwareKeys(t *testing.T) {
	for _, h := range []hardware{newED25519SK(t, "ssh:"), newECDSASK(t, "ssh:toolpath")} {
		line := fmt.Sprintf("%s %s a key to touch", h.kind, base64.StdEncoding.EncodeToString(h.public))
		k := keysOf(t, "sk.pub", line)
		const touched = 1
		sig := h.signature(touched, 7, "toolpath", message)
		if c := k.Check(sig, trust.KeyName{}, message); c.Match != trust.Matches || c.Key.Owner != "a key to touch" {
			t.Errorf("%s: %+v", h.kind, c)
		}
		if err := trusttest.SSHVerify(t, "alex "+line+"\n", "alex", "toolpath", sig, message); err != nil {
			t.Errorf("%s: ssh-keygen does not take what the test makes: %v", h.kind, err)
		}
		if c := k.Check(h.signature(0, 7, "toolpath", message), trust.KeyName{}, message); c.Match == trust.Matches {
			t.Errorf("%s: a signature is taken for which nobody touched the key", h.kind)
		}
		trusttest.Flips(sig, func(at int, changed string) {
			if c := k.Check(changed, trust.KeyName{}, message); c.Match == trust.Matches {
				t.Errorf("%s: byte %d of the signature may be changed", h.kind, at)
			}
		})
	}
}
