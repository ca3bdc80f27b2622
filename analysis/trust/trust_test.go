package trust_test

import (
	"crypto/sha256"

	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust/keyring"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust/trusttest"
)

func document(src string) *toolpath.Document {
	if toolpath.IsStream([]byte(src)) {
		return toolpath.Build(jsonsrc.ParseLines([]byte(src)), nil)
	}
	return toolpath.Build(jsonsrc.Parse([]byte(src), toolpath.Layout), nil)
}

// The example of the RFC, "Canonicalization Example", byte for byte.
func TestExampleOfTheRFC(t *testing.T) {
	m := document(`{"graph":{"id":"g"},"paths":[{"path":{"id":"p","head":"step-001"},"steps":[{
  "step": {
    "timestamp": "2026-01-29T10:00:00Z",
    "id": "step-001",
    "actor": "human:alex"
  },
  "change": {
    "src/main.rs": {
      "raw": "@@ -1,1 +1,1 @@\n-hello\n+world"
    }
  },
  "meta": { "intent": "Fix greeting" }
}]}]}`)
	f, err := trust.StepPayload(m.Paths[0].Steps.At(0))
	const want = `{"change":{"src/main.rs":{"raw":"@@ -1,1 +1,1 @@\n-hello\n+world"}},"step":{"actor":"human:alex","id":"step-001","timestamp":"2026-01-29T10:00:00Z"}}`
	if err != nil || string(f.ByBytes) != want || f.ByUnits != nil {
		t.Errorf("%s, %v\nwant %s", f.ByBytes, err, want)
	}
}

const twoForms = `{"graph":{"id":"g"},"paths":[{"path":{"id":"p\u0022","head":"b","x-unknown":[1.50],"base":{"uri":"github:o/r","ref":"abc"}},"steps":[
	{"step":{"id":"a","actor":"human:alex","timestamp":"2026-01-29T10:00:00Z"},"change":{}},
	{"step":{"id":"b","parents":["a"],"actor":"human:alex","timestamp":"2026-01-29T10:00:00Z"},"change":{}}]}]}`

// A path is the same in both forms of a document, fields that nobody knows included.
func TestPayloadsOfPaths(t *testing.T) {
	stream := `{"PathOpen":{"version":"1","x-unknown":[1.5],"id":"p\"","base":{"ref":"abc","uri":"github:o/r"},"meta":{"title":"t"}}}
{"Step":{"step":{"id":"a","actor":"human:alex","timestamp":"2026-01-29T10:00:00Z"},"change":{}}}
{"Step":{"step":{"id":"b","parents":["a"],"actor":"human:alex","timestamp":"2026-01-29T10:00:00Z"},"change":{}}}
`
	for name, src := range map[string]string{"document": twoForms, "stream": stream, "with a head": stream + `{"Head":{"step_id":"b"}}` + "\n"} {
		p := document(src).Paths[0]
		f, err := trust.PathPayload(p)
		if want := `{"path":{"base":{"ref":"abc","uri":"github:o/r"},"head":"b","id":"p\"","x-unknown":[1.5]},"step_ids":["a","b"]}`; err != nil || string(f.ByBytes) != want {
			t.Errorf("%s, author: %s, %v\nwant %s", name, f.ByBytes, err, want)
		}
		f, err = trust.ReviewPayload(p, "2026-01-29T16:00:00Z")
		if want := `{"head":"b","path_id":"p\"","reviewed_at":"2026-01-29T16:00:00Z"}`; err != nil || string(f.ByBytes) != want {
			t.Errorf("%s, reviewer: %s, %v\nwant %s", name, f.ByBytes, err, want)
		}
	}
}

