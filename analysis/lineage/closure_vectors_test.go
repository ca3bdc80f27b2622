package lineage

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
)

func vectorEntries(t testing.TB, name string) []*Entry {
	t.Helper()
	var entries []*Entry
	for line := range bytes.Lines(vector(t, name)) {
		e, err := ParseEntry(bytes.TrimSuffix(line, []byte("\n")))
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, e)
	}
	return entries
}

func TestClosureVectors(t *testing.T) {
	type sensitivity struct {
		Target      string
		Sensitivity string
		Resolved    bool
		Closure     []string
		Records     [][2]string `json:"sensitivity_records"`
		RaisedBy    *string     `json:"raised_by"`
		Path        []string
	}
	type trust struct {
		Target   string
		Trust    string
		Tainted  bool
		Resolved bool
		Closure  []string
		Records  [][2]string `json:"trust_records"`
	}
	cases := vectorJSON[struct {
		ByHash []struct {
			Target      string
			Sensitivity sensitivity
			Trust       trust
		} `json:"by_hash"`
		ByPath []struct {
			Path        string `json:"artefact_path"`
			Tip         *string
			Sensitivity sensitivity
			Trust       trust
		} `json:"by_path"`
		Activity []struct {
			Seeds  []string
			Active []string
		}
		ProvenancePaths []struct {
			Tool        string
			ContentHash string `json:"content_hash"`
			Path        string
		} `json:"provenance_paths"`
	}](t, "closure/cases.json")
	if len(cases.ByHash) == 0 || len(cases.ByPath) == 0 || len(cases.Activity) == 0 {
		t.Fatal("no cases")
	}
	ledger := NewLedger(vectorEntries(t, "closure/entries.jsonl"))
	records := func(rs []Record) [][2]string {
		var out [][2]string
		for _, r := range rs {
			out = append(out, [2]string{r.Hash, r.Class})
		}
		return out
	}
	for _, c := range cases.ByHash {
		s, want := ledger.Sensitivity(c.Target), c.Sensitivity
		if want.RaisedBy == nil {
			want.RaisedBy = new(string)
		}
		got := fmt.Sprint(s.Class, s.Resolved, s.Closure, records(s.Records), s.RaisedBy, s.Path)
		if w := fmt.Sprint(want.Sensitivity, want.Resolved, want.Closure, want.Records, *want.RaisedBy, want.Path); got != w {
			t.Errorf("sensitivity of %s:\n%s\nwant\n%s", c.Target, got, w)
		}
		tr, wt := ledger.Trust(c.Target), c.Trust
		got = fmt.Sprint(tr.Class, tr.Tainted, tr.Resolved, tr.Closure, records(tr.Records))
		if w := fmt.Sprint(wt.Trust, wt.Tainted, wt.Resolved, wt.Closure, wt.Records); got != w {
			t.Errorf("trust of %s:\n%s\nwant\n%s", c.Target, got, w)
		}
	}
	for _, c := range cases.ByPath {
		tip := ledger.Tip(c.Path)
		if c.Tip == nil {
			if tip != nil {
				t.Errorf("%s has the tip %s", c.Path, tip.Hash())
			}
			continue
		}
		if tip == nil || tip.Hash() != *c.Tip {
			t.Errorf("the tip of %s is not %s", c.Path, *c.Tip)
		}
	}
	for _, c := range cases.Activity {
		if got := ledger.ActiveSet(c.Seeds); !slices.Equal(got, c.Active) {
			t.Errorf("without %q: %q, want %q", c.Seeds, got, c.Active)
		}
	}
	for _, c := range cases.ProvenancePaths {
		if got := ToolResultPath(c.Tool, c.ContentHash); got != c.Path {
			t.Errorf("the result of %q is kept as %q, want %q", c.Tool, got, c.Path)
		}
	}
	for _, hash := range []string{"", "sha256:none"} {
		if s, tr := ledger.Sensitivity(hash), ledger.Trust(hash); s.Class != "restricted" || s.Resolved || tr.Class != "public" || !tr.Tainted || tr.Resolved {
			t.Errorf("%q: %+v %+v", hash, s, tr)
		}
	}
}

func TestCoverageVectors(t *testing.T) {
	file := vectorJSON[struct {
		Content     string                            `json:"content_utf8"`
		ContentHash string                            `json:"content_hash"`
		Paths       []string                          `json:"corpus_paths"`
		EntryHash   string                            `json:"entry_hash"`
		PathCases   []struct{ Tool, ID, Path string } `json:"path_cases"`
	}](t, "v1/log/coverage.json")
	c, err := ParseCoverage([]byte(file.Content))
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Bytes(); string(got) != file.Content || ContentHash(got) != file.ContentHash {
		t.Errorf("written as %s", got)
	}
	if got := CorpusDigest(file.Paths); got != c.CorpusDigest {
		t.Errorf("the corpus digest is %s, want %s", got, c.CorpusDigest)
	}
	for _, p := range file.PathCases {
		if got := CoveragePath(p.Tool, p.ID); got != p.Path {
			t.Errorf("%q of %q is kept as %q, want %q", p.ID, p.Tool, got, p.Path)
		}
	}
	entries := vectorEntries(t, "v1/log/lineage/log.jsonl")
	state, e := CheckCoverage(entries, "tc-cov/1", nil)
	if state != CoverageUnverified || e.Hash() != file.EntryHash {
		t.Errorf("without the record: %s", state)
	}
	if state, _ := CheckCoverage(entries, "tc-cov/1", []byte(file.Content)); state != CoverageRecorded {
		t.Errorf("with the record: %s", state)
	}
	if state, _ := CheckCoverage(entries, "tc-cov/1", []byte("{}")); state != CoverageMismatch {
		t.Errorf("with another record: %s", state)
	}
	if state, _ := CheckCoverage(entries, "tc-none", nil); state != CoverageAbsent {
		t.Errorf("of another tool call: %s", state)
	}
}
