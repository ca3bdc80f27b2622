package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// ask runs a lineage verb, and reads the JSON that it prints.
func ask(t testing.TB, dir string, code int, args ...string) map[string]any {
	t.Helper()
	o := execute(t, dir, "", append([]string{"lineage"}, args...)...)
	if o.code != code {
		t.Errorf("%v: exit code %d, want %d\n%s%s", args, o.code, code, o.stdout, o.stderr)
	}
	var v map[string]any
	if o.stdout != "" {
		if err := json.Unmarshal([]byte(o.stdout), &v); err != nil {
			t.Errorf("%v: %v\n%s", args, err, o.stdout)
		}
	}
	return v
}

// recorded is a folder with a key and a run of which two files were recorded.
func recorded(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, map[string]string{"src/a.go": "package a\n", "src/b.go": "package b\n"})
	o := execute(t, dir, "", "lineage", "record", ".sdd/lineage/run-1", "src/a.go", "src/b.go", "--actor", "agent:w", "--step", "s1",
		"--model", "m", "--key", "audit.key", "--create-key")
	if o.code != 0 {
		t.Fatal(o)
	}
	return dir
}

func TestLineageVerify(t *testing.T) {
	dir := recorded(t)
	v := ask(t, dir, 0, "verify", ".sdd/lineage/run-1", "--key", "audit.key", "--json")
	if v["status"] != "ok" || v["count"] != 2.0 || v["head_signed"] != true || len(v["stricter"].([]any)) != 0 {
		t.Error(v)
	}
	// A reading command makes no key, and takes none that others may read.
	ask(t, dir, exitNoKey, "verify", ".sdd/lineage/run-1", "--key", "other.key", "--json")
	if _, err := os.Stat(filepath.Join(dir, "other.key")); err == nil {
		t.Error("verify makes a key")
	}
	if v := ask(t, dir, exitFindings, "verify", ".sdd/lineage/run-1", "--no-key", "--json"); v["status"] != "unverified" {
		t.Error(v)
	}
	if runtime.GOOS != "windows" {
		if err := os.Chmod(filepath.Join(dir, "audit.key"), 0o644); err != nil {
			t.Fatal(err)
		}
		ask(t, dir, exitNoKey, "verify", ".sdd/lineage/run-1", "--key", "audit.key", "--json")
		if err := os.Chmod(filepath.Join(dir, "audit.key"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	log := filepath.Join(dir, ".sdd/lineage/run-1/spine.jsonl")
	src, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(src, []byte("\n"))
	// Rows dropped from the end pass, as with the spine's own tools, and are told.
	if err := os.WriteFile(log, lines[0], 0o644); err != nil {
		t.Fatal(err)
	}
	v = ask(t, dir, 0, "verify", ".sdd/lineage/run-1", "--key", "audit.key", "--json")
	if v["status"] != "ok" || v["stricter"].([]any)[0].(map[string]any)["kind"] != "tail_dropped" {
		t.Error(v)
	}
	ask(t, dir, exitFindings, "verify", ".sdd/lineage/run-1", "--key", "audit.key", "--json", "--strict")
	if err := os.WriteFile(log, bytes.Replace(src, []byte("src/a.go"), []byte("src/z.go"), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	v = ask(t, dir, exitFindings, "verify", ".sdd/lineage/run-1", "--key", "audit.key", "--json")
	if v["status"] != "tampered" || len(v["error_kinds"].([]any)) != 2 {
		t.Error(v)
	}
	if o := execute(t, dir, "", "lineage", "show", ".sdd/lineage/run-1", "--key", "audit.key"); o.code != exitFindings || !strings.Contains(o.stdout, "entry_hash_mismatch,hmac_mismatch") {
		t.Error(o)
	}
	if v := ask(t, dir, exitFindings, "verify", "nothing", "--key", "audit.key", "--json"); v["status"] != "no_entries" {
		t.Error(v)
	}
}

func TestLineageUsage(t *testing.T) {
	dir := t.TempDir()
	for _, args := range [][]string{{}, {"nonsense"}, {"verify"}, {"gate"}, {"gate", "nothing"}, {"record", "x"}, {"record", "x", "y"}, {"chain", "x"},
		{"export-prov", "x", "y", "--format", "xml"}, {"plan", "../x"}, {"to-toolpath", "nothing"}, {"run-graph", "nothing"}, {"merge-rows", "x"}, {"admit", "nothing"}} {
		if o := execute(t, dir, "", append([]string{"lineage"}, args...)...); o.code != exitFailure || o.stdout != "" || o.stderr == "" {
			t.Errorf("%q: %+v", args, o)
		}
	}
}

// A run becomes a Toolpath document that this program's own checks accept.
func TestLineageToToolpath(t *testing.T) {
	dir := recorded(t)
	if o := execute(t, dir, "", "lineage", "record", ".sdd/lineage/run-1", "src/a.go", "--actor", "orchestrator bot", "--step", "s1", "--key", "audit.key"); o.code != 0 {
		t.Fatal(o)
	}
	if o := execute(t, dir, "", "lineage", "to-toolpath", ".sdd/lineage", "-o", "run.path.json"); o.code != 0 {
		t.Fatal(o)
	}
	if o := execute(t, dir, "", "check", "--severity", "error", "run.path.json"); o.code != 0 {
		o = execute(t, dir, "", "check", "run.path.json")
		if strings.Contains(o.stdout, " error ") {
			t.Error(o)
		}
	}
	o := execute(t, dir, "", "query", "ancestors", "run.path.json", "--format", "json")
	if o.code != 0 || !strings.Contains(o.stdout, `["s1","s1#2"]`) && !strings.Contains(o.stdout, `"s1#2"`) {
		t.Error(o)
	}
	src, err := os.ReadFile(filepath.Join(dir, "run.path.json"))
	if err != nil || !bytes.Contains(src, []byte(`"agent:orchestrator-bot"`)) || !bytes.Contains(src, []byte(`"content_hash": "sha256:`)) || !bytes.Contains(src, []byte(`"src/b.go": "sha256:`)) {
		t.Errorf("%s, %v", src, err)
	}
}

func TestLineageMergeRows(t *testing.T) {
	dir := recorded(t)
	git(t, dir, "", "init", "-q", "-b", "main")
	git(t, dir, "", "add", "src")
	git(t, dir, "", "commit", "-q", "-m", "one")
	before := strings.TrimSpace(git(t, dir, "", "rev-parse", "HEAD"))
	write(t, dir, map[string]string{"src/a.go": "package a // changed\n"})
	git(t, dir, "", "rm", "-q", "src/b.go")
	git(t, dir, "", "commit", "-q", "-a", "-m", "two")
	v := ask(t, dir, 0, "merge-rows", ".sdd/lineage/merged", "--before", before, "--after", "HEAD", "--actor", "agent:w", "--key", "audit.key", "--json")
	if got, _ := json.Marshal(v["recorded"]); string(got) != `["src/a.go","src/b.go"]` {
		t.Error(v)
	}
	o := execute(t, dir, "", "lineage", "merge-rows", ".sdd/lineage/merged")
	if want := "line 1: matches: src/a.go\nline 2: deleted: src/b.go\n"; o.code != 0 || o.stdout != want {
		t.Error(o)
	}
	if o := execute(t, dir, "", "lineage", "merge-rows", ".sdd/lineage/run-1"); o.code != exitFindings || o.stdout != "" {
		t.Error(o)
	}
}

func TestLineageRunGraph(t *testing.T) {
	dir := recorded(t)
	git(t, dir, "", "init", "-q", "-b", "main")
	git(t, dir, "", "add", "src")
	git(t, dir, "", "commit", "-q", "-m", "one")
	git(t, dir, "", "worktree", "add", "-q", ".sdd/worktrees/wt-a")
	head := strings.TrimSpace(git(t, dir, "", "rev-parse", "HEAD"))
	write(t, dir, map[string]string{".sdd/worktrees/wt-b/x": ""})
	v := ask(t, dir, 0, "run-graph", ".sdd", "--run", "wt-a=run-1", "--json")
	nodes := v["nodes"].([]any)
	if a := nodes[0].(map[string]any); len(nodes) != 2 || a["head_sha"] != head || a["run_id"] != "run-1" || a["status"] != "resolved" {
		t.Error(v)
	}
	if b := nodes[1].(map[string]any); b["head_sha"] != nil || b["status"] != "unresolved" {
		t.Error(v)
	}
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, map[string]string{
		"private.pem": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})),
		"public.pem":  string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})),
	})
	if err := os.Chmod(filepath.Join(dir, "private.pem"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := execute(t, dir, "", "lineage", "run-graph", ".sdd", "--run", "wt-a=run-1", "--seal", "--sign-key", "private.pem", "--key", "audit.key")
	if o.code != 0 {
		t.Fatal(o)
	}
	receipt := strings.TrimSpace(o.stdout)
	verify := []string{"run-graph", ".sdd", "--run", "wt-a=run-1", "--verify", receipt, "--public-key", "public.pem", "--key", "audit.key", "--json"}
	if v := ask(t, dir, 0, verify...); v["status"] != "verified" {
		t.Error(v)
	}
	git(t, filepath.Join(dir, ".sdd/worktrees/wt-a"), "", "commit", "-q", "--allow-empty", "-m", "moved")
	if v := ask(t, dir, exitFindings, verify...); v["status"] != "diverged" {
		t.Error(v)
	}
}

// What is sealed passes the gate, with the agent's card and the operator's secret.
func TestLineageSeal(t *testing.T) {
	dir := t.TempDir()
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	card, err := json.Marshal(map[string]string{"agent_id": "agent:w", "kid": "k1", "public_key_pem": string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public}))})
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, map[string]string{"a.go": "1", "b.go": "2", "secret": "s\n", ".sdd/agents/w/card.json": string(card),
		"w.pem": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}))})
	if err := os.Chmod(filepath.Join(dir, "w.pem"), 0o600); err != nil {
		t.Fatal(err)
	}
	seal := []string{"lineage", "seal", ".sdd/lineage", "a.go", "b.go", "--agent", "agent:w", "--kid", "k1", "--agent-key", "w.pem", "--tool-call", "tc", "--operator-secret-file", "secret"}
	for range 2 {
		if o := execute(t, dir, "", seal...); o.code != 0 {
			t.Fatal(o)
		}
	}
	v := ask(t, dir, 0, "gate", ".sdd/lineage", "--operator-secret-file", "secret", "--strict", "--json")
	if v["ok"] != true || v["entries"] != 4.0 || v["agents"] != 1.0 {
		t.Error(v)
	}
	if v := ask(t, dir, exitFindings, "gate", ".sdd/lineage", "--operator-secret-file", "a.go", "--json"); v["ok"] != false {
		t.Error(v)
	}
}

