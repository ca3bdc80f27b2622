package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust/trusttest"
	"github.com/toolpath-ls/toolpath-ls/lsp"
	"github.com/toolpath-ls/toolpath-ls/lsp/lsptest"
)

const unsignedDocument = `{ "graph" : {"id": "g"},
  "paths": [ {"path": {"head": "s2", "id": "p"},
    "steps": [
      {"step": {"timestamp": "2026-01-29T10:00:00Z", "id": "s1", "actor": "human:alex"}, "change": {"a.txt": {"raw": "x"}}},
      {
        "change": {},   "step": {"id": "s2", "parents": ["s1"], "actor": "human:alex", "timestamp": "2026-01-29T10:00:00Z"},
        "meta": {"intent": "é \u00e9"}
      }
    ] } ] }
`

const unsignedStream = `{"PathOpen":{"version":"1","id":"p"}}
{"Step":{"step":{"id":"s1","actor":"human:alex","timestamp":"2026-01-29T10:00:00Z"},"change":{}}}
{"Step":{"step":{"id":"s2","parents":["s1"],"actor":"human:alex","timestamp":"2026-01-29T10:00:00Z"},"change":{}}}
{"PathClose":{}}
`

// keysForSigning are a user's keys: in files, in an agent, and of GnuPG.
type keysForSigning struct {
	gpg   *trusttest.GPG
	ssh   *trusttest.SSHKey
	agent *trusttest.SSHKey // whose file is gone
	env   []string
	names map[string]string // what --key takes, by what it is
}

func newKeysForSigning(t *testing.T) keysForSigning {
	t.Helper()
	k := keysForSigning{gpg: trusttest.NewGPG(t), ssh: trusttest.NewSSHKey(t, "ed25519", "alex"), agent: trusttest.NewSSHKey(t, "rsa", "agent")}
	fingerprint := k.gpg.Key("Alex <alex@example.com>", "ed25519", "0")
	socket := startAgent(t)
	add := exec.Command("ssh-add", "-q", k.agent.File)
	add.Env = append(os.Environ(), "SSH_AUTH_SOCK="+socket)
	if out, err := add.CombinedOutput(); err != nil {
		t.Fatalf("ssh-add: %v\n%s", err, out)
	}
	if err := os.Remove(k.agent.File); err != nil {
		t.Fatal(err)
	}
	k.env = []string{"GNUPGHOME=" + k.gpg.Home, "SSH_AUTH_SOCK=" + socket}
	k.names = map[string]string{
		"a file": k.ssh.File, "a public key, its private one beside it": k.ssh.File + ".pub", "a public key, its private one in the agent": k.agent.File + ".pub",
		"an agent's key": "ssh:" + k.agent.Name, "a key of gpg": "gpg:" + fingerprint, "an address": "gpg:alex@example.com",
	}
	return k
}

// startAgent starts an SSH agent that ends with the test, and returns its socket.
func startAgent(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "agent") // the names of sockets are short
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "s")
	cmd := exec.Command(trusttest.Need(t, "ssh-agent", "openssh-client"), "-D", "-a", socket)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = os.RemoveAll(dir)
	})
	bufio.NewScanner(out).Scan() // it says where it listens once it does
	return socket
}

func (k keysForSigning) run(t *testing.T, dir string, args ...string) outcome {
	t.Helper()
	cmd := command(t, dir, args...)
	cmd.Env = append(append(cmd.Env, "HOME="+dir, "XDG_CONFIG_HOME="), k.env...)
	return finish(t, cmd, "")
}

