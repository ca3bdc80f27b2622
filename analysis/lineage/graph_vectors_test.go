package lineage

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/toolpath-ls/toolpath-ls/analysis/lineage/pyjson"
)

type nodeVector struct {
	SessionID string  `json:"session_id"`
	HeadSHA   *string `json:"head_sha"`
	RunID     *string `json:"run_id"`
	SpineHead *string `json:"spine_head_hash"`
	Status    string
	Hash      string `json:"node_hash"`
}

func (n nodeVector) node() RunNode { return RunNode{n.SessionID, n.HeadSHA, n.RunID, n.SpineHead} }

// knownOnly drops what is null.
func knownOnly(m map[string]*string) map[string]string {
	out := map[string]string{}
	for k, v := range m {
		if v != nil {
			out[k] = *v
		}
	}
	return out
}

func TestRunGraphVectors(t *testing.T) {
	graph := vectorJSON[struct {
		Directories []string           `json:"worktree_directories"`
		Heads       map[string]*string `json:"head_shas"`
		Runs        map[string]*string `json:"run_ids"`
		Nodes       []nodeVector
		RootHash    string `json:"root_hash"`
		ExtraRoots  []struct {
			Nodes    []nodeVector
			RootHash string `json:"root_hash"`
		} `json:"extra_roots"`
		Receipt struct {
			Runs map[string]*string `json:"run_ids"`
			Hash string             `json:"receipt_hash"`
		}
	}](t, "run-graph/graph.json")
	spines := vectorFolder(t, "run-graph/lineage", nil)
	key := vectorKey(t, "keys/audit.key")
	verify := func(runID string, key *Key, each func(SpineRow)) (SpineVerdict, error) {
		return VerifySpine(bytes.NewReader(spines[runID+"/spine.jsonl"]), ParseHead(spines[runID+"/spine.head"]), key, each)
	}
	head := func(runID string) (string, error) {
		v, err := verify(runID, nil, nil)
		return v.HeadHash, err
	}
	sdd := fstest.MapFS{}
	for _, d := range graph.Directories {
		sdd["worktrees/"+d+"/x"] = &fstest.MapFile{}
	}
	sessions, err := Worktrees(sdd)
	if err != nil {
		t.Fatal(err)
	}
	nodes, err := BuildRunGraph(sessions, knownOnly(graph.Heads), knownOnly(graph.Runs), head)
	if err != nil {
		t.Fatal(err)
	}
	if len(nodes) != len(graph.Nodes) {
		t.Fatalf("%d nodes, want %d", len(nodes), len(graph.Nodes))
	}
	for i, want := range graph.Nodes {
		if a, b := toJSON(t, nodes[i]), toJSON(t, want.node()); a != b || nodes[i].Status() != want.Status {
			t.Errorf("node %s, want %s", a, b)
		}
		if hash, err := nodes[i].Hash(); err != nil || hash != want.Hash {
			t.Errorf("node %s has hash %s, %v; want %s", want.SessionID, hash, err, want.Hash)
		}
	}
	if root, err := RootHash(nodes); err != nil || root != graph.RootHash {
		t.Errorf("the root is %s, %v; want %s", root, err, graph.RootHash)
	}
	for _, c := range graph.ExtraRoots {
		var nodes []RunNode
		for _, n := range c.Nodes {
			nodes = append(nodes, n.node())
		}
		if root, err := RootHash(nodes); err != nil || root != c.RootHash {
			t.Errorf("the root of %s is %s, want %s", toJSON(t, c.Nodes), root, c.RootHash)
		}
	}

	// The receipt and its anchor, sealed again.
	private, _ := vectorSigner(t, "run-graph")
	nodes, err = BuildRunGraph(sessions, knownOnly(graph.Heads), knownOnly(graph.Receipt.Runs), head)
	if err != nil {
		t.Fatal(err)
	}
	receipt, anchor, err := SealRunGraph(nodes, big.NewInt(1700000000), private)
	if err != nil {
		t.Fatal(err)
	}
	row, line, err := NewRow(anchor, "", ProfileLegacy, key)
	if err != nil {
		t.Fatal(err)
	}
	receipt.JournalEntryHash = row.EntryHash
	if want := vector(t, "run-graph/receipt.json"); !bytes.Equal(receipt.Bytes(), want) || receipt.ReceiptHash != graph.Receipt.Hash {
		t.Errorf("the receipt is\n%s\nwant\n%s", receipt.Bytes(), want)
	}
	if want := spines[RunGraphRun+"/spine.jsonl"]; !bytes.Equal(append(line, '\n'), want) {
		t.Errorf("the anchor is\n%s\nwant\n%s", line, want)
	}

	// And verified.
	cases := vectorJSON[struct {
		Cases []struct {
			Case     string
			Receipt  string             `json:"receipt_base64"`
			Runs     map[string]*string `json:"run_ids"`
			Heads    map[string]*string `json:"head_shas"`
			OwnSpine string             `json:"own_run_graph_spine_base64"`
			Expect   struct{ Status string }
		}
	}](t, "run-graph/verify-cases.json").Cases
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range cases {
		src := vector(t, "run-graph/receipt.json")
		if !strings.HasPrefix(c.Receipt, "same as") {
			if src, err = base64.StdEncoding.DecodeString(c.Receipt); err != nil {
				t.Fatal(err)
			}
		}
		nodes, err := BuildRunGraph(sessions, knownOnly(c.Heads), knownOnly(c.Runs), head)
		if err != nil {
			t.Fatal(err)
		}
		with := key
		if c.Case == "wrong-hmac-key" {
			with = vectorKey(t, "keys/other.key")
		}
		own, err := base64.StdEncoding.DecodeString(c.OwnSpine)
		if err != nil {
			t.Fatal(err)
		}
		status, reason, err := VerifyReceipt(src, nodes, private.Public().(ed25519.PublicKey), func(runID string, each func(SpineRow)) (SpineVerdict, error) {
			log, head := spines[runID+"/spine.jsonl"], spines[runID+"/spine.head"]
			switch {
			case c.Case == "anchor-missing" && runID == RunGraphRun:
				log = nil
			case c.Case == "branch-spine-row-edited" && runID == "run-a":
				log = bytes.Replace(log, []byte("agent:"), []byte("agent;"), 1)
			case len(own) > 0 && runID == RunGraphRun:
				log = own
			}
			return VerifySpine(bytes.NewReader(log), ParseHead(head), with, each)
		})
		if err != nil || string(status) != c.Expect.Status {
			t.Errorf("%s: %s (%s), %v; want %s", c.Case, status, reason, err, c.Expect.Status)
		}
	}
}