// The signatures of one step are those that a look at all of them finds for it.
func TestTheSignaturesOfAStep(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	lines := []string{
		`{"Step":{"step":{"id":"a"},"meta":{"signatures":[{"signer":"x"},{"signer":"y"}]}}}`, `{"Step":{"step":{"id":"a"}}}`, `{"Step":{"step":{"id":"b"}}}`,
		`{"Step":{"step":{}}}`, `{"Signature":{"target":"step:a","signature":{"signer":"u"}}}`, `{"Signature":{"target":"step:b","signature":{"signer":"v"}}}`,
		`{"Signature":{"target":"step:","signature":{"signer":"w"}}}`, `{"Signature":{"target":"path","signature":{}}}`, `{"Signature":{"target":"step:a"}}`, ``, `{"Signature":{"target":"step:b"`,
	}
	found := 0
	for range 2000 {
		src := `{"PathOpen":{"version":"1","id":"p"}}` + "\n"
		for range r.IntN(12) {
			src += lines[r.IntN(len(lines))] + "\n"
		}
		src = strings.TrimSuffix(src, strings.Repeat("\n", r.IntN(2)))
		m := document(src)
		for step := range m.Paths[0].Steps.Len() {
			var want, got []trust.Signature
			trust.Each(m, func(s trust.Signature) bool {
				if s.Path == m.Paths[0] && s.Step == step {
					want = append(want, s)
				}
				return true
			})
			trust.EachOf(m.Paths[0], step, func(s trust.Signature) bool {
				got = append(got, s)
				return true
			})
			if !slices.Equal(got, want) {
				t.Fatalf("step %d of\n%s\nhas %v, want %v", step, src, got, want)
			}
			found += len(got)
		}
	}
	if found < 1000 {
		t.Errorf("%d signatures", found)
	}
}

// Where readers may disagree on what is signed, nothing is.
func TestWhatHasNoPayload(t *testing.T) {
	step := `{"step":{"id":"a","actor":"human:alex","timestamp":"2026-01-29T10:00:00Z"},"change":{"f":{"raw":"x"}}}`
	document := func(steps, identity string) string {
		return `{"graph":{"id":"g"},"paths":[{"path":` + identity + `,"steps":[` + steps + `]}]}`
	}
	const identity = `{"id":"p","head":"a"}`
	for name, changed := range map[string]string{
		"a key twice":                strings.Replace(step, `"id":"a"`, `"id":"a","id":"b"`, 1),
		"a key twice, escaped":       strings.Replace(step, `"id":"a"`, `"id":"a","\u0069d":"b"`, 1),
		"step twice":                 strings.Replace(step, `"change"`, `"step":{"id":"z"},"change"`, 1),
		"change twice":               strings.Replace(step, `"change"`, `"change":{},"change"`, 1),
		"no change":                  `{"step":{"id":"a","actor":"human:alex","timestamp":"x"}}`,
		"no step":                    `{"change":{}}`,
		"a number beyond doubles":    strings.Replace(step, `"raw":"x"`, `"n":9007199254740993`, 1),
		"half of a surrogate pair":   strings.Replace(step, `"raw":"x"`, `"raw":"\ud800"`, 1),
		"bytes that are no UTF-8":    strings.Replace(step, `"raw":"x"`, "\"raw\":\"\xff\"", 1),
		"a comma too many":           strings.Replace(step, `"raw":"x"`, `"raw":"x",`, 1),
		"a control character":        strings.Replace(step, `"raw":"x"`, "\"raw\":\"\x01\"", 1),
		"a change that is no object": strings.Replace(step, `{"f":{"raw":"x"}}`, `[]`, 1),
	} {
		m := toolpath.Build(jsonsrc.Parse([]byte(document(changed, identity)), toolpath.Layout), nil)
		if f, err := trust.StepPayload(m.Paths[0].Steps.At(0)); err == nil {
			t.Errorf("%s: %s", name, f.ByBytes)
		}
	}
	for name, src := range map[string]string{
		"no head":        document(step, `{"id":"p"}`),
		"no id":          document(step, `{"head":"a"}`),
		"head twice":     document(step, `{"id":"p","head":"a","head":"b"}`),
		"path twice":     strings.Replace(document(step, identity), `"steps"`, `"path":{"id":"q","head":"a"},"steps"`, 1),
		"steps twice":    strings.Replace(document(step, identity), `"steps"`, `"steps":[],"steps"`, 1),
		"a step unnamed": document(step+`,{"step":{},"change":{}}`, identity),
		"a broken step":  document(step+`,{"step":{"id":"b"},"change":{},}`, identity),
	} {
		p := toolpath.Build(jsonsrc.Parse([]byte(src), toolpath.Layout), nil).Paths[0]
		if f, err := trust.PathPayload(p); err == nil {
			t.Errorf("%s: %s", name, f.ByBytes)
		}
		if f, err := trust.ReviewPayload(p, "2026-01-29T16:00:00Z"); err == nil && !strings.Contains(name, "step") {
			t.Errorf("%s, for review: %s", name, f.ByBytes)
		}
	}
	if _, err := trust.ReviewPayload(toolpath.Build(jsonsrc.Parse([]byte(document(step, identity)), toolpath.Layout), nil).Paths[0], "yesterday"); err == nil {
		t.Error("a review without a time has a payload")
	}
}

