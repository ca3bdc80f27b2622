package lineage

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

// The kinds of failures of the gate, in the order in which they are reported.
const (
	MissingTrailingNewline = "missing_trailing_newline"
	ParseError             = "parse_error"
	CorruptEntry           = "corrupt_entry"
	NonCanonical           = "non_canonical"
	CardConflict           = "card_conflict"
	NoCard                 = "no_card"
	MissingSidecar         = "missing_sidecar"
	KidMismatch            = "kid_mismatch"
	InvalidSignature       = "invalid_signature"
	// HMACMismatch comes here.
	NonSteward         = "non_steward_merge"
	ToolCallUnverified = "tool_call_unverified"
	DanglingParent     = "dangling_parent"
	OpenTips           = "open_tips"
	UnresolvedFork     = "unresolved_fork"
)

// Failure is one reason why the gate is shut.
type Failure struct {
	Kind    string
	Line    int    // of the entry, 0 where it is none's
	Field   string // the member at fault, "" for the line as a whole
	Path    string // of the artifact, "" where it is none's
	Hash    string // of the entry, "" where it is none's
	Message string
	// Hashes are the tips that are open, or the children of a fork; for a dangling parent,
	// the parent.
	Hashes []string
}

// GateOptions say what the gate checks beyond the log.
type GateOptions struct {
	// Secret is the operator's; nil means that the operator's tags are not checked.
	Secret []byte
	// Stewards are the agents who may merge forks; nil means that everyone may.
	Stewards []string
	// ToolCalls are the tool calls that are attested; nil means that they are not checked.
	ToolCalls []string
	// ModelRef accepts entries that name their model. The gate of the logs' own tools takes
	// each for corrupt.
	ModelRef bool
}

// GateVerdict is what the gate came to.
type GateVerdict struct {
	OK       bool // there are no failures
	Failures []Failure
	Stricter []Stricter
	// Entries are those that the log has, in its order, corrupt and not canonical ones left
	// out.
	Entries []*Entry
	Lines   []int // the line of each
	Cards   Cards
}

const (
	// MaxLog bounds the signed log, in bytes: the gate holds all of it.
	MaxLog       = 512 << 20
	maxSignature = 64 << 10
)

// Gate checks the signed log of a lineage folder against the agents' cards, as the logs'
// own gate does. Nothing but the log, its signatures and the cards is trusted or written;
// a log that is missing passes, and is told in Stricter. The error is one of reading.
func Gate(folder, cards fs.FS, o GateOptions) (*GateVerdict, error) {
	log, err := readFile(folder, LogFile, MaxLog)
	if errors.Is(err, fs.ErrNotExist) {
		g := newGate(folder, o)
		g.v.OK = true
		g.stricter(0, "log_missing", "there is no log, so there is nothing that passed")
		g.leftovers()
		return g.v, nil
	} else if err != nil {
		return nil, err
	}
	return GateLog(log, folder, cards, o)
}

// GateLog is [Gate] for a log that is not, or not yet, in its folder.
func GateLog(log []byte, folder, cards fs.FS, o GateOptions) (*GateVerdict, error) {
	g := newGate(folder, o)
	var err error
	if g.v.Cards, err = LoadCards(cards); err != nil {
		return nil, err
	}
	g.readLog(log)
	if len(g.v.Entries) > 0 {
		g.checkCards()
		for i, e := range g.v.Entries {
			g.check(e, g.v.Lines[i])
		}
		g.checkGraph()
	}
	g.leftovers()
	g.v.OK = len(g.v.Failures) == 0
	return g.v, nil
}

func newGate(folder fs.FS, o GateOptions) *gate {
	return &gate{folder: folder, options: o, lines: map[string]int{}, v: &GateVerdict{}}
}

type gate struct {
	folder  fs.FS
	options GateOptions
	lines   map[string]int // the line of an entry, by its hash
	v       *GateVerdict
}

func (g *gate) fail(f Failure) { g.v.Failures = append(g.v.Failures, f) }

