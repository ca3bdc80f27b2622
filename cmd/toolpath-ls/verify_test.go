package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/trust/trusttest"
)

// executeAs runs the binary as a user who has this home.
func executeAs(t testing.TB, home, dir, input string, args ...string) outcome {
	t.Helper()
	cmd := command(t, dir, args...)
	cmd.Env = append(cmd.Env, "HOME="+home, "GNUPGHOME=", "XDG_CONFIG_HOME=", "SSH_AUTH_SOCK=")
	return finish(t, cmd, input)
}

// quoted is a text as JSON.
func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

const unsigned = `{"graph":{"id":"g"},"paths":[{"path":{"id":"p","head":"s1"},"steps":[
 {"step":{"id":"s1","actor":"human:alex","timestamp":"2026-01-29T10:00:00Z"},"change":{"a.txt":{"raw":"x"}}}],
 "meta":{"actors":{"human:alex":{"keys":[{"type":"ssh","fingerprint":%s},{"type":"gpg","fingerprint":%s}]}},"signatures":[%s]}}]}`

// What digest prints is signed by gpg and ssh-keygen, and verify takes it.
func TestVerifyWhatOthersSign(t *testing.T) {
	g := trusttest.NewGPG(t)
	fingerprint := g.Key("Alex <alex@example.com>", "ed25519", "0")
	key := trusttest.NewSSHKey(t, "ed25519", "alex@example.com")
	home, dir := t.TempDir(), t.TempDir()
	doc := func(signatures ...string) string {
		return fmt.Sprintf(unsigned, quoted(key.Name), quoted(fingerprint), strings.Join(signatures, ","))
	}
	write(t, dir, map[string]string{"doc.path.json": doc(), "alex.pub": key.Public, "alex.asc": string(g.Export())})
	digest := func(args ...string) []byte {
		o := executeAs(t, home, dir, "", append([]string{"digest", "doc.path.json", "--path", "p", "--format", "digest"}, args...)...)
		if o.code != 0 || len(o.stdout) != sha256.Size {
			t.Fatalf("%+v", o)
		}
		return []byte(o.stdout)
	}
	payload := executeAs(t, home, dir, "", "digest", "doc.path.json", "--path", "p", "--format", "payload").stdout
	if sum := sha256.Sum256([]byte(payload)); string(sum[:]) != string(digest()) {
		t.Errorf("the digest is not that of the payload %q", payload)
	}
	author := fmt.Sprintf(`{"signer":"human:alex","key":%s,"scope":"author","sig":%s}`, quoted("gpg:"+fingerprint), quoted(g.Sign(fingerprint, digest())))
	reviewer := fmt.Sprintf(`{"signer":"human:alex","key":%s,"scope":"reviewer","timestamp":"2026-01-29T16:00:00Z","sig":%s}`,
		quoted("ssh:"+key.Name), quoted(key.Sign("toolpath", digest("--scope", "reviewer", "--timestamp", "2026-01-29T16:00:00Z"))))
	write(t, dir, map[string]string{"doc.path.json": doc(author, reviewer)})

	for _, c := range []struct {
		what string
		args []string
		code int
		says string
	}{
		{"nobody has the keys", nil, 1, "key unknown"},
		{"files of keys", []string{"--trusted", "alex.pub", "--trusted", "alex.asc"}, 0, "path p: verified"},
		{"one of them", []string{"--trusted", "alex.pub"}, 1, "author by human:alex: key unknown"},
		{"the scope of that one", []string{"--trusted", "alex.pub", "--require", "reviewer"}, 0, "path p: verified"},
		{"both scopes", []string{"--trusted", ".", "--require", "author,reviewer"}, 0, "path p: verified"},
		{"a trusted key and its file", []string{"--trusted", "ssh:" + key.Name, "--trusted", "alex.pub", "--require", "reviewer"}, 0, "path p: verified"},
		{"the other key is trusted", []string{"--trusted", "gpg:" + fingerprint, "--trusted", "alex.pub", "--require", "reviewer"}, 1, "not by a key that is trusted"},
		{"steps", []string{"--trusted", ".", "--steps", "--require", "author"}, 1, "author of step s1: there is no such signature"},
	} {
		o := executeAs(t, home, dir, "", append([]string{"verify", "doc.path.json"}, c.args...)...)
		if o.code != c.code || !strings.Contains(o.stdout, c.says) {
			t.Errorf("%s: %+v", c.what, o)
		}
	}

	// The user's own keys, and those of the workspace.
	if err := os.MkdirAll(filepath.Join(home, ".ssh"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, home, map[string]string{".ssh/allowed_signers": "human:alex " + key.Public + "\n"})
	if o := executeAs(t, home, dir, "", "verify", "doc.path.json", "--require", "reviewer"); o.code != 0 || strings.Contains(o.stdout, "of the workspace") {
		t.Errorf("with ~/.ssh/allowed_signers: %+v", o)
	}
	if err := os.MkdirAll(filepath.Join(dir, ".toolpath", "keys"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, dir, map[string]string{".toolpath/keys/alex.asc": string(g.Export())})
	if o := executeAs(t, home, dir, "", "verify", "doc.path.json"); o.code != 0 || !strings.Contains(o.stdout, "a key of the workspace itself") {
		t.Errorf("with .toolpath/keys: %+v", o)
	}
	o := executeAs(t, home, dir, "", "verify", "doc.path.json", "--format", "json")
	var v verification
	if err := json.Unmarshal([]byte(o.stdout), &v); err != nil || !v.Verified || len(v.Paths) != 1 || len(v.Paths[0].Signatures) != 2 ||
		v.Paths[0].Signatures[0].State != "valid" || v.Paths[0].Signatures[0].MadeBy.Origin != "workspace" || v.Paths[0].Signatures[1].MadeBy.Origin != "user" {
		t.Errorf("%v: %s", err, o.stdout)
	}
	// And with GnuPG's own keyring.
	cmd := command(t, t.TempDir(), "verify", filepath.Join(dir, "doc.path.json"), "--require", "author")
	cmd.Env = append(cmd.Env, "HOME="+t.TempDir(), "GNUPGHOME="+g.Home)
	if o := finish(t, cmd, ""); o.code != 0 {
		t.Errorf("with GNUPGHOME: %+v", o)
	}

	// A word of the document changes.
	write(t, dir, map[string]string{"doc.path.json": strings.Replace(doc(author, reviewer), `"head":"s1"`, `"head":"s2"`, 1)})
	if o := executeAs(t, home, dir, "", "verify", "doc.path.json"); o.code != 1 || strings.Count(o.stdout, ": bad: ") != 2 {
		t.Errorf("after a change: %+v", o)
	}
}