// signed is a document of one step, with placeholders for what signs it.
const signed = `{"graph":{"id":"g"},"paths":[{"path":{"id":"p","head":"s"},"steps":[
  {"step":{"id":"s","actor":"human:alex","timestamp":"2026-01-29T10:00:00Z"},"change":{"a.txt":{"raw":"@@ -0,0 +1 @@\n+é\n"}},"meta":{"signatures":[%s]}}],
  "meta":{"actors":{"human:alex":{"keys":[%s]}},"signatures":[%s]}}]}`

func signature(signer, key, scope, sig string) string {
	out, _ := json.Marshal(map[string]string{"signer": signer, "key": key, "scope": scope, "timestamp": "2026-01-29T16:00:00Z", "sig": sig})
	return string(out)
}

func keyEntry(name string) string {
	kind, fingerprint, _ := strings.Cut(name, ":")
	return fmt.Sprintf(`{"type":%q,"fingerprint":%q}`, kind, fingerprint)
}

func keysOf(t *testing.T, files ...trust.Material) *trust.Keyring {
	t.Helper()
	k, errs := keyring.New(files, time.Now())
	for _, err := range errs {
		t.Fatal(err)
	}
	return k
}

// states returns the states of a document's signatures, in order.
func states(src string, k *trust.Keyring) (states []string, results []trust.Result) {
	trust.Each(document(src), func(s trust.Signature) bool {
		r := k.Assess(s, time.Now())
		states, results = append(states, r.State.String()), append(results, r)
		return true
	})
	return states, results
}

// digest returns what the step's author signs.
func digest(t *testing.T, src string) []byte {
	t.Helper()
	f, err := trust.StepPayload(document(src).Paths[0].Steps.At(0))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(f.ByBytes)
	return sum[:]
}

