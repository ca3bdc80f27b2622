package lineage

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/lineage/pyjson"
)

type spineExpect struct {
	Status      string
	Count       int
	IterEntries int     `json:"iter_entries"`
	HeadHash    *string `json:"head_hash"`
	VerifyEntry []bool  `json:"verify_entry"`
	ErrorKinds  []struct {
		Line *int
		Kind string
	} `json:"error_kinds"`
	Raises string
}

func checkSpine(t *testing.T, files map[string][]byte, key *Key, want spineExpect) {
	t.Helper()
	var rows []Row
	head, ok := files["spine.head"]
	if !ok {
		head = nil
	}
	got, err := VerifySpine(bytes.NewReader(files["spine.jsonl"]), ParseHead(head), key, func(r SpineRow) {
		if r.Row != nil {
			rows = append(rows, *r.Row)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	quick, err := VerifySpine(bytes.NewReader(files["spine.jsonl"]), ParseHead(head), key, nil)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := toJSON(t, quick), toJSON(t, got); a != b {
		t.Errorf("without looking at the rows the verdict is\n%s, and else\n%s", a, b)
	}
	if want.Raises != "" {
		if got.Status == StatusOK {
			t.Errorf("passes, where the log's own tool fails with %s", want.Raises)
		}
		return
	}
	if string(got.Status) != want.Status || got.Count != want.Count {
		t.Errorf("is %s with %d lines, want %s with %d", got.Status, got.Count, want.Status, want.Count)
	}
	if want.HeadHash != nil && got.HeadHash != *want.HeadHash {
		t.Errorf("head hash is %s, want %s", got.HeadHash, *want.HeadHash)
	}
	var gotKinds, wantKinds []string
	for _, f := range got.Faults {
		gotKinds = append(gotKinds, string(rune('0'+f.Line))+" "+f.Kind)
	}
	for _, f := range want.ErrorKinds {
		line := 0
		if f.Line != nil {
			line = *f.Line
		}
		wantKinds = append(wantKinds, string(rune('0'+line))+" "+f.Kind)
	}
	if strings.Join(gotKinds, ", ") != strings.Join(wantKinds, ", ") {
		t.Errorf("faults are %q, want %q", gotKinds, wantKinds)
	}
	if len(got.Faults) > 0 && got.Faults[0].Line == 0 {
		return // nothing was read
	}
	if len(rows) != want.IterEntries && want.VerifyEntry != nil {
		t.Errorf("%d rows can be read, want %d", len(rows), want.IterEntries)
	}
	for i, valid := range want.VerifyEntry {
		if i < len(rows) && rows[i].Verify(key) != valid {
			t.Errorf("row %d by itself is %t, want %t", i+1, !valid, valid)
		}
	}
}

func toJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestSpineVectors(t *testing.T) {
	type c struct {
		Case     string
		Dir      string
		Base     string
		RunID    string             `json:"run_id"`
		Override map[string]*string `json:"override_base64"`
		Key      string
		Expect   spineExpect
	}
	cases := vectorJSON[struct{ Untampered, Tampered []c }](t, "spine/cases.json")
	if len(cases.Untampered) == 0 || len(cases.Tampered) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range append(cases.Untampered, cases.Tampered...) {
		t.Run(c.Case, func(t *testing.T) {
			folder := c.Base
			if folder == "" {
				folder = c.Dir + "/" + c.RunID
			}
			checkSpine(t, vectorFolder(t, folder, c.Override), vectorKey(t, c.Key), c.Expect)
		})
	}
}

// Whatever the log's own tool lets pass although the log was changed is told apart from its
// verdict.
func TestStricterVectors(t *testing.T) {
	cases := vectorJSON[struct {
		Tampered []struct {
			Case, Base, Key string
			Override        map[string]*string `json:"override_base64"`
		}
	}](t, "spine/cases.json")
	want := map[string]string{
		"intact-copy":                         "",
		"line-dropped-last":                   "tail_dropped",
		"extra-final-newlines":                "blank_lines_at_end",
		"crlf-endings":                        "non_canonical_row",
		"space-after-colon":                   "non_canonical_row",
		"ascii-escaped":                       "non_canonical_row",
		"utf8-bom":                            "byte_order_mark",
		"duplicate-key-differs":               "duplicate_member",
		"head-missing":                        "head_missing",
		"head-garbage":                        "head_malformed",
		"extra-float10-tagged-py-head-legacy": "unknown_member",
	}
	for _, c := range cases.Tampered {
		kind, known := want[c.Case]
		if !known {
			continue
		}
		delete(want, c.Case)
		files := vectorFolder(t, c.Base, c.Override)
		head, ok := files["spine.head"]
		if !ok {
			head = nil
		}
		got, err := VerifySpine(bytes.NewReader(files["spine.jsonl"]), ParseHead(head), vectorKey(t, c.Key), nil)
		if err != nil {
			t.Fatal(err)
		}
		first := ""
		if len(got.Stricter) > 0 {
			first = got.Stricter[0].Kind
		}
		if got.Status != StatusOK || first != kind {
			t.Errorf("%s: %s and %v, want ok and %s", c.Case, got.Status, got.Stricter, kind)
		}
		if got.HeadSigned != (kind == "" || strings.Contains(kind, "_row") || kind == "byte_order_mark" || kind == "duplicate_member" || kind == "unknown_member" || kind == "blank_lines_at_end") {
			t.Errorf("%s: head signed is %t", c.Case, got.HeadSigned)
		}
	}
	if len(want) > 0 {
		t.Errorf("cases are gone: %v", want)
	}
}

func TestKeyVectors(t *testing.T) {
	cases := vectorJSON[struct {
		Cases []struct {
			Master  string `json:"master_hex"`
			Info    string
			Derived string `json:"derived_hex"`
		}
	}](t, "keys/hkdf.json").Cases
	for _, c := range cases {
		if c.Info != "lineage" {
			continue
		}
		master, err := hex.DecodeString(c.Master)
		if err != nil {
			t.Fatal(err)
		}
		if got := hex.EncodeToString(NewKey(master).derived); got != c.Derived {
			t.Errorf("%s derives to %s, want %s", c.Master, got, c.Derived)
		}
	}
	if a, b := vectorKey(t, "keys/audit.key"), vectorKey(t, "keys/audit-with-newline.key"); !bytes.Equal(a.master, b.master) {
		t.Error("a newline at the end is part of the key")
	}
}

// The same writes give the same bytes, in either profile.
func TestWriteVectors(t *testing.T) {
	inputs := vectorJSON[[]struct {
		ArtifactPath string `json:"artifact_path"`
		Actor        string
		StepID       string `json:"step_id"`
		Model        string
		Timestamp    json.Number
		ContentHex   string `json:"content_hex"`
		Traceparent  *string
		Tracestate   *string
		Baggage      *string
	}](t, "spine/inputs.json")
	key := vectorKey(t, "keys/audit.key")
	for folder, profile := range map[string]Profile{"spine/v2-py": ProfileLegacy, "spine/v2-jcs": ProfileJCS} {
		var log bytes.Buffer
		prev := ""
		for _, in := range inputs {
			content, err := hex.DecodeString(in.ContentHex)
			if err != nil {
				t.Fatal(err)
			}
			at, _ := new(big.Int).SetString(in.Timestamp.String(), 10)
			row, line, err := NewRow(Write{
				ArtifactPath: in.ArtifactPath, ContentHash: ContentHash(content), Actor: in.Actor, StepID: in.StepID,
				Model: in.Model, Timestamp: at, Trace: Trace{in.Traceparent, in.Tracestate, in.Baggage},
			}, prev, profile, key)
			if err != nil {
				t.Fatal(err)
			}
			prev = row.EntryHash
			log.Write(append(line, '\n'))
		}
		if want := vector(t, folder, "run-alpha/spine.jsonl"); !bytes.Equal(log.Bytes(), want) {
			t.Errorf("%s:\n%s\nwant\n%s", folder, &log, want)
		}
		head := NewHead(len(inputs), prev, profile, key)
		if want := vector(t, folder, "run-alpha/spine.head"); !bytes.Equal(head, want) {
			t.Errorf("%s: head %s, want %s", folder, head, want)
		}
	}
}

// What is hashed and what is tagged of each row, byte for byte.
func TestPreimageVectors(t *testing.T) {
	for _, folder := range []string{"spine/v1-py", "spine/v2-py"} {
		preimages := vectorJSON[[]struct {
			Preimage string `json:"entry_hash_preimage_hex"`
			Message  string `json:"hmac_message_hex"`
		}](t, folder, "preimages.json")
		lines := bytes.Split(bytes.TrimSuffix(vector(t, folder, "run-alpha/spine.jsonl"), []byte("\n")), []byte("\n"))
		if len(lines) != len(preimages) {
			t.Fatal("not as many preimages as rows")
		}
		for i, line := range lines {
			v, err := pyjson.Parse(line)
			if err != nil {
				t.Fatal(err)
			}
			row, ok := rowOf(v)
			if !ok {
				t.Fatalf("cannot be read: %s", line)
			}
			preimage, err := row.preimage(int(row.Version.Int64()))
			if err != nil || hex.EncodeToString(preimage) != preimages[i].Preimage {
				t.Errorf("%s row %d: hashes %s, %v", folder, i+1, preimage, err)
			}
			message, err := pyjson.Encode(v.Without("hmac"), pyjson.Legacy)
			if err != nil || hex.EncodeToString(message) != preimages[i].Message {
				t.Errorf("%s row %d: tags %s, %v", folder, i+1, message, err)
			}
			if _, ok := scanRow(line); !ok {
				t.Errorf("%s row %d is not read the fast way", folder, i+1)
			}
		}
	}
}

func TestRunIDVectors(t *testing.T) {
	for _, c := range vectorJSON[[]struct {
		RunID string `json:"run_id"`
		OK    bool
	}](t, "spine/run_ids.json") {
		if err := CheckRunID(c.RunID); (err == nil) != c.OK {
			t.Errorf("%q: %v", c.RunID, err)
		}
	}
}

func TestArtifactKeyVectors(t *testing.T) {
	cases := vectorJSON[struct {
		Keys []struct {
			Raw               string
			Reason, Canonical *string
		}
		References []struct {
			URI, Digest, Bytes string
			Extractor          *string
			ContentHash        string `json:"content_hash"`
		} `json:"external_references"`
		Patterns []struct {
			Pattern, Key string
			Match        bool
		}
	}](t, "artifact-keys.json")
	for _, c := range cases.Keys {
		reason, canonical := "", ""
		if err := CheckArtifactKey(c.Raw); err != nil {
			reason, canonical = err.(*KeyError).Reason, err.(*KeyError).Canonical
		} else {
			canonical = c.Raw
		}
		if c.Reason == nil {
			c.Reason = new(string)
		}
		if c.Canonical == nil {
			c.Canonical = new(string)
		}
		if reason != *c.Reason || canonical != *c.Canonical {
			t.Errorf("%.80q: %q, %q; want %q, %q", c.Raw, reason, canonical, *c.Reason, *c.Canonical)
		}
	}
	for _, c := range cases.References {
		if c.Extractor == nil {
			c.Extractor = new(string)
		}
		got, err := ExternalReference(c.URI, c.Digest, *c.Extractor)
		if err != nil || string(got) != c.Bytes || ContentHash(got) != c.ContentHash {
			t.Errorf("%s: %s, %v", c.URI, got, err)
		}
	}
	for _, c := range cases.Patterns {
		if got, err := MatchArtifactKey(c.Pattern, c.Key); err != nil || got != c.Match {
			t.Errorf("%q of %q is %t, %v", c.Key, c.Pattern, got, err)
		}
	}
	if len(cases.Keys) == 0 || len(cases.References) == 0 || len(cases.Patterns) == 0 {
		t.Error("no cases")
	}
}
