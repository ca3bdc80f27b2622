package main

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/lineage"
	"github.com/toolpath-ls/toolpath-ls/analysis/repo"
	"github.com/toolpath-ls/toolpath-ls/lsp/lsptest"
)

// lineageEditor is an editor in a folder whose spines have a key.
type lineageEditor struct {
	*lsptest.Editor
	t   testing.TB
	dir string
}

func newLineageEditor(t testing.TB, dir, key string) *lineageEditor {
	t.Helper()
	cmd := command(t, dir, "serve")
	cmd.Env = append(cmd.Env, "BERNSTEIN_AUDIT_KEY_PATH="+filepath.Join(dir, key))
	e := &lineageEditor{lsptest.SpawnCommand(t, cmd), t, dir}
	e.Initialize(map[string]any{"capabilities": map[string]any{
		"general": map[string]any{"positionEncodings": []string{"utf-8"}},
		"textDocument": map[string]any{
			"publishDiagnostics": map[string]any{"relatedInformation": true},
			"documentSymbol":     map[string]any{"hierarchicalDocumentSymbolSupport": true},
		},
	}})
	return e
}

func (e *lineageEditor) end() {
	if err := e.Shutdown(); err != nil {
		e.t.Error(err)
	}
}

func (e *lineageEditor) uri(name string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(e.dir, name))}).String()
}

func (e *lineageEditor) open(name, content string) lsptest.Published {
	e.t.Helper()
	e.Notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": e.uri(name), "languageId": "jsonl", "version": 1, "text": content}})
	return e.Published(e.uri(name), 1)
}

// at asks about a place, and returns the answer.
func (e *lineageEditor) at(method, name string, line, character int) string {
	e.t.Helper()
	raw, err := e.Call(method, map[string]any{"textDocument": map[string]any{"uri": e.uri(name)},
		"position": map[string]any{"line": line, "character": character}, "context": map[string]any{"includeDeclaration": false}})
	if err != nil {
		e.t.Fatal(err)
	}
	return string(raw)
}

func contains(t testing.TB, what, got string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("%s: %s\nhas no %q", what, got, w)
		}
	}
}