func TestStates(t *testing.T) {
	key, other := trusttest.NewSSHKey(t, "ed25519", "alex@example.com"), trusttest.NewSSHKey(t, "ed25519", "bob@example.com")
	alex, bob := "ssh:"+key.Name, "ssh:"+other.Name
	sum := digest(t, fmt.Sprintf(signed, "", "", ""))
	good := key.Sign("toolpath", sum)
	pub := trust.Material{Name: "alex.pub", Content: []byte(key.Public)}
	signers := func(lines ...string) trust.Material {
		return trust.Material{Name: "/u/allowed_signers", Content: []byte(strings.Join(lines, "\n"))}
	}
	for _, c := range []struct {
		name, sig string
		claimed   string // key of the actor
		files     []trust.Material
		want      string
	}{
		{"by the signer's key", signature("human:alex", alex, "author", good), alex, []trust.Material{pub}, "valid"},
		{"nobody gave the key", signature("human:alex", alex, "author", good), alex, nil, "key-unknown"},
		{"the signer is not defined", signature("human:eve", alex, "author", good), alex, []trust.Material{pub}, "signer-undefined"},
		{"the signer has another key", signature("human:alex", alex, "author", good), bob, []trust.Material{pub}, "key-not-of-signer"},
		{"another key is named", signature("human:alex", bob, "author", good), bob, []trust.Material{pub}, "bad"},
		{"of something else", signature("human:alex", alex, "author", key.Sign("toolpath", []byte("x"))), alex, []trust.Material{pub}, "bad"},
		{"for another namespace", signature("human:alex", alex, "author", key.Sign("git", sum)), alex, []trust.Material{pub}, "bad"},
		{"no signature", signature("human:alex", alex, "author", "abc"), alex, []trust.Material{pub}, "bad"},
		{"dots", signature("human:alex", alex, "author", "..."), alex, []trust.Material{pub}, "placeholder"},
		{"dots in armour", signature("human:alex", alex, "author", "-----BEGIN PGP SIGNATURE-----\n..."), alex, []trust.Material{pub}, "placeholder"},
		{"nothing", signature("human:alex", alex, "author", ""), alex, []trust.Material{pub}, "placeholder"},
		{"a witness", signature("human:alex", alex, "witness", good), alex, []trust.Material{pub}, "no-payload"},
		{"ci", signature("human:alex", alex, "ci", good), alex, []trust.Material{pub}, "no-payload"},
		{"a release", signature("human:alex", alex, "release", good), alex, []trust.Material{pub}, "no-payload"},
		{"a reviewer of a step", signature("human:alex", alex, "reviewer", good), alex, []trust.Material{pub}, "no-payload"},
		{"a key of an unknown type", signature("human:alex", "minisign:abc", "author", good), alex, []trust.Material{pub}, "key-unknown"},
		{"no key", signature("human:alex", "", "author", good), alex, []trust.Material{pub}, "key-unknown"},
		{"of the wrong kind", signature("human:alex", "gpg:0123456789ABCDEF", "author", good), alex, []trust.Material{pub}, "bad"},
		{"in force", signature("human:alex", alex, "author", good), alex, []trust.Material{signers(`human:alex valid-before="29990101" ` + key.Public)}, "valid"},
		{"expired", signature("human:alex", alex, "author", good), alex, []trust.Material{signers(`human:alex valid-before="20200101" ` + key.Public)}, "expired"},
		{"not in force yet", signature("human:alex", alex, "author", good), alex, []trust.Material{signers(`human:alex valid-after="29990101" ` + key.Public)}, "expired"},
		{"one line is in force", signature("human:alex", alex, "author", good), alex, []trust.Material{signers(`human:alex valid-before="20200101" `+key.Public, `human:alex `+key.Public)}, "valid"},
		{"revoked", signature("human:alex", alex, "author", good), alex, []trust.Material{pub, {Name: "revoked_keys", Content: []byte(key.Public)}}, "revoked"},
		{"of another principal", signature("human:alex", alex, "author", good), alex, []trust.Material{signers("human:bob " + key.Public)}, "key-not-of-signer"},
		{"not of the principal", signature("human:alex", alex, "author", good), alex, []trust.Material{signers("human:*,!human:alex " + key.Public)}, "key-not-of-signer"},
		{"of a pattern of principals", signature("human:alex", alex, "author", good), alex, []trust.Material{signers("human:* " + key.Public)}, "valid"},
		{"of an address that is not compared", signature("human:alex", alex, "author", good), alex, []trust.Material{signers("alex@example.com " + key.Public)}, "valid"},
	} {
		got, results := states(fmt.Sprintf(signed, c.sig, keyEntry(c.claimed), ""), keysOf(t, c.files...))
		if len(got) != 1 || got[0] != c.want || c.want != "valid" && c.want != "placeholder" && results[0].Reason == "" {
			t.Errorf("%s: %v, want %s (%+v)", c.name, got, c.want, results)
		}
	}
}

func TestPrincipalsAreComparedWithAddresses(t *testing.T) {
	key := trusttest.NewSSHKey(t, "ed25519", "x")
	name := "ssh:" + key.Name
	src := fmt.Sprintf(signed, signature("human:alex", name, "author", key.Sign("toolpath", digest(t, fmt.Sprintf(signed, "", "", "")))), keyEntry(name), "")
	src = strings.Replace(src, `{"keys"`, `{"identities":[{"system":"email","id":"alex@example.com"}],"keys"`, 1)
	for principals, want := range map[string]string{"alex@example.com": "valid", "*@example.com": "valid", "bob@example.com": "key-not-of-signer", "*@example.com,!alex@*": "key-not-of-signer"} {
		if got, r := states(src, keysOf(t, trust.Material{Name: "allowed_signers", Content: []byte(principals + " " + key.Public)})); got[0] != want {
			t.Errorf("%s: %v, want %s: %+v", principals, got, want, r)
		}
	}
}

