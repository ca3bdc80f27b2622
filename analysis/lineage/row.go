package lineage

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"

	"github.com/toolpath-ls/toolpath-ls/analysis/lineage/pyjson"
)

// Row is one row of a spine, its values converted as its tools do: what is no text was made
// one, a timestamp is an integer. Members that are not named here are lost.
type Row struct {
	Version      *big.Int
	PrevHash     string
	ArtifactPath string
	ContentHash  string
	Actor        string
	StepID       string
	Model        string
	Timestamp    *big.Int // in a unit that the writer chose; nanoseconds by default
	EntryHash    string
	HMAC         string
	// Optional trace context (W3C Trace Context, W3C Baggage); nil where absent.
	Traceparent, Tracestate, Baggage *string
}

// The members of a row. The mandatory ones are sorted, as error messages list them.
var (
	mandatoryOfRow = []string{"actor", "artifact_path", "content_hash", "entry_hash", "hmac", "model", "prev_hash", "step_id", "timestamp", "v"}
	traceOfRow     = []string{"traceparent", "tracestate", "baggage"}
)

// rowOf converts a row. It fails where a member is missing or cannot be converted.
func rowOf(v pyjson.Value) (Row, bool) {
	var r Row
	for _, m := range []struct {
		name string
		to   *string
	}{
		{"prev_hash", &r.PrevHash}, {"artifact_path", &r.ArtifactPath}, {"content_hash", &r.ContentHash}, {"actor", &r.Actor},
		{"step_id", &r.StepID}, {"model", &r.Model}, {"entry_hash", &r.EntryHash}, {"hmac", &r.HMAC},
	} {
		value, ok := v.Get(m.name)
		if !ok {
			return r, false
		}
		if *m.to, ok = value.ToText(); !ok {
			return r, false
		}
	}
	for _, m := range []struct {
		name string
		to   **big.Int
	}{{"v", &r.Version}, {"timestamp", &r.Timestamp}} {
		value, ok := v.Get(m.name)
		if !ok {
			return r, false
		}
		if *m.to, ok = value.ToInt(); !ok {
			return r, false
		}
	}
	for i, to := range []**string{&r.Traceparent, &r.Tracestate, &r.Baggage} {
		value, _ := v.Get(traceOfRow[i])
		if value.Kind() == pyjson.None {
			continue
		}
		s, ok := value.ToText()
		if !ok {
			return r, false
		}
		*to = &s
	}
	return r, true
}

// ParseRow reads a line of a spine.
func ParseRow(line []byte) (Row, error) {
	v, err := pyjson.Parse(line)
	if err != nil {
		return Row{}, fmt.Errorf("the line is not JSON: %w", err)
	}
	r, ok := rowOf(v)
	if !ok {
		return Row{}, errors.New("the line is no row of a spine")
	}
	return r, nil
}

// fields returns what the row's hash is over.
func (r Row) fields() []pyjson.Member {
	out := []pyjson.Member{
		{Name: "prev_hash", Value: pyjson.Text(r.PrevHash)},
		{Name: "artifact_path", Value: pyjson.Text(r.ArtifactPath)},
		{Name: "content_hash", Value: pyjson.Text(r.ContentHash)},
		{Name: "actor", Value: pyjson.Text(r.Actor)},
		{Name: "step_id", Value: pyjson.Text(r.StepID)},
		{Name: "model", Value: pyjson.Text(r.Model)},
		{Name: "timestamp", Value: pyjson.Integer(r.Timestamp)},
	}
	for i, s := range []*string{r.Traceparent, r.Tracestate, r.Baggage} {
		if s != nil {
			out = append(out, pyjson.Member{Name: traceOfRow[i], Value: pyjson.Text(*s)})
		}
	}
	return out
}

// schemeOf returns the scheme that a version stands for, 0 for none.
func schemeOf(v pyjson.Value) int {
	for _, scheme := range []int64{1, 2} {
		if v.Equal(pyjson.Number(scheme)) {
			return int(scheme)
		}
	}
	return 0
}

// preimage returns what a row's hash is over: a tag of the scheme, and the fields in the
// legacy form whatever the spine's profile is. The error is pyjson.ErrSurrogate.
func (r Row) preimage(scheme int) ([]byte, error) {
	var out []byte
	if scheme == 2 {
		out = append(out, domainTag...)
	}
	return pyjson.Append(out, pyjson.Map(r.fields()...), pyjson.Legacy)
}

// hash returns the hash of the row in the scheme.
func (r Row) hash(scheme int) (string, error) {
	preimage, err := r.preimage(scheme)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(preimage)
	return hashPrefix + hex.EncodeToString(sum[:]), nil
}

// Value returns the row as it is written.
func (r Row) Value() pyjson.Value {
	return pyjson.Map(append(r.fields(),
		pyjson.Member{Name: "v", Value: pyjson.Integer(r.Version)},
		pyjson.Member{Name: "entry_hash", Value: pyjson.Text(r.EntryHash)},
		pyjson.Member{Name: "hmac", Value: pyjson.Text(r.HMAC)},
	)...)
}

// Verify says whether the row's hash and its tag, in the legacy profile, are right. It
// looks at the row alone, and not at its place in the chain.
func (r Row) Verify(key *Key) bool {
	scheme := schemeOf(pyjson.Integer(r.Version))
	if scheme == 0 {
		return false
	}
	hash, err := r.hash(scheme)
	if err != nil || hash != r.EntryHash {
		return false
	}
	message, err := pyjson.Encode(r.Value().Without("hmac"), pyjson.Legacy)
	return err == nil && sameText(tag(key.forScheme(scheme), message), r.HMAC)
}
