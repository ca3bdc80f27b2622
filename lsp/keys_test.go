package lsp

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/rules"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust/keyring"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust/trusttest"
	"github.com/toolpath-ls/toolpath-ls/lsp/lsptest"
)

// keyFiles are the files of keys of every root; read counts how often they were read.
type keyFiles struct {
	files atomic.Pointer[[]trust.Material]
	read  atomic.Int32
}

func (k *keyFiles) Keyring(context.Context, string, []string) (*trust.Keyring, []error) {
	k.read.Add(1)
	return keyring.New(*k.files.Load(), time.Now())
}

// signedStep is a document whose step writes a.txt and is signed with the key.
func signedStep(t *testing.T, key *trusttest.SSHKey) string {
	t.Helper()
	const src = `{"graph": {"id": "g"}, "paths": [{"path": {"id": "p", "head": "s1"}, "steps": [
  {"step": {"id": "s1", "actor": "human:alex", "timestamp": "2026-01-29T10:00:00Z"}, "change": {"a.txt": {"raw": "@@ -0,0 +1 @@\n+hello\n", "structural": {"type": "file.write", "after": "hello\n"}}},
   "meta": {"signatures": [%s]}}],
 "meta": {"actors": {"human:alex": {"keys": [{"type": "ssh", "fingerprint": %q, "href": "https://example.com/alex.keys"}]}}}}]}`
	bare := toolpath.Build(jsonsrc.Parse(fmt.Appendf(nil, src, "", key.Name), toolpath.Layout), nil)
	f, err := trust.StepPayload(bare.Paths[0].Steps.At(0))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(f.ByBytes)
	sig, err := json.Marshal(map[string]string{"signer": "human:alex", "key": "ssh:" + key.Name, "scope": "author", "sig": key.Sign("toolpath", sum[:])})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(src, sig, key.Name)
}

