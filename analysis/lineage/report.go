package lineage

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"math/big"
	"slices"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/lineage/pyjson"
)

// LogKind says what a file is.
type LogKind uint8

// The kinds of logs.
const (
	NoLog LogKind = iota
	SpineLog
	SignedLog
)

// KindOfLog tells whether a file is a lineage log: by its name below .sdd/lineage, or for
// other names of JSON Lines by its first line.
func KindOfLog(path string, content []byte) LogKind {
	if !strings.HasSuffix(path, ".jsonl") {
		return NoLog
	}
	if _, below, ok := strings.Cut(path, "/.sdd/lineage/"); ok {
		switch {
		case below == LogFile || strings.HasPrefix(below, "by-artefact/"):
			return SignedLog
		case strings.HasSuffix(below, "/spine.jsonl") && strings.Count(below, "/") == 1:
			return SpineLog
		}
	}
	const most = 64 << 10 // bytes of a first line
	first := bytes.TrimLeft(content[:min(len(content), most)], "\n")
	first, _, ended := bytes.Cut(first, []byte("\n"))
	if !ended && len(content) > most || !bytes.Contains(first, []byte(`fact_path"`)) {
		return NoLog
	}
	v, err := pyjson.Parse(first)
	if err != nil {
		return NoLog
	}
	has := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(n string) bool { _, ok := v.Get(n); return !ok })
	}
	switch {
	case has("artifact_path", "prev_hash", "entry_hash"):
		return SpineLog
	case has("artefact_path", "parent_hashes", "agent_card_kid"):
		return SignedLog
	}
	return NoLog
}

// LogReport is a log line by line, with what its verification came to.
type LogReport struct {
	Kind  LogKind
	Lines []LogLine // ordered; blank ones are left out
	// Stricter are the findings of which the verdict does not speak, in order of lines.
	Stricter []Stricter
	// Unchecked is why the tags or signatures were not checked, "" if they were.
	Unchecked string
	// Summary says in a few words what the log is.
	Summary string
	// General are faults that are about no line.
	General []Fault

	byHash   map[string]int // index of a line
	children map[string][]int
}

// LogLine is one row or entry.
type LogLine struct {
	Number     int
	Start, End int // of the line, without its newline
	Faults     []Fault
	// One of them is there, if the line can be read.
	Row   *Row
	Entry *Entry
}

// Artifact, Actor and so on return what the line says; "" where it cannot be read.

func (l LogLine) pick(row func(*Row) string, entry func(*Entry) string) string {
	switch {
	case l.Row != nil:
		return row(l.Row)
	case l.Entry != nil:
		return entry(l.Entry)
	}
	return ""
}

// Artifact returns which artifact was written.
func (l LogLine) Artifact() string {
	return l.pick(func(r *Row) string { return r.ArtifactPath }, func(e *Entry) string { return e.ArtefactPath })
}

// Actor returns who wrote it.
func (l LogLine) Actor() string {
	return l.pick(func(r *Row) string { return r.Actor }, func(e *Entry) string { return e.AgentID })
}

// Model returns with which model.
func (l LogLine) Model() string {
	return l.pick(func(r *Row) string { return r.Model }, (*Entry).Model)
}

// Step returns in which step or tool call.
func (l LogLine) Step() string {
	return l.pick(func(r *Row) string { return r.StepID }, func(e *Entry) string { return e.ToolCallID })
}

// ContentHash returns the hash of what was written.
func (l LogLine) ContentHash() string {
	return l.pick(func(r *Row) string { return r.ContentHash }, func(e *Entry) string { return e.ContentHash })
}

// Hash returns the hash by which others follow the line.
func (l LogLine) Hash() string {
	return l.pick(func(r *Row) string { return r.EntryHash }, (*Entry).Hash)
}

// Time returns when, nil where it is not known.
func (l LogLine) Time() *big.Int {
	switch {
	case l.Row != nil:
		return l.Row.Timestamp
	case l.Entry != nil:
		return l.Entry.TsNS
	}
	return nil
}

// Follows returns the hashes of what the line follows.
func (l LogLine) Follows() []string {
	switch {
	case l.Row != nil && l.Row.PrevHash != "":
		return []string{l.Row.PrevHash}
	case l.Entry != nil:
		return l.Entry.Parents
	}
	return nil
}

// OfHash returns the line that has a hash.
func (r *LogReport) OfHash(hash string) (LogLine, bool) {
	i, ok := r.byHash[hash]
	if !ok {
		return LogLine{}, false
	}
	return r.Lines[i], true
}

// Followers returns the lines that name a hash as what they follow.
func (r *LogReport) Followers(hash string) []LogLine {
	var out []LogLine
	for _, i := range r.children[hash] {
		out = append(out, r.Lines[i])
	}
	return out
}

// At returns the line at an offset.
func (r *LogReport) At(off int) (LogLine, bool) {
	i, _ := slices.BinarySearchFunc(r.Lines, off, func(l LogLine, off int) int { return cmp.Compare(l.End, off) })
	if i < len(r.Lines) && r.Lines[i].Start <= off {
		return r.Lines[i], true
	}
	return LogLine{}, false
}

