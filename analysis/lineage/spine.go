package lineage

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"math/big"
	"slices"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/lineage/pyjson"
)

// Status is the verdict about a spine in one word. OK alone passes.
type Status string

// What a spine may be.
const (
	StatusOK        Status = "ok"
	StatusNoEntries Status = "no_entries" // it is missing or empty
	StatusSealOnly  Status = "seal_only"  // it records no work, only the end of a run
	StatusTampered  Status = "tampered"
	// StatusUnverified is ours: the chain of hashes holds, and there was no key to check
	// the tags with. Anyone can make such a chain.
	StatusUnverified Status = "unverified"
)

// The kinds of faults, in the words of the spine's own tools but for the last two.
const (
	MalformedJSON      = "malformed_json"
	NotObject          = "not_object"
	MissingFields      = "missing_fields"
	UnsupportedVersion = "unsupported_version"
	PrevHashBreak      = "prev_hash_break"
	Unhashable         = "unhashable"
	EntryHashMismatch  = "entry_hash_mismatch"
	HMACMismatch       = "hmac_mismatch"
	UnknownProfile     = "unknown_profile" // of spine.head
	MalformedHead      = "malformed_head"  // the tools fail over it
)

// Fault is one reason why a log does not verify.
type Fault struct {
	Line    int    // 0 for one of the head
	Kind    string // such as PrevHashBreak
	Message string
	// Field is the member that is at fault, "" for the line as a whole.
	Field string
	// Expected and Found are the hashes that should agree, where two should.
	Expected, Found string
	// From is the line that the chain breaks from, 0 where none does.
	From int
}

// Stricter is what a log's own tools accept and a careful reader should know.
type Stricter struct {
	Line    int // 0 for one about the log as a whole
	Kind    string
	Message string
}

// MaxFindings bounds how many faults, and how many stricter findings, a verdict lists.
const MaxFindings = 1000

// SpineVerdict is what verifying a spine came to.
type SpineVerdict struct {
	Status Status
	Count  int     // lines
	Faults []Fault // the first MaxFindings
	// FaultCount is how many faults there are in all.
	FaultCount    int
	HeadHash      string // of the last row, "" if it has none
	Stricter      []Stricter
	StricterCount int
	Profile       Profile
	// Intact is up to which line the chain has no fault.
	Intact int
	// HeadSigned says that spine.head fits the rows and that its tag is right.
	HeadSigned bool
}

// SpineRow is one line of a spine that is being verified.
type SpineRow struct {
	Line   int
	Offset int64 // of the line
	Row    *Row  // nil where it cannot be read
	Faults []Fault
}

// VerifySpine verifies a spine: every row's hash, its tag, and that it names the row before.
// Head is the content of spine.head, nil where there is none. Without a key the tags are
// not checked, and the status is at best StatusUnverified. Each, if not nil, is called for
// every line in order.
//
// The log is read once; memory does not grow with it. The error is one of r.
func VerifySpine(r io.Reader, head Head, key *Key, each func(SpineRow)) (SpineVerdict, error) {
	s := &spineVerifier{head: head, key: key, each: each}
	s.init()
	if err := s.run(r); err != nil {
		return SpineVerdict{}, err
	}
	return s.verdict, nil
}

type spineVerifier struct {
	head    Head
	key     *Key
	each    func(SpineRow)
	verdict SpineVerdict

	line     int
	offset   int64
	faults   []Fault      // of the line
	prev     []byte       // the hash that the next row must name, as a literal in ASCII
	prevLine int          // the line that has it
	macs     [2]hash.Hash // by scheme
	scratch  []byte       // a message
	mac      []byte
	sum      [2 * 32]byte // in hex
	work     bool         // a row is neither a seal nor an attempt
	newest   bool         // a row of scheme 2 was seen
	atCount  string       // the hash of the row that the head counts as the last
	hash     []byte       // the last row's, as a literal
	oneByOne bool         // for tests: no row is read the fast way
}

