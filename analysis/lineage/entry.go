package lineage

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/lineage/pyjson"
)

// Entry is one entry of the signed log: one version of an artifact.
type Entry struct {
	ArtefactPath string
	ArtefactKind string
	ContentHash  string
	Parents      []string // the hashes of the entries that it was made from
	AgentID      string
	AgentCardKid string
	ToolCallID   string
	SpanID       string
	TsNS         *big.Int // since 1970, in ns; nil where the log has no integer
	OperatorHMAC string

	// What is optional is left out where it is absent: "" or nil.
	TrustClass        string
	ActivitySource    string
	Sensitivity       string
	AttachmentDigests []string // hex without a prefix
	ModelRef          *ModelRef
	// ExternalAttestation is what someone outside claims (foreignattestation.go).
	ExternalAttestation pyjson.Value

	value     pyjson.Value
	canonical []byte
	hash      string
}

// ModelRef names the model that made a version. The log has null where a pointer is nil.
type ModelRef struct {
	Provider            string
	ModelRequested      string
	ModelReported       *string
	Version             *string
	RoutingDecisionHash string // "" or a hash
}

// The values that the members of an entry may have.
var (
	artefactKinds = []string{"file", "sdd-runtime", "mcp-result", "config", "tool-result", "report", "dataset", "action_log",
		"ops_result", "query-result", "external", "finding", "coverage", "blob"}
	trustClasses    = []string{"public", "third_party", "first_party", "workspace", "operator"} // by rank
	sensitivities   = []string{"public", "internal", "confidential", "restricted"}              // by rank
	activitySources = []string{"scheduler", "adapter"}
)

var (
	mandatoryOfEntry = []string{"v", "artefact_path", "artefact_kind", "content_hash", "parent_hashes", "agent_id", "agent_card_kid",
		"tool_call_id", "span_id", "ts_ns", "operator_hmac"}
	optionalOfEntry = []string{"trust_class", "activity_source", "attachment_digests", "model_ref", "sensitivity", "external_attestation"}
)

// EntryError says why a line is no entry.
type EntryError struct {
	Kind    string // ParseError or CorruptEntry
	Field   string // the member at fault, "" for the line as a whole
	Message string
}

func (e *EntryError) Error() string { return e.Message }

func corrupt(field, format string, args ...any) error {
	return &EntryError{CorruptEntry, field, fmt.Sprintf(format, args...)}
}

// ParseEntry reads a line of the signed log. It need not be in its canonical spelling:
// compare it with Canonical. The error is an [EntryError].
func ParseEntry(line []byte) (*Entry, error) {
	v, err := pyjson.Parse(line)
	if err != nil {
		return nil, &EntryError{ParseError, "", "the line is not JSON: " + err.Error()}
	}
	return EntryOf(v)
}

// EntryOf makes an entry of its members. Optional ones that are null count as absent.
func EntryOf(v pyjson.Value) (*Entry, error) {
	if v.Kind() != pyjson.Object {
		return nil, corrupt("", "the line is a JSON %s and not an object", v.Kind())
	}
	var absent []string
	for _, m := range v.Members() {
		switch {
		case slices.Contains(mandatoryOfEntry, m.Name):
		case !slices.Contains(optionalOfEntry, m.Name):
			return nil, corrupt(m.Name, "an entry has no member %q", m.Name)
		case m.Value.Kind() == pyjson.None:
			absent = append(absent, m.Name)
		}
	}
	for _, name := range mandatoryOfEntry {
		if _, ok := v.Get(name); !ok {
			return nil, corrupt("", "the entry lacks %q", name)
		}
	}
	e := &Entry{value: v.Without(absent...)}
	if err := e.read(); err != nil {
		return nil, err
	}
	var err error
	if e.canonical, err = pyjson.Encode(e.value, pyjson.Legacy); err != nil {
		return nil, corrupt("", "the entry cannot be hashed: %v", err)
	}
	sum := sha256.Sum256(e.canonical)
	e.hash = hashPrefix + hex.EncodeToString(sum[:])
	return e, nil
}

