package udiff

import "strings"

// reader goes through raw once, line by line, either inside a body or between
// bodies.
type reader struct {
	d    *Diff
	raw  string
	next int // start of the line after the current one

	hunk    int  // the last hunk, -1 before the first
	inBody  bool // of that hunk
	crlf    bool // headers of this raw end in CR
	counted bool // the header states counts
	oldLeft int  // counted lines that the body has not shown yet
	newLeft int
	blanks  int // empty lines that may be context or may separate hunks
	blankAt int // start of the first of them

	sectionHasHunk bool
	anyHeader      bool // a line that only diffs have
	prose          Span // first text that no rule knows
}

// line cuts the line that starts at i: without line feed, and where the next
// line starts.
func (r *reader) line(i int) (end, next int) {
	if n := strings.IndexByte(r.raw[i:], '\n'); n >= 0 {
		return i + n, i + n + 1
	}
	return len(r.raw), len(r.raw)
}

func (r *reader) read() {
	for i := 0; i < len(r.raw); i = r.next {
		end, next := r.line(i)
		r.next = next
		if strings.HasPrefix(r.raw[i:end], "@@") {
			r.endBody()
			r.header(i, end)
			continue
		}
		if r.inBody && r.body(i, end) {
			continue
		}
		r.between(i, end)
	}
	r.endBody()
	r.finish()
}

// body takes a line of the current hunk; false when the line ends the body.
func (r *reader) body(i, end int) bool {
	if i == end || end == i+1 && r.raw[i] == '\r' {
		if r.blanks == 0 {
			r.blankAt = i
		}
		r.blanks++
		return true
	}
	switch c := r.raw[i]; c {
	case ' ', '+', '-':
		if c == '-' && r.headerPair(i, end) || r.signature(i, end) {
			return false
		}
		r.flushBlanks(r.blanks)
		r.add(Kind(c), i+1, end)
		return true
	case '\\':
		r.mark()
		return true
	case '<', '>':
		// The git deriver's end-of-file origin on a line of its own.
		if end == i+1 && r.next < len(r.raw) && r.raw[r.next] == '\\' {
			return true
		}
	}
	return false
}

// usedUp says that the header counts no further line.
func (r *reader) usedUp() bool { return !r.counted || r.oldLeft <= 0 && r.newLeft <= 0 }

// headerPair tells a `---`/`+++` file header from a removed line that starts with
// `-- ` followed by an added one that starts with `++ `. Counts decide; when they
// ask for more lines than the pair, a hunk header right after it shows that they
// are wrong.
func (r *reader) headerPair(i, end int) bool {
	if !strings.HasPrefix(r.raw[i:end], "---") || !fileHeader(r.raw[i:end], '-') {
		return false
	}
	plusEnd, after := r.line(r.next)
	if r.next >= len(r.raw) || !fileHeader(r.raw[r.next:plusEnd], '+') {
		return false
	}
	if r.usedUp() {
		return true
	}
	if r.oldLeft == 1 && r.newLeft == 1 {
		return false
	}
	return strings.HasPrefix(r.raw[after:], "@@") || strings.HasPrefix(r.raw[after:], "--- ")
}

func fileHeader(s string, c byte) bool {
	return len(s) >= 3 && s[0] == c && s[1] == c && s[2] == c && (len(s) == 3 || s[3] == ' ' || s[3] == '\t' || s[3] == '\r')
}

// signature is the line that ends a patch sent by mail.
func (r *reader) signature(i, end int) bool {
	return r.counted && r.oldLeft <= 0 && r.newLeft <= 0 && r.raw[i:end] == "-- "
}

func (r *reader) add(kind Kind, start, end int) {
	if r.crlf && end > start && r.raw[end-1] == '\r' {
		end--
	}
	h := &r.d.Hunks[r.hunk]
	if kind != Added {
		h.OldLines++
		r.oldLeft--
	}
	if kind != Removed {
		h.NewLines++
		r.newLeft--
	}
	switch kind {
	case Added:
		r.d.Added++
	case Removed:
		r.d.Removed++
	}
	r.d.lines = append(r.d.lines, Line{start: uint32(start), end: uint32(end), Kind: kind})
}

// mark puts the marker on the line before it; before the first body line it says
// nothing.
func (r *reader) mark() {
	r.flushBlanks(r.blanks)
	if n := len(r.d.lines); n > r.d.Hunks[r.hunk].first {
		r.d.lines[n-1].NoEOL = true
	}
}