func (s *spineVerifier) init() {
	s.verdict.Profile = s.head.Profile
	s.prev = append(s.prev, `""`...)
	if s.key != nil {
		s.macs[0] = hmac.New(sha256.New, s.key.master)
		s.macs[1] = hmac.New(sha256.New, s.key.derived)
	}
}

func (s *spineVerifier) run(r io.Reader) error {
	in := newLines(r)
	blank := 0
	for {
		l, err := in.next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		if len(l.text) == 0 && !l.long {
			blank++ // at the end of the log they do not count
			continue
		}
		if s.verdict.Count == 0 && !s.begin() {
			return s.skipToEnd(in, l)
		}
		for ; blank > 0; blank-- {
			s.next(l.number-blank, l.offset-int64(blank))
			s.add(Fault{Kind: MalformedJSON, Message: "the line is blank"})
			s.end(nil)
		}
		s.next(l.number, l.offset)
		s.row(l)
	}
	if s.verdict.Count == 0 {
		s.verdict.Status = StatusNoEntries
		s.checkHead()
		return nil
	}
	if !in.ended {
		s.stricter(s.verdict.Count, "unterminated_last_row", "the last row does not end in a newline: the next one that is appended would be glued to it")
	} else if blank > 0 {
		s.stricter(0, "blank_lines_at_end", fmt.Sprintf("%d blank lines follow the last row", blank))
	}
	s.verdict.HeadHash = unquote(s.hash)
	switch {
	case s.verdict.FaultCount > 0:
		s.verdict.Status = StatusTampered
	case s.key == nil:
		s.verdict.Status = StatusUnverified
	case !s.work:
		s.verdict.Status = StatusSealOnly
	default:
		s.verdict.Status = StatusOK
	}
	s.checkHead()
	return nil
}

// begin checks what must be known before the first row. It returns false when the verdict
// stands.
func (s *spineVerifier) begin() bool {
	switch {
	case s.head.Unknown != "":
		s.add(Fault{Kind: UnknownProfile, Field: "hash_profile", Found: s.head.Unknown,
			Message: fmt.Sprintf("spine.head names the hash profile %q, which is not known: nothing can be verified", s.head.Unknown)})
	case s.head.crash:
		s.add(Fault{Kind: MalformedHead, Message: s.head.Fault})
	default:
		return true
	}
	s.verdict.Status = StatusTampered
	s.record()
	return false
}

// skipToEnd reads the hash of the last row, the line given or one after it, and no more.
func (s *spineVerifier) skipToEnd(in *lines, l line) error {
	last := bytes.Clone(l.text)
	for {
		l, err := in.next()
		if errors.Is(err, io.EOF) {
			v, _ := pyjson.Parse(last)
			h, _ := v.Get("entry_hash")
			s.verdict.HeadHash = h.Text()
			return nil
		} else if err != nil {
			return err
		}
		if len(l.text) > 0 || l.long {
			last = append(last[:0], l.text...)
		}
	}
}

func (s *spineVerifier) next(number int, offset int64) {
	s.line, s.offset = number, offset
	s.verdict.Count++
	s.faults = s.faults[:0]
}

func (s *spineVerifier) add(f Fault) { s.faults = append(s.faults, f) }

// record moves the line's faults to the verdict.
func (s *spineVerifier) record() {
	for _, f := range s.faults {
		f.Line = s.line
		s.verdict.FaultCount++
		if len(s.verdict.Faults) < MaxFindings {
			s.verdict.Faults = append(s.verdict.Faults, f)
		}
	}
}

// end is called once for each line.
func (s *spineVerifier) end(r *Row) {
	if len(s.faults) > 0 {
		s.record()
	} else if s.verdict.FaultCount == 0 {
		s.verdict.Intact = s.line
	}
	if s.each != nil {
		for i := range s.faults {
			s.faults[i].Line = s.line
		}
		s.each(SpineRow{s.line, s.offset, r, slices.Clone(s.faults)})
	}
	if s.head.Count != nil && s.head.Count.IsInt64() && s.head.Count.Int64() == int64(s.verdict.Count) {
		s.atCount = unquote(s.hash)
	}
}

