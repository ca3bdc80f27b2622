package lineage

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/toolpath-ls/toolpath-ls/analysis/lineage/pyjson"
)

// signer makes an agent of a name.
func signer(t testing.TB, name string) (Signer, []byte) {
	t.Helper()
	seed := sha256.Sum256([]byte(name))
	key := ed25519.NewKeyFromSeed(seed[:])
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	card, err := json.Marshal(map[string]string{
		"agent_id": "agent:" + name, "kid": name + "-k1",
		"public_key_pem": string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})),
	})
	if err != nil {
		t.Fatal(err)
	}
	return Signer{"agent:" + name, name + "-k1", key, []byte("operator")}, card
}

// signedLog is a lineage folder that a test writes to.
type signedLog struct {
	t              testing.TB
	lineage, cards fstest.MapFS
	tips           map[string]*Tips
	clock          int64
}

func newSignedLog(t testing.TB) *signedLog {
	l := &signedLog{t, fstest.MapFS{}, fstest.MapFS{}, map[string]*Tips{}, 1}
	for _, name := range []string{"ann", "bob"} {
		_, card := signer(t, name)
		l.cards[name+"/card.json"] = &fstest.MapFile{Data: card}
	}
	return l
}

func (l *signedLog) write(agent, path, content string, change func(*Seal)) *Entry {
	l.t.Helper()
	by, _ := signer(l.t, agent)
	l.clock++
	s := Seal{ArtefactPath: path, ArtefactKind: "file", ContentHash: ContentHash([]byte(content)), ToolCallID: "tc-1", SpanID: "0", TsNS: big.NewInt(l.clock)}
	if change != nil {
		change(&s)
	}
	if l.tips[path] == nil {
		l.tips[path] = &Tips{}
	}
	e, jws, err := SealWrite(s, l.tips[path].Open, by)
	if err != nil {
		l.t.Fatal(err)
	}
	l.tips[path].Add(e)
	if l.lineage[LogFile] == nil {
		l.lineage[LogFile] = &fstest.MapFile{}
	}
	l.lineage[LogFile].Data = append(append(l.lineage[LogFile].Data, e.Canonical()...), '\n')
	l.lineage[SignatureFile(path, e.Hash())] = &fstest.MapFile{Data: []byte(jws)}
	return e
}

func (l *signedLog) gate(o GateOptions) *GateVerdict {
	l.t.Helper()
	v, err := Gate(l.lineage, l.cards, o)
	if err != nil {
		l.t.Fatal(err)
	}
	return v
}

func kindsOf(v *GateVerdict) []string {
	var kinds []string
	for _, f := range v.Failures {
		kinds = append(kinds, f.Kind)
	}
	return kinds
}

func TestGateOpens(t *testing.T) {
	l := newSignedLog(t)
	l.write("ann", "a.go", "1", nil)
	l.write("bob", "a.go", "2", nil)
	reported := "model-b"
	l.write("bob", "b.go", "2", func(s *Seal) {
		s.ExtraParents = []string{l.tips["a.go"].Open[0]}
		s.TrustClass, s.Sensitivity, s.ActivitySource = "workspace", "internal", "adapter"
		s.AttachmentDigests = []string{strings.Repeat("ab", 32)}
		s.ModelRef = &ModelRef{Provider: "local", ModelRequested: "model-a", ModelReported: &reported}
	})
	v := l.gate(GateOptions{Secret: []byte("operator"), ModelRef: true})
	if !v.OK || len(v.Stricter) > 0 || len(v.Entries) != 3 || v.Entries[2].Model() != "model-b" {
		t.Errorf("%v %v", v.Failures, v.Stricter)
	}
	// The gate of the logs' own tools refuses every entry that names its model.
	if v := l.gate(GateOptions{}); !slices.Equal(kindsOf(v), []string{CorruptEntry}) || v.Failures[0].Field != "model_ref" || v.Failures[0].Line != 3 {
		t.Errorf("%v", v.Failures)
	}
}