func TestLineageInTheEditor(t *testing.T) {
	dir := recorded(t)
	spine := ".sdd/lineage/run-1/spine.jsonl"
	src, err := os.ReadFile(filepath.Join(dir, spine))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(src), "\n")
	e := newLineageEditor(t, dir, "audit.key")
	defer e.end()
	if p := e.open(spine, string(src)); len(p.Diagnostics) != 0 {
		t.Errorf("an intact spine: %+v", p.Diagnostics)
	}
	prev := strings.Index(lines[1], `"prev_hash":"`) + len(`"prev_hash":"`) + 10
	path := strings.Index(lines[1], `"artifact_path":"`) + len(`"artifact_path":"`) + 2
	contains(t, "hover", e.at("textDocument/hover", spine, 1, prev), "Line 2 · verified: hash, chain and tag", "agent:w", "(m)", "s1", "src/b.go", "current", "follows line 1")
	contains(t, "hover of the first", e.at("textDocument/hover", spine, 0, 0), "followed by line 2")
	contains(t, "definition of prev_hash", e.at("textDocument/definition", spine, 1, prev), spine, `"start":{"line":0,"character":0}`)
	contains(t, "definition of the artifact", e.at("textDocument/definition", spine, 1, path), "src/b.go")
	contains(t, "references", e.at("textDocument/references", spine, 0, 3), `"start":{"line":1,"character":0}`)
	contains(t, "symbols", e.at("textDocument/documentSymbol", spine, 0, 0), `"name":"src/a.go"`, `"name":"src/b.go"`, `"detail":"agent:w · s1"`)
	contains(t, "lens", e.at("textDocument/codeLens", spine, 0, 0), "2 entries · chain intact to line 2 · head signed")

	// The file on disk changes, and goes.
	write(t, dir, map[string]string{"src/b.go": "package other\n"})
	contains(t, "hover of a changed file", e.at("textDocument/hover", spine, 1, 0), "changed since")
	if err := os.Remove(filepath.Join(dir, "src/b.go")); err != nil {
		t.Fatal(err)
	}
	contains(t, "hover of a missing file", e.at("textDocument/hover", spine, 1, 0), "src/b.go", "missing")

	// A source file says who recorded it.
	a, err := os.ReadFile(filepath.Join(dir, "src/a.go"))
	if err != nil {
		t.Fatal(err)
	}
	e.open("src/a.go", string(a))
	contains(t, "hover of the source", e.at("textDocument/hover", "src/a.go", 0, 0), "last recorded by agent:w in run run-1, content matches")
	contains(t, "lens of the source", e.at("textDocument/codeLens", "src/a.go", 0, 0), "last recorded by agent:w in run run-1, content matches")

	// An edit of a row shows at once, at the field, with what was expected.
	broken := strings.Replace(lines[1], `"actor":"agent:w"`, `"actor":"agent:x"`, 1)
	broken = strings.Replace(broken, `"prev_hash":"sha256:`, `"prev_hash":"sha256:0`, 1)
	e.Notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": e.uri(spine), "version": 2},
		"contentChanges": []any{map[string]any{"text": lines[0] + broken}}})
	p := e.Published(e.uri(spine), 2)
	raw, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	contains(t, "diagnostics", string(raw), "TP6001", "the chain breaks here: the row of line 1 is sha256:", "hash to sha256:", "was not made with this key", "which this one should follow")
	found := map[int]bool{}
	for _, d := range p.Diagnostics {
		b, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		var at struct {
			Range struct{ Start struct{ Line, Character int } }
		}
		if err := json.Unmarshal(b, &at); err != nil {
			t.Fatal(err)
		}
		if at.Range.Start.Line == 1 {
			found[at.Range.Start.Character] = true
		}
	}
	for _, field := range []string{`"prev_hash":`, `"entry_hash":`, `"hmac":`} {
		if !found[strings.Index(broken, field)+len(field)] {
			t.Errorf("nothing is said at %s: %s", field, raw)
		}
	}
	contains(t, "lens of a broken spine", e.at("textDocument/codeLens", spine, 0, 0), "2 entries · chain intact to line 1")
	contains(t, "hover of a broken row", e.at("textDocument/hover", spine, 1, 0), "does not verify", "expected")

	// The log on disk is broken too: who "wrote" the file is not claimed to be proved.
	write(t, dir, map[string]string{spine: strings.Replace(string(src), "step_id\":\"s1", "step_id\":\"s9", 1)})
	contains(t, "hover of a source whose log is broken", e.at("textDocument/hover", "src/a.go", 0, 0), "not verified: the row does not verify")
}

// A source file of which a document and a log speak has both in its hover and in its lens.
func TestLineageBesideSteps(t *testing.T) {
	dir := recorded(t)
	a, err := os.ReadFile(filepath.Join(dir, "src/a.go"))
	if err != nil {
		t.Fatal(err)
	}
	document := `{"graph": {"id": "g"}, "paths": [{"path": {"id": "p", "head": "s1"}, "steps": [
		{"step": {"id": "s1", "actor": "human:mira", "timestamp": "2026-01-02T03:04:05Z"}, "change": {"src/a.go": {"structural": {"type": "file.write", "operation": "add", "after": ` + quoted(string(a)) + `}}}}]}]}`
	e := newLineageEditor(t, dir, "audit.key")
	defer e.end()
	e.open("a.path.json", document)
	e.open("src/a.go", string(a))
	contains(t, "hover", e.at("textDocument/hover", "src/a.go", 0, 0), "human:mira", "last recorded by agent:w in run run-1, content matches")
	contains(t, "lens", e.at("textDocument/codeLens", "src/a.go", 0, 0), "100 % human:mira", "last recorded by agent:w in run run-1, content matches")

	// Both are the lens of the file, and go with it.
	e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{"toolpath": map[string]any{"codeLens": map[string]any{"file": false, "entities": true}}}})
	if lenses := e.at("textDocument/codeLens", "src/a.go", 0, 0); lenses != "[]" {
		t.Errorf("without the lens of the file: %s", lenses)
	}
}

