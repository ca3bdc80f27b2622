package lineage

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/lineage/pyjson"
)

// Seal is a version of an artifact that is to be recorded in the signed log.
type Seal struct {
	ArtefactPath string
	ArtefactKind string
	ContentHash  string
	// ExtraParents are entries that the version was made from, beside the artifact's own
	// last version. Two parents or more are taken for the merge of a fork.
	ExtraParents []string
	// Parents, if not nil, are all of the parents.
	Parents    []string
	ToolCallID string
	SpanID     string
	TsNS       *big.Int

	TrustClass          string
	ActivitySource      string
	Sensitivity         string
	AttachmentDigests   []string
	ModelRef            *ModelRef
	ExternalAttestation *pyjson.Value
}

// Signer is the agent that writes, and the operator's secret; nil secret is an empty one.
type Signer struct {
	AgentID string
	Kid     string
	Key     ed25519.PrivateKey
	Secret  []byte
}

// SealWrite makes the signed entry of a version. Open are the open tips of the artifact: the
// first, if there is any, becomes a parent. The errors are a [KeyError] and those of
// [EntryOf].
func SealWrite(s Seal, open []string, by Signer) (*Entry, string, error) {
	if err := CheckArtifactKey(s.ArtefactPath); err != nil {
		return nil, "", err
	}
	parents := s.Parents
	if parents == nil {
		parents = append(parents, open[:min(1, len(open))]...)
		for _, p := range s.ExtraParents {
			if !slices.Contains(parents, p) {
				parents = append(parents, p)
			}
		}
	}
	v := pyjson.Map(
		pyjson.Member{Name: "v", Value: pyjson.Number(1)},
		pyjson.Member{Name: "artefact_path", Value: pyjson.Text(s.ArtefactPath)},
		pyjson.Member{Name: "artefact_kind", Value: pyjson.Text(s.ArtefactKind)},
		pyjson.Member{Name: "content_hash", Value: pyjson.Text(s.ContentHash)},
		pyjson.Member{Name: "parent_hashes", Value: pyjson.Texts(parents)},
		pyjson.Member{Name: "agent_id", Value: pyjson.Text(by.AgentID)},
		pyjson.Member{Name: "agent_card_kid", Value: pyjson.Text(by.Kid)},
		pyjson.Member{Name: "tool_call_id", Value: pyjson.Text(s.ToolCallID)},
		pyjson.Member{Name: "span_id", Value: pyjson.Text(s.SpanID)},
		pyjson.Member{Name: "ts_ns", Value: pyjson.Integer(s.TsNS)},
		pyjson.Member{Name: "operator_hmac", Value: pyjson.Text("")},
	)
	for _, m := range []struct{ name, value string }{
		{"trust_class", s.TrustClass}, {"activity_source", s.ActivitySource}, {"sensitivity", s.Sensitivity},
	} {
		if m.value != "" {
			v = v.With(m.name, pyjson.Text(m.value))
		}
	}
	if s.AttachmentDigests != nil {
		v = v.With("attachment_digests", pyjson.Texts(s.AttachmentDigests))
	}
	if s.ModelRef != nil {
		v = v.With("model_ref", s.ModelRef.value())
	}
	if s.ExternalAttestation != nil {
		v = v.With("external_attestation", *s.ExternalAttestation)
	}
	unsealed, err := EntryOf(v)
	if err != nil {
		return nil, "", err
	}
	entry, err := EntryOf(v.With("operator_hmac", pyjson.Text(tag(by.Secret, unsealed.canonical))))
	if err != nil {
		return nil, "", err
	}
	jws, err := SignDetached(entry.canonical, by.Kid, by.Key)
	return entry, jws, err
}

func (m *ModelRef) value() pyjson.Value {
	orNull := func(s *string) pyjson.Value {
		if s == nil {
			return pyjson.Null
		}
		return pyjson.Text(*s)
	}
	return pyjson.Map(
		pyjson.Member{Name: "provider", Value: pyjson.Text(m.Provider)},
		pyjson.Member{Name: "model_requested", Value: pyjson.Text(m.ModelRequested)},
		pyjson.Member{Name: "model_reported", Value: orNull(m.ModelReported)},
		pyjson.Member{Name: "version", Value: orNull(m.Version)},
		pyjson.Member{Name: "routing_decision_hash", Value: pyjson.Text(m.RoutingDecisionHash)},
	)
}

// Where the signed log keeps what follows from it, relative to the lineage folder.

// LogFile is the signed log itself.
const LogFile = "log.jsonl"

func pathHash(artefactPath string) string {
	sum := sha256.Sum256([]byte(artefactPath))
	return hex.EncodeToString(sum[:])
}

// ProjectionFile returns the file that has the entries of one artifact.
func ProjectionFile(artefactPath string) string {
	h := pathHash(artefactPath)
	return "by-artefact/" + h[:2] + "/" + h + ".jsonl"
}

// TipsFile returns the file that has the tips of an artifact.
func TipsFile(artefactPath string) string { return "tips/" + pathHash(artefactPath) + ".json" }

// SignatureFile returns the file that has the signature of an entry.
func SignatureFile(artefactPath, entryHash string) string {
	h := pathHash(artefactPath)
	return "signatures/" + h[:2] + "/" + h + "/" + entryHash[min(len(hashPrefix), len(entryHash)):] + ".jws"
}

// Tips are the versions of an artifact that nothing follows (open), and those that a merge
// joined. Both are hashes of entries, in the order of the log.
type Tips struct{ Open, Merged []string }

// Add makes the entry, of the same artifact, the newest version.
func (t *Tips) Add(e *Entry) {
	if len(e.Parents) == 0 {
		t.Open = append(t.Open, e.hash)
		return
	}
	open := t.Open[:0:0]
	for _, h := range t.Open {
		if !slices.Contains(e.Parents, h) {
			open = append(open, h)
		} else if len(e.Parents) >= 2 && !slices.Contains(t.Merged, h) {
			t.Merged = append(t.Merged, h)
		}
	}
	t.Open = append(open, e.hash)
}

// Bytes returns the content of the artifact's tips file.
func (t Tips) Bytes() []byte {
	out, err := pyjson.Encode(pyjson.Map(
		pyjson.Member{Name: "merged", Value: pyjson.Texts(t.Merged)},
		pyjson.Member{Name: "open", Value: pyjson.Texts(t.Open)},
	), pyjson.Legacy)
	if err != nil {
		panic(err) // hashes are ASCII
	}
	return out
}

var notSlug = regexp.MustCompile(`[^a-z0-9._-]+`)

// ToolResultPath returns the artifact that the result of a tool is recorded under. A tool
// whose name is nothing but dots has one that may not be recorded.
func ToolResultPath(tool, contentHash string) string {
	slug := strings.Trim(notSlug.ReplaceAllString(strings.ToLower(strings.TrimSpace(tool)), "-"), "-")
	if slug == "" {
		slug = "tool"
	}
	hex := strings.TrimPrefix(contentHash, hashPrefix)
	return "provenance/" + slug + "/" + hex[:min(16, len(hex))]
}