func (s *spineVerifier) stricter(line int, kind, message string) {
	s.verdict.StricterCount++
	if len(s.verdict.Stricter) < MaxFindings {
		s.verdict.Stricter = append(s.verdict.Stricter, Stricter{line, kind, message})
	}
}

func (s *spineVerifier) row(l line) {
	if row, ok := scanRow(l.text); ok && !s.oneByOne {
		s.fast(l.text, row)
		return
	}
	s.hash = s.hash[:0]
	if l.long {
		s.stricter(l.number, "line_too_long", fmt.Sprintf("the line has more than %d bytes and was not read", MaxLine))
		s.add(Fault{Kind: MalformedJSON, Message: "the line is too long to be read"})
		s.end(nil)
		return
	}
	v, notes, err := pyjson.ParseNotes(l.text)
	if err != nil {
		s.add(Fault{Kind: MalformedJSON, Message: "the line is not JSON: " + err.Error()})
		s.end(nil)
		return
	}
	if v.Kind() != pyjson.Object {
		s.add(Fault{Kind: NotObject, Message: fmt.Sprintf("the line is a JSON %s and not an object", v.Kind())})
		s.end(nil)
		return
	}
	if h, ok := v.Get("entry_hash"); ok {
		s.hash = literal(h)
	}
	s.slow(v)
	if notes.Mark {
		s.stricter(s.line, "byte_order_mark", "the row begins with a byte order mark")
	}
	if notes.Duplicate {
		s.stricter(s.line, "duplicate_member", "the row has a member twice; only the last one counts")
	}
	if !notes.Mark && !notes.Duplicate {
		if written, err := pyjson.Encode(v, s.head.Profile.form()); err != nil || !bytes.Equal(written, l.text) {
			s.stricter(s.line, "non_canonical_row", "the row is not spelt as it was written: other spaces, escapes or order")
		}
	}
}

// slow verifies a row that is not spelt as writers do.
func (s *spineVerifier) slow(v pyjson.Value) {
	row, readable := rowOf(v)
	var shown *Row
	if readable {
		shown = &row
	}
	defer func() { s.end(shown) }()

	var missing []string
	for _, name := range mandatoryOfRow {
		if _, ok := v.Get(name); !ok {
			missing = append(missing, name)
		}
	}
	if missing != nil {
		s.add(Fault{Kind: MissingFields, Message: "the row lacks " + strings.Join(missing, ", ")})
		return
	}
	version, _ := v.Get("v")
	scheme := schemeOf(version)
	if scheme == 0 {
		s.add(Fault{Kind: UnsupportedVersion, Field: "v", Found: string(literal(version)),
			Message: fmt.Sprintf("rows of version %s are not known", literal(version))})
		return
	}
	prev, _ := v.Get("prev_hash")
	s.checkPrev(literal(prev))
	var hash string
	var err error
	if readable {
		hash, err = row.hash(scheme)
	}
	if !readable || err != nil {
		s.add(s.unhashable(v))
		return
	}
	stated, _ := v.Get("entry_hash")
	if stated.Kind() != pyjson.String || stated.Text() != hash {
		s.add(mismatch(hash, string(bytes.Trim(literal(stated), `"`))))
	}
	if s.key != nil {
		message, err := pyjson.Encode(v.Without("hmac"), s.head.Profile.form())
		stated, _ := v.Get("hmac")
		if err != nil || stated.Kind() != pyjson.String || !s.hasTag(scheme, message, []byte(stated.Text())) {
			s.add(Fault{Kind: HMACMismatch, Field: "hmac", Message: "the row's tag was not made with this key over these values"})
		}
	}
	s.prev = append(s.prev[:0], literal(stated)...)
	s.prevLine = s.line
	s.note(scheme, row.StepID)
	s.noteMembers(v, row)
}

func (s *spineVerifier) unhashable(v pyjson.Value) Fault {
	if at, _ := v.Get("timestamp"); true {
		if _, ok := at.ToInt(); !ok {
			return Fault{Kind: Unhashable, Field: "timestamp", Message: "the row's timestamp is not an integer, so the row has no hash"}
		}
	}
	return Fault{Kind: Unhashable, Message: "the row has a value that cannot be hashed"}
}