// Without the key the chain is checked and nothing is called verified.
func TestLineageInTheEditorWithoutKey(t *testing.T) {
	dir := recorded(t)
	spine := ".sdd/lineage/run-1/spine.jsonl"
	src, err := os.ReadFile(filepath.Join(dir, spine))
	if err != nil {
		t.Fatal(err)
	}
	e := newLineageEditor(t, dir, "no.key")
	defer e.end()
	p := e.open(spine, string(src))
	raw, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	if contains(t, "diagnostics", string(raw), "TP6003", "there is no key"); len(p.Diagnostics) != 1 {
		t.Errorf("%s", raw)
	}
	contains(t, "hover", e.at("textDocument/hover", spine, 0, 0), "chain intact, tag not checked")
	contains(t, "lens", e.at("textDocument/codeLens", spine, 0, 0), "tags not checked")
	a, err := os.ReadFile(filepath.Join(dir, "src/a.go"))
	if err != nil {
		t.Fatal(err)
	}
	e.open("src/a.go", string(a))
	contains(t, "hover of the source", e.at("textDocument/hover", "src/a.go", 0, 0), "content matches (not verified: the tags are not checked")
	if _, err := os.Stat(filepath.Join(dir, "no.key")); err == nil {
		t.Error("the editor makes a key")
	}
}

// A signed log with the agents' cards beside it is verified by signature, and leads from an
// entry to the ones it was made from.
func TestSignedLogInTheEditor(t *testing.T) {
	dir := t.TempDir()
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	card, err := json.Marshal(map[string]string{"agent_id": "agent:w", "kid": "k1",
		"public_key_pem": string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public}))})
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, map[string]string{"src/a.go": "package a\n", ".sdd/agents/w/card.json": string(card)})
	by := lineage.Signer{AgentID: "agent:w", Kid: "k1", Key: key}
	folder := filepath.Join(dir, ".sdd", "lineage")
	for i, content := range []string{"old", "package a\n"} {
		_, err := repo.AppendSigned(t.Context(), folder, lineage.Seal{ArtefactPath: "src/a.go", ArtefactKind: "file", ContentHash: lineage.ContentHash([]byte(content)),
			ToolCallID: "tc", SpanID: "0", TsNS: big.NewInt(int64(i + 1)), Sensitivity: "internal"}, by)
		if err != nil {
			t.Fatal(err)
		}
	}
	log := ".sdd/lineage/log.jsonl"
	src, err := os.ReadFile(filepath.Join(dir, log))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(src), "\n")
	e := newLineageEditor(t, dir, "no.key")
	defer e.end()
	if p := e.open(log, string(src)); len(p.Diagnostics) != 0 {
		t.Errorf("%+v", p.Diagnostics)
	}
	parent := strings.Index(lines[1], `"parent_hashes":["`) + len(`"parent_hashes":["`) + 5
	contains(t, "hover", e.at("textDocument/hover", log, 1, parent), "verified: hash, parents and signature", "current", "follows line 1", "sensitivity internal")
	contains(t, "definition", e.at("textDocument/definition", log, 1, parent), `"start":{"line":0,"character":0}`)
	contains(t, "references", e.at("textDocument/references", log, 0, 0), `"start":{"line":1,"character":0}`)
	contains(t, "lens", e.at("textDocument/codeLens", log, 0, 0), "2 entries · gate open")
	e.open("src/a.go", "package a\n")
	contains(t, "hover of the source", e.at("textDocument/hover", "src/a.go", 0, 0), "last recorded by agent:w in the signed log, content matches", "before that by agent:w")

	if o := execute(t, dir, "", "lineage", "gate", ".sdd", "--strict"); o.code != exitFindings || !strings.Contains(o.stdout, "hmac_unchecked") {
		t.Errorf("the gate without the operator's secret: %+v", o)
	}
	if v := ask(t, dir, 0, "sensitivity", ".sdd/lineage", "src/a.go", "--json"); v["sensitivity"] != "internal" {
		t.Error(v)
	}
	if o := execute(t, dir, "", "lineage", "chain", ".sdd/lineage", "src/a.go"); o.code != 0 || strings.Count(o.stdout, "\n") != 2 {
		t.Error(o)
	}
	if err := os.RemoveAll(filepath.Join(dir, ".sdd", "lineage", "signatures")); err != nil {
		t.Fatal(err)
	}
	e.Notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": e.uri(".sdd/agents/w/card.json"), "type": 2}}})
	e.Until("the missing signatures", func(f lsptest.Frame) bool { return strings.Contains(string(f.Params), "it has no signature") })
	contains(t, "hover without a signature", e.at("textDocument/hover", log, 1, 0), "does not verify: missing sidecar")
}
