package lineage

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/lineage/pyjson"
)

// Write is one write of an artifact, as a spine records it.
type Write struct {
	ArtifactPath string
	ContentHash  string // of the exact bytes written
	Actor        string // such as "agent:worker-1"
	StepID       string
	Model        string // may be empty
	Timestamp    *big.Int
	Trace
}

// Trace is the trace context that a write belongs to. Nil members are left out.
type Trace struct {
	Traceparent, Tracestate, Baggage *string
}

// CheckRunID says whether a name may be that of a run: its folder must be right below the
// lineage folder.
func CheckRunID(id string) error {
	switch {
	case id == "":
		return fmt.Errorf("a run id is empty")
	case strings.ContainsAny(id, `/\`):
		return fmt.Errorf("run id %q has a path separator: its rows would land in another folder", id)
	case strings.ContainsRune(id, 0):
		return fmt.Errorf("run id %q has a NUL", id)
	case id == "." || strings.HasPrefix(id, ".."):
		return fmt.Errorf("run id %q is the name of a parent folder", id)
	}
	return nil
}

// NewRow makes the row, and its line without the newline, that follows the row of a hash;
// "" for the first row. Rows are of scheme 2. The errors say why a write cannot be recorded:
// a [KeyError], or text that UTF-8 cannot write.
func NewRow(w Write, prev string, profile Profile, key *Key) (Row, []byte, error) {
	if err := CheckArtifactKey(w.ArtifactPath); err != nil {
		return Row{}, nil, err
	}
	r := Row{
		Version: big.NewInt(2), PrevHash: prev, ArtifactPath: w.ArtifactPath, ContentHash: w.ContentHash,
		Actor: w.Actor, StepID: w.StepID, Model: w.Model, Timestamp: w.Timestamp,
		Traceparent: w.Traceparent, Tracestate: w.Tracestate, Baggage: w.Baggage,
	}
	hash, err := r.hash(2)
	if err != nil {
		return Row{}, nil, fmt.Errorf("artifact %q: %w", w.ArtifactPath, err)
	}
	r.EntryHash = hash
	message, err := pyjson.Encode(r.Value().Without("hmac"), profile.form())
	if err != nil {
		return Row{}, nil, err
	}
	r.HMAC = tag(key.derived, message)
	line, err := pyjson.Encode(r.Value(), profile.form())
	return r, line, err
}

// WriteEvent returns the line, without its newline, that the side journal of a run
// (artifact-events.jsonl) has for a row.
func WriteEvent(runID string, r Row) ([]byte, error) {
	return pyjson.Encode(pyjson.Map(
		pyjson.Member{Name: "actor", Value: pyjson.Text(r.Actor)},
		pyjson.Member{Name: "content_hash", Value: pyjson.Text(r.ContentHash)},
		pyjson.Member{Name: "entry_hash", Value: pyjson.Text(r.EntryHash)},
		pyjson.Member{Name: "model", Value: pyjson.Text(r.Model)},
		pyjson.Member{Name: "run_id", Value: pyjson.Text(runID)},
		pyjson.Member{Name: "step_id", Value: pyjson.Text(r.StepID)},
		pyjson.Member{Name: "timestamp", Value: pyjson.Integer(r.Timestamp)},
		pyjson.Member{Name: "uri", Value: pyjson.Text(r.ArtifactPath)},
		pyjson.Member{Name: "v", Value: pyjson.Number(1)},
		pyjson.Member{Name: "verified", Value: pyjson.Truth(true)},
	), pyjson.Legacy)
}

// TraceFrom returns the trace context of an environment (TRACEPARENT, TRACESTATE and
// BAGGAGE, or in lower case). Of the baggage only members for the orchestrator are kept; if
// there are none the context is some other tool's, and nothing of it is recorded.
func TraceFrom(getenv func(string) string) Trace {
	get := func(name string) *string {
		for _, n := range []string{name, strings.ToLower(name)} {
			if s := getenv(n); s != "" {
				return &s
			}
		}
		return nil
	}
	baggage := get("BAGGAGE")
	if baggage == nil {
		return Trace{}
	}
	var kept []string
	for member := range strings.SplitSeq(*baggage, ",") {
		member = strings.TrimSpace(member)
		name, _, _ := strings.Cut(member, "=")
		name = strings.ToLower(strings.TrimSpace(name))
		if strings.HasPrefix(name, "bernstein-") || strings.HasPrefix(name, "bernstein.") {
			kept = append(kept, member)
		}
	}
	if kept == nil {
		return Trace{}
	}
	ours := strings.Join(kept, ",")
	return Trace{get("TRACEPARENT"), get("TRACESTATE"), &ours}
}