func (g *gate) stricter(line int, kind, format string, args ...any) {
	g.v.Stricter = append(g.v.Stricter, Stricter{line, kind, fmt.Sprintf(format, args...)})
}

func (g *gate) readLog(log []byte) {
	if len(log) == 0 {
		g.stricter(0, "log_empty", "the log is empty, so there is nothing that passed")
		return
	}
	if log[len(log)-1] != '\n' {
		g.fail(Failure{Kind: MissingTrailingNewline, Message: "the log does not end in a newline: its last line may be cut off"})
	}
	number := 0
	for text := range bytes.SplitSeq(log, []byte("\n")) {
		number++
		if len(text) == 0 {
			continue
		}
		e, err := g.parse(text)
		var fault *EntryError
		switch {
		case errors.As(err, &fault):
			g.fail(Failure{Kind: fault.Kind, Line: number, Field: fault.Field, Message: fmt.Sprintf("line %d: %s", number, fault.Message)})
			continue
		case !bytes.Equal(e.canonical, text):
			g.fail(Failure{Kind: NonCanonical, Line: number, Message: fmt.Sprintf("line %d: the entry is not spelt as it was written, so its hash does not cover the line", number)})
			continue
		}
		if line, known := g.lines[e.hash]; known {
			g.stricter(number, "repeated_entry", "the entry is that of line %d again", line)
		} else {
			g.lines[e.hash] = number
		}
		g.v.Entries = append(g.v.Entries, e)
		g.v.Lines = append(g.v.Lines, number)
	}
	if blank := bytes.Count(log, []byte("\n\n")); blank > 0 || log[0] == '\n' {
		g.stricter(0, "blank_lines", "the log has blank lines")
	}
	for i, e := range g.v.Entries {
		for _, p := range e.Parents {
			if line := g.lines[p]; line > g.v.Lines[i] {
				g.stricter(g.v.Lines[i], "parent_after_child", "its parent stands in line %d, after it: the log was reordered", line)
			}
		}
		g.checkEntry(e, g.v.Lines[i])
	}
}

func (g *gate) parse(text []byte) (*Entry, error) {
	if len(text) > MaxLine {
		return nil, &EntryError{ParseError, "", fmt.Sprintf("the line has more than %d bytes", MaxLine)}
	}
	e, err := ParseEntry(text)
	if err == nil && e.ModelRef != nil && !g.options.ModelRef {
		return nil, corrupt("model_ref", `the entry names its model ("model_ref"), which the logs' own gate takes for corrupt`)
	}
	return e, err
}

// checkEntry tells what no writer writes and is accepted all the same.
func (g *gate) checkEntry(e *Entry, line int) {
	if err := CheckArtifactKey(e.ArtefactPath); err != nil {
		g.stricter(line, "invalid_artifact_key", "%v", err)
	}
	if !IsHash(e.ContentHash) {
		g.stricter(line, "invalid_content_hash", "%q is not a content hash", e.ContentHash)
	}
	if e.TsNS == nil {
		g.stricter(line, "wrong_type", `"ts_ns" is not an integer`)
	}
	if v, _ := e.Member("v"); string(literal(v)) != "1" {
		g.stricter(line, "wrong_type", `"v" is not the integer 1`)
	}
	if class, ok := e.ExternalAttestation.Get("trust_class"); ok && !slices.Contains(outsiderClasses, class.Text()) {
		g.stricter(line, "attestation_trust_class", "an outsider's claim carries the trust class %s; only third_party and public are open to outsiders", literal(class))
	}
}

func (g *gate) checkCards() {
	for _, c := range g.v.Cards.Conflicts {
		g.fail(Failure{Kind: CardConflict, Message: c})
	}
	for _, c := range g.v.Cards.Skipped {
		g.stricter(0, "card_skipped", "%s", c)
	}
	if g.options.Secret == nil {
		g.stricter(0, "hmac_unchecked", "the operator's tags were not checked: there is no operator secret")
	}
}