// A signature of the canonical bytes, in place of their digest, is one, and it is said.
func TestOtherMessages(t *testing.T) {
	key := trusttest.NewSSHKey(t, "ed25519", "x")
	name := "ssh:" + key.Name
	bare := fmt.Sprintf(signed, "", "", "")
	odd := strings.Replace(bare, `"change":{`, `"change":{"\ud83d\ude00":{"raw":"x"},"\uff5e":{"raw":"y"},`, 1)
	for _, c := range []struct {
		name, bare       string
		units, canonical bool
		byUnits, byBytes bool
		wantsNote        int
	}{
		{"digest", bare, false, false, false, false, 0},
		{"canonical bytes", bare, false, true, false, false, 1},
		{"digest, by bytes", odd, false, false, false, true, 1},
		{"digest, by units", odd, true, false, true, false, 1},
		{"canonical bytes, by units", odd, true, true, true, false, 2},
	} {
		f, err := trust.StepPayload(document(c.bare).Paths[0].Steps.At(0))
		if err != nil {
			t.Fatal(err)
		}
		message := f.ByBytes
		if c.units {
			message = f.ByUnits
		}
		if !c.canonical {
			sum := sha256.Sum256(message)
			message = sum[:]
		}
		src := strings.Replace(c.bare, `"signatures":[]`, `"signatures":[`+signature("human:alex", name, "author", key.Sign("toolpath", message))+`]`, 1)
		src = strings.Replace(src, `"keys":[]`, `"keys":[`+keyEntry(name)+`]`, 1)
		got, r := states(src, keysOf(t, trust.Material{Name: "a.pub", Content: []byte(key.Public)}))
		if got[0] != "valid" || r[0].Canonical != c.canonical || r[0].ByUnits != c.byUnits || r[0].ByBytes != c.byBytes || len(r[0].Notes()) != c.wantsNote {
			t.Errorf("%s: %v %+v", c.name, got, r)
		}
	}
}

// Whatever byte of a signed document is changed: what is still valid says the same.
func TestTamperingIsNeverValid(t *testing.T) {
	key := trusttest.NewSSHKey(t, "ed25519", "x")
	g := trusttest.NewGPG(t)
	fingerprint := g.Key("Alex", "ed25519", "0")
	names := []string{"ssh:" + key.Name, "gpg:" + fingerprint}
	keys := keysOf(t, trust.Material{Name: "a.pub", Content: []byte(key.Public)}, trust.Material{Name: "a.asc", Content: g.Export()})
	bare := document(fmt.Sprintf(signed, "", "", ""))
	author, _ := trust.PathPayload(bare.Paths[0])
	review, _ := trust.ReviewPayload(bare.Paths[0], "2026-01-29T16:00:00Z")
	sum := sha256Of
	src := fmt.Sprintf(signed,
		signature("human:alex", names[0], "author", key.Sign("toolpath", digest(t, fmt.Sprintf(signed, "", "", "")))),
		keyEntry(names[0])+","+keyEntry(names[1]),
		signature("human:alex", names[1], "author", g.Sign(fingerprint, sum(author.ByBytes)))+","+
			signature("human:alex", names[0], "reviewer", key.Sign("toolpath", sum(review.ByBytes))))
	if got, r := states(src, keys); !reflect.DeepEqual(got, []string{"valid", "valid", "valid"}) {
		t.Fatalf("%v: %+v", got, r)
	}
	original := values(src)
	steps, start, end := strings.Index(src, `"steps"`), strings.Index(src, `{"step"`), strings.Index(src, `],`+"\n"+`  "meta"`)
	trusttest.Flips(src, func(at int, changed string) {
		now := values(changed)
		trust.Each(document(changed), func(s trust.Signature) bool {
			if r := keys.Assess(s, time.Now()); r.State != trust.Valid {
				return true
			}
			what := fmt.Sprint(s.Step, s.Scope())
			// A fault elsewhere in the document does not matter to a step, nor one in a step to
			// a review, which does not sign the steps.
			elsewhere := now == nil && (s.Step == 0 && (at < start || at >= end) || s.Scope() == trust.Reviewer && at >= steps && at < end)
			if !elsewhere && !reflect.DeepEqual(now[what], original[what]) {
				t.Errorf("byte %d is changed, and the signature %s is valid:\n…%s…", at, what, changed[max(0, at-50):min(len(changed), at+50)])
			}
			return true
		})
	})
}