// flushBlanks makes n of the empty lines seen last context lines: mail programs
// strip the space of an empty context line.
func (r *reader) flushBlanks(n int) {
	i := r.blankAt
	for ; n > 0; n-- {
		end, next := r.line(i)
		r.add(Context, i, end)
		i = next
	}
	r.blanks = 0
}

// endBody closes the current hunk. Empty lines at its end belong to it as far as
// its counts ask for them.
func (r *reader) endBody() {
	if !r.inBody {
		return
	}
	if r.counted && r.oldLeft == r.newLeft && r.oldLeft > 0 && r.oldLeft <= r.blanks {
		r.flushBlanks(r.oldLeft)
	}
	r.blanks = 0
	r.inBody = false
	h := &r.d.Hunks[r.hunk]
	h.last = len(r.d.lines)
	r.dropSurplus(h)
}

// dropSurplus leaves out the empty added line that a producer got by splitting a
// text that ends in a line feed.
func (r *reader) dropSurplus(h *Hunk) {
	if h.Numbers != NumbersStated || h.OldLines != h.Old.Count || h.NewLines != h.New.Count+1 || h.last == h.first {
		return
	}
	if l := r.d.lines[h.last-1]; l.Kind != Added || l.start != l.end || l.NoEOL {
		return
	}
	h.Surplus = true
	h.last--
	h.NewLines--
	r.d.Added--
	r.d.lines = r.d.lines[:h.last]
}

// headerSection is the section to which a header line at this place belongs.
func (r *reader) headerSection() *Section {
	r.anyHeader = true
	if len(r.d.Sections) == 0 || r.sectionHasHunk {
		r.d.Sections = append(r.d.Sections, Section{})
		r.sectionHasHunk = false
	}
	return &r.d.Sections[len(r.d.Sections)-1]
}

func (r *reader) header(i, end int) {
	if end > i && r.raw[end-1] == '\r' {
		r.crlf = true
		end--
	}
	if len(r.d.Sections) == 0 {
		r.d.Sections = append(r.d.Sections, Section{})
	}
	r.sectionHasHunk = true
	h := Hunk{Header: Span{i, end}, Section: len(r.d.Sections) - 1, first: len(r.d.lines)}
	h.last = h.first
	h.Numbers, h.Old, h.New = ranges(r.raw[i:end])
	r.hunk = len(r.d.Hunks)
	r.d.Hunks = append(r.d.Hunks, h)
	r.inBody = true
	r.counted = h.Numbers == NumbersStated
	r.oldLeft, r.newLeft = h.Old.Count, h.New.Count
	r.blanks = 0
}

// ranges reads `@@ -a,b +c,d @@`. A count that is left out is 1.
func ranges(s string) (Numbers, Range, Range) {
	s = strings.TrimLeft(s[2:], " ")
	if s == "" || s[0] != '-' {
		return NumbersAbsent, Range{}, Range{}
	}
	old, s, ok := oneRange(s[1:])
	if !ok {
		return NumbersUnusable, Range{}, Range{}
	}
	s = strings.TrimLeft(s, " ")
	if s == "" || s[0] != '+' {
		return NumbersUnusable, Range{}, Range{}
	}
	now, s, ok := oneRange(s[1:])
	if !ok || s != "" && s[0] != ' ' && s[0] != '@' {
		return NumbersUnusable, Range{}, Range{}
	}
	return NumbersStated, old, now
}

func oneRange(s string) (Range, string, bool) {
	start, s, ok := number(s)
	if !ok {
		return Range{}, s, false
	}
	if s == "" || s[0] != ',' {
		return Range{start, 1}, s, true
	}
	count, s, ok := number(s[1:])
	return Range{start, count}, s, ok
}

// number reads at most nine digits: no file has more lines.
func number(s string) (n int, rest string, ok bool) {
	i := 0
	for ; i < len(s) && i < 10 && '0' <= s[i] && s[i] <= '9'; i++ {
		n = n*10 + int(s[i]-'0')
	}
	return n, s[i:], i > 0 && i < 10
}

// headerWords are the beginnings of the lines that may stand between hunks and
// say nothing about content.
var headerWords = []string{
	"diff ", "index ", "Index: ", "====", "old mode ", "new mode ", "similarity index ",
	"dissimilarity index ", "rename from ", "rename to ", "copy from ", "copy to ",
	"create file mode ", "# edit ",
}

