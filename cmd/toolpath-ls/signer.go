package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/hiddeco/sshsig"
	xssh "golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"github.com/toolpath-ls/toolpath-ls/analysis/repo"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust/keyring"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust/ssh"
)

// signTimeout bounds how long a program may take to sign: somebody may have to type a
// passphrase or to touch a key.
const signTimeout = 2 * time.Minute

// signer is a private key that signs, with a program that has it.
type signer struct {
	name   trust.KeyName
	public trust.Material // the public key
	run    func(ctx context.Context, message []byte) (string, error)
}

// findSigner finds the key that the user names: "gpg:…", what gpg takes for a key;
// "ssh:SHA256:…", a key of the SSH agent or of ~/.ssh; else the file of an SSH key, private
// or public.
func findSigner(ctx context.Context, name string) (signer, error) {
	switch n := trust.ParseKeyName(name); {
	case name == "":
		return signer{}, errors.New("name the key that signs: --key gpg:FINGERPRINT, --key ssh:SHA256:… or --key FILE")
	case n.Type == trust.GPG:
		_, id, _ := strings.Cut(name, ":")
		return gpgSigner(ctx, strings.TrimSpace(id))
	case n.Type == trust.SSH:
		return agentSigner(ctx, n)
	case n.Type == trust.Sigstore:
		return signer{}, errors.New("signing with Sigstore needs the network, which is not used here; sign what digest prints with cosign, and put the bundle into sig")
	}
	return fileSigner(ctx, name)
}

// sign signs a message, and makes sure that the signature is one before anybody writes it.
func (s signer) sign(ctx context.Context, message []byte) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, signTimeout)
	defer cancel()
	sig, err := s.run(ctx, message)
	if err != nil {
		return "", err
	}
	keys, errs := keyring.New([]trust.Material{s.public}, time.Now())
	if err := errors.Join(errs...); err != nil {
		return "", err
	}
	if why := keys.Refuses(sig, s.name, message); why != "" {
		return "", fmt.Errorf("the signature that %s made does not verify: %s", s.name, why)
	}
	return sig, nil
}

// program runs a program that signs, with the input, and returns what it printed.
func program(ctx context.Context, input []byte, name string, args ...string) ([]byte, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return nil, fmt.Errorf("%s is not installed, or not in the PATH", name)
	}
	cmd := exec.CommandContext(ctx, path, args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &out, &errs
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("%s did not end in time", name)
		}
		said := strings.TrimSpace(errs.String())
		if i := strings.LastIndexByte(said, '\n'); i >= 0 {
			said = said[i+1:]
		}
		return nil, fmt.Errorf("%s: %s", name, escaped(orWords(said, err.Error())))
	}
	return out.Bytes(), nil
}

func orWords(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

func gpgSigner(ctx context.Context, id string) (signer, error) {
	if id == "" || strings.HasPrefix(id, "-") {
		return signer{}, errors.New("name the OpenPGP key: --key gpg:FINGERPRINT")
	}
	list, err := program(ctx, nil, "gpg", "--batch", "--with-colons", "--list-secret-keys", "--", id)
	if err != nil {
		return signer{}, fmt.Errorf("gpg has no secret key %q: %w", id, err)
	}
	var primary []string
	after := ""
	for line := range strings.Lines(string(list)) {
		fields := strings.Split(line, ":")
		if fields[0] == "fpr" && after == "sec" && len(fields) > 9 {
			primary = append(primary, fields[9])
		}
		if fields[0] != "grp" {
			after = fields[0]
		}
	}
	if len(primary) != 1 {
		return signer{}, fmt.Errorf("%q names %d secret keys of gpg; give the whole fingerprint of one", id, len(primary))
	}
	public, err := program(ctx, nil, "gpg", "--batch", "--export", "--", primary[0])
	if err != nil {
		return signer{}, err
	}
	who := primary[0]
	if strings.HasSuffix(id, "!") { // this very subkey
		who = id
	}
	return signer{trust.NewKeyName(trust.GPG, primary[0]), trust.Material{Name: "gpg", Content: public}, func(ctx context.Context, message []byte) (string, error) {
		out, err := program(ctx, message, "gpg", "--quiet", "--no-comments", "--no-emit-version", "--digest-algo", "SHA512", "--armor", "--detach-sign", "--local-user", who, "--output", "-")
		return string(out), err
	}}, nil
}

// fileSigner is the key of a file, which ssh-keygen signs with: it asks for the passphrase,
// and takes the agent where only the public key is there.
func fileSigner(ctx context.Context, name string) (signer, error) {
	if rest, ok := strings.CutPrefix(filepath.ToSlash(name), "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			name = filepath.Join(home, rest)
		}
	}
	public := name
	if !strings.HasSuffix(name, ".pub") {
		public = name + ".pub"
	}
	content, err := repo.ReadFile(ctx, public, 1<<16)
	if errors.Is(err, repo.ErrNotExist) && public != name {
		if _, err := os.Stat(name); err != nil {
			return signer{}, fmt.Errorf("%s: there is no such key; write gpg:FINGERPRINT for one of OpenPGP", name)
		}
		content, err = program(ctx, nil, "ssh-keygen", "-y", "-f", absolute(name))
	}
	if err != nil {
		return signer{}, err
	}
	pub, _, _, _, err := xssh.ParseAuthorizedKey(content)
	if err != nil {
		return signer{}, fmt.Errorf("%s is no SSH public key", public)
	}
	return sshSigner(pub, func(ctx context.Context, message []byte) (string, error) {
		out, err := program(ctx, message, "ssh-keygen", "-Y", "sign", "-q", "-n", ssh.Namespace, "-f", absolute(name))
		return string(out), err
	}), nil
}

