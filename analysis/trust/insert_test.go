package trust_test

import (
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/format"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust"
)

// A signature is written where the others are, in their layout; the rest stays byte for byte.
func TestInsert(t *testing.T) {
	const sig = `{"signer": "human:alex", "key": "gpg:AB", "scope": "author", "timestamp": "T", "sig": "a\nb"}`
	fields := trust.Fields{Signer: "human:alex", Key: trust.KeyName{Type: "gpg", Fingerprint: "AB"}, Scope: "author", Timestamp: "T", Sig: "a\nb"}
	withStep := func(step, meta string) string {
		return `{"graph":{"id":"g"},"paths":[{"path":{"id":"p","head":"s"},"steps":[` + step + `]` + meta + `}]}`
	}
	for _, c := range []struct {
		name, src string
		step      int
		want      string // what is inserted, with | before and behind as it stands
	}{
		{"a step without meta", withStep(`{"step":{"id":"s"},"change":{}}`, ""), 0, `"change":{}|,"meta": {"signatures": [` + sig + `]}|}`},
		{"a step with meta", withStep(`{"step":{"id":"s"},"change":{},"meta":{"intent":"x"}}`, ""), 0, `"intent":"x"|,"signatures": [` + sig + `]|}`},
		{"a step with no signatures yet", withStep(`{"step":{"id":"s"},"change":{},"meta":{"signatures":[ ]}}`, ""), 0, `"signatures":[|` + sig + `|]`},
		{"a step with a signature", withStep(`{"step":{"id":"s"},"change":{},"meta":{"signatures":[{"a":1}]}}`, ""), 0, `{"a":1}|,` + sig + `|]`},
		{"signatures on lines", withStep("{\n\t\"step\": {\"id\":\"s\"},\n\t\"change\": {},\n\t\"meta\": {\n\t\t\"signatures\": [\n\t\t\t{\"a\":1}\n\t\t]\n\t}\n}", ""), 0, "{\"a\":1}|,\n\t\t\t" + sig + "|\n"},
		{"members on lines", withStep("{\n  \"step\": {\"id\":\"s\"},\n  \"change\": {}\n}", ""), 0, "\"change\": {}|,\n  \"meta\": {\"signatures\": [" + sig + "]}|\n}"},
		{"lines that end in CR LF", withStep("{\r\n  \"step\": {\"id\":\"s\"},\r\n  \"change\": {}\r\n}", ""), 0, "\"change\": {}|,\r\n  \"meta\": {\"signatures\": [" + sig + "]}|\r\n}"},
		{"a path", withStep(`{"step":{"id":"s"},"change":{}}`, `, "meta": {"title": "t"}`), -1, `"title": "t"|,"signatures": [` + sig + `]|}`},
		{"an open stream", `{"PathOpen":{"version":"1","id":"p"}}` + "\n" + `{"Step":{"step":{"id":"s"},"change":{}}}` + "\n", 0, "}}}\n|" + `{"Signature":{"target":"step:s","signature":` + sig + "}}\n|"},
		{"a stream that is cut off", `{"PathOpen":{"version":"1","id":"p"}}` + "\n" + `{"Step":{"step":{"id":"s"},"change":{}}}`, -1, "}}}|\n" + `{"Signature":{"target":"path","signature":` + sig + "}}\n|"},
		{"a closed stream", `{"PathOpen":{"version":"1","id":"p"}}` + "\n" + `{"Step":{"step":{"id":"s"},"change":{}}}` + "\n" + `{"PathClose":{}}` + "\n", 0, "}}}\n|" + `{"Signature":{"target":"step:s","signature":` + sig + "}}\n|{\"PathClose\""},
	} {
		edits, err := trust.Insert(document(c.src).Paths[0], c.step, fields)
		if err != nil || len(edits) != 1 {
			t.Errorf("%s: %v, %v", c.name, edits, err)
			continue
		}
		got := string(format.Apply([]byte(c.src), edits))
		before, rest, _ := strings.Cut(c.want, "|")
		inserted, behind, _ := strings.Cut(rest, "|")
		if !strings.Contains(got, before+inserted+behind) || strings.Replace(got, inserted, "", 1) != strings.Replace(c.src, "[ ]", "[]", 1) {
			t.Errorf("%s:\n%s\nwant it with\n%s", c.name, got, before+inserted+behind)
		}
		if _, err := trust.PathPayload(document(got).Paths[0]); err != nil {
			t.Errorf("%s: %s is no document any more: %v", c.name, got, err)
		}
	}
	for name, src := range map[string]string{
		"meta is no object":         withStep(`{"step":{"id":"s"},"change":{},"meta":[]}`, ""),
		"signatures are no array":   withStep(`{"step":{"id":"s"},"change":{},"meta":{"signatures":{}}}`, ""),
		"a later step has the name": `{"PathOpen":{"version":"1","id":"p"}}` + "\n" + strings.Repeat(`{"Step":{"step":{"id":"s"},"change":{}}}`+"\n", 2),
	} {
		if edits, err := trust.Insert(document(src).Paths[0], 0, fields); err == nil {
			t.Errorf("%s: %v", name, edits)
		}
	}
}

