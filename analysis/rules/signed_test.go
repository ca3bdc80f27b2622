package rules_test

import (
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/rules"
)

// What a signature signs is never changed with everything else, unseen.
func TestSafeFixesLeaveSignedSteps(t *testing.T) {
	const sig = `{"signer": "human:a", "key": "gpg:A", "scope": "author", "timestamp": "2026-01-29 10:00:00Z", "sig": "MEUCIQ"}`
	place := strings.Replace(sig, "MEUCIQ", "...", 1)
	const step = `{"step": {"id": "s1", "actor": "human:a", "timestamp": "2026-01-29 10:00:00Z"}, "change": {}`
	for _, c := range []struct {
		name, file, content string
		edits               int
	}{
		{"unsigned", "a.path.json", `{"graph": {"id": "g"}, "paths": [{"path": {"id": "p", "head": "s1"}, "steps": [` + step + `}]}]}`, 1},
		{"signed: only the time of the signature", "a.path.json", `{"graph": {"id": "g"}, "paths": [{"path": {"id": "p", "head": "s1"}, "steps": [` + step + `, "meta": {"signatures": [` + sig + `]}}]}]}`, 1},
		{"with the place of a signature: all", "a.path.json", `{"graph": {"id": "g"}, "paths": [{"path": {"id": "p", "head": "s1"}, "steps": [` + step + `, "meta": {"signatures": [` + place + `]}}]}]}`, 2},
		{"unsigned stream", "a.path.jsonl", "{\"PathOpen\": {\"version\": \"1\", \"id\": \"p\"}}\n{\"Step\": " + step + "}}\n", 1},
		{"signed by a line: only the time of the signature", "a.path.jsonl", "{\"PathOpen\": {\"version\": \"1\", \"id\": \"p\"}}\n{\"Step\": " + step + "}}\n{\"Signature\": {\"target\": \"step:s1\", \"signature\": " + sig + "}}\n", 1},
		{"with a line for a signature: all", "a.path.jsonl", "{\"PathOpen\": {\"version\": \"1\", \"id\": \"p\"}}\n{\"Step\": " + step + "}}\n{\"Signature\": {\"target\": \"step:s1\", \"signature\": " + place + "}}\n", 2},
	} {
		uri := analysis.FileURI("/w/" + c.file)
		doc := analysis.NewWorkspace(&analysis.Options{Rules: rules.All()}, nil).Open(uri, "", 1, c.content).Document(uri)
		edits := analysis.SafeFixes(doc, analysis.Check(doc, &analysis.Options{Rules: rules.All()}, nil))
		if len(edits) != c.edits {
			t.Errorf("%s: %d edits: %+v", c.name, len(edits), edits)
		}
		for _, e := range edits {
			if signer := strings.Index(c.content, `"signer"`); c.edits == 1 && e.Start < signer {
				t.Errorf("%s: it changes %q", c.name, c.content[e.Start:e.End])
			}
		}
	}
}
