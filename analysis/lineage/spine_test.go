package lineage

import (
	"bytes"
	"fmt"
	"io"
	"math/big"
	"strings"
	"testing"
)

// spineOf writes a spine of n rows, and its head.
func spineOf(t testing.TB, n int, key *Key, profile Profile) (log, head []byte) {
	t.Helper()
	prev := ""
	for i := range n {
		w := Write{
			ArtifactPath: fmt.Sprintf("src/pkg%d/file.go", i%7), ContentHash: ContentHash([]byte{byte(i)}), Actor: "agent:worker-1",
			StepID: fmt.Sprintf("step-%d", i), Model: "model-a", Timestamp: big.NewInt(1700000000000000000 + int64(i)),
		}
		if i%3 == 1 {
			baggage := "bernstein-run=naïve \"x\"\t"
			w.Trace = Trace{Baggage: &baggage}
		}
		row, line, err := NewRow(w, prev, profile, key)
		if err != nil {
			t.Fatal(err)
		}
		prev = row.EntryHash
		log = append(append(log, line...), '\n')
	}
	return log, NewHead(n, prev, profile, key)
}

func verify(t testing.TB, log, head []byte, key *Key) SpineVerdict {
	t.Helper()
	v, err := VerifySpine(bytes.NewReader(log), ParseHead(head), key, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestSpineIsOK(t *testing.T) {
	key := NewKey([]byte("secret"))
	for _, profile := range []Profile{ProfileLegacy, ProfileJCS} {
		log, head := spineOf(t, 10, key, profile)
		v := verify(t, log, head, key)
		if v.Status != StatusOK || v.Count != 10 || v.Intact != 10 || !v.HeadSigned || v.StricterCount != 0 {
			t.Errorf("%s: %+v", profile, v)
		}
	}
}

// Without a key nothing is ok: anyone can make a chain of hashes.
func TestSpineWithoutKey(t *testing.T) {
	log, head := spineOf(t, 3, NewKey([]byte("secret")), ProfileLegacy)
	if v := verify(t, log, head, nil); v.Status != StatusUnverified || v.HeadSigned {
		t.Errorf("%+v", v)
	}
	broken := bytes.Replace(log, []byte("step-1"), []byte("step-9"), 1)
	if v := verify(t, broken, head, nil); v.Status != StatusTampered || v.Faults[0].Kind != EntryHashMismatch || v.Faults[0].Line != 2 {
		t.Errorf("%+v", v)
	}
}

// No byte of a spine can be changed, by any bit, without being told.
func TestEveryBitOfASpineCounts(t *testing.T) {
	key := NewKey([]byte("secret"))
	log, head := spineOf(t, 4, key, ProfileLegacy)
	for i := range log {
		for bit := range 8 {
			changed := bytes.Clone(log)
			changed[i] ^= 1 << bit
			v := verify(t, changed, head, key)
			last := i == len(log)-1
			if v.Status == StatusOK && !(last && v.StricterCount > 0) {
				t.Fatalf("byte %d, bit %d: passes although it is %q in place of %q", i, bit, changed[i], log[i])
			}
		}
	}
	for i := range head {
		changed := bytes.Clone(head)
		changed[i] ^= 1
		if v := verify(t, log, changed, key); v.HeadSigned {
			t.Fatalf("byte %d of the head: passes", i)
		}
	}
}

func TestFaultsTellWhereTheChainBreaks(t *testing.T) {
	key := NewKey([]byte("secret"))
	log, head := spineOf(t, 5, key, ProfileLegacy)
	rows := bytes.SplitAfter(log, []byte("\n"))
	dropped := bytes.Join([][]byte{rows[0], rows[1], rows[3], rows[4]}, nil)
	v := verify(t, dropped, head, key)
	if v.Status != StatusTampered || len(v.Faults) != 1 || v.Intact != 2 {
		t.Fatalf("%+v", v)
	}
	f := v.Faults[0]
	if f.Kind != PrevHashBreak || f.Line != 3 || f.From != 2 || f.Field != "prev_hash" || !IsHash(f.Expected) || !IsHash(f.Found) || f.Expected == f.Found {
		t.Errorf("%+v", f)
	}
}

func TestHeadThatLags(t *testing.T) {
	key := NewKey([]byte("secret"))
	_, head := spineOf(t, 3, key, ProfileLegacy)
	log, _ := spineOf(t, 5, key, ProfileLegacy)
	v := verify(t, log, head, key)
	if v.Status != StatusOK || v.HeadSigned || len(v.Stricter) != 1 || v.Stricter[0].Kind != "head_behind" {
		t.Errorf("%+v", v)
	}
	other, _ := spineOf(t, 5, NewKey([]byte("other")), ProfileLegacy)
	if v := verify(t, other, head, NewKey([]byte("other"))); v.Stricter[0].Kind != "head_forged" {
		t.Errorf("%+v", v)
	}
}

// What a log may have in it that is no row at all.
func TestHostileSpines(t *testing.T) {
	key := NewKey([]byte("secret"))
	log, head := spineOf(t, 2, key, ProfileLegacy)
	for name, c := range map[string]string{
		"invalid UTF-8":  string(log) + "{\"actor\":\"\xff\"}\n",
		"a huge integer": strings.Replace(string(log), `"timestamp":17`, `"timestamp":`+strings.Repeat("9", 100_000), 1),
		"a huge float":   strings.Replace(string(log), `"timestamp":17`, `"timestamp":1e999,"x":17`, 1),
		"deep nesting":   string(log) + strings.Repeat(`{"a":[`, 100_000) + "\n",
		"NUL bytes":      string(log) + strings.Repeat("\x00", 1000) + "\n",
		"an array":       string(log) + "[]\n",
		"numbers for text": strings.NewReplacer(`"model":"model-a"`, `"model":[1,{"a":null}]`).
			Replace(string(log)),
		"a lone surrogate": strings.Replace(string(log), "model-a", `\ud800`, 1),
		"no object at all": "hello\n",
	} {
		if v := verify(t, []byte(c), head, key); v.Status != StatusTampered {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

func TestLongLineIsNotRead(t *testing.T) {
	key := NewKey([]byte("secret"))
	log, head := spineOf(t, 2, key, ProfileLegacy)
	long := io.MultiReader(bytes.NewReader(log), io.LimitReader(zeros{}, 3*MaxLine), strings.NewReader("\n"), bytes.NewReader(log))
	v, err := VerifySpine(long, ParseHead(head), key, nil)
	if err != nil || v.Status != StatusTampered || v.Count != 5 || v.Faults[0].Line != 3 || v.Faults[0].Kind != MalformedJSON {
		t.Errorf("%+v, %v", v, err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

// A log of nothing but faults does not fill the memory with them.
func TestFaultsAreBounded(t *testing.T) {
	v := verify(t, bytes.Repeat([]byte("x\n"), 5*MaxFindings), nil, nil)
	if v.Count != 5*MaxFindings || v.FaultCount != v.Count || len(v.Faults) != MaxFindings {
		t.Errorf("%d lines, %d faults, %d listed", v.Count, v.FaultCount, len(v.Faults))
	}
}

// Reading a row from its bytes and reading it as JSON come to the same.
func FuzzSpine(f *testing.F) {
	key := NewKey([]byte("secret"))
	log, head := spineOf(f, 3, key, ProfileLegacy)
	f.Add(log, head)
	jcs, jcsHead := spineOf(f, 2, key, ProfileJCS)
	f.Add(jcs, jcsHead)
	f.Add(bytes.ReplaceAll(log, []byte(`"v":2`), []byte(`"v":1`)), head)
	f.Add([]byte("\n\n{}\n"), []byte("[]"))
	f.Add(bytes.ReplaceAll(log, []byte("model-a"), []byte(`\u0001\u000a\ud83d\ude00`)), []byte("\xff"))
	f.Fuzz(func(t *testing.T, log, head []byte) {
		var verdicts [2]SpineVerdict
		for i := range verdicts {
			s := &spineVerifier{head: ParseHead(head), key: key, oneByOne: i == 1}
			s.init()
			if err := s.run(bytes.NewReader(log)); err != nil {
				t.Fatal(err)
			}
			verdicts[i] = s.verdict
		}
		if a, b := fmt.Sprintf("%+v", verdicts[0]), fmt.Sprintf("%+v", verdicts[1]); a != b {
			t.Fatalf("the fast way\n%s\nthe other way\n%s", a, b)
		}
		if verdicts[0].Status == StatusOK && verdicts[0].FaultCount > 0 {
			t.Fatal("ok with faults")
		}
	})
}