// read fills the fields and checks the values. Types are checked only where the log's own
// tools do, so that what they accept is accepted.
func (e *Entry) read() error {
	text := func(name string) string {
		v, _ := e.value.Get(name)
		return v.Text()
	}
	if v, _ := e.value.Get("v"); schemeOf(v) != 1 {
		return corrupt("v", "entries of version %s are not known", literal(v))
	}
	e.ArtefactPath = text("artefact_path")
	if v, _ := e.value.Get("artefact_path"); v.Kind() != pyjson.String {
		return corrupt("artefact_path", "\"artefact_path\" is a JSON %s and not a string", v.Kind())
	}
	if e.ArtefactKind = text("artefact_kind"); !slices.Contains(artefactKinds, e.ArtefactKind) {
		v, _ := e.value.Get("artefact_kind")
		return corrupt("artefact_kind", "artefact kind %s is not known", literal(v))
	}
	if e.ContentHash = text("content_hash"); !strings.HasPrefix(e.ContentHash, hashPrefix) {
		v, _ := e.value.Get("content_hash")
		return corrupt("content_hash", "a content hash must begin with \"sha256:\", not %s", literal(v))
	}
	parents, _ := e.value.Get("parent_hashes")
	if parents.Kind() != pyjson.List {
		return corrupt("parent_hashes", "\"parent_hashes\" is a JSON %s and not an array", parents.Kind())
	}
	for _, p := range parents.Items() {
		if !strings.HasPrefix(p.Text(), hashPrefix) {
			return corrupt("parent_hashes", "a parent hash must begin with \"sha256:\", not %s", literal(p))
		}
		e.Parents = append(e.Parents, p.Text())
	}
	e.AgentID, e.AgentCardKid = text("agent_id"), text("agent_card_kid")
	e.ToolCallID, e.SpanID, e.OperatorHMAC = text("tool_call_id"), text("span_id"), text("operator_hmac")
	at, _ := e.value.Get("ts_ns")
	e.TsNS, _ = at.BigInt()
	for _, m := range []struct {
		name  string
		to    *string
		among []string
	}{{"trust_class", &e.TrustClass, trustClasses}, {"sensitivity", &e.Sensitivity, sensitivities}, {"activity_source", &e.ActivitySource, activitySources}} {
		v, ok := e.value.Get(m.name)
		if !ok {
			continue
		}
		if *m.to = v.Text(); !slices.Contains(m.among, *m.to) {
			return corrupt(m.name, "%s %s is not known", m.name, literal(v))
		}
	}
	if v, ok := e.value.Get("attachment_digests"); ok {
		if len(v.Items()) == 0 {
			return corrupt("attachment_digests", "\"attachment_digests\" must be left out rather than empty")
		}
		for _, d := range v.Items() {
			if !isHex(d.Text(), 64) {
				return corrupt("attachment_digests", "an attachment digest must be 64 digits of lower-case hex, not %s", literal(d))
			}
			e.AttachmentDigests = append(e.AttachmentDigests, d.Text())
		}
	}
	if v, ok := e.value.Get("model_ref"); ok {
		m, fault := modelRefOf(v)
		if fault != "" {
			return corrupt("model_ref", "%s", fault)
		}
		e.ModelRef = m
	}
	if v, ok := e.value.Get("external_attestation"); ok {
		if fault, _ := attestationFault(v); fault != "" {
			return corrupt("external_attestation", "%s", fault)
		}
		e.ExternalAttestation = v
	}
	return nil
}

func modelRefOf(v pyjson.Value) (*ModelRef, string) {
	var m ModelRef
	if v.Kind() != pyjson.Object || len(v.Members()) != 5 {
		return nil, `"model_ref" must be an object with provider, model_requested, model_reported, version and routing_decision_hash`
	}
	for _, f := range []struct {
		name string
		to   *string
		null **string
	}{
		{"provider", &m.Provider, nil}, {"model_requested", &m.ModelRequested, nil}, {"model_reported", nil, &m.ModelReported},
		{"version", nil, &m.Version}, {"routing_decision_hash", &m.RoutingDecisionHash, nil},
	} {
		value, ok := v.Get(f.name)
		switch {
		case !ok:
			return nil, fmt.Sprintf(`"model_ref" lacks %q`, f.name)
		case value.Kind() == pyjson.None && f.null != nil:
		case value.Kind() != pyjson.String:
			return nil, fmt.Sprintf("%q of \"model_ref\" is a JSON %s and not a string", f.name, value.Kind())
		case f.null != nil:
			s := value.Text()
			*f.null = &s
		default:
			*f.to = value.Text()
		}
	}
	if m.ModelRequested == "" {
		return nil, `"model_requested" of "model_ref" is empty`
	}
	if m.RoutingDecisionHash != "" && !strings.HasPrefix(m.RoutingDecisionHash, hashPrefix) {
		return nil, `"routing_decision_hash" of "model_ref" must be empty or begin with "sha256:"`
	}
	return &m, ""
}

// Canonical returns the bytes that an entry is written as, hashed over and signed over:
// sorted members, absent ones left out. They are not to be changed.
func (e *Entry) Canonical() []byte { return e.canonical }

// Hash returns the entry's hash, which its children name as a parent. It covers the
// operator's tag.
func (e *Entry) Hash() string { return e.hash }

// HMACMessage returns what the operator's tag is over: the canonical bytes with an empty
// tag.
func (e *Entry) HMACMessage() []byte {
	out, err := pyjson.Encode(e.value.With("operator_hmac", pyjson.Text("")), pyjson.Legacy)
	if err != nil {
		panic(err) // the entry itself was written
	}
	return out
}

// HasTag says whether the operator's tag was made with the secret, which is used as it is.
func (e *Entry) HasTag(secret []byte) bool {
	return sameText(tag(secret, e.HMACMessage()), e.OperatorHMAC)
}

// Member returns a member of the entry as it was read.
func (e *Entry) Member(name string) (pyjson.Value, bool) { return e.value.Get(name) }

// Model returns how the model is called that made the version, "" if it is not recorded.
func (e *Entry) Model() string {
	if e.ModelRef == nil {
		return ""
	}
	if e.ModelRef.ModelReported != nil {
		return *e.ModelRef.ModelReported
	}
	return e.ModelRef.ModelRequested
}