func mismatch(expected, found string) Fault {
	return Fault{Kind: EntryHashMismatch, Field: "entry_hash", Expected: expected, Found: found,
		Message: fmt.Sprintf("the row's values hash to %s, but it says %s: the row was changed", expected, found)}
}

func (s *spineVerifier) checkPrev(found []byte) {
	if bytes.Equal(found, s.prev) {
		return
	}
	expected, got := unquote(s.prev), unquote(found)
	f := Fault{Kind: PrevHashBreak, Field: "prev_hash", Expected: expected, Found: got, From: s.prevLine}
	switch {
	case s.prevLine == 0:
		f.Message = fmt.Sprintf("the first row must follow none, but it follows %s", orNothing(got))
	default:
		f.Message = fmt.Sprintf("the chain breaks here: the row of line %d is %s, but this one follows %s", s.prevLine, orNothing(expected), orNothing(got))
	}
	s.add(f)
}

func orNothing(hash string) string {
	if hash == "" {
		return "none"
	}
	return hash
}

// hasTag says whether a tag in hex is that of the message.
func (s *spineVerifier) hasTag(scheme int, message, stated []byte) bool {
	mac := s.macs[scheme-1]
	mac.Reset()
	mac.Write(message)
	s.mac = mac.Sum(s.mac[:0])
	hex.Encode(s.sum[:], s.mac)
	return hmac.Equal(s.sum[:], stated)
}

// fast verifies a row that is spelt as writers do, from its bytes.
func (s *spineVerifier) fast(text []byte, at rowSpans) {
	scheme := int(text[len(text)-2] - '0')
	s.hash = append(s.hash[:0], text[at.entryHash.start:at.entryHash.end]...)
	s.checkPrev(text[at.prevHash.start:at.prevHash.end])

	s.scratch = s.scratch[:0]
	if scheme == 2 {
		s.scratch = append(s.scratch, domainTag...)
	}
	s.scratch = append(s.scratch, text[:at.entryHashMember]...)
	s.scratch = append(s.scratch, text[at.modelMember:at.versionMember-1]...)
	s.scratch = append(s.scratch, '}')
	sum := sha256.Sum256(s.scratch)
	hex.Encode(s.sum[:], sum[:])
	stated := text[at.entryHash.start+1 : at.entryHash.end-1]
	if len(stated) != len(hashPrefix)+len(s.sum) || string(stated[:len(hashPrefix)]) != hashPrefix || !bytes.Equal(stated[len(hashPrefix):], s.sum[:]) {
		s.add(mismatch(hashPrefix+string(s.sum[:]), string(stated)))
	}
	if s.key != nil {
		s.scratch = append(append(s.scratch[:0], text[:at.hmacMember]...), text[at.modelMember:]...)
		if !s.hasTag(scheme, s.scratch, text[at.hmac.start+1:at.hmac.end-1]) {
			s.add(Fault{Kind: HMACMismatch, Field: "hmac", Message: "the row's tag was not made with this key over these values"})
		}
	}
	s.prev = append(s.prev[:0], s.hash...)
	s.prevLine = s.line
	step := text[at.stepID.start+1 : at.stepID.end-1]
	if scheme == 1 && s.newest || !s.work || scheme == 2 && !s.newest {
		s.note(scheme, string(step))
	}
	content := text[at.contentHash.start+1 : at.contentHash.end-1]
	path := text[at.artifactPath.start+1 : at.artifactPath.end-1]
	odd := len(path) == 0 || path[0] == '/' || bytes.IndexByte(path, ':') >= 0 || bytes.Contains(path, []byte(".."))
	if s.each == nil && !odd && plainHash(content) {
		s.end(nil)
		return
	}
	v, err := pyjson.Parse(text)
	row, ok := rowOf(v)
	if err != nil || !ok {
		panic(fmt.Sprintf("a row was scanned that is none: %v", err))
	}
	s.noteMembers(v, row)
	s.end(&row)
}