// hoverAt returns what is told of the first place where the text stands.
func hoverAt(t *testing.T, e *lsptest.Editor, uri, content, at string) string {
	t.Helper()
	before := content[:strings.Index(content, at)]
	line := strings.Count(before, "\n")
	raw, err := e.Call("textDocument/hover", map[string]any{"textDocument": map[string]any{"uri": uri},
		"position": map[string]any{"line": line, "character": len(before) - strings.LastIndex(before, "\n")}})
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// A signature is verified once its key has been read, its state is told where it stands and
// at the lines that the step wrote, and an edit of the step breaks it at once.
func TestSignaturesInTheEditor(t *testing.T) {
	key := trusttest.NewSSHKey(t, "ed25519", "alex@example.com")
	src := signedStep(t, key)
	keys := &keyFiles{}
	keys.files.Store(&[]trust.Material{})
	e := startInitialized(t, Options{Keys: keys, Workspace: analysis.NewWorkspace(&analysis.Options{Rules: rules.All()}, func(string) string { return "/work" })})
	e.Open(doc, "json", 1, src)
	codes := func(want, not string) {
		t.Helper()
		e.Until(want+" and no "+not, func(f lsptest.Frame) bool {
			body := string(f.Params)
			return f.Method == "textDocument/publishDiagnostics" && strings.Contains(body, want) && (not == "" || !strings.Contains(body, not))
		})
	}
	codes("TP4102", "TP4101") // nobody has given the key

	e.Forget()
	keys.files.Store(&[]trust.Material{{Name: "/home/u/.ssh/id_ed25519.pub", Content: []byte(key.Public)}})
	e.Notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": "file:///work/.toolpath/keys/alex.pub", "type": 1}}})
	codes(`"diagnostics":[]`, "TP41")
	if h := hoverAt(t, e, doc, src, `"-----BEGIN`); !strings.Contains(h, "valid") || !strings.Contains(h, key.Name) || !strings.Contains(h, "alex@example.com") {
		t.Errorf("the hover of the signature is %s", h)
	}
	raw, err := e.Call("textDocument/codeLens", map[string]any{"textDocument": map[string]any{"uri": doc}})
	if err != nil || !strings.Contains(string(raw), "valid: by ssh:"+key.Name+" (alex@example.com) of human:alex") {
		t.Errorf("lenses %s, %v", raw, err)
	}
	const source = "file:///work/a.txt"
	e.Open(source, "plaintext", 1, "hello\n")
	if h := hoverAt(t, e, source, "hello\n", "hello"); !strings.Contains(h, "signed by human:alex: valid: by ssh:") {
		t.Errorf("the hover of the line is %s", h)
	}

	// A letter of the step changes.
	at := strings.Index(src, "hello")
	line, column := strings.Count(src[:at], "\n"), at-strings.LastIndex(src[:at], "\n")-1
	e.Change(doc, 2, lsptest.Change{Range: &lsptest.Range{Start: lsptest.Pos{Line: line, Character: column}, End: lsptest.Pos{Line: line, Character: column + 1}}, Text: "j"})
	codes("TP4101", "TP4102")
	if n := keys.read.Load(); n != 2 {
		t.Errorf("the keys were read %d times", n)
	}
}

// Who has no signatures has no keys read.
func TestKeysAreReadWhenThereIsASignature(t *testing.T) {
	keys := &keyFiles{}
	e := startInitialized(t, Options{Keys: keys, Workspace: analysis.NewWorkspace(&analysis.Options{Rules: rules.All()}, nil)})
	e.Open(doc, "json", 1, `{"graph": {"id": "g"}, "paths": []}`)
	e.Published(doc, 1)
	if n := keys.read.Load(); n != 0 {
		t.Errorf("the keys were read %d times", n)
	}
}

// A human's signature as reviewer of a path, by a key that the user has, counts as a review of
// the steps on the way to the head: the hover says so, and their lines are not among the
// unreviewed ones. It does not count by a key that comes with the repository, nor for a step
// that is younger than it, nor if an agent has signed.
func TestReviewerSignatures(t *testing.T) {
	const signed = "2026-01-30T10:00:00Z"
	for _, c := range []struct {
		name, signer, step string
		origin             trust.Origin
		reviewed           bool
	}{
		{"by a human", "human:bob", "2026-01-29T10:00:00Z", trust.OfUser, true},
		{"by a key of the repository", "human:bob", "2026-01-29T10:00:00Z", trust.OfWorkspace, false},
		{"before the step", "human:bob", "2026-01-31T10:00:00Z", trust.OfUser, false},
		{"by an agent", "agent:claude-code", "2026-01-29T10:00:00Z", trust.OfUser, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			key := trusttest.NewSSHKey(t, "ed25519", "bob@example.com")
			sum := sha256.Sum256([]byte(`{"head":"s1","path_id":"p","reviewed_at":"` + signed + `"}`))
			sig, err := json.Marshal(map[string]string{"signer": c.signer, "key": "ssh:" + key.Name, "scope": "reviewer", "timestamp": signed, "sig": key.Sign("toolpath", sum[:])})
			if err != nil {
				t.Fatal(err)
			}
			src := fmt.Sprintf(`{"graph": {"id": "g"}, "paths": [{"path": {"id": "p", "head": "s1"}, "steps": [
  {"step": {"id": "s1", "actor": "agent:claude-code", "timestamp": %q}, "change": {"a.txt": {"structural": {"type": "file.write", "operation": "add", "after": "hello\n"}}}}],
 "meta": {"signatures": [%s], "actors": {%q: {"keys": [{"type": "ssh", "fingerprint": %q}]}}}}]}`, c.step, sig, c.signer, key.Name)
			keys := &keyFiles{}
			keys.files.Store(&[]trust.Material{{Name: "/home/u/.ssh/id_ed25519.pub", Origin: c.origin, Content: []byte(key.Public)}})
			source := analysis.NewWorkspace(&analysis.Options{Rules: rules.All()}, func(string) string { return "/work" })
			e := startInitialized(t, Options{Keys: keys, Workspace: source, Source: noFiles{}})
			e.Open(doc, "json", 1, src)
			const file = "file:///work/a.txt"
			e.Open(file, "plaintext", 1, "hello\n")
			words, lines := " · reviewed by human:bob", `"lines":0`
			if !c.reviewed {
				words, lines = " · not reviewed", `"lines":1`
			}
			if h := hoverAt(t, e, file, "hello\n", "hello"); !strings.Contains(h, words) {
				t.Errorf("the hover is %s", h)
			}
			raw, err := e.Call("toolpath/unreviewed", map[string]any{"textDocument": map[string]any{"uri": file}})
			if err != nil || !strings.Contains(string(raw), lines) {
				t.Errorf("unreviewed: %s, %v", raw, err)
			}
		})
	}
}