// between takes a line outside of bodies.
func (r *reader) between(i, end int) {
	r.endBody()
	s := strings.TrimSuffix(r.raw[i:end], "\r")
	switch {
	case s == "":
		return
	case fileHeader(s, '-') || fileHeader(s, '+'):
		r.fileName(s, i)
	case hasAnyPrefix(s, headerWords):
		r.headerSection()
	case strings.HasPrefix(s, "new file mode "):
		r.headerSection().Creates = true
	case strings.HasPrefix(s, "deleted file mode "):
		r.headerSection().Deletes = true
	case strings.HasPrefix(s, "Binary files ") || s == "GIT binary patch":
		r.headerSection().Binary = true
		r.d.issue(BinaryChange, -1, Span{i, i + len(s)})
	default:
		r.tail(i, i+len(s))
	}
}

func hasAnyPrefix(s string, words []string) bool {
	for _, w := range words {
		if strings.HasPrefix(s, w) {
			return true
		}
	}
	return false
}

func (r *reader) fileName(s string, at int) {
	name := Span{at + 3, at + len(s)}
	for name.Start < name.End && r.raw[name.Start] == ' ' {
		name.Start++
	}
	if tab := strings.IndexByte(r.raw[name.Start:name.End], '\t'); tab >= 0 {
		name.End = name.Start + tab
	}
	sec := r.headerSection()
	if name.Start == name.End {
		return
	}
	none := devNull(r.raw[name.Start:name.End])
	if s[0] == '-' {
		sec.OldName = name
		sec.Creates = sec.Creates || none
	} else {
		sec.NewName = name
		sec.Deletes = sec.Deletes || none
	}
}

// tail notes text that no rule knows: after a hunk it is that hunk's tail, before
// the first one it is skipped unless no hunk follows.
func (r *reader) tail(i, end int) {
	if r.prose == (Span{}) {
		r.prose = Span{i, end}
	}
	if r.hunk < 0 || !r.sectionHasHunk {
		return
	}
	if h := &r.d.Hunks[r.hunk]; h.Tail == (Span{}) {
		h.Tail = Span{i, end}
	}
}

// finish lists the issues, in the order of the raw.
func (r *reader) finish() {
	d := r.d
	if len(d.Hunks) == 0 && !r.anyHeader && r.prose != (Span{}) && len(d.Issues) == 0 {
		d.issue(NoHunk, -1, r.prose)
	}
	before := -1
	for i := range d.Hunks {
		h := &d.Hunks[i]
		if h.Section != before {
			if before >= 0 && !sameFile(d, &d.Sections[before], &d.Sections[h.Section]) {
				d.issue(SeveralFiles, i, h.Header)
			}
			before = h.Section
		}
		if kind, at, bad := r.hunkIssue(h); bad {
			d.issue(kind, i, at)
		}
	}
}

// hunkIssue is the reason why a hunk cannot be replayed, the plainest first.
func (r *reader) hunkIssue(h *Hunk) (IssueKind, Span, bool) {
	d := r.d
	if strings.HasPrefix(d.Slice(h.Header), "@@@") {
		return Combined, h.Header, true
	}
	if h.Fits() && (h.first < h.last || h.Old.Count+h.New.Count == 0) {
		return 0, Span{}, false
	}
	if h.Tail != (Span{}) && elision(d.Slice(h.Tail)) {
		return Elided, h.Tail, true
	}
	if h.first == h.last {
		return EmptyHunk, h.Header, true
	}
	if h.Numbers == NumbersStated {
		for _, l := range d.lines[h.first:h.last] {
			if l.Kind != Context && elision(d.Text(l)) {
				return Elided, l.Span(), true
			}
		}
	}
	if h.Tail != (Span{}) {
		return Prose, h.Tail, true
	}
	if h.Numbers == NumbersStated {
		return Counts, h.Header, true
	}
	return 0, Span{}, false
}

// elision says whether a line shows, in a hunk that lacks lines, where they were
// left out. In a hunk that fits the same dots are content.
func elision(s string) bool {
	return strings.Contains(s, "...") || strings.Contains(s, "…")
}

// sameFile says whether two sections can speak of one file.
func sameFile(d *Diff, a, b *Section) bool {
	x, y := fileOf(d, a), fileOf(d, b)
	return x == "" || y == "" || x == y
}

// fileOf is the name of the file after the section, or before it when the section
// deletes it.
func fileOf(d *Diff, s *Section) string {
	if name := d.Slice(s.NewName); name != "" && !devNull(name) {
		return bare(name)
	}
	if name := d.Slice(s.OldName); !devNull(name) {
		return bare(name)
	}
	return ""
}
