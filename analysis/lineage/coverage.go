package lineage

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/lineage/pyjson"
)

// Coverage says how much of a corpus a tool looked at, so that "nothing was found" can be
// told from "nothing was looked at".
type Coverage struct {
	FileCount    *big.Int
	CorpusDigest string // of the names of the files, not of their contents
	// Coverage is "complete" or "partial".
	Coverage         string
	Truncated        bool
	TruncationReason *string
	ExitStatus       pyjson.Value // a text, an integer or null
	ExitChecked      bool
}

// CorpusDigest returns the digest of a corpus: of the paths of its files.
func CorpusDigest(paths []string) string {
	sorted := slices.Sorted(slices.Values(paths))
	return ContentHash([]byte(strings.Join(sorted, "\n")))
}

// Bytes returns the record as it is hashed.
func (c Coverage) Bytes() []byte {
	reason := pyjson.Null
	if c.TruncationReason != nil {
		reason = pyjson.Text(*c.TruncationReason)
	}
	out, err := pyjson.Encode(pyjson.Map(
		pyjson.Member{Name: "file_count", Value: pyjson.Integer(c.FileCount)},
		pyjson.Member{Name: "corpus_digest", Value: pyjson.Text(c.CorpusDigest)},
		pyjson.Member{Name: "coverage", Value: pyjson.Text(c.Coverage)},
		pyjson.Member{Name: "truncated", Value: pyjson.Truth(c.Truncated)},
		pyjson.Member{Name: "truncation_reason", Value: reason},
		pyjson.Member{Name: "exit_status", Value: c.ExitStatus},
		pyjson.Member{Name: "exit_checked", Value: pyjson.Truth(c.ExitChecked)},
	), pyjson.ASCII)
	if err != nil {
		panic(err) // ASCII writes every text
	}
	return out
}

// ParseCoverage reads a record.
func ParseCoverage(src []byte) (Coverage, error) {
	v, err := pyjson.Parse(src)
	if err != nil {
		return Coverage{}, fmt.Errorf("the coverage record is not JSON: %w", err)
	}
	var c Coverage
	get := func(name string, kinds ...pyjson.Kind) pyjson.Value {
		m, ok := v.Get(name)
		if err == nil && (!ok || !slices.Contains(kinds, m.Kind())) {
			err = fmt.Errorf("the coverage record has no %q, or it is a JSON %s", name, m.Kind())
		}
		return m
	}
	c.FileCount, _ = get("file_count", pyjson.Int).BigInt()
	c.CorpusDigest = get("corpus_digest", pyjson.String).Text()
	c.Coverage = get("coverage", pyjson.String).Text()
	c.Truncated = get("truncated", pyjson.Bool).Truth()
	if reason := get("truncation_reason", pyjson.String, pyjson.None); reason.Kind() == pyjson.String {
		s := reason.Text()
		c.TruncationReason = &s
	}
	c.ExitStatus = get("exit_status", pyjson.String, pyjson.Int, pyjson.None)
	c.ExitChecked = get("exit_checked", pyjson.Bool).Truth()
	if err == nil && c.Coverage != "complete" && c.Coverage != "partial" {
		err = fmt.Errorf("the coverage record says %q, and not complete or partial", c.Coverage)
	}
	return c, err
}

// CoveragePath returns the artifact that a tool call's coverage is recorded under.
func CoveragePath(tool, toolCallID string) string {
	part := func(s, otherwise string) string {
		s = strings.ReplaceAll(strings.TrimSpace(s), "/", "_")
		if s == "" {
			return otherwise
		}
		return s
	}
	return "coverage/" + part(tool, "tool") + "/" + part(toolCallID, "unknown")
}

// CoverageSpan is the span id of a coverage entry that has no other.
const CoverageSpan = "0000000000000000"

// SealCoverage returns what records a coverage record: its hash, and not the record itself.
func SealCoverage(tool, toolCallID string, record Coverage, tsNS *big.Int) Seal {
	return Seal{ArtefactPath: CoveragePath(tool, toolCallID), ArtefactKind: "coverage", ContentHash: ContentHash(record.Bytes()),
		ToolCallID: toolCallID, SpanID: CoverageSpan, TsNS: tsNS}
}

// CoverageState is what can be said of a tool call's coverage.
type CoverageState string

// The states. None of them says that the coverage was sufficient; only with the record at
// hand can that be judged.
const (
	CoverageAbsent     CoverageState = "absent"     // nothing was recorded
	CoverageUnverified CoverageState = "unverified" // a hash was recorded, and the bytes are not at hand
	CoverageMismatch   CoverageState = "mismatch"   // the bytes are not those that were recorded
	CoverageRecorded   CoverageState = "recorded"   // the bytes are those that were recorded
)

// CheckCoverage says what the log has about the coverage of a tool call. Record is the
// record's bytes, nil where they are not at hand: then the claim is unverified, and must
// not be taken for a passing one.
func CheckCoverage(entries []*Entry, toolCallID string, record []byte) (CoverageState, *Entry) {
	for _, e := range entries {
		if e.ArtefactKind != "coverage" || e.ToolCallID != toolCallID {
			continue
		}
		switch {
		case record == nil:
			return CoverageUnverified, e
		case ContentHash(record) != e.ContentHash:
			return CoverageMismatch, e
		}
		return CoverageRecorded, e
	}
	return CoverageAbsent, nil
}