// No byte of the log or of a signature can be changed without being told, but for how
// loosely a signature may be spelt, which is told as stricter.
func TestEveryBitOfASignedLogCounts(t *testing.T) {
	l := newSignedLog(t)
	l.write("ann", "a.go", "1", nil)
	e := l.write("ann", "a.go", "2", nil)
	for _, name := range []string{LogFile, SignatureFile("a.go", e.Hash())} {
		right := l.lineage[name].Data
		for i := range right {
			for bit := range 8 {
				changed := bytes.Clone(right)
				changed[i] ^= 1 << bit
				l.lineage[name].Data = changed
				v := l.gate(GateOptions{Secret: []byte("operator")})
				if v.OK && len(v.Stricter) == 0 {
					t.Fatalf("%s, byte %d, bit %d: passes although it is %q in place of %q", name, i, bit, changed[i], right[i])
				}
				if v.OK && name == LogFile {
					t.Fatalf("%s, byte %d, bit %d: passes, with %v", name, i, bit, v.Stricter)
				}
			}
		}
		l.lineage[name].Data = right
	}
}

func TestForks(t *testing.T) {
	l := newSignedLog(t)
	base := l.write("ann", "a.go", "1", nil)
	one := l.write("ann", "a.go", "2", func(s *Seal) { s.Parents = []string{base.Hash()} })
	two := l.write("bob", "a.go", "3", func(s *Seal) { s.Parents = []string{base.Hash()} })
	v := l.gate(GateOptions{})
	if !slices.Equal(kindsOf(v), []string{OpenTips, UnresolvedFork}) || !slices.Equal(v.Failures[1].Hashes, []string{one.Hash(), two.Hash()}) {
		t.Errorf("%v", v.Failures)
	}
	l.write("bob", "a.go", "4", func(s *Seal) { s.Parents = []string{one.Hash(), two.Hash()} })
	if v := l.gate(GateOptions{}); !v.OK {
		t.Errorf("%v", v.Failures)
	}
	if v := l.gate(GateOptions{Stewards: []string{"agent:ann"}}); !slices.Equal(kindsOf(v), []string{NonSteward}) {
		t.Errorf("%v", v.Failures)
	}
	if !slices.Equal(l.tips["a.go"].Merged, []string{one.Hash(), two.Hash()}) || len(l.tips["a.go"].Open) != 1 {
		t.Errorf("%s", l.tips["a.go"].Bytes())
	}
}

func TestDroppedEntryLeavesItsSignature(t *testing.T) {
	l := newSignedLog(t)
	l.write("ann", "a.go", "1", nil)
	before := bytes.Clone(l.lineage[LogFile].Data)
	dropped := l.write("ann", "a.go", "2", nil)
	l.lineage[LogFile].Data = before
	v := l.gate(GateOptions{Secret: []byte("operator")})
	if !v.OK || len(v.Stricter) != 1 || v.Stricter[0].Kind != "orphan_signature" || !strings.Contains(v.Stricter[0].Message, dropped.Hash()) {
		t.Errorf("%v %v", v.Failures, v.Stricter)
	}
}