// An actor gets a key where its definition is.
func TestDefine(t *testing.T) {
	key := trust.KeyName{Type: "ssh", Fingerprint: "SHA256:x"}
	const entry = `{"type": "ssh", "fingerprint": "SHA256:x"}`
	path := func(meta string) string {
		return `{"graph":{"id":"g"},"paths":[{"path":{"id":"p","head":"s"},"steps":[{"step":{"id":"s"},"change":{}}]` + meta + `}]}`
	}
	const open = `{"PathOpen":{"version":"1","id":"p"}}` + "\n"
	for _, c := range []struct{ name, src, want string }{
		{"no meta", path(""), `]|,"meta": {"actors": {"human:a": {"keys": [` + entry + `]}}}|}`},
		{"no actors", path(`,"meta":{"title":"t"}`), `"t"|,"actors": {"human:a": {"keys": [` + entry + `]}}|}`},
		{"other actors", path(`,"meta":{"actors":{"human:b":{}}}`), `"human:b":{}|,"human:a": {"keys": [` + entry + `]}|}`},
		{"no keys", path(`,"meta":{"actors":{"human:a":{"name":"A"}}}`), `"A"|,"keys": [` + entry + `]|}`},
		{"other keys", path(`,"meta":{"actors":{"human:a":{"keys":[{"type":"gpg","fingerprint":"AB"}]}}}`), `"AB"}|,` + entry + `|]`},
		{"the key", path(`,"meta":{"actors":{"human:a":{"keys":[{"type":"ssh","fingerprint":"SHA256:x"}]}}}`), ""},
		{"a stream", open, "}}\n|" + `{"ActorDef":{"actor":"human:a","definition":{"keys": [` + entry + "]}}}\n|"},
		{"a stream with a definition", open + `{"ActorDef":{"actor":"human:a","definition":{"name":"A"}}}` + "\n", "}}}\n|" + `{"ActorDef":{"actor":"human:a","definition":{"name":"A","keys": [` + entry + "]}}}\n|"},
	} {
		edits, err := trust.Define(document(c.src).Paths[0], -1, "human:a", key)
		if err != nil || len(edits) > 1 {
			t.Fatalf("%s: %v, %v", c.name, edits, err)
		}
		got := string(format.Apply([]byte(c.src), edits))
		if want := strings.ReplaceAll(c.want, "|", ""); !strings.Contains(got, want) || c.want == "" && got != c.src {
			t.Errorf("%s:\n%s\nwant it with\n%s", c.name, got, want)
		}
		if edits, err := trust.Define(document(got).Paths[0], -1, "human:a", key); err != nil || edits != nil {
			t.Errorf("%s: then it is defined again: %v, %v", c.name, edits, err)
		}
	}
}