func (g *gate) check(e *Entry, line int) {
	fail := func(kind, field, format string, args ...any) {
		g.fail(Failure{Kind: kind, Line: line, Field: field, Path: e.ArtefactPath, Hash: e.hash,
			Message: fmt.Sprintf("%s: %s (entry %s)", e.ArtefactPath, fmt.Sprintf(format, args...), e.hash)})
	}
	id := identity{e.AgentID, e.AgentCardKid}
	if _, ok := g.v.Cards.byIdentity[id]; !ok {
		fail(NoCard, "agent_card_kid", "there is no card of agent %q for key id %q, so nobody's signature can be checked", e.AgentID, e.AgentCardKid)
		return
	}
	src, err := readFile(g.folder, SignatureFile(e.ArtefactPath, e.hash), maxSignature)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		fail(MissingSidecar, "", "it has no signature")
	case err != nil:
		fail(InvalidSignature, "", "its signature cannot be read: %v", err)
	default:
		text := string(src)
		trimmed := strings.TrimSpace(text)
		s, err := ParseSignature(trimmed)
		if err != nil {
			fail(KidMismatch, "agent_card_kid", "%v", err)
			return
		}
		if s.Kid != e.AgentCardKid {
			fail(KidMismatch, "agent_card_kid", "it says key id %q, and its signature says %q", e.AgentCardKid, s.Kid)
			return
		}
		if !s.VerifyDetached(e.canonical, e.AgentCardKid, g.v.Cards.keys[id]) {
			fail(InvalidSignature, "", "its signature is not that of %s over this entry", e.AgentID)
		} else if s.Loose != "" {
			g.stricter(line, "loose_signature", "%s", s.Loose)
		} else if text != trimmed {
			g.stricter(line, "loose_signature", "the file of the signature has spaces around it")
		}
	}
	if g.options.Secret != nil && !e.HasTag(g.options.Secret) {
		fail(HMACMismatch, "operator_hmac", "the operator's tag was not made with this secret over these values")
	}
	if g.options.Stewards != nil && len(e.Parents) >= 2 && !slices.Contains(g.options.Stewards, e.AgentID) {
		fail(NonSteward, "agent_id", "it merges a fork, and %q is not a steward", e.AgentID)
	}
	if g.options.ToolCalls != nil && !slices.Contains(g.options.ToolCalls, e.ToolCallID) {
		fail(ToolCallUnverified, "tool_call_id", "nothing attests the tool call %q", e.ToolCallID)
	}
}

// checkGraph checks how the entries hang together.
func (g *gate) checkGraph() {
	for i, e := range g.v.Entries {
		for _, p := range e.Parents {
			if g.lines[p] == 0 {
				g.fail(Failure{Kind: DanglingParent, Line: g.v.Lines[i], Field: "parent_hashes", Path: e.ArtefactPath, Hash: e.hash, Hashes: []string{p},
					Message: fmt.Sprintf("%s: the log has no entry %s, which this one was made from (entry %s)", e.ArtefactPath, p, e.hash)})
			}
		}
	}
	paths, byPath := ByArtefact(g.v.Entries)
	for _, p := range paths {
		if open := OpenTipsOf(byPath[p]); len(open) > 1 {
			g.fail(Failure{Kind: OpenTips, Path: p, Hashes: open, Line: g.lines[open[len(open)-1]],
				Message: fmt.Sprintf("%s: %d versions are the newest, and no entry merges them: %s", p, len(open), strings.Join(open, ", "))})
		}
	}
	merges := MergesOf(g.v.Entries)
	for _, p := range paths {
		for _, f := range Forks(byPath[p]) {
			if merges.Of(f) == nil {
				g.fail(Failure{Kind: UnresolvedFork, Path: p, Hash: f.Parent, Hashes: f.Children, Line: g.lines[f.Children[len(f.Children)-1]],
					Message: fmt.Sprintf("%s: %d versions were made of %s, and no entry merges them all: %s", p, len(f.Children), f.Parent, strings.Join(f.Children, ", "))})
			}
		}
	}
}