func TestHostileSignedLogs(t *testing.T) {
	for name, c := range map[string]string{
		"invalid UTF-8":  "{\"v\":\"\xff\"}\n",
		"not an object":  "17\n",
		"deep nesting":   strings.Repeat("[", 1_000_000) + "\n",
		"a huge integer": `{"v":` + strings.Repeat("1", 1_000_000) + "}\n",
		"NaN":            `{"v":NaN}` + "\n",
		"no newline":     "{}",
	} {
		v, err := Gate(fstest.MapFS{LogFile: {Data: []byte(c)}}, nil, GateOptions{})
		if err != nil || v.OK {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
	}
}

// A change of the header's meaning, of the algorithm or of the signature is never valid.
func TestSignatureHeader(t *testing.T) {
	by, _ := signer(t, "ann")
	payload := []byte("payload")
	key := by.Key.Public().(ed25519.PublicKey)
	good, err := SignDetached(payload, by.Kid, by.Key)
	if err != nil {
		t.Fatal(err)
	}
	s, err := ParseSignature(good)
	if err != nil || s.Loose != "" || !s.VerifyDetached(payload, by.Kid, key) {
		t.Fatal("a signature does not verify", err)
	}
	if s.VerifyDetached(payload, "other", key) || s.VerifyDetached([]byte("other"), by.Kid, key) || s.VerifyDetached(payload, by.Kid, nil) {
		t.Error("a signature verifies for another key id, payload or key")
	}
	for _, bad := range []string{"", "..", "a.b.c", ".x.", "e30..", "bnVsbA..AA", "W10..AA", good + ".", strings.Replace(good, "..", ".cGF5bG9hZA.", 1)} {
		if s, err := ParseSignature(bad); err == nil && s.VerifyDetached(payload, by.Kid, key) {
			t.Errorf("%q verifies", bad)
		}
	}
}

func TestForeignClaimsOfInsiders(t *testing.T) {
	by, _ := signer(t, "issuer")
	der, err := x509.MarshalPKIXPublicKey(by.Key.Public())
	if err != nil {
		t.Fatal(err)
	}
	issuer := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	hash := ContentHash([]byte("x"))
	for class, want := range map[string]ForeignVerdict{"third_party": VerifiedForeign, "public": VerifiedForeign, "first_party": Malformed, "workspace": Malformed, "operator": Malformed, "": Malformed} {
		src, err := json.Marshal(map[string]any{
			"issuer": "i", "issuer_key_id": "k", "content_hash": hash, "claimed_subject": "s", "trust_class": class,
			"envelope": map[string]any{"format": "dsse", "payload_hash": hash, "signature": ed25519.Sign(by.Key, []byte(hash))},
		})
		if err != nil {
			t.Fatal(err)
		}
		v, err := pyjson.Parse(src)
		if err != nil {
			t.Fatal(err)
		}
		if verdict, taint, reason := VerifyForeign(v, issuer); verdict != want || verdict == Malformed && taint != "public" {
			t.Errorf("%q: %s, %s, %s", class, verdict, taint, reason)
		}
	}
}

// Reading a signature never fails but by an error, and what verifies was signed.
func FuzzSignature(f *testing.F) {
	by, _ := signer(f, "ann")
	payload := []byte("payload")
	good, err := SignDetached(payload, by.Kid, by.Key)
	if err != nil {
		f.Fatal(err)
	}
	header, signature, _ := strings.Cut(good, "..")
	f.Add(good)
	f.Add(header + "..")
	f.Add("e30.." + signature)
	f.Add(strings.NewReplacer("-", "+", "_", "/").Replace(good))
	key := by.Key.Public().(ed25519.PublicKey)
	right, _ := ParseSignature(good)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSignature(text)
		if err != nil || !s.VerifyDetached(payload, by.Kid, key) {
			return
		}
		if !bytes.Equal(s.bytes, right.bytes) {
			t.Fatalf("%q verifies", text)
		}
		if text != good && s.Loose == "" && s.protected == right.protected {
			t.Fatalf("%q is another spelling of the signature, and not told", text)
		}
	})
}

// Reading an entry never fails but by an error, and reading what is written gives the same.
func FuzzEntry(f *testing.F) {
	l := newSignedLog(f)
	e := l.write("ann", "a.go", "1", func(s *Seal) { s.ModelRef = &ModelRef{ModelRequested: "m"}; s.Sensitivity = "public" })
	f.Add(e.Canonical())
	f.Add(bytes.Replace(e.Canonical(), []byte(`"v":1`), []byte(`"v":true,"trust_class":null`), 1))
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := ParseEntry(line)
		if err != nil {
			return
		}
		again, err := ParseEntry(e.Canonical())
		if err != nil || again.Hash() != e.Hash() {
			t.Fatalf("%q is written as %q and read back as %v, %v", line, e.Canonical(), again, err)
		}
		v, err := Gate(fstest.MapFS{LogFile: {Data: append(bytes.Clone(line), '\n')}}, nil, GateOptions{})
		if err != nil || v.OK {
			t.Fatalf("%q passes without a card", line)
		}
	})
}
