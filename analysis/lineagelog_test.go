package analysis_test

import (
	"bytes"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/lineage"
)

var lineageKey = lineage.NewKey([]byte("secret"))

// spine writes a spine of n rows, and its head.
func spine(t testing.TB, n int) (log, head []byte) {
	t.Helper()
	prev := ""
	for i := range n {
		row, line, err := lineage.NewRow(lineage.Write{ArtifactPath: fmt.Sprintf("f%d.go", i), ContentHash: lineage.ContentHash([]byte{byte(i)}),
			Actor: "agent:a", StepID: "s", Timestamp: big.NewInt(1)}, prev, lineage.ProfileLegacy, lineageKey)
		if err != nil {
			t.Fatal(err)
		}
		prev = row.EntryHash
		log = append(append(log, line...), '\n')
	}
	return log, lineage.NewHead(n, prev, lineage.ProfileLegacy, lineageKey)
}

// A finding stands at the field that is wrong, a general one at the first line, and the one
// that has broken the chain leads to the row before.
func TestLineageFindingsStandAtTheField(t *testing.T) {
	log, head := spine(t, 3)
	lines := bytes.SplitAfter(log, []byte("\n"))
	for _, c := range []struct {
		name, at, rule string
		log            []byte
		line           int
	}{
		{"a row dropped", `"prev_hash":`, "TP6001", append(bytes.Clone(lines[0]), lines[2]...), 1},
		{"a version that is not known", `"v":`, "TP6001", bytes.Replace(log, []byte(`"v":2`), []byte(`"v":9`), 1), 0},
		{"a timestamp that is none", `"timestamp":`, "TP6001", bytes.Replace(log, []byte(`"timestamp":1`), []byte(`"timestamp":"x"`), 1), 0},
		{"a tag changed", `"hmac":`, "TP6001", bytes.Replace(log, []byte(`"hmac":"`), []byte(`"hmac":"0`), 1), 0},
		{"the last row dropped", "", "TP6002", append(bytes.Clone(lines[0]), lines[1]...), 0},
	} {
		r := lineage.ReportSpine(c.log, head, lineageKey, "")
		found := ofRule(c.rule, analysis.LineageFindings(c.log, r, &analysis.Options{}))
		if len(found) == 0 {
			t.Errorf("%s: nothing is found", c.name)
			continue
		}
		start := 0
		for _, l := range bytes.SplitAfter(c.log, []byte("\n"))[:c.line] {
			start += len(l)
		}
		want := start
		if c.at != "" {
			want = start + strings.Index(string(c.log[start:]), c.at) + len(c.at)
		}
		if f := found[0]; f.Start != want {
			t.Errorf("%s: %s at %d (%s), want %s at %d", c.name, f.Rule.ID, f.Start, f.Message, c.rule, want)
		}
	}
	dropped := append(bytes.Clone(lines[0]), lines[2]...)
	found := ofRule("TP6001", analysis.LineageFindings(dropped, lineage.ReportSpine(dropped, head, lineageKey, ""), &analysis.Options{}))
	if len(found) != 1 || len(found[0].Related) != 1 || found[0].Related[0].Start >= len(lines[0]) {
		t.Errorf("%+v", found[0])
	}
	off := &analysis.Options{Severity: map[string]analysis.Severity{"lineage-broken": analysis.Off, "TP6002": analysis.Off}}
	if found := analysis.LineageFindings(dropped, lineage.ReportSpine(dropped, head, lineageKey, ""), off); len(found) > 0 {
		t.Errorf("what is off is told: %+v", found)
	}
}

func ofRule(id string, found []analysis.Diagnostic) []analysis.Diagnostic {
	return slices.DeleteFunc(found, func(d analysis.Diagnostic) bool { return d.Rule.ID != id })
}

// Who recorded a file is said with whether it is so now, and whether it is proved.
func TestRecordingWords(t *testing.T) {
	row := lineage.Row{Actor: "agent:a", ContentHash: lineage.ContentHash([]byte("x"))}
	r := lineage.Recording{LogLine: lineage.LogLine{Number: 1, Row: &row}, Run: "r"}
	if got := analysis.RecordingWords(r, row.ContentHash); got != "last recorded by agent:a in run r, content matches" {
		t.Error(got)
	}
	r.Doubt = "no key"
	if got := analysis.RecordingWords(r, ""); got != "last recorded by agent:a in run r, content has changed since (not verified: no key)" {
		t.Error(got)
	}
}

// Whatever a log has in it, it is told of without failing, at places that it has.
func FuzzLineageLog(f *testing.F) {
	log, head := spine(f, 3)
	f.Add(log, head, 40)
	f.Add(bytes.ReplaceAll(log, []byte("\n"), []byte("\r\n\n")), []byte("[]"), 3)
	f.Add([]byte(`{"v":1,"artefact_path":"a","parent_hashes":["x",{}],"agent_card_kid":1}`+"\n{\"entry_hash\":\"\xff\""), []byte("{"), 70)
	f.Fuzz(func(t *testing.T, log, head []byte, off int) {
		signed, err := lineage.ReportSigned(log, fstest.MapFS{}, nil, lineage.GateOptions{}, false)
		if err != nil {
			t.Fatal(err)
		}
		lineage.KindOfLog("x.jsonl", log)
		for _, r := range []*lineage.LogReport{signed, lineage.ReportSpine(log, head, lineageKey, ""), lineage.ReportSpine(log, nil, nil, "no key")} {
			for _, d := range analysis.LineageFindings(log, r, &analysis.Options{}) {
				if d.Start < 0 || d.Start > d.End || d.End > len(log) {
					t.Fatalf("a finding at [%d, %d) of %d bytes: %s", d.Start, d.End, len(log), d.Message)
				}
			}
			for _, l := range r.Lines {
				if l.Start > l.End || l.End > len(log) || bytes.IndexByte(log[l.Start:l.End], '\n') >= 0 {
					t.Fatalf("line %d is [%d, %d)", l.Number, l.Start, l.End)
				}
				analysis.LineageHover(r, l, analysis.FileState{Known: true}, time.Unix(0, 0)).Markdown()
			}
			l, ok := r.At(off)
			if !ok {
				continue
			}
			if _, _, start, end, ok := analysis.LineageField(log, l, off); ok && (start < l.Start || end > l.End || start > end) {
				t.Fatalf("a field at [%d, %d) of the line [%d, %d)", start, end, l.Start, l.End)
			}
		}
	})
}