func TestProvVectors(t *testing.T) {
	cases := vectorJSON[struct {
		Cases []struct {
			Case, JSON, Turtle, Raises string
			Root                       string `json:"root_entry_hash"`
		}
	}](t, "prov/cases.json").Cases
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
	entries := vectorEntries(t, "prov/entries.jsonl")
	for range 2 {
		ledger := NewLedger(entries)
		for _, c := range cases {
			p, err := ledger.ExportProv(c.Root)
			if c.Raises != "" {
				if err == nil {
					t.Errorf("%s: is exported", c.Case)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", c.Case, err)
				continue
			}
			if got, err := p.JSON(); err != nil || !bytes.Equal(got, vector(t, c.JSON)) {
				t.Errorf("%s: %s, %v", c.Case, got, err)
			}
			if got, err := p.Turtle(); err != nil || !bytes.Equal(got, vector(t, c.Turtle)) {
				t.Errorf("%s: %s, %v", c.Case, got, err)
			}
		}
		entries = slices.Clone(entries)
		slices.Reverse(entries) // the order of the log does not matter
	}
}

func TestPlanVectors(t *testing.T) {
	file := vectorJSON[struct {
		Head  string `json:"journal_head"`
		Cases []struct {
			Case   string
			Events []json.RawMessage
			RunID  string `json:"run_id"`
			Text   string
		}
	}](t, "plan/cases.json")
	journal := vector(t, "plan/journal.jsonl")
	j, err := ReadJournal(bytes.NewReader(journal))
	if err != nil || j.Head != file.Head || j.Broken != 0 || j.Skipped != 0 {
		t.Errorf("%+v, %v", j, err)
	}
	if got, want := j.Plan.Render("run-demo"), vector(t, "plan/rendered.txt"); !bytes.Equal(got, want) {
		t.Errorf("rendered as\n%s\nwant\n%s", got, want)
	}
	broken, err := ReadJournal(bytes.NewReader(bytes.Replace(journal, []byte("task_claimed"), []byte("task_claimee"), 1)))
	if err != nil || broken.Broken != 3 {
		t.Errorf("an event that was changed is found in line %d", broken.Broken)
	}
	for _, c := range file.Cases {
		var log bytes.Buffer
		for _, e := range c.Events {
			if err := json.Compact(&log, e); err != nil {
				t.Fatal(err)
			}
			log.WriteByte('\n')
		}
		j, err := ReadJournal(&log)
		if got := j.Plan.Render(c.RunID); err != nil || string(got) != c.Text {
			t.Errorf("%s:\n%s\nwant\n%s", c.Case, got, c.Text)
		}
	}
}

func TestDependencyVectors(t *testing.T) {
	type flag struct {
		Invariant string
		TaskA     string `json:"task_a"`
		TaskB     string `json:"task_b"`
	}
	type verdict struct {
		CheckedPairs int `json:"checked_pairs"`
		Flags        []flag
		Clean        bool
	}
	effects := func(src []byte) TaskEffects {
		v, err := pyjson.Parse(src)
		if err != nil {
			t.Fatal(err)
		}
		e, err := EffectsOf(v)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	flags := func(fs []CollusionFlag) []flag {
		out := []flag{}
		for _, f := range fs {
			out = append(out, flag{f.Invariant, f.TaskA, f.TaskB})
		}
		return out
	}
	check := func(name string, v CollusionVerdict, want verdict) {
		if fmt.Sprint(v.CheckedPairs, flags(v.Flags), v.Clean()) != fmt.Sprint(want.CheckedPairs, want.Flags, want.Clean) {
			t.Errorf("%s: %+v, want %+v", name, v, want)
		}
	}
	pairs := vectorJSON[[]struct {
		Case      string
		A, B      json.RawMessage
		Coupled   bool
		Reversed  bool    `json:"coupled_reversed"`
		CheckPair []flag  `json:"check_pair"`
		Check     verdict `json:"cross_task_check"`
	}](t, "dependency/pairs.json")
	for _, c := range pairs {
		a, b := effects(c.A), effects(c.B)
		if Coupled(a, b) != c.Coupled || Coupled(b, a) != c.Reversed {
			t.Errorf("%s: coupled is not %t", c.Case, c.Coupled)
		}
		if got := flags(CheckPair(a, b)); fmt.Sprint(got) != fmt.Sprint(c.CheckPair) {
			t.Errorf("%s: %v, want %v", c.Case, got, c.CheckPair)
		}
		check(c.Case, CheckMerge([]TaskEffects{a, b}), c.Check)
	}
	group := vectorJSON[struct {
		Effects []json.RawMessage
		Pairs   [][2]string `json:"dependent_pairs"`
		Verdict verdict
		Empty   verdict `json:"empty_verdict"`
	}](t, "dependency/group.json")
	var tasks []TaskEffects
	for _, e := range group.Effects {
		tasks = append(tasks, effects(e))
	}
	var got [][2]string
	for _, p := range CoupledPairs(tasks) {
		got = append(got, [2]string{tasks[p[0]].TaskID, tasks[p[1]].TaskID})
	}
	if !slices.Equal(got, group.Pairs) {
		t.Errorf("coupled are %q, want %q", got, group.Pairs)
	}
	check("group", CheckMerge(tasks), group.Verdict)
	check("nothing", CheckMerge(nil), group.Empty)
}