func (r *LogReport) index() {
	r.byHash, r.children = map[string]int{}, map[string][]int{}
	for i, l := range r.Lines {
		h := l.Hash()
		if _, known := r.byHash[h]; h != "" && !known {
			r.byHash[h] = i
		}
		for _, f := range l.Follows() {
			r.children[f] = append(r.children[f], i)
		}
	}
}

// ReportSpine verifies a spine and tells of each line. Head is the content of spine.head,
// nil where there is none; without a key the tags are not checked, and why says so.
func ReportSpine(content, head []byte, key *Key, why string) *LogReport {
	r := &LogReport{Kind: SpineLog, Unchecked: why}
	v, err := VerifySpine(bytes.NewReader(content), ParseHead(head), key, func(row SpineRow) {
		start := int(row.Offset)
		end := len(content)
		if n := bytes.IndexByte(content[start:], '\n'); n >= 0 {
			end = start + n
		}
		r.Lines = append(r.Lines, LogLine{Number: row.Line, Start: start, End: end, Faults: row.Faults, Row: row.Row})
	})
	if err != nil {
		panic(err) // a reader of bytes does not fail
	}
	for _, f := range v.Faults {
		if f.Line == 0 {
			r.General = append(r.General, f)
		}
	}
	r.Stricter = v.Stricter
	r.index()
	state := "head not confirmed"
	switch {
	case v.FaultCount > 0:
		state = "does not verify"
	case v.HeadSigned:
		state = "head signed"
	case key == nil:
		state = "tags not checked"
	}
	r.Summary = fmt.Sprintf("%d entries · chain intact to line %d · %s", v.Count, v.Intact, state)
	if v.Count == 1 {
		r.Summary = "1 entry" + strings.TrimPrefix(r.Summary, "1 entries")
	}
	switch {
	case v.Status == StatusNoEntries:
		r.Summary = "no entries"
	case v.Status == StatusSealOnly:
		r.Summary += " · records no work"
	case v.FaultCount > 0 && v.Intact == 0:
		r.Summary = fmt.Sprintf("%d entries · chain broken from the first line", v.Count)
	}
	return r
}

// ReportSigned checks a signed log and tells of each line. Folder is the lineage folder,
// for signatures; cards is nil where there are none, and then signatures are not checked.
// A projection has the entries of one artifact, whose parents may be of others.
func ReportSigned(content []byte, folder, cards fs.FS, o GateOptions, projection bool) (*LogReport, error) {
	o.ModelRef = true // what the gate of the logs' own tools cannot read is no fault of the log
	v, err := GateLog(content, folder, cards, o)
	if err != nil {
		return nil, err
	}
	r := &LogReport{Kind: SignedLog, Stricter: v.Stricter}
	faults := map[int][]Fault{}
	failures := 0
	for _, f := range v.Failures {
		if cards == nil && f.Kind == NoCard {
			r.Unchecked = "there are no agents' cards beside the log, so nobody's signature can be checked"
			continue
		}
		if projection && f.Kind == DanglingParent {
			continue
		}
		failures++
		fault := Fault{Line: f.Line, Kind: f.Kind, Field: f.Field, Message: f.Message}
		if f.Line == 0 {
			r.General = append(r.General, fault)
		}
		faults[f.Line] = append(faults[f.Line], fault)
	}
	if projection {
		r.Stricter = slices.DeleteFunc(slices.Clone(r.Stricter), func(s Stricter) bool { return s.Kind == "orphan_signature" })
	}
	entries := map[int]*Entry{}
	for i, e := range v.Entries {
		entries[v.Lines[i]] = e
	}
	number, start := 0, 0
	for line := range bytes.Lines(content) {
		number++
		text := bytes.TrimSuffix(line, []byte("\n"))
		if len(text) > 0 {
			r.Lines = append(r.Lines, LogLine{Number: number, Start: start, End: start + len(text), Faults: faults[number], Entry: entries[number]})
		}
		start += len(line)
	}
	r.index()
	state := "gate open"
	switch {
	case failures > 0:
		state = fmt.Sprintf("gate shut: %d failures", failures)
		if failures == 1 {
			state = "gate shut: 1 failure"
		}
	case r.Unchecked != "":
		state = "signatures not checked"
	}
	r.Summary = fmt.Sprintf("%d entries · %s", len(v.Entries), state)
	if len(v.Entries) == 1 {
		r.Summary = "1 entry · " + state
	}
	return r, nil
}

// Recording is what a log says of an artifact: that an actor wrote it, and what.
type Recording struct {
	LogLine
	Log string // the file
	Run string // of a spine; "" of the signed log
	// Doubt is why the recording proves nothing, "" if the log verifies.
	Doubt string
}

// Newer orders recordings by their time, the newest first.
func Newer(a, b Recording) int {
	switch {
	case a.Time() == nil || b.Time() == nil:
		return 0
	}
	return b.Time().Cmp(a.Time())
}
