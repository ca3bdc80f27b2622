package lineage

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/toolpath-ls/toolpath-ls/analysis/lineage/pyjson"
)

// vectorSigner returns one of the throw-away keys of the vectors.
func vectorSigner(t testing.TB, name string) (ed25519.PrivateKey, string) {
	keys := vectorJSON[map[string]struct {
		Seed string `json:"seed_hex"`
		PEM  string `json:"public_spki_pem"`
	}](t, "keys/ed25519.json")
	seed, err := hex.DecodeString(keys[name].Seed)
	if err != nil {
		t.Fatal(err)
	}
	return ed25519.NewKeyFromSeed(seed), keys[name].PEM
}

func TestEntryVectors(t *testing.T) {
	file := vectorJSON[struct {
		Secret  string `json:"operator_secret_utf8"`
		Entries []struct {
			Name, Signer, JWS string
			Canonical         string `json:"canonical_hex"`
			Hash              string `json:"entry_hash"`
			Message           string `json:"operator_hmac_message_hex"`
			HMAC              string `json:"operator_hmac"`
		}
		Checks []struct {
			Name     string
			Input    json.RawMessage
			Accepted bool
		} `json:"constructor_checks"`
	}](t, "v1/entries.json")
	if len(file.Entries) == 0 || len(file.Checks) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range file.Entries {
		canonical, err := hex.DecodeString(c.Canonical)
		if err != nil {
			t.Fatal(err)
		}
		e, err := ParseEntry(canonical)
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		if !bytes.Equal(e.Canonical(), canonical) || e.Hash() != c.Hash {
			t.Errorf("%s: written as %s with hash %s", c.Name, e.Canonical(), e.Hash())
		}
		if got := hex.EncodeToString(e.HMACMessage()); got != c.Message || e.OperatorHMAC != c.HMAC || !e.HasTag([]byte(file.Secret)) {
			t.Errorf("%s: the operator's tag is over %s", c.Name, e.HMACMessage())
		}
		key, _ := vectorSigner(t, c.Signer)
		if jws, err := SignDetached(canonical, e.AgentCardKid, key); err != nil || jws != c.JWS {
			t.Errorf("%s: signature %s, %v", c.Name, jws, err)
		}
		s, err := ParseSignature(c.JWS)
		if err != nil || !s.VerifyDetached(canonical, e.AgentCardKid, key.Public().(ed25519.PublicKey)) || s.Loose != "" {
			t.Errorf("%s: signature does not verify: %v %s", c.Name, err, s.Loose)
		}
	}
	for _, c := range file.Checks {
		if e, err := ParseEntry(c.Input); (err == nil) != c.Accepted {
			t.Errorf("%s: %v, %v", c.Name, e, err)
		}
	}
}

// folders splits the files of a vector into the lineage folder and the cards.
func folders(files map[string][]byte) (lineage, cards fstest.MapFS) {
	lineage, cards = fstest.MapFS{}, fstest.MapFS{}
	for name, content := range files {
		if rest, ok := strings.CutPrefix(name, "lineage/"); ok {
			lineage[rest] = &fstest.MapFile{Data: content}
		} else if rest, ok := strings.CutPrefix(name, "agents/"); ok {
			cards[rest] = &fstest.MapFile{Data: content}
		}
	}
	return lineage, cards
}

func TestGateVectors(t *testing.T) {
	cases := vectorJSON[struct {
		Cases []struct {
			Case, Base string
			Override   map[string]*string `json:"override_base64"`
			Secret     *string            `json:"operator_secret"`
			Stewards   *[]string          `json:"steward_allowlist"`
			ToolCalls  *[]string          `json:"verified_tool_call_ids"`
			Expect     struct {
				OK     bool
				Kinds  []string `json:"failure_kinds"`
				Raises string
			}
		}
	}](t, "v1/gate-cases.json").Cases
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range cases {
		t.Run(c.Case, func(t *testing.T) {
			var o GateOptions
			if c.Secret != nil {
				o.Secret = []byte(*c.Secret)
			}
			if c.Stewards != nil {
				o.Stewards = append([]string{}, *c.Stewards...)
			}
			if c.ToolCalls != nil {
				o.ToolCalls = append([]string{}, *c.ToolCalls...)
			}
			lineage, cards := folders(vectorFolder(t, c.Base, c.Override))
			v, err := Gate(lineage, cards, o)
			if err != nil {
				t.Fatal(err)
			}
			if c.Expect.Raises != "" {
				if v.OK {
					t.Errorf("passes, where the log's own gate fails with %s", c.Expect.Raises)
				}
				return
			}
			var kinds []string
			for _, f := range v.Failures {
				kinds = append(kinds, f.Kind)
			}
			if v.OK != c.Expect.OK || !slices.Equal(kinds, c.Expect.Kinds) {
				t.Errorf("%t %q, want %t %q\n%v", v.OK, kinds, c.Expect.OK, c.Expect.Kinds, v.Failures)
			}
		})
	}
}