// values are for each signature of the test's document what it covers, and itself, as
// another reader of JSON has it; nil if that reader refuses the document.
func values(src string) map[string]any {
	var d struct {
		Paths []struct {
			Path  any
			Steps []struct {
				Step, Change any
				Meta         struct{ Signatures []map[string]any }
			}
			Meta struct{ Signatures []map[string]any }
		}
	}
	if json.Unmarshal([]byte(src), &d) != nil || len(d.Paths) != 1 || len(d.Paths[0].Steps) != 1 {
		return nil
	}
	all := map[string]any{}
	p := d.Paths[0]
	s := p.Steps[0]
	ids, _ := s.Step.(map[string]any)
	for _, sig := range p.Meta.Signatures {
		covered := []any{p.Path, essence(sig)}
		if sig["scope"] == trust.Author {
			covered = append(covered, ids["id"])
		}
		all[fmt.Sprint(-1, sig["scope"])] = covered
	}
	for _, sig := range s.Meta.Signatures {
		all[fmt.Sprint(0, sig["scope"])] = []any{s.Step, s.Change, essence(sig)}
	}
	return all
}

// essence is what of a signature counts: an author's timestamp is not signed (RFC "What Gets
// Signed"), and a key has more than one spelling.
func essence(sig map[string]any) any {
	key, _ := sig["key"].(string)
	all := []any{sig["signer"], sig["scope"], sig["sig"], trust.ParseKeyName(key)}
	if sig["scope"] == trust.Reviewer {
		all = append(all, sig["timestamp"])
	}
	return all
}

func TestSignatureLines(t *testing.T) {
	key := trusttest.NewSSHKey(t, "ed25519", "x")
	name := "ssh:" + key.Name
	const open = `{"PathOpen":{"version":"1","id":"p"}}` + "\n"
	def := fmt.Sprintf(`{"ActorDef":{"actor":"human:alex","definition":{"keys":[%s]}}}`+"\n", keyEntry(name))
	step := func(id, raw string) string {
		return fmt.Sprintf(`{"Step":{"step":{"id":%q,"actor":"human:alex","timestamp":"2026-01-29T10:00:00Z"},"change":{"f":{"raw":%q}}}}`+"\n", id, raw)
	}
	line := func(target, sig string) string {
		return fmt.Sprintf(`{"Signature":{"target":%q,"signature":%s}}`+"\n", target, sig)
	}
	sum := digest(t, open+step("s", "x"))
	sig := signature("human:alex", name, "author", key.Sign("toolpath", sum))
	keys := keysOf(t, trust.Material{Name: "a.pub", Content: []byte(key.Public)})
	for _, c := range []struct{ name, src, want string }{
		{"behind its step", open + def + step("s", "x") + line("step:s", sig), "valid"},
		{"the definition comes later", open + step("s", "x") + line("step:s", sig) + def, "valid"},
		{"of the latest step of the id", open + def + step("s", "y") + step("s", "x") + line("step:s", sig), "valid"},
		{"of an earlier step of the id", open + def + step("s", "x") + step("s", "y") + line("step:s", sig), "bad"},
		{"before its step", open + def + line("step:s", sig) + step("s", "x"), "no-payload"},
		{"of no step", open + def + step("s", "x") + line("step:z", sig), "no-payload"},
		{"of the path", open + def + step("s", "x") + line("path", sig), "bad"},
		{"with a field twice", open + def + step("s", "x") + strings.Replace(line("step:s", sig), `"signer"`, `"signer":"human:bob","signer"`, 1), "no-payload"},
	} {
		if got, r := states(c.src, keys); len(got) != 1 || got[0] != c.want {
			t.Errorf("%s: %v, want %s: %+v", c.name, got, c.want, r)
		}
	}
}