func TestLineageAdmit(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"effects.json": `[
  {"task_id": "A", "facts": [{"kind": "weaken-test", "path": "t.py", "test_target": "m.py"}]},
  {"task_id": "B", "facts": [{"kind": "modify-source", "path": "m.py"}], "writes": ["m.py"]},
  {"task_id": "C", "reads": ["z"]}]`})
	v := ask(t, dir, exitFindings, "admit", "effects.json", "--json")
	if v["clean"] != false || v["checked_pairs"] != 3.0 || len(v["flags"].([]any)) != 1 {
		t.Error(v)
	}
}

const lineageVectors = "../../../shared/lineage-vectors"

// vectorFiles copies a folder of the vectors, with some of the files replaced or removed.
func vectorFiles(t testing.TB, from, to string, override map[string]*string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(lineageVectors, from)); err == nil {
		if err := os.CopyFS(to, os.DirFS(filepath.Join(lineageVectors, from))); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range override {
		name = filepath.Join(to, filepath.FromSlash(name))
		os.Remove(name)
		if content == nil {
			continue
		}
		b, err := base64.StdEncoding.DecodeString(*content)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Dir(name), map[string]string{filepath.Base(name): string(b)})
	}
}

// The program itself answers what the vectors want, of spines, of the gate and of exports.
func TestLineageVectors(t *testing.T) {
	if _, err := os.Stat(lineageVectors); err != nil {
		t.Skip("needs ../shared/lineage-vectors beside the repository; nothing to install")
	}
	read := func(v any, name string) {
		t.Helper()
		src, err := os.ReadFile(filepath.Join(lineageVectors, name))
		if err == nil {
			err = json.Unmarshal(src, v)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	for _, name := range []string{"audit.key", "other.key"} {
		src, err := os.ReadFile(filepath.Join(lineageVectors, "keys", name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), src, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var spines struct {
		Tampered []struct {
			Case, Base, Key string
			Override        map[string]*string `json:"override_base64"`
			Expect          struct {
				Status, Raises string
				Count          int
				HeadHash       *string `json:"head_hash"`
				ErrorKinds     any     `json:"error_kinds"`
			}
		}
	}
	read(&spines, "spine/cases.json")
	for _, c := range spines.Tampered {
		run := filepath.Join(dir, "spines", c.Case)
		vectorFiles(t, c.Base, run, c.Override)
		o := execute(t, dir, "", "lineage", "verify", run, "--key", filepath.Base(c.Key), "--json")
		var v map[string]any
		if err := json.Unmarshal([]byte(o.stdout), &v); err != nil {
			t.Fatal(c.Case, err, o)
		}
		if (o.code == 0) != (v["status"] == "ok") || c.Expect.Raises != "" && o.code == 0 {
			t.Errorf("%s: %s with exit code %d", c.Case, v["status"], o.code)
		}
		if c.Expect.Raises != "" {
			continue
		}
		got, _ := json.Marshal(v["error_kinds"])
		want, _ := json.Marshal(c.Expect.ErrorKinds)
		if v["status"] != c.Expect.Status || v["count"] != float64(c.Expect.Count) || string(got) != string(want) || c.Expect.HeadHash != nil && v["head_hash"] != *c.Expect.HeadHash {
			t.Errorf("%s: %s", c.Case, o.stdout)
		}
	}
	var gates struct {
		Cases []struct {
			Case, Base string
			Override   map[string]*string `json:"override_base64"`
			Secret     *string            `json:"operator_secret"`
			Stewards   *[]string          `json:"steward_allowlist"`
			ToolCalls  *[]string          `json:"verified_tool_call_ids"`
			Expect     struct {
				OK     bool
				Kinds  any `json:"failure_kinds"`
				Raises string
			}
		}
	}
	read(&gates, "v1/gate-cases.json")
	for _, c := range gates.Cases {
		folder := filepath.Join(dir, "gates", c.Case)
		vectorFiles(t, c.Base, folder, c.Override)
		args := []string{"lineage", "gate", filepath.Join(folder, "lineage"), "--cards", filepath.Join(folder, "agents"), "--json"}
		if c.Secret != nil {
			write(t, folder, map[string]string{"secret": *c.Secret})
			args = append(args, "--operator-secret-file", filepath.Join(folder, "secret"))
		}
		if c.Stewards != nil {
			args = append(args, "--stewards", strings.Join(*c.Stewards, ","))
		}
		if c.ToolCalls != nil {
			args = append(args, "--tool-calls", strings.Join(*c.ToolCalls, ","))
		}
		o := execute(t, dir, "", args...)
		var v map[string]any
		if err := json.Unmarshal([]byte(o.stdout), &v); err != nil {
			t.Fatal(c.Case, err, o)
		}
		got, _ := json.Marshal(v["failure_kinds"])
		want, _ := json.Marshal(c.Expect.Kinds)
		if c.Expect.Raises != "" && v["ok"] == true || c.Expect.Raises == "" && (v["ok"] != c.Expect.OK || string(got) != string(want)) || (o.code == 0) != (v["ok"] == true) {
			t.Errorf("%s: exit code %d, %s", c.Case, o.code, o.stdout)
		}
	}
	var provs struct {
		Cases []struct {
			Case, JSON, Turtle string
			Path               string `json:"artefact_path"`
		}
	}
	read(&provs, "prov/cases.json")
	log, err := os.ReadFile(filepath.Join(lineageVectors, "prov", "entries.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, map[string]string{"prov/log.jsonl": string(log)})
	for _, c := range provs.Cases {
		for format, name := range map[string]string{"json": c.JSON, "turtle": c.Turtle} {
			if name == "" {
				continue
			}
			want, err := os.ReadFile(filepath.Join(lineageVectors, name))
			if err != nil {
				t.Fatal(err)
			}
			if o := execute(t, dir, "", "lineage", "export-prov", "prov", c.Path, "--format", format); o.code != 0 || o.stdout != string(want) {
				t.Errorf("%s as %s: %+v", c.Case, format, o)
			}
		}
	}
}