// What sign writes is verified by verify, by gpg and by ssh-keygen, and nothing else of the
// document is touched.
func TestSign(t *testing.T) {
	k := newKeysForSigning(t)
	for _, doc := range []struct{ name, content string }{{"doc.path.json", unsignedDocument}, {"doc.path.jsonl", unsignedStream}} {
		for what, key := range k.names {
			dir := t.TempDir()
			write(t, dir, map[string]string{doc.name: doc.content, "keys/alex.asc": string(k.gpg.Export()), "keys/a.pub": k.ssh.Public, "keys/b.pub": k.agent.Public})
			for _, args := range [][]string{
				{"--step", "s1"}, {"--step", "s2"}, {"--path", "p", "--signer", "human:alex"}, {"--path", "p", "--scope", "reviewer", "--timestamp", "2026-01-29T16:00:00Z"},
			} {
				o := k.run(t, dir, append([]string{"sign", doc.name, "--key", key, "--define"}, args...)...)
				if o.code != 0 || o.stderr != "" {
					t.Fatalf("%s, %s, %v: %+v", doc.name, what, args, o)
				}
			}
			if o := k.run(t, dir, "verify", doc.name, "--trusted", "keys", "--require", "author,reviewer", "--steps"); o.code != 0 {
				t.Errorf("%s, %s: %+v", doc.name, what, o)
			}
			signed, err := os.ReadFile(filepath.Join(dir, doc.name))
			if err != nil {
				t.Fatal(err)
			}
			if rest := withoutSignatures(string(signed)); rest != doc.content {
				t.Errorf("%s, %s: without what was added it is\n%s", doc.name, what, rest)
			}
			k.othersVerify(t, signed, key)
		}
	}
}

// withoutSignatures takes out what sign adds.
func withoutSignatures(s string) string {
	for _, added := range []string{
		`,\s*"meta": \{"signatures": \[[^]]*\]\}`, `,\s*"signatures": \[[^]]*\]`, `,\s*"meta": \{"actors": \{"human:alex": \{"keys": \[[^]]*\]\}\}(, ?"signatures": \[[^]]*\])?\}`,
		`(?m)^\{"(ActorDef|Signature)":.*\n`, `,"actors": \{"human:alex": \{"keys": \[[^]]*\]\}\}`,
	} {
		s = regexp.MustCompile(added).ReplaceAllString(s, "")
	}
	return s
}

// othersVerify has gpg and ssh-keygen verify each signature.
func (k keysForSigning) othersVerify(t *testing.T, src []byte, key string) {
	t.Helper()
	m := toolpath.Build(jsonsrc.Parse(src, toolpath.Layout), nil)
	if toolpath.IsStream(src) {
		m = toolpath.Build(jsonsrc.ParseLines(src), nil)
	}
	n := 0
	trust.Each(m, func(s trust.Signature) bool {
		n++
		f, err := s.Payload()
		if err != nil {
			t.Error(err)
			return true
		}
		sig := s.Value.Get("sig").Text()
		if s.Key().Type == trust.GPG {
			err = k.gpg.Verify(sig, digestOf(f.ByBytes))
		} else {
			err = trusttest.SSHVerify(t, "alex "+k.ssh.Public+"\nalex "+k.agent.Public+"\n", "alex", "toolpath", sig, digestOf(f.ByBytes))
		}
		if err != nil {
			t.Errorf("%s, %s: %v", key, s.Target(), err)
		}
		return true
	})
	if n != 4 {
		t.Errorf("%d signatures", n)
	}
}

func TestWhatIsNotSigned(t *testing.T) {
	k := newKeysForSigning(t)
	dir := t.TempDir()
	write(t, dir, map[string]string{"doc.path.json": unsignedDocument, "no.pub": "nonsense"})
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"--step", "s1"}, "name the key that signs"},
		{[]string{"--key", k.ssh.File}, "name what is signed"},
		{[]string{"--key", k.ssh.File, "--step", "s9"}, `the step "s9" is not in the document`},
		{[]string{"--key", k.ssh.File, "--path", "p"}, "name the signer with --signer"},
		{[]string{"--key", k.ssh.File, "--step", "s1", "--scope", "ci"}, "the RFC does not say"},
		{[]string{"--key", k.ssh.File, "--step", "s1", "--timestamp", "today"}, "is no time"},
		{[]string{"--key", "no", "--step", "s1"}, "no SSH public key"},
		{[]string{"--key", "missing", "--step", "s1"}, "there is no such key"},
		{[]string{"--key", "gpg:0123456789", "--step", "s1"}, "gpg has no secret key"},
		{[]string{"--key", "gpg:--version", "--step", "s1"}, "name the OpenPGP key"},
		{[]string{"--key", "ssh:SHA256:nothing", "--step", "s1"}, "the SSH agent has no key"},
		{[]string{"--key", "sigstore:x", "--step", "s1"}, "needs the network"},
	} {
		o := k.run(t, dir, append([]string{"sign", "doc.path.json"}, c.args...)...)
		if o.code != 2 || !strings.Contains(o.stderr, c.says) {
			t.Errorf("%v: %+v, want %q", c.args, o, c.says)
		}
	}
	// A signature that does not count is written, and it is said.
	o := k.run(t, dir, "sign", "doc.path.json", "--key", k.ssh.File, "--step", "s1", "-o", "-")
	if o.code != 0 || !strings.Contains(o.stdout, "BEGIN SSH SIGNATURE") || !strings.Contains(o.stderr, "no meta.actors defines human:alex") {
		t.Errorf("%+v", o)
	}
	if content, err := os.ReadFile(filepath.Join(dir, "doc.path.json")); err != nil || string(content) != unsignedDocument {
		t.Errorf("the document is changed: %v\n%s", err, content)
	}
}