// ByArtefact groups entries by their artifact; paths are in the order of first occurrence.
func ByArtefact(entries []*Entry) (paths []string, byPath map[string][]*Entry) {
	byPath = map[string][]*Entry{}
	for _, e := range entries {
		if byPath[e.ArtefactPath] == nil {
			paths = append(paths, e.ArtefactPath)
		}
		byPath[e.ArtefactPath] = append(byPath[e.ArtefactPath], e)
	}
	return paths, byPath
}

// OpenTipsOf returns the entries of one artifact that none of them follows, in the order of
// the log; repeated lines are repeated.
func OpenTipsOf(entries []*Entry) []string {
	followed := map[string]bool{}
	for _, e := range entries {
		for _, p := range e.Parents {
			followed[p] = true
		}
	}
	var open []string
	for _, e := range entries {
		if !followed[e.hash] {
			open = append(open, e.hash)
		}
	}
	return open
}

// Fork is a version of which two that differ were made.
type Fork struct {
	Parent   string
	Children []string // in the order of the log
}

// Forks returns the forks among the entries of one artifact.
func Forks(entries []*Entry) []Fork {
	children, contents := map[string][]string{}, map[string]map[string]bool{}
	var parents []string
	for _, e := range entries {
		if len(e.Parents) != 1 {
			continue
		}
		p := e.Parents[0]
		if children[p] == nil {
			parents = append(parents, p)
			contents[p] = map[string]bool{}
		}
		children[p] = append(children[p], e.hash)
		contents[p][e.ContentHash] = true
	}
	var forks []Fork
	for _, p := range parents {
		if len(contents[p]) > 1 {
			forks = append(forks, Fork{p, children[p]})
		}
	}
	return forks
}

// Merges are the entries with two parents or more, by each of their parents.
type Merges map[string][]*Entry

// MergesOf indexes entries.
func MergesOf(entries []*Entry) Merges {
	m := Merges{}
	for _, e := range entries {
		if len(e.Parents) >= 2 {
			for _, p := range e.Parents {
				m[p] = append(m[p], e)
			}
		}
	}
	return m
}

// Of returns the first entry that merges all children of a fork, whichever artifact and
// agent it is of; nil if there is none.
func (m Merges) Of(f Fork) *Entry {
	for _, e := range m[f.Children[0]] {
		if !slices.ContainsFunc(f.Children, func(c string) bool { return !slices.Contains(e.Parents, c) }) {
			return e
		}
	}
	return nil
}

// leftovers tells of signatures and tips whose entries the log does not have: they were
// dropped from it.
func (g *gate) leftovers() {
	lost := map[string]bool{}
	err := walkFiles(g.folder, "signatures", func(name string) {
		hash, ok := strings.CutSuffix(name[strings.LastIndexByte(name, '/')+1:], ".jws")
		if ok && isHex(hash, 64) && g.lines[hashPrefix+hash] == 0 {
			lost[hashPrefix+hash] = true
		}
	})
	if err != nil {
		g.stricter(0, "signatures_unread", "the signatures cannot all be listed: %v", err)
	}
	for _, hash := range slices.SortedFunc(maps.Keys(lost), cmp.Compare[string]) {
		g.stricter(0, "orphan_signature", "there is a signature of %s, which the log does not have: it was dropped, or it is one that failed the checks", hash)
	}
}

// maxWalk bounds how many files are looked at.
const maxWalk = 1 << 20

func walkFiles(fsys fs.FS, root string, visit func(name string)) error {
	seen := 0
	return fs.WalkDir(fsys, root, func(name string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		} else if err != nil {
			return err
		}
		if seen++; seen > maxWalk {
			return fmt.Errorf("more than %d files", maxWalk)
		}
		if !e.IsDir() {
			visit(name)
		}
		return nil
	})
}