// What the gate lets pass although the log was changed.
func TestStricterGateVectors(t *testing.T) {
	cases := vectorJSON[struct {
		Cases []struct {
			Case, Base string
			Override   map[string]*string `json:"override_base64"`
		}
	}](t, "v1/gate-cases.json").Cases
	want := map[string]string{
		"intact": "", "log-missing": "log_missing", "line-dropped-last": "orphan_signature", "lines-reordered": "parent_after_child",
		"lines-reversed": "parent_after_child", "blank-line-middle": "blank_lines", "extra-final-newlines": "blank_lines",
		"sidecar-with-newline": "loose_signature", "jws-sig-noise": "loose_signature", "jws-sig-standard-alphabet": "loose_signature",
		"jws-header-b64-zero": "loose_signature",
	}
	for _, c := range cases {
		kind, known := want[c.Case]
		if !known {
			continue
		}
		delete(want, c.Case)
		lineage, cards := folders(vectorFolder(t, c.Base, c.Override))
		v, err := Gate(lineage, cards, GateOptions{Secret: []byte("operator-secret-for-vectors")})
		if err != nil {
			t.Fatal(err)
		}
		first := ""
		if len(v.Stricter) > 0 {
			first = v.Stricter[0].Kind
		}
		if !v.OK || first != kind {
			t.Errorf("%s: %t %v, want %q", c.Case, v.OK, v.Stricter, kind)
		}
	}
	if len(want) > 0 {
		t.Errorf("cases are gone: %v", slices.Collect(maps.Keys(want)))
	}
}

// The whole tree that the logs' own test pins is written again, byte for byte.
func TestPinnedVectors(t *testing.T) {
	meta := vectorJSON[struct {
		Secret string `json:"operator_secret_utf8"`
		Seed   string `json:"seed_hex"`
		Agent  string `json:"agent_id"`
		Kid    string
		Hashes []string `json:"entry_hashes_pinned_upstream"`
		Log    string   `json:"log_sha256_pinned_upstream"`
	}](t, "v1/upstream-pinned/meta.json")
	seed, err := hex.DecodeString(meta.Seed)
	if err != nil {
		t.Fatal(err)
	}
	by := Signer{meta.Agent, meta.Kid, ed25519.NewKeyFromSeed(seed), []byte(meta.Secret)}
	want := vectorFolder(t, "v1/upstream-pinned/lineage", nil)
	got := rewrite(t, want[LogFile], by)
	for name := range maps.Keys(want) {
		if !bytes.Equal(got[name], want[name]) {
			t.Errorf("%s is\n%s\nwant\n%s", name, got[name], want[name])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d files, want %d", len(got), len(want))
	}
	if h := ContentHash(got[LogFile]); h != hashPrefix+meta.Log {
		t.Errorf("the log has %s", h)
	}
	for i, line := range bytes.Split(bytes.TrimSuffix(got[LogFile], []byte("\n")), []byte("\n")) {
		e, err := ParseEntry(line)
		if err != nil || e.Hash() != meta.Hashes[i] {
			t.Errorf("entry %d: %v, want %s", i, err, meta.Hashes[i])
		}
	}
}

// rewrite seals the versions of a log again, and returns the files of its folder.
func rewrite(t *testing.T, log []byte, by Signer) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	tips := map[string]*Tips{}
	for line := range bytes.Lines(log) {
		old, err := ParseEntry(line)
		if err != nil {
			t.Fatal(err)
		}
		p := old.ArtefactPath
		if tips[p] == nil {
			tips[p] = &Tips{}
		}
		s := Seal{ArtefactPath: p, ArtefactKind: old.ArtefactKind, ContentHash: old.ContentHash, ExtraParents: old.Parents,
			ToolCallID: old.ToolCallID, SpanID: old.SpanID, TsNS: old.TsNS, TrustClass: old.TrustClass}
		e, jws, err := SealWrite(s, tips[p].Open, by)
		if err != nil {
			t.Fatal(err)
		}
		tips[p].Add(e)
		written := append(bytes.Clone(e.Canonical()), '\n')
		for _, name := range []string{LogFile, ProjectionFile(p)} {
			files[name] = append(files[name], written...)
		}
		files[TipsFile(p)] = tips[p].Bytes()
		files[SignatureFile(p, e.Hash())] = []byte(jws)
	}
	return files
}