func TestVerify(t *testing.T) {
	key, other := trusttest.NewSSHKey(t, "ed25519", "x"), trusttest.NewSSHKey(t, "ed25519", "y")
	name, bob := trust.ParseKeyName("ssh:"+key.Name), trust.ParseKeyName("ssh:"+other.Name)
	bare := document(fmt.Sprintf(signed, "", "", ""))
	author, _ := trust.PathPayload(bare.Paths[0])
	sum := sha256.Sum256(author.ByBytes)
	stepSig := signature("human:alex", name.String(), "author", key.Sign("toolpath", digest(t, fmt.Sprintf(signed, "", "", ""))))
	pathSig := signature("human:alex", name.String(), "author", key.Sign("toolpath", sum[:]))
	placeholder := signature("human:alex", name.String(), "reviewer", "...")
	keys := keysOf(t, trust.Material{Name: "a.pub", Content: []byte(key.Public)})
	for _, c := range []struct {
		what       string
		step, path string
		policy     trust.Policy
		want       bool
	}{
		{"all signatures", stepSig, pathSig, trust.Policy{}, true},
		{"no signature", "", "", trust.Policy{}, false},
		{"a placeholder beside it", stepSig, pathSig + "," + placeholder, trust.Policy{}, false},
		{"author required, a placeholder beside it", "", pathSig + "," + placeholder, trust.Policy{Require: []string{"author"}}, true},
		{"reviewer required, a placeholder", "", pathSig + "," + placeholder, trust.Policy{Require: []string{"author", "reviewer"}}, false},
		{"author of the path required, one of the step", stepSig, "", trust.Policy{Require: []string{"author"}}, false},
		{"steps", stepSig, pathSig, trust.Policy{Require: []string{"author"}, Steps: true}, true},
		{"steps, one not signed", "", pathSig, trust.Policy{Require: []string{"author"}, Steps: true}, false},
		{"by a trusted key", "", pathSig, trust.Policy{Require: []string{"author"}, Trusted: []trust.KeyName{bob, name}}, true},
		{"by another key than the trusted one", "", pathSig, trust.Policy{Require: []string{"author"}, Trusted: []trust.KeyName{bob}}, false},
		{"a scope without payload", "", pathSig, trust.Policy{Require: []string{"witness"}}, false},
	} {
		got := trust.Verify(document(fmt.Sprintf(signed, c.step, keyEntry(name.String()), c.path)), keys, time.Now(), c.policy)
		if len(got) != 1 || got[0].Verified != c.want {
			t.Errorf("%s: %+v", c.what, got)
		}
	}
}

// A short name of an OpenPGP key does not bind it to an actor.
func TestShortNamesDoNotIdentify(t *testing.T) {
	g := trusttest.NewGPG(t)
	fingerprint := g.Key("Alex", "ed25519", "0")
	sig := g.Sign(fingerprint, digest(t, fmt.Sprintf(signed, "", "", "")))
	keys := keysOf(t, trust.Material{Name: "a.asc", Content: g.Export()})
	for digits, want := range map[int]string{40: "valid", 16: "valid", 8: "key-not-of-signer"} {
		short := "gpg:" + fingerprint[40-digits:]
		if got, r := states(fmt.Sprintf(signed, signature("human:alex", short, "author", sig), keyEntry(short), ""), keys); got[0] != want {
			t.Errorf("%d digits: %v: %+v", digits, got, r)
		}
	}
}

func TestKeyNames(t *testing.T) {
	for _, c := range []struct {
		a, b string
		like bool
	}{
		{"gpg:ABCD 1234 5678 90EF", "GPG:0xabcd1234567890ef", true}, {"gpg:ABCD1234", "gpg:FFFFFFFFABCD1234", true}, {"gpg:1234", "gpg:ABCD1234", false},
		{"ssh:SHA256:abc=", "ssh:SHA256:abc", true}, {"ssh:SHA256:abc", "ssh:SHA256:ABC", false}, {"gpg:ABCD1234", "ssh:ABCD1234", false}, {"gpg:", "gpg:", false},
		{"sigstore:a@example.com", "sigstore:https://i.example.com#a@example.com", true}, {"sigstore:https://j.example.com#a@example.com", "sigstore:https://i.example.com#a@example.com", false},
		{"sigstore:a@example.com", "sigstore:https://i.example.com#x#a@example.com", false}, {"gpg:BCD12345678", "gpg:ABCD12345678", false},
	} {
		if got := trust.ParseKeyName(c.a).Like(trust.ParseKeyName(c.b)); got != c.like {
			t.Errorf("%s and %s are alike: %v", c.a, c.b, got)
		}
	}
}

func sha256Of(b []byte) []byte {
	sum := sha256.Sum256(b)
	return sum[:]
}
