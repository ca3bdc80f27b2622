package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/trust/trusttest"
)

// What a human has signed as reviewer, with a key that the user has, is not unreviewed.
func TestUnreviewedTakesASignature(t *testing.T) {
	key := trusttest.NewSSHKey(t, "ed25519", "bob@example.com")
	home, dir := t.TempDir(), t.TempDir()
	const doc = `{"graph":{"id":"g"},"paths":[{"path":{"id":"p","head":"s1"},"steps":[
 {"step":{"id":"s1","actor":"agent:x","timestamp":"2026-01-29T10:00:00Z"},"change":{"a.txt":{"structural":{"type":"file.write","operation":"add","after":"hello\n"}}}}],
 "meta":{"actors":{"human:bob":{"keys":[{"type":"ssh","fingerprint":%s}]}},"signatures":[%s]}}]}`
	write(t, dir, map[string]string{"a.txt": "hello\n", "doc.path.json": fmt.Sprintf(doc, quoted(key.Name), "")})
	const at = "2026-01-29T16:00:00Z"
	digest := executeAs(t, home, dir, "", "digest", "doc.path.json", "--path", "p", "--format", "digest", "--scope", "reviewer", "--timestamp", at).stdout
	sig := fmt.Sprintf(`{"signer":"human:bob","key":%s,"scope":"reviewer","timestamp":%q,"sig":%s}`, quoted("ssh:"+key.Name), at, quoted(key.Sign("toolpath", []byte(digest))))
	write(t, dir, map[string]string{"doc.path.json": fmt.Sprintf(doc, quoted(key.Name), sig)})
	if o := executeAs(t, home, dir, "", "unreviewed"); o.code != 1 || !strings.Contains(o.stdout, "a.txt:1: agent:x in s1") {
		t.Errorf("without the key: %+v", o)
	}
	if err := os.MkdirAll(filepath.Join(home, ".ssh"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(home, ".ssh"), map[string]string{"id_ed25519.pub": key.Public})
	if o := executeAs(t, home, dir, "", "unreviewed"); o.code != 0 || o.stdout != "" {
		t.Errorf("with the key: %+v", o)
	}
}