func TestLogVectors(t *testing.T) {
	want := vectorJSON[struct {
		Order []string
		Tips  map[string]Tips
	}](t, "v1/log/hashes.json")
	files := vectorFolder(t, "v1/log/lineage", nil)
	got := map[string]*Tips{}
	i := 0
	for line := range bytes.Lines(files[LogFile]) {
		e, err := ParseEntry(bytes.TrimSuffix(line, []byte("\n")))
		if err != nil {
			t.Fatal(err)
		}
		if e.Hash() != want.Order[i] {
			t.Errorf("entry %d is %s, want %s", i, e.Hash(), want.Order[i])
		}
		i++
		if got[e.ArtefactPath] == nil {
			got[e.ArtefactPath] = &Tips{}
		}
		got[e.ArtefactPath].Add(e)
		if files[SignatureFile(e.ArtefactPath, e.Hash())] == nil {
			t.Errorf("no signature at %s", path.Base(SignatureFile(e.ArtefactPath, e.Hash())))
		}
	}
	for p, tips := range want.Tips {
		if !slices.Equal(got[p].Open, tips.Open) || !slices.Equal(got[p].Merged, tips.Merged) {
			t.Errorf("%s: %s, want %s", p, got[p].Bytes(), tips)
		}
		// The store that wrote these files forgets these members when it reads an entry
		// again, so that its tips have hashes of entries that never were.
		if log := files[ProjectionFile(p)]; bytes.Contains(log, []byte("model_ref")) || bytes.Contains(log, []byte("sensitivity")) ||
			bytes.Contains(log, []byte("activity_source")) || bytes.Contains(log, []byte("external_attestation")) {
			continue
		}
		if !bytes.Equal(got[p].Bytes(), files[TipsFile(p)]) {
			t.Errorf("%s: %s, want %s", p, got[p].Bytes(), files[TipsFile(p)])
		}
	}
}

func TestForeignVectors(t *testing.T) {
	cases := vectorJSON[struct {
		Cases []struct {
			Case        string
			Attestation json.RawMessage
			IssuerKey   *string `json:"issuer_key"`
			Expect      struct{ Verdict, Taint string }
		}
	}](t, "foreign/cases.json").Cases
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range cases {
		v, err := pyjson.Parse(c.Attestation)
		if err != nil {
			t.Fatal(err)
		}
		var key []byte
		if c.IssuerKey != nil {
			if *c.IssuerKey == "garbage" {
				key = []byte(*c.IssuerKey)
			} else {
				_, pem := vectorSigner(t, *c.IssuerKey)
				key = []byte(pem)
			}
		}
		want, taint := c.Expect.Verdict, c.Expect.Taint
		// The vectors were made before the rule that outsiders cannot vouch for the inside.
		if slices.Contains([]string{"operator", "workspace", "first_party"}, taint) {
			want, taint = string(Malformed), "public"
		}
		if verdict, gotTaint, reason := VerifyForeign(v, key); string(verdict) != want || gotTaint != taint {
			t.Errorf("%s: %s, %s (%s); want %s, %s", c.Case, verdict, gotTaint, reason, want, taint)
		}
	}
}