// plainHash is IsHash for bytes.
func plainHash(b []byte) bool {
	if len(b) != len(hashPrefix)+64 || string(b[:len(hashPrefix)]) != hashPrefix {
		return false
	}
	for _, c := range b[len(hashPrefix):] {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// The prefixes of step ids of rows that record no work.
const (
	sealPrefix    = "replay-journal-head:"
	attemptPrefix = "artifact-attempt:"
)

func (s *spineVerifier) note(scheme int, step string) {
	if !strings.HasPrefix(step, sealPrefix) && !strings.HasPrefix(step, attemptPrefix) {
		s.work = true
	}
	if scheme == 1 && s.newest {
		s.stricter(s.line, "scheme_downgrade", "a row of the older scheme follows one of the newer: no writer does that")
	}
	s.newest = s.newest || scheme == 2
}

// noteMembers tells of members that are accepted and that no writer writes.
func (s *spineVerifier) noteMembers(v pyjson.Value, row Row) {
	for _, m := range v.Members() {
		switch {
		case slices.Contains(traceOfRow, m.Name) || slices.Contains(mandatoryOfRow, m.Name):
			want := pyjson.String
			if m.Name == "v" || m.Name == "timestamp" {
				want = pyjson.Int
			}
			if m.Value.Kind() != want {
				s.stricter(s.line, "wrong_type", fmt.Sprintf("%q is a JSON %s and should be a %s; it is converted before it is hashed", m.Name, m.Value.Kind(), want))
			}
		default:
			s.stricter(s.line, "unknown_member", fmt.Sprintf("the member %q is not part of the format; the row's hash does not cover it", m.Name))
		}
	}
	if err := CheckArtifactKey(row.ArtifactPath); err != nil {
		s.stricter(s.line, "invalid_artifact_key", err.Error())
	}
	if !IsHash(row.ContentHash) {
		s.stricter(s.line, "invalid_content_hash", fmt.Sprintf("%q is not a content hash", row.ContentHash))
	}
}

// checkHead compares spine.head with the rows. None of it is part of the verdict.
func (s *spineVerifier) checkHead() {
	h := s.head
	if h.Fault != "" {
		switch {
		case h.src == nil && s.verdict.Count > 0:
			s.stricter(0, "head_missing", "there is no spine.head, so rows dropped from the end would not show")
		case h.src != nil:
			s.stricter(0, "head_malformed", h.Fault)
		}
		return
	}
	authentic := s.key != nil && h.authentic(s.key)
	if s.key != nil && !authentic {
		s.stricter(0, "head_forged", "the tag of spine.head was not made with this key: what it says proves nothing")
	}
	rows := big.NewInt(int64(s.verdict.Count))
	switch c := h.Count.Cmp(rows); {
	case c > 0:
		s.stricter(0, "tail_dropped", fmt.Sprintf("spine.head counts %s rows and there are %s: rows were dropped from the end", h.Count, rows))
	case c < 0 && s.atCount != h.Hash:
		s.stricter(0, "head_mismatch", fmt.Sprintf("spine.head counts %s rows, and the hash that it gives is not that of row %s", h.Count, h.Count))
	case c < 0:
		s.stricter(0, "head_behind", fmt.Sprintf("spine.head counts %s rows and there are %s: a writer was interrupted, or rows were appended by other means", h.Count, rows))
	case h.Hash != s.verdict.HeadHash:
		s.stricter(0, "head_mismatch", fmt.Sprintf("spine.head says that the last row is %s, and it is %s", orNothing(h.Hash), orNothing(s.verdict.HeadHash)))
	default:
		s.verdict.HeadSigned = authentic
	}
}

// literal returns a value in ASCII, in which every value can be written.
func literal(v pyjson.Value) []byte {
	out, err := pyjson.Encode(v, pyjson.ASCII)
	if err != nil {
		panic(err)
	}
	return out
}

// unquote returns the text of a literal that is a string, "" for any other.
func unquote(literal []byte) string {
	if len(literal) < 2 || literal[0] != '"' {
		return ""
	}
	v, err := pyjson.Parse(literal)
	if err != nil {
		return ""
	}
	return v.Text()
}