func sshSigner(pub xssh.PublicKey, run func(context.Context, []byte) (string, error)) signer {
	return signer{trust.NewKeyName(trust.SSH, xssh.FingerprintSHA256(pub)), trust.Material{Name: "key.pub", Content: xssh.MarshalAuthorizedKey(pub)}, run}
}

// agentSigner is a key of the SSH agent, else one of ~/.ssh.
func agentSigner(ctx context.Context, n trust.KeyName) (signer, error) {
	var agentErr error
	if socket := os.Getenv("SSH_AUTH_SOCK"); socket != "" {
		s, err := inAgent(ctx, socket, n)
		if err == nil {
			return s, nil
		}
		agentErr = err
	}
	folder := repo.UserKeys().SSH
	names, _ := filepath.Glob(filepath.Join(folder, "id_*.pub"))
	for _, name := range names {
		if s, err := fileSigner(ctx, strings.TrimSuffix(name, ".pub")); err == nil && s.name == n {
			return s, nil
		}
	}
	if agentErr != nil {
		return signer{}, agentErr
	}
	return signer{}, fmt.Errorf("the key %s is not in %s, and there is no SSH agent (SSH_AUTH_SOCK)", n, folder)
}

func inAgent(ctx context.Context, socket string, n trust.KeyName) (signer, error) {
	var found xssh.PublicKey
	err := withAgent(ctx, socket, func(a agent.ExtendedAgent) error {
		keys, err := a.List()
		if err != nil {
			return err
		}
		for _, k := range keys {
			if pub, err := xssh.ParsePublicKey(k.Blob); err == nil && trust.NewKeyName(trust.SSH, xssh.FingerprintSHA256(pub)) == n {
				found = pub
				return nil
			}
		}
		return fmt.Errorf("the SSH agent has no key %s", n)
	})
	if err != nil {
		return signer{}, err
	}
	return sshSigner(found, func(ctx context.Context, message []byte) (sig string, err error) {
		err = withAgent(ctx, socket, func(a agent.ExtendedAgent) error {
			s, err := sshsig.Sign(bytes.NewReader(message), agentKey{a, found}, sshsig.HashSHA512, ssh.Namespace)
			if err == nil {
				sig = string(sshsig.Armor(s))
			}
			return err
		})
		return sig, err
	}), nil
}

// withAgent calls a function with the agent at a socket, until the context ends.
func withAgent(ctx context.Context, socket string, use func(agent.ExtendedAgent) error) error {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", socket)
	if err != nil {
		return fmt.Errorf("the SSH agent does not answer: %w", err)
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	return use(agent.NewClient(conn))
}

// agentKey signs with a key of an agent; of RSA as SSHSIG wants it.
type agentKey struct {
	agent agent.ExtendedAgent
	key   xssh.PublicKey
}

func (k agentKey) PublicKey() xssh.PublicKey { return k.key }

func (k agentKey) Sign(r io.Reader, data []byte) (*xssh.Signature, error) {
	return k.SignWithAlgorithm(r, data, k.key.Type())
}

func (k agentKey) SignWithAlgorithm(_ io.Reader, data []byte, algorithm string) (*xssh.Signature, error) {
	var flags agent.SignatureFlags
	if algorithm == xssh.KeyAlgoRSASHA512 {
		flags = agent.SignatureFlagRsaSha512
	}
	return k.agent.SignWithFlags(k.key, data, flags)
}

// digestOf is what is signed of a payload.
func digestOf(payload []byte) []byte {
	sum := sha256.Sum256(payload)
	return sum[:]
}