// The code action signs, and what the editor then holds is valid at once.
func TestSignInTheEditor(t *testing.T) {
	key := trusttest.NewSSHKey(t, "ed25519", "alex@example.com")
	home := t.TempDir()
	for _, variable := range []string{"HOME", "GNUPGHOME"} {
		t.Setenv(variable, home)
	}
	t.Setenv("SSH_AUTH_SOCK", "")
	write(t, home, map[string]string{"a.pub": key.Public})
	f := newFiles(0)
	defer f.close()
	e := lsptest.Start(t, func(ctx context.Context, rwc io.ReadWriteCloser) error {
		return lsp.Serve(ctx, rwc, lsp.Options{Workspace: newWorkspace(f, home, 1<<20), Keys: keyReader{}, Signer: documentSigner{}})
	})
	e.Initialize(map[string]any{
		"capabilities":          map[string]any{"workspace": map[string]any{"workspaceEdit": map[string]any{"documentChanges": true}, "applyEdit": true}},
		"initializationOptions": map[string]any{"signing": map[string]any{"key": key.File}, "trust": map[string]any{"keys": []string{filepath.Join(home, "a.pub")}}},
	})
	const uri = "file:///nowhere/doc.path.json"
	e.Open(uri, "json", 1, unsignedDocument)
	at := map[string]any{"line": 3, "character": 20}
	raw, err := e.Call("textDocument/codeAction", map[string]any{"textDocument": map[string]any{"uri": uri}, "range": map[string]any{"start": at, "end": at}, "context": map[string]any{"diagnostics": []any{}, "only": []string{"refactor"}}})
	var actions []struct {
		Title   string
		Command struct {
			Command   string
			Arguments []json.RawMessage
		}
	}
	if err != nil || json.Unmarshal(raw, &actions) != nil || len(actions) != 1 || !strings.HasPrefix(actions[0].Title, "Sign step s1 as human:alex with ") {
		t.Fatalf("offered %s, %v", raw, err)
	}
	if _, err := e.Call("workspace/executeCommand", map[string]any{"command": actions[0].Command.Command, "arguments": actions[0].Command.Arguments}); err != nil {
		t.Fatal(err)
	}
	asked := e.Until("an edit", func(f lsptest.Frame) bool { return f.Method == "workspace/applyEdit" })
	var edit struct {
		Edit struct {
			DocumentChanges []struct {
				Edits []struct {
					Range   lsptest.Range
					NewText string
				}
			}
		}
	}
	if err := json.Unmarshal(asked.Params, &edit); err != nil || len(edit.Edit.DocumentChanges) != 1 || len(edit.Edit.DocumentChanges[0].Edits) != 1 {
		t.Fatalf("%s, %v", asked.Params, err)
	}
	change := edit.Edit.DocumentChanges[0].Edits[0]
	e.Change(uri, 2, lsptest.Change{Range: &change.Range, Text: change.NewText})
	lenses := ""
	for range 10_000 { // until the keys have been read
		raw, err := e.Call("textDocument/codeLens", map[string]any{"textDocument": map[string]any{"uri": uri}})
		if err != nil {
			t.Fatal(err)
		}
		if lenses = string(raw); !strings.Contains(lenses, "no keys have been read yet") {
			break
		}
	}
	if !strings.Contains(lenses, "valid: by ssh:"+key.Name) {
		t.Errorf("the lenses are %s", lenses)
	}
}
