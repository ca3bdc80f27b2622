package lineage

import (
	"cmp"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"slices"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/lineage/pyjson"
)

// RunGraphRun is the run whose spine anchors receipts of run graphs.
const RunGraphRun = "run-graph"

// RunNode is one branch of a fan-out: a work tree and the spine that recorded it.
type RunNode struct {
	SessionID string  // the name of the work tree's folder
	HeadSHA   *string // nil where the branch has no commit
	RunID     *string // nil where no run is known: the branch is unresolved
	// SpineHeadHash is nil where no run is known, and "" of a run without rows.
	SpineHeadHash *string
}

// Worktrees returns the sessions of the work trees of an .sdd folder, sorted.
func Worktrees(sdd fs.FS) ([]string, error) {
	folder := "runtime/worktrees"
	if info, err := fs.Stat(sdd, folder); err != nil || !info.IsDir() {
		folder = "worktrees"
	}
	entries, err := fs.ReadDir(sdd, folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && e.Name() != "locks" {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}

// BuildRunGraph pairs sessions with the runs that recorded them. Heads and runs have the
// commit and the run of a session where they are known; spineHead returns the hash of the
// last row of a run, "" for none.
func BuildRunGraph(sessions []string, heads, runs map[string]string, spineHead func(runID string) (string, error)) ([]RunNode, error) {
	var nodes []RunNode
	for _, s := range slices.Sorted(slices.Values(sessions)) {
		n := RunNode{SessionID: s}
		if sha, ok := heads[s]; ok {
			n.HeadSHA = &sha
		}
		if run, ok := runs[s]; ok {
			hash, err := spineHead(run)
			if err != nil {
				return nil, fmt.Errorf("branch %s, run %s: %w", s, run, err)
			}
			n.RunID, n.SpineHeadHash = &run, &hash
		}
		nodes = append(nodes, n)
	}
	return nodes, nil
}

// Status says whether the branch's run is known.
func (n RunNode) Status() string {
	if n.RunID == nil {
		return "unresolved"
	}
	return "resolved"
}

func textOrNull(s *string) pyjson.Value {
	if s == nil {
		return pyjson.Null
	}
	return pyjson.Text(*s)
}

// Hash returns the hash of the node.
func (n RunNode) Hash() (string, error) {
	return hashOf(pyjson.Map(
		pyjson.Member{Name: "session_id", Value: pyjson.Text(n.SessionID)},
		pyjson.Member{Name: "head_sha", Value: textOrNull(n.HeadSHA)},
		pyjson.Member{Name: "run_id", Value: textOrNull(n.RunID)},
		pyjson.Member{Name: "spine_head_hash", Value: textOrNull(n.SpineHeadHash)},
		pyjson.Member{Name: "status", Value: pyjson.Text(n.Status())},
	))
}

// absent stands for what a node lacks in the root hash; no text begins like it.
const absent = "\x00absent"

// RootHash returns the hash of the whole graph. Which run recorded a branch is not part of
// it, only what its spine came to.
func RootHash(nodes []RunNode) (string, error) {
	sorted := slices.SortedStableFunc(slices.Values(nodes), func(a, b RunNode) int { return cmp.Compare(a.SessionID, b.SessionID) })
	orAbsent := func(s *string) pyjson.Value {
		if s == nil {
			return pyjson.Text(absent)
		}
		return pyjson.Text(*s)
	}
	var rows []pyjson.Value
	for _, n := range sorted {
		rows = append(rows, pyjson.Array(pyjson.Text(n.SessionID), orAbsent(n.HeadSHA), orAbsent(n.SpineHeadHash)))
	}
	return hashOf(pyjson.Array(rows...))
}

// hashOf returns the hash of a value in its legacy form.
func hashOf(v pyjson.Value) (string, error) {
	b, err := pyjson.Encode(v, pyjson.Legacy)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return hashPrefix + hex.EncodeToString(sum[:]), nil
}

// Receipt seals a run graph.
type Receipt struct {
	GraphRootHash    string
	JournalEntryHash string // of the row that anchors the receipt; outside of its hash
	NodeHashes       []string
	ReceiptHash      string
	Timestamp        *big.Int
	SignedJWS        string
}

func (r Receipt) body() pyjson.Value {
	return pyjson.Map(
		pyjson.Member{Name: "graph_root_hash", Value: pyjson.Text(r.GraphRootHash)},
		pyjson.Member{Name: "node_hashes", Value: pyjson.Texts(r.NodeHashes)},
		pyjson.Member{Name: "schema_version", Value: pyjson.Number(1)},
		pyjson.Member{Name: "timestamp", Value: pyjson.Integer(r.Timestamp)},
	)
}

// sealed returns what is signed and anchored.
func (r Receipt) sealed() ([]byte, error) {
	return pyjson.Encode(r.body().With("receipt_hash", pyjson.Text(r.ReceiptHash)), pyjson.Legacy)
}

// The constants of receipts.
const (
	receiptActor = "bernstein.run_graph"
	receiptModel = "run-graph-receipt"
	receiptType  = "run-graph-receipt+jws"
)

// SealRunGraph makes the receipt of a graph, and the write that anchors it in the spine of
// [RunGraphRun]. The hash of the row that the write becomes is the receipt's
// JournalEntryHash, to be set by the caller.
func SealRunGraph(nodes []RunNode, timestamp *big.Int, key ed25519.PrivateKey) (Receipt, Write, error) {
	if len(nodes) == 0 {
		return Receipt{}, Write{}, errors.New("there is no branch to seal")
	}
	r := Receipt{Timestamp: timestamp}
	var err error
	if r.GraphRootHash, err = RootHash(nodes); err != nil {
		return r, Write{}, err
	}
	for _, n := range nodes {
		hash, err := n.Hash()
		if err != nil {
			return r, Write{}, err
		}
		r.NodeHashes = append(r.NodeHashes, hash)
	}
	if r.ReceiptHash, err = hashOf(r.body()); err != nil {
		return r, Write{}, err
	}
	sealed, err := r.sealed()
	if err != nil {
		return r, Write{}, err
	}
	header := `{"alg":"EdDSA","kid":"` + receiptActor + `","typ":"` + receiptType + `"}`
	protected := base64.RawURLEncoding.EncodeToString([]byte(header))
	r.SignedJWS = protected + ".." + base64.RawURLEncoding.EncodeToString(ed25519.Sign(key, attachedInput(protected, sealed)))
	return r, Write{
		ArtifactPath: "run-graph/" + r.ReceiptHash + ".json", ContentHash: ContentHash(sealed), Actor: receiptActor,
		StepID: r.ReceiptHash, Model: receiptModel, Timestamp: timestamp,
	}, nil
}

// attachedInput is the signing input of an ordinary JWS (RFC 7515), whose payload is then
// left out of it.
func attachedInput(protected string, payload []byte) []byte {
	return []byte(protected + "." + base64.RawURLEncoding.EncodeToString(payload))
}

// Bytes returns the content of the receipt's file.
func (r Receipt) Bytes() []byte {
	out, err := pyjson.Encode(r.body().
		With("receipt_hash", pyjson.Text(r.ReceiptHash)).
		With("journal_entry_hash", pyjson.Text(r.JournalEntryHash)).
		With("signed_jws", pyjson.Text(r.SignedJWS)), pyjson.Legacy)
	if err != nil {
		panic(err) // hashes and signatures are ASCII
	}
	return out
}

// FileName returns the name of the receipt's file in .sdd/run-graph.
func (r Receipt) FileName() string { return r.ReceiptHash + ".json" }

// ParseReceipt reads a receipt. Members that are not part of it are passed over.
func ParseReceipt(src []byte) (Receipt, error) {
	v, err := pyjson.Parse(src)
	if err != nil {
		return Receipt{}, fmt.Errorf("the receipt is not JSON: %w", err)
	}
	var r Receipt
	for _, m := range []struct {
		name string
		to   *string
	}{
		{"graph_root_hash", &r.GraphRootHash}, {"journal_entry_hash", &r.JournalEntryHash},
		{"receipt_hash", &r.ReceiptHash}, {"signed_jws", &r.SignedJWS},
	} {
		value, ok := v.Get(m.name)
		if !ok || value.Kind() != pyjson.String {
			return Receipt{}, fmt.Errorf("the receipt has no text %q", m.name)
		}
		*m.to = value.Text()
	}
	hashes, ok := v.Get("node_hashes")
	if !ok || hashes.Kind() != pyjson.List {
		return Receipt{}, errors.New(`the receipt has no array "node_hashes"`)
	}
	for _, h := range hashes.Items() {
		if h.Kind() != pyjson.String {
			return Receipt{}, errors.New(`"node_hashes" of the receipt has what is no text`)
		}
		r.NodeHashes = append(r.NodeHashes, h.Text())
	}
	at, _ := v.Get("timestamp")
	if r.Timestamp, ok = at.BigInt(); !ok {
		return Receipt{}, errors.New(`the receipt has no integer "timestamp"`)
	}
	if version, _ := v.Get("schema_version"); !version.Equal(pyjson.Number(1)) {
		return Receipt{}, errors.New("the receipt is not of schema version 1")
	}
	return r, nil
}

// ReceiptStatus is the verdict about a receipt. ReceiptVerified alone passes.
type ReceiptStatus string

// What a receipt may be.
const (
	ReceiptVerified   ReceiptStatus = "verified"
	ReceiptUnreadable ReceiptStatus = "unreadable"
	ReceiptEmpty      ReceiptStatus = "empty"
	ReceiptTampered   ReceiptStatus = "tampered"
	ReceiptDiverged   ReceiptStatus = "diverged" // what it sealed is no longer so
	ReceiptUnanchored ReceiptStatus = "unanchored"
)

// VerifyReceipt verifies a receipt: its hash and signature, that the branches are still what
// was sealed and their spines verify, and that the spine of [RunGraphRun] has its anchor.
// Spine verifies the spine of a run and calls the function for its rows.
func VerifyReceipt(src []byte, nodes []RunNode, key ed25519.PublicKey, spine func(runID string, each func(SpineRow)) (SpineVerdict, error)) (ReceiptStatus, string, error) {
	r, err := ParseReceipt(src)
	if err != nil {
		return ReceiptUnreadable, err.Error(), nil
	}
	if len(r.NodeHashes) == 0 {
		return ReceiptEmpty, "the receipt seals no branch", nil
	}
	if hash, err := hashOf(r.body()); err != nil || hash != r.ReceiptHash {
		return ReceiptTampered, "the receipt's hash is not that of what it says", nil
	}
	sealed, err := r.sealed()
	if err != nil || !validReceiptSignature(r.SignedJWS, sealed, key) {
		return ReceiptTampered, "the receipt's signature is not that of the key", nil
	}
	for i, n := range nodes {
		hash, err := n.Hash()
		if err != nil || i >= len(r.NodeHashes) || hash != r.NodeHashes[i] {
			return ReceiptDiverged, fmt.Sprintf("branch %s is not what was sealed", n.SessionID), nil
		}
	}
	if len(nodes) < len(r.NodeHashes) {
		return ReceiptDiverged, fmt.Sprintf("%d branches were sealed and there are %d", len(r.NodeHashes), len(nodes)), nil
	}
	for _, n := range nodes {
		if n.RunID == nil {
			continue
		}
		v, err := spine(*n.RunID, nil)
		if err != nil {
			return "", "", err
		}
		if v.Status != StatusOK {
			return ReceiptDiverged, fmt.Sprintf("the spine of branch %s does not verify: it is %s", n.SessionID, v.Status), nil
		}
	}
	if root, err := RootHash(nodes); err != nil || root != r.GraphRootHash {
		return ReceiptDiverged, "the graph is not what was sealed", nil
	}
	anchored := false
	content := ContentHash(sealed)
	if _, err := spine(RunGraphRun, func(row SpineRow) {
		anchored = anchored || row.Row != nil && row.Row.EntryHash == r.JournalEntryHash && row.Row.ContentHash == content
	}); err != nil {
		return "", "", err
	}
	if !anchored {
		return ReceiptUnanchored, "the spine of run-graph has no row for the receipt", nil
	}
	return ReceiptVerified, fmt.Sprintf("%d branches are what was sealed", len(nodes)), nil
}

func validReceiptSignature(jws string, sealed []byte, key ed25519.PublicKey) bool {
	parts := strings.Split(jws, ".")
	if len(parts) != 3 || parts[1] != "" || len(key) != ed25519.PublicKeySize || !isASCII(parts[0]) {
		return false
	}
	src, ok := looseBase64(parts[0], true)
	if !ok {
		return false
	}
	header, err := pyjson.Parse(src)
	if err != nil {
		return false
	}
	alg, _ := header.Get("alg")
	typ, _ := header.Get("typ")
	signature, ok := looseBase64(parts[2], true)
	return ok && alg.Text() == "EdDSA" && typ.Text() == receiptType && ed25519.Verify(key, attachedInput(parts[0], sealed), signature)
}
